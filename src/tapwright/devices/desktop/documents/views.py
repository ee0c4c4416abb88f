"""What a file in a desktop's home holds, by paths below it: "budget.ods.cells.Sheet1.B2"."""

from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import JsonValue

from tapwright.devices.desktop.documents.package import UnreadableDocumentError
from tapwright.devices.desktop.documents.sheets import Sheet, read_sheets
from tapwright.devices.desktop.documents.texts import TEXT_DOCUMENTS, read_paragraphs
from tapwright.devices.limits import MAX_HOME_FILE

__all__ = ["VIEWS", "read_settings", "read_view", "walk"]

_TRUTHS = {"true": True, "false": False}


def read_settings(text: str) -> dict[str, dict[str, JsonValue]]:
    """The keys of each group with their values; keys before the first group are in "".

    Values are truths, numbers and texts, without the quotes that GSettings writes around them.
    """
    groups: dict[str, dict[str, JsonValue]] = {}
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1]
        elif line and line[0] not in "#;" and "=" in line:
            key, _, raw = line.partition("=")
            groups.setdefault(group, {})[key.strip()] = _value(raw.strip())
    return groups


def _value(raw: str) -> JsonValue:
    if raw in _TRUTHS:
        return _TRUTHS[raw]
    if len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "'\"":
        return raw[1:-1]
    digits = raw.removeprefix("-").replace(".", "", 1)
    if not (digits.isdecimal() and digits.isascii() and len(digits) <= 15):
        return raw
    return float(raw) if "." in raw else int(raw)


_View = Callable[[Path], JsonValue]


def read_view(path: Path, view: str, inner: str) -> JsonValue:
    """What lies at `inner` in a view of a file; None for nothing, or a file that is unreadable."""
    try:
        if path.stat().st_size > MAX_HOME_FILE:
            return None
        return walk(VIEWS[view](path), inner)
    except (OSError, UnicodeDecodeError, UnreadableDocumentError):
        return None


def walk(value: JsonValue, path: str) -> JsonValue:
    """What lies at a dotted path in JSON: keys, which may have dots themselves, and numbers."""
    if not path:
        return value
    if isinstance(value, list):
        number, _, rest = path.partition(".")
        known = number.isdecimal() and len(number) < 10 and int(number) < len(value)
        return walk(value[int(number)], rest) if known else None
    if isinstance(value, dict):
        for key in sorted(value, key=len, reverse=True):
            if path == key or path.startswith(f"{key}."):
                return walk(value[key], path[len(key) + 1 :])
    return None


def _by_sheet(read: Callable[[Sheet], JsonValue]) -> _View:
    return lambda path: {sheet.name: read(sheet) for sheet in read_sheets(path)}


def _text(path: Path) -> JsonValue:
    """The words of a document or a text file, by lines; ends of lines at its end do not count."""
    if path.suffix.lower() in TEXT_DOCUMENTS:
        return "\n".join(one.text for one in read_paragraphs(path))
    return path.read_text(encoding="utf-8").rstrip("\n")


def _settings(path: Path) -> JsonValue:
    groups = read_settings(path.read_text(encoding="utf-8"))
    return {group: {**keys} for group, keys in groups.items()}


VIEWS: Mapping[str, _View] = {
    "sheets": lambda path: [sheet.name for sheet in read_sheets(path)],
    "cells": _by_sheet(lambda sheet: {**sheet.values}),
    "formulas": _by_sheet(lambda sheet: {**sheet.formulas}),
    "bold": _by_sheet(lambda sheet: [*sheet.bold]),
    "paragraphs": lambda path: [one.as_json() for one in read_paragraphs(path)],
    "text": _text,
    "settings": _settings,
}
"""What a file can be read as; the word stands between its path and what is in it."""
