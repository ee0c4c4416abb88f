r"""Task definitions with slots for the values that differ between tasks of one kind.

The modifiers of a slot apply from right to left; `'` after one applies it to each item of a list
with commas. A value is escaped so that it is read back unchanged, unless `no_quote` comes first.

They follow Mobile-Env's
https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/templates.toolkits/parse.py, but what it
loses in silence is an error here. A template is parsed once and filled many times: where a slot
stands inside quotes, its value is put into the message that was parsed.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from google.protobuf.message import Message

from tapwright.errors import suggest
from tapwright.tasks.definitions.textproto import parse_task
from tapwright.tasks.errors import (
    SLOT_VALUE,
    BadDefinitionError,
    BadTemplateError,
    UpstreamFailureError,
)
from tapwright.tasks.task_pb2 import Task
from tapwright.tasks.templates import slots
from tapwright.tasks.templates.confs import PLACEHOLDER, Values
from tapwright.tasks.templates.modifiers import MODIFIERS, Modifier, map_items
from tapwright.tasks.templates.slots import Warn
from tapwright.tasks.text_file import read_text_file

__all__ = ["SUFFIX", "Template", "make_conf", "make_conf_like_upstream", "read_template"]

SUFFIX = ".textproto.template"
"""The suffix of a template's file name."""

# While a template is parsed, each slot is one private character, with fills up to its width so
# that errors name the right column.
_FIRST, _LAST, _FILL = 0xF0000, 0xFFFFD, "\uf8ff"
_MARK = re.compile(f"([{chr(_FIRST)}-{chr(_LAST)}]){_FILL}*")
_PRIVATE = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}{_FILL}]")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "'": "\\'", "\n": "\\n", "\r": "\\r"})

_Put: TypeAlias = Callable[[Task, Sequence[str]], None]
"""Adds a part of a template to a task, given the text of each of the template's slots."""


class Template:
    """A task definition with slots."""

    def __init__(self, path: Path, text: str, warn: slots.Warn) -> None:
        """Parse a template; `path` names it in errors.

        Raises:
            BadTemplateError: a slot is invalid.
            BadDefinitionError: the text around the slots is not a task definition.
        """
        self.path = path
        self.text = text
        parts = list(slots.split_chunks(text, str(path), warn))
        whole = [piece for part in parts for piece in part]
        self.slots = tuple(piece for piece in whole if isinstance(piece, slots.TemplateSlot))
        self.identifiers = tuple(dict.fromkeys(slot.identifier for slot in self.slots))
        self._modifiers = tuple(tuple(self._chain(slot)) for slot in self.slots)
        self._whole = self._parsed(whole, 0, 1)
        self._parts: tuple[_Put, ...]
        try:
            self._parts = tuple(self._compile(parts))
        except BadDefinitionError:
            if not _is_bare(whole):
                raise
            # A value may open what the text closes.
            self._parts = (self._whole,)
        self._proven = len(self._parts) < 2

    def fill(self, values: Values, source: str) -> Task:
        """Fill the slots with values; `source` names their origin in errors.

        Raises:
            TaskError: a slot has no value, or still a placeholder.
            BadDefinitionError: with these values it is not a task definition.
        """
        texts = [self._text(number, values, source) for number in range(len(self.slots))]
        if not self._proven:
            # Only the whole shows whether a field is duplicate that may occur once.
            self._whole(Task(), texts)
            self._proven = True
        task = Task()
        for put in self._parts:
            put(task, texts)
        return task

    def _text(self, number: int, values: Values, source: str) -> str:
        slot = self.slots[number]
        entry = values.get(slot.identifier)
        if entry is None:
            raise SLOT_VALUE(
                f"{self.path}, line {slot.line}: nothing fills {slot}: "
                f"{source} has no {slot.identifier!r}",
                hint=f"add a line `{slot.identifier}: …` there; a plain < is written \\<",
            )
        if entry.text == PLACEHOLDER:
            raise SLOT_VALUE(
                f"{entry.place}: {slot.identifier} is still {PLACEHOLDER}; "
                f"expected a value for {slot} in {self.path}, line {slot.line}",
                hint="for no text at all, end the line at its colon",
            )
        text = entry.text
        for modifier in self._modifiers[number]:
            text = modifier(text)
        return text

    def _chain(self, slot: slots.TemplateSlot) -> Iterator[Modifier]:
        """Yields the modifiers of a slot in the order in which they apply."""
        place = f"{self.path}, line {slot.line}"
        for number, name in reversed(tuple(enumerate(slot.modifiers))):
            plain = name.removesuffix("'")
            if plain == slots.NO_QUOTE:
                if name != plain:
                    raise BadTemplateError(f"{place}: {slot}: no_quote has no items to mark with '")
                if number > 0:
                    raise BadTemplateError(
                        f"{place}: {slot}: no_quote would skip what stands before it",
                        hint="modifiers apply from right to left, and no_quote last: put it first",
                    )
            elif plain in MODIFIERS:
                yield MODIFIERS[plain] if plain == name else map_items(MODIFIERS[plain])
            else:
                raise BadTemplateError(
                    f"{place}: {slot}: unknown modifier {plain!r}",
                    hint=suggest(plain, MODIFIERS),
                )

    def _compile(self, parts: Sequence[Sequence[slots.TemplatePiece]]) -> Iterator[_Put]:
        """Yields the function that adds each part; neighbours that can be parsed now are one."""
        number, line = 0, 1
        unmarkable = _PRIVATE.search(self.text) or len(self.slots) > _LAST - _FIRST
        for bare, group in groupby(parts, key=_is_bare):
            part = [piece for one in group for piece in one]
            put = None if bare or unmarkable else self._marked(part, number, line)
            yield put or self._parsed(part, number, line)
            number += sum(isinstance(piece, slots.TemplateSlot) for piece in part)
            line += sum(piece.count("\n") for piece in part if isinstance(piece, str))

    def _marked(self, part: Sequence[slots.TemplatePiece], number: int, line: int) -> _Put | None:
        """Parse a part now, with marks for its slots; None if a mark is where it cannot be set."""
        text = ["\n" * (line - 1)]
        for piece in part:
            if isinstance(piece, slots.TemplateSlot):
                text.append(chr(_FIRST + number) + _FILL * (len(str(piece)) - 1))
                number += 1
            else:
                text.append(piece)
        parsed = parse_task("".join(text), origin=str(self.path))
        marked = list(_marked_texts(parsed, ()))
        if any(path is None for path, _ in marked):
            return None

        def put(task: Task, texts: Sequence[str]) -> None:
            if not marked:
                task.MergeFrom(parsed)
                return
            filled = Task()
            filled.CopyFrom(parsed)
            for path, pieces in marked:
                assert path is not None  # as looked at above
                _set(filled, path, "".join([texts[p] if isinstance(p, int) else p for p in pieces]))
            task.MergeFrom(filled)

        return put

    def _parsed(self, part: Sequence[slots.TemplatePiece], number: int, line: int) -> _Put:
        """Parse a part anew with every value."""
        above = "\n" * (line - 1)

        def put(task: Task, texts: Sequence[str]) -> None:
            values = iter(texts[number:])
            filled = (p if isinstance(p, str) else _inserted(p, next(values)) for p in part)
            task.MergeFrom(parse_task(above + "".join(filled), origin=str(self.path)))

        return put


