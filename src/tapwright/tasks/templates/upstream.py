"""Reads the steps of a task as Mobile-Env's own tool does, with its losses and failures.

For `--compat mobile-env`. It reproduces the outputs of
https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/templates.toolkits/parse.py and the kinds
of its failures; docs/tasks.md lists the differences.
"""

import io
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from google.protobuf import text_format

from tapwright.errors import TaskError
from tapwright.files.regular import open_regular
from tapwright.tasks.definitions.textproto import parse_text
from tapwright.tasks.errors import UpstreamFailureError
from tapwright.tasks.limits import MAX_FILE_BYTES
from tapwright.tasks.task_pb2 import Task
from tapwright.tasks.templates.merge import TaskStep
from tapwright.tasks.templates.modifiers import MODIFIERS, map_items
from tapwright.tasks.templates.slots import NO_QUOTE, SLOT
from tapwright.tasks.templates.template import SUFFIX

__all__ = ["format_like_upstream", "read_steps"]

_OTHER_NAMES = re.compile(r"functools|urllib|__\w+__")
"""The other names in its module of modifiers, none of which can be called with a text."""


def read_steps(path: Path, templates: Path) -> list[TaskStep]:
    """Reads the steps of a task file, with their slots filled.

    A step may lie outside the directories, as in the original.

    Raises:
        UpstreamFailureError: where that tool fails.
    """
    steps = [
        _read_step(line, f"{path}, line {number}", path.parent, templates)
        for number, line in enumerate(_lines(path), start=1)
    ]
    if not steps:
        raise UpstreamFailureError("IndexError", "list index out of range", str(path))
    return steps


def format_like_upstream(task: Task) -> str:
    """Renders a definition as that tool does."""
    return text_format.MessageToString(
        task, as_utf8=True, force_colon=True, use_short_repeated_primitives=True
    )


def _read_step(line: str, place: str, confs: Path, templates: Path) -> TaskStep:
    words = line.split()
    if not words:
        raise UpstreamFailureError("IndexError", "list index out of range", place)
    token = words[0]
    conf = _read_conf(Path(os.path.join(confs, f"{token}.conf")))
    name, hyphen, _ = token.partition("-")
    if not hyphen:
        raise UpstreamFailureError(
            "ValueError", "not enough values to unpack (expected 2, got 1)", place
        )
    path = Path(os.path.join(templates, name + SUFFIX))
    text = "".join(
        SLOT.sub(lambda slot: _fill_slot(slot, conf, str(path)), one) for one in _lines(path)
    )
    task = Task()
    try:
        parse_text(text, task)
    except text_format.ParseError as error:
        kind = "google.protobuf.text_format.ParseError"
        raise UpstreamFailureError(kind, str(error), str(path)) from error
    except RecursionError as error:
        raise UpstreamFailureError("RecursionError", str(error), str(path)) from error
    return TaskStep(task, str(path), frozenset(words[1] if len(words) > 1 else ""))


def _read_conf(path: Path) -> dict[str, str]:
    values = {}
    for number, line in enumerate(_lines(path), start=1):
        key, colon, value = line.strip().partition(": ")
        if not colon:
            raise UpstreamFailureError(
                "ValueError",
                "not enough values to unpack (expected 2, got 1)",
                f"{path}, line {number}",
            )
        values[key] = value
    return values


def _fill_slot(slot: re.Match[str], conf: Mapping[str, str], place: str) -> str:
    value = conf.get(slot["identifier"], "")
    for name in reversed(slot["modifiers"].split(",") if slot["modifiers"] else []):
        if name == NO_QUOTE:
            return value
        plain = name.removesuffix("'")
        value = (
            _find_modifier(plain, place)
            if plain == name
            else map_items(_find_modifier(plain, place))
        )(value)
    return value.replace('"', '\\"').replace("'", "\\'")


def _find_modifier(name: str, place: str) -> Callable[[str], str]:
    if name in MODIFIERS:
        return MODIFIERS[name]
    if _OTHER_NAMES.fullmatch(name):
        raise UpstreamFailureError("TypeError", "'module' object is not callable", place)
    raise UpstreamFailureError(
        "AttributeError", f"module 'modifiers' has no attribute {name!r}", place
    )


def _lines(path: Path) -> list[str]:
    """Returns the lines of a file with their ends, as iterating over a text file does."""
    try:
        with open_regular(path) as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        what = f"{error} " if isinstance(error, OSError) else str(error)
        raise UpstreamFailureError(type(error).__name__, what.strip(), str(path)) from error
    if len(data) > MAX_FILE_BYTES:
        raise TaskError(f"{path}: larger than {MAX_FILE_BYTES:,} bytes")
    try:
        return list(io.StringIO(data.decode("utf-8"), newline=None))
    except UnicodeDecodeError as error:
        raise UpstreamFailureError("UnicodeDecodeError", str(error), str(path)) from error
