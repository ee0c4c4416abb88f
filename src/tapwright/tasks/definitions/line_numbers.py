"""The line numbers of fields in a task definition or template, which protobuf's parser drops."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from tapwright.tasks.templates.slots import TemplateSlot, split_chunks

__all__ = ["FieldPath", "find_line"]

FieldPath: TypeAlias = tuple[tuple[str, int], ...]
"""The path from a definition to a field: the name of each field, and its index among that name."""

_WORD = re.compile(r"[\w.+-]+|[{}\[\]<>:,;]")


def find_line(text: str, path: FieldPath) -> int:
    """Finds the line, from 1, of the field at `path`, or of the nearest field around it."""
    lines = dict(_fields(text))
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


@dataclass(slots=True)
class _Block:
    """A message in braces: its path, and the number of each field so far."""

    path: FieldPath
    counts: Counter[str] = field(default_factory=Counter)
    name: str = ""
    is_value_next: bool = False
    is_list: bool = False


def _fields(text: str) -> Iterator[tuple[FieldPath, int]]:
    blocks = [_Block(())]
    for word, line in _words(text):
        block = blocks[-1]
        match word:
            case ":":
                block.is_value_next = True
            case "[" if block.is_value_next or block.name:
                block.is_list = block.is_value_next = True
            case "]":
                block.is_list = block.is_value_next = False
            case "," if block.is_list:
                block.counts[block.name] += 1
            case "," | ";":
                block.is_value_next = False
            case "{" | "<":
                here = (*block.path, (block.name, block.counts[block.name]))
                yield here, line
                blocks.append(_Block(here))
            case "}" | ">":
                if len(blocks) > 1:
                    blocks.pop()
                blocks[-1].is_value_next = blocks[-1].is_list
            case _ if block.is_value_next:
                yield (*block.path, (block.name, block.counts[block.name])), line
                block.is_value_next = block.is_list
            case _ if word != "''":
                if word in block.counts:
                    block.counts[word] += 1
                else:
                    block.counts[word] = 0
                block.name = word


def _words(text: str) -> Iterator[tuple[str, int]]:
    """Yields names, values and signs with their lines; a text, and a slot, is `''`."""
    line, quote = 1, ""
    for chunk in split_chunks(text, "", lambda _: None):
        for piece in chunk:
            if isinstance(piece, TemplateSlot):
                if not quote:
                    yield "''", line
            elif piece == "\n":
                line, quote = line + 1, ""
            elif piece in ("'", '"') and quote in ("", piece):
                quote = "" if quote else piece
                if quote:
                    yield "''", line
            elif not quote and not piece.startswith("#"):
                yield from ((word, line) for word in _WORD.findall(piece))
