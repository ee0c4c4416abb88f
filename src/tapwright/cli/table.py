"""Tables that fit the terminal: no id is broken, no reason is hidden.

A column is at least as wide as its longest word, and that of ids as its longest id, in whatever
script. Empty columns are left out. Where they do not fit side by side, the texts stand below their
row, each behind the name of its column.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

_GAP = 2
_READABLE = 24
"""A text in a narrower column is a tower of words: it stands below its row instead."""

# Ideographs may be parted anywhere, so none of them widens a column.
_BREAKS = re.compile(r"\s+|(?<=[\u2e80-\uffdf])|(?=[\u2e80-\uffdf])")


def table_lines(
    rows: Sequence[Mapping[str, str]], width: int, key: str
) -> Iterator[tuple[str, str]]:
    """The lines of a table with their styles; there is a row at least, and all have its columns.

    `key` is the column of ids, whose texts stand in one line each.
    """
    names = [name for name in rows[0] if any(row[name] for row in rows)] or list(rows[0])[:1]
    beside, widths = _side_by_side(rows, names, width, key)
    below = [name for name in names if name not in beside]
    yield _joined([_padded(_title(name), widths[name]) for name in beside]), "bold"
    yield "─" * min(width, sum(widths.values()) + _GAP * (len(beside) - 1)), ""
    for row in rows:
        cells = [_wrapped(row[name], widths[name], whole=name == key) for name in beside]
        for line in range(max(map(len, cells))):
            pieces = [cell[line] if line < len(cell) else "" for cell in cells]
            yield (
                _joined([_padded(one, widths[n]) for one, n in zip(pieces, beside, strict=True)]),
                "",
            )
        for name in below:
            if row[name]:
                label = f"  {_title(name)}: "
                room = max(_READABLE, width - _cells(label))
                first, *others = _wrapped(row[name], room, whole=name == key)
                yield f"{label}{first}", ""
                yield from ((f"{' ' * _cells(label)}{one}", "") for one in others)


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` cells, broken between words; a longer word is kept."""
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for piece in _pieces(paragraph):
            if line and _cells(line + piece.rstrip()) > width:
                lines.append(line.rstrip())
                line = piece.lstrip()
            else:
                line += piece
        lines.append(line.rstrip())
    return lines


def _wrapped(text: str, width: int, *, whole: bool) -> list[str]:
    return text.split("\n") if whole else wrap(text, width)


def _pieces(text: str) -> Iterator[str]:
    """Words with the blanks behind them, and single ideographs."""
    start = 0
    for found in _BREAKS.finditer(text):
        if found.end() > start:
            yield text[start : found.end()]
            start = found.end()
    if start < len(text):
        yield text[start:]


def _side_by_side(
    rows: Sequence[Mapping[str, str]], names: Sequence[str], width: int, key: str
) -> tuple[list[str], dict[str, int]]:
    """The columns that stand beside each other, and their widths; the first always does."""
    beside = list(names)
    natural = {name: _widest(rows, name, lambda text: text.split("\n")) for name in names}
    least = {
        name: natural[name] if name == key else _widest(rows, name, _BREAKS.split) for name in names
    }
    while True:
        room = width - _GAP * (len(beside) - 1)
        widths = {name: natural[name] for name in beside}
        while sum(widths.values()) > room:
            slack = {name: widths[name] - least[name] for name in beside}
            name = max(beside, key=lambda one: (slack[one] > 0, widths[one]))
            if slack[name] <= 0:
                break
            widths[name] -= 1
        fits = sum(widths.values()) <= room
        towers = [one for one in beside[1:] if widths[one] < min(natural[one], _READABLE)]
        if (fits and not towers) or len(beside) == 1:
            return beside, widths
        beside.remove(max(towers if fits else beside[1:], key=lambda one: natural[one]))


def _widest(rows: Sequence[Mapping[str, str]], name: str, parts: Callable[[str], list[str]]) -> int:
    widest = max((_cells(part) for row in rows for part in parts(row[name])), default=0)
    return max(widest, _cells(_title(name)))


def _title(name: str) -> str:
    return name.replace("_", " ")


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _cells(text))


def _joined(cells: Sequence[str]) -> str:
    return (" " * _GAP).join(cells).rstrip()