def read_template(path: Path, warn: slots.Warn) -> Template:
    """Reads a template.

    Raises:
        BadTemplateError: it cannot be read, is too large, or a slot is invalid.
        BadDefinitionError: the text around the slots is not a task definition.
    """
    return Template(path, read_text_file(path, "template", BadTemplateError), warn)


def _is_bare(part: Sequence[slots.TemplatePiece]) -> bool:
    return any(isinstance(piece, slots.TemplateSlot) and piece.bare for piece in part)


def _inserted(slot: slots.TemplateSlot, value: str) -> str:
    return value if slots.NO_QUOTE in slot.modifiers else value.translate(_ESCAPES)


_Path: TypeAlias = tuple[tuple[str, str | int | None], ...]
"""From a message to a text in it: a field's name with a place in its list, or a key of its map."""


def _marked_texts(
    message: Message, path: _Path
) -> Iterator[tuple[_Path | None, tuple[str | int, ...]]]:
    """Yields the texts with marks: the path to each, and its pieces with numbers for the marks.

    The path is None where a mark is in the key of a map.
    """
    for field, value in message.ListFields():
        for key, item in _items(value):
            here = (*path, (field.name, key))
            if isinstance(key, str) and _MARK.search(key):
                yield None, ()
            elif isinstance(item, Message):
                yield from _marked_texts(item, here)
            elif isinstance(item, str) and _MARK.search(item):
                parts = enumerate(_MARK.split(item))
                yield here, tuple(ord(part) - _FIRST if odd % 2 else part for odd, part in parts)


def _items(value: Any) -> Iterator[tuple[str | int | None, object]]:
    """Yields the value of a field, or each item of its list or map."""
    if isinstance(value, str | int | float | bytes | Message):
        yield None, value
    elif hasattr(value, "items"):
        yield from value.items()
    else:
        yield from enumerate(value)


def _set(message: Any, path: _Path, text: str) -> None:
    """Set the text at a path."""
    *steps, (name, key) = path
    for step, place in steps:
        message = getattr(message, step)
        message = message if place is None else message[place]
    if key is None:
        setattr(message, name, text)
    else:
        getattr(message, name)[key] = text


_UPSTREAM_SLOT = re.compile(r"<(?:\w+(?:,\w+)*:)?(\w+)>")
"""Mobile-Env's tool misses slots with the mark `'`, and takes words in comments, and groups of
regular expressions, for identifiers:
https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/templates.toolkits/init_conf.py"""


def make_conf(template: Path, name: str, warn: Warn) -> tuple[str, str]:
    """Returns the file name and text of a new conf file, in the order of the template's slots.

    Raises:
        BadTemplateError: it cannot be read, or a slot is invalid.
        BadDefinitionError: the text around the slots is not a task definition.
    """
    step = _step(template)
    if "-" in step or template.name != f"{step}{SUFFIX}":
        warn(
            f"{template}: no task file can name this template; expected a file name like "
            f"{step.replace('-', '_')}{SUFFIX}, with no hyphen and no further dot"
        )
    return _render_conf(step, name, read_template(template, warn).identifiers)


def make_conf_like_upstream(template: Path, name: str) -> tuple[str, str]:
    """Returns the same with the identifiers that Mobile-Env's own tool finds.

    Raises:
        UpstreamFailureError: the template does not exist.
    """
    try:
        text = read_text_file(template, "template", BadTemplateError)
    except BadTemplateError as error:
        what = f"[Errno 2] No such file or directory: {str(template)!r}"
        raise UpstreamFailureError("FileNotFoundError", what, str(template)) from error
    return _render_conf(_step(template), name, tuple(dict.fromkeys(_UPSTREAM_SLOT.findall(text))))


def _step(template: Path) -> str:
    return template.name.partition(".")[0]


def _render_conf(step: str, name: str, identifiers: tuple[str, ...]) -> tuple[str, str]:
    lines = (f"{identifier}: {PLACEHOLDER}\n" for identifier in identifiers)
    return f"{step}-{name}.conf", "".join(lines)
