"""Writes a notebook beside each page of docs/start and docs/zh/start: the page, to be run.

Run: python scripts/write_notebooks.py
A block of Python becomes a cell, and so does one of commands, which a notebook runs with "!"; what
is between them is text. The page is the source: who changes it runs this, and a test compares.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_OWN_LINK = re.compile(
    r"^- \[[^\]]*\]\(\w[\w-]*\.ipynb\)\n| ?\[[^\]]*\]\(\w[\w-]*\.ipynb\)[.。]?", re.M
)


def pages() -> list[Path]:
    """The pages that have a notebook."""
    return sorted([*DOCS.glob("start/*.md"), *DOCS.glob("zh/start/*.md")])


def notebook(page: str) -> dict[str, Any]:
    """A page of Markdown as a notebook of nbformat 4.5."""
    parts = enumerate(_cells(_OWN_LINK.sub("", page)))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": [_cell(number, kind, text) for number, (kind, text) in parts],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    cell = {"id": f"cell-{number}", "cell_type": kind, "metadata": {}, "source": text.strip("\n")}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _cells(page: str) -> Iterator[tuple[str, str]]:
    parts = _BLOCK.split(page)
    for words, language, code in zip(
        parts[::3], [*parts[1::3], ""], [*parts[2::3], ""], strict=True
    ):
        if words.strip():
            yield "markdown", words
        if language == "console":
            code = re.sub(r"^\$ ", "!", code, flags=re.MULTILINE)
        if language:
            yield "code", code


def text_of(page: Path) -> str:
    """What the notebook of a page has on disk."""
    made = notebook(page.read_text(encoding="utf-8"))
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write them all, and say where they lie."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    for page in pages():
        page.with_suffix(".ipynb").write_text(text_of(page), encoding="utf-8")
        sys.stdout.write(f"{page.with_suffix('.ipynb')}\n")


if __name__ == "__main__":
    main()
