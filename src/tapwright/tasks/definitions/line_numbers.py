"""Where a field stands in a task definition or a template, as protobuf's parser does not tell."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from tapwright.tasks.templates.slots import Slot, chunks

__all__ = [
    "Way",
    "line_of",
]

Way: TypeAlias = tuple[tuple[str, int], ...]
"""From a definition to a part of it: the name of each field, and which of that name it is."""

_WORD = re.compile(r"[\w.+-]+|[{}\[\]<>:,;]")


def line_of(text: str, way: Way) -> int:
    """The line, from 1, of what `way` leads to, or of the nearest thing around it."""
    lines = dict(_fields(text))
    while way and way not in lines:
        way = way[:-1]
    return lines.get(way, 1)


@dataclass(slots=True)
class _Block:
    """Between braces: where it is, and how many of each field it has had."""

    way: Way
    counts: Counter[str] = field(default_factory=Counter)
    name: str = ""
    is_value_next: bool = False
    is_list: bool = False


def _fields(text: str) -> Iterator[tuple[Way, int]]:
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
                here = (*block.way, (block.name, block.counts[block.name]))
                yield here, line
                blocks.append(_Block(here))
            case "}" | ">":
                if len(blocks) > 1:
                    blocks.pop()
                blocks[-1].is_value_next = blocks[-1].is_list
            case _ if block.is_value_next:
                yield (*block.way, (block.name, block.counts[block.name])), line
                block.is_value_next = block.is_list
            case _ if word != "''":
                if word in block.counts:
                    block.counts[word] += 1
                else:
                    block.counts[word] = 0
                block.name = word


def _words(text: str) -> Iterator[tuple[str, int]]:
    """Names, values and signs with their lines; a text, and a slot, is `''`."""
    line, quote = 1, ""
    for chunk in chunks(text, "", lambda _: None):
        for piece in chunk:
            if isinstance(piece, Slot):
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
