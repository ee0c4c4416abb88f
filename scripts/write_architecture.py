"""Draws docs/images/architecture.svg: the rooms of tapwright, from the contract of imports.

Run: python scripts/write_architecture.py. A test compares the picture with the contract.
"""

import argparse
import tomllib
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs/images/architecture.svg"
ROW_PX, BOX_PX, GAP_PX, LETTER_PX, WIDTH_PX = 34, 24, 10, 8, 640


def read_layers() -> list[list[str]]:
    """The rooms of each row, from the top; a row imports only from rows below."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (rooms,) = (
        one
        for one in settings["tool"]["importlinter"]["contracts"]
        if one.get("containers") == ["tapwright"]
    )
    rows = [[name.strip() for name in row.split("|")] for row in rooms["layers"]]
    return [row for row in rows if row != ["__main__"]]


def draw(rows: Sequence[Sequence[str]]) -> str:
    """The picture, as SVG."""
    height = len(rows) * ROW_PX + GAP_PX
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH_PX} {height}" '
        'font-family="ui-monospace, monospace" font-size="13" text-anchor="middle">',
        "<title>A room imports only from rooms in rows below its own</title>",
    ]
    for number, row in enumerate(rows):
        widths = [len(name) * LETTER_PX + 2 * GAP_PX for name in row]
        left, top = (WIDTH_PX - sum(widths) - GAP_PX * (len(row) - 1)) // 2, number * ROW_PX
        for name, width in zip(row, widths, strict=True):
            parts.append(
                f'<rect x="{left}" y="{top + GAP_PX}" width="{width}" height="{BOX_PX}" rx="5" '
                f'fill="#eef3fb" stroke="#4a6fa5"/><text x="{left + width // 2}" '
                f'y="{top + GAP_PX + 17}" fill="#1b2b45">{escape(name)}</text>'
            )
            left += width + GAP_PX
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    PICTURE.write_text(draw(read_layers()), encoding="utf-8")
