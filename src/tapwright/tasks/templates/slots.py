r"""The slots of a task template: `<modifier,modifier:identifier>` in protobuf text format.

They follow
https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/templates.toolkits/syntax.ebnf, but a
comment has none, the name of a group of a regular expression, `(?P<name>…)`, is none, and inside
quotes `\<` is a plain `<`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tapwright.tasks.templates.modifiers import MODIFIERS

__all__ = ["NO_QUOTE", "SLOT", "TemplatePiece", "TemplateSlot", "Warn", "split_chunks"]

NO_QUOTE = "no_quote"
"""The modifier that inserts a value into the text without escaping."""

SLOT = re.compile(r"<(?:(?P<modifiers>\w+'?(?:,\w+'?)*):)?(?P<identifier>\w+)>")

Warn: TypeAlias = Callable[[str], None]
"""Receives one warning, which does not stop an expansion."""

_ALMOST = re.compile(rf"< *\w[\w',:]* *>|<(?:{'|'.join(MODIFIERS)}|{NO_QUOTE})'?[,:]")
_GROUP = re.compile(r"\(\?P?<\w+>")
_OUTSIDE = re.compile(r"#[^\n]*|[^#<>\"'\n\[\]{}]+|.|\n")
_INSIDE = re.compile(r"\\.|[^\\<(\"'\n]+|.|\n")
_FIELD = re.compile(r"[a-zA-Z_]")


@dataclass(frozen=True, slots=True)
class TemplateSlot:
    """One slot of a template, which a value fills.

    A `bare` one is outside quotes, or has `no_quote`: its value may be more than a text.
    """

    identifier: str
    modifiers: tuple[str, ...]
    line: int
    bare: bool

    def __str__(self) -> str:
        return f"<{','.join(self.modifiers)}{':' if self.modifiers else ''}{self.identifier}>"


TemplatePiece: TypeAlias = str | TemplateSlot


def split_chunks(text: str, origin: str, warn: Warn) -> Iterator[list[TemplatePiece]]:
    """Splits a template into texts and slots, in chunks that start where a field of the task does.

    Something that only resembles a slot goes to `warn`, with `origin` and line.
    """
    chunk: list[TemplatePiece] = []
    at, line, depth, quote = 0, 1, 0, ""
    while at < len(text):
        if chunk and not quote and depth == 0 and text[at - 1] == "\n" and _FIELD.match(text, at):
            yield chunk
            chunk = []
        if slot := SLOT.match(text, at):
            modifiers = tuple((slot["modifiers"] or "").split(",")) if slot["modifiers"] else ()
            bare = not quote or NO_QUOTE in modifiers
            chunk.append(TemplateSlot(slot["identifier"], modifiers, line, bare))
            at = slot.end()
            continue
        token = _token(text, at, quote)
        if quote and (almost := _ALMOST.match(text, at)):
            warn(
                f"{origin}, line {line}: {almost[0]!r} is not a slot and stays as it is; "
                "expected <modifier,modifier:identifier> without blanks"
            )
        at += len(token)
        chunk.append("<" if quote and token == r"\<" else token)
        if token == "\n":
            line, quote = line + 1, ""
        elif token in ("'", '"') and quote in ("", token):
            quote = "" if quote else token
        elif not quote:
            depth += (token in "{[<") - (token in "}]>")
    if chunk:
        yield chunk


def _token(text: str, at: int, quote: str) -> str:
    group = _GROUP.match(text, at) if quote else None
    match = group or (_INSIDE if quote else _OUTSIDE).match(text, at)
    assert match  # the patterns take any character
    return match[0]
