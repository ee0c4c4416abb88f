"""The cells of spreadsheets: OpenDocument (.ods) and Office Open XML (.xlsx).

https://docs.oasis-open.org/office/OpenDocument/v1.3/ and ECMA-376, part 1, 18.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from posixpath import normpath

from lxml import etree
from pydantic import JsonValue

from tapwright.devices.desktop.documents.opendocument import Styles, text_of
from tapwright.devices.desktop.documents.package import Package, UnreadableDocumentError
from tapwright.devices.limits import MAX_CELLS

__all__ = ["Sheet", "column_name", "read_sheets"]

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINKS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_COLUMNS = 1024  # LibreOffice's
_REFERENCE = re.compile(r"[A-Z]{1,3}[1-9][0-9]{0,6}")
_ODS_REFERENCE = re.compile(r"\[\.?([^\[\]]*)\]")


@dataclass(slots=True)
class Sheet:
    """A sheet's filled cells by their names: "B2".

    `values` are texts, numbers, truths, and dates as they are stored; `formulas` those of cells
    that have one ("=SUM(B2:B4)"); `bold` the names of the cells in bold, in the order of the rows.
    """

    name: str
    values: dict[str, JsonValue] = field(default_factory=dict)
    formulas: dict[str, str] = field(default_factory=dict)
    bold: list[str] = field(default_factory=list)

    def put(self, reference: str, value: JsonValue) -> None:
        """Set a cell's value.

        Raises:
            UnreadableDocumentError: there are too many.
        """
        if len(self.values) >= MAX_CELLS:
            raise UnreadableDocumentError(f"sheet {self.name!r} has more than {MAX_CELLS} cells")
        self.values[reference] = value


def read_sheets(path: Path) -> list[Sheet]:
    """The sheets of a spreadsheet, in their order.

    Raises:
        UnreadableDocumentError: it is none, or cannot be read within the limits.
    """
    package = Package(path)
    read = _read_xlsx if path.suffix.lower() == ".xlsx" else _read_ods
    sheets: list[Sheet] = []
    for sheet in read(package):
        sheets.append(sheet)
        if sum(len(one.values) for one in sheets) > MAX_CELLS:
            raise UnreadableDocumentError(f"{path.name} has more than {MAX_CELLS} cells")
    return sheets


def _read_xlsx(package: Package) -> Iterator[Sheet]:
    strings = package.optional_part("xl/sharedStrings.xml")
    shared = [] if strings is None else [_joined(one) for one in strings.iter(f"{_MAIN}si")]
    links = {
        one.get("Id", ""): one.get("Target", "")
        for one in package.part("xl/_rels/workbook.xml.rels").iter(f"{_LINKS}Relationship")
    }
    bold = _bold_formats(package.optional_part("xl/styles.xml"))
    for one in package.part("xl/workbook.xml").iter(f"{_MAIN}sheet"):
        sheet = Sheet(one.get("name", ""))
        target = links.get(one.get(_LINK, ""), "")
        part = target.lstrip("/") if target.startswith("/") else normpath(f"xl/{target}")
        for cell in package.part(part).iter(f"{_MAIN}c"):
            reference = cell.get("r", "")
            if not _REFERENCE.fullmatch(reference):
                continue
            value = _xlsx_value(cell, shared)
            if value is not None:
                sheet.put(reference, value)
                if cell.get("s", "0") in bold:
                    sheet.bold.append(reference)
            formula = cell.findtext(f"{_MAIN}f")
            if formula:
                sheet.formulas[reference] = f"={formula}"
        yield sheet


def _bold_formats(styles: etree._Element | None) -> set[str]:
    """The numbers of the cell formats whose font is bold."""
    if styles is None:
        return set()
    fonts = styles.iterfind(f"{_MAIN}fonts/{_MAIN}font")
    marks = (font.find(f"{_MAIN}b") for font in fonts)
    bold = {
        str(number)
        for number, mark in enumerate(marks)
        if mark is not None and mark.get("val", "1") not in ("0", "false")
    }
    formats = styles.iterfind(f"{_MAIN}cellXfs/{_MAIN}xf")
    return {str(number) for number, one in enumerate(formats) if one.get("fontId") in bold}


def _xlsx_value(cell: etree._Element, shared: list[str]) -> JsonValue:
    raw = cell.findtext(f"{_MAIN}v")
    match cell.get("t", "n"):
        case "inlineStr":
            inline = cell.find(f"{_MAIN}is")
            return None if inline is None else _joined(inline)
        case _ if raw is None:
            return None
        case "s":
            return shared[int(raw)] if raw.isdecimal() and int(raw) < len(shared) else None
        case "b":
            return raw == "1"
        case "n":
            return _number(raw)
        case _:
            return raw


def _joined(element: etree._Element) -> str:
    """Its text without the readings of East Asian words."""
    return "".join(
        one.text or ""
        for one in element.iter(f"{_MAIN}t")
        if (parent := one.getparent()) is None or parent.tag != f"{_MAIN}rPh"
    )


def _read_ods(package: Package) -> Iterator[Sheet]:
    content = package.part("content.xml")
    styles = Styles([content, package.optional_part("styles.xml")])
    for table in content.iter(f"{_TABLE}table"):
        sheet = Sheet(table.get(f"{_TABLE}name", ""))
        columns = _column_styles(table)
        number = 0
        for row in table.iter(f"{_TABLE}table-row"):
            rows = range(number, number + _repeated(row, "rows"))
            number = rows.stop
            for place, value, cell in _filled_cells(row):
                style = cell.get(f"{_TABLE}style-name") or columns.get(place, "")
                formula = _ods_formula(cell.get(f"{_TABLE}formula", ""))
                for row_number in rows:
                    reference = f"{column_name(place)}{row_number + 1}"
                    sheet.put(reference, value)
                    if formula:
                        sheet.formulas[reference] = formula
                    if styles.is_bold(style):
                        sheet.bold.append(reference)
        yield sheet


def _filled_cells(row: etree._Element) -> Iterator[tuple[int, JsonValue, etree._Element]]:
    """Each cell with a value: the number of its column, the value, and itself."""
    place = 0
    for cell in row:
        if cell.tag not in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            continue
        repeated = _repeated(cell, "columns")
        value = _ods_value(cell)
        if value is not None:
            if repeated > MAX_CELLS:
                raise UnreadableDocumentError(f"a row has more than {MAX_CELLS} cells")
            yield from ((place + more, value, cell) for more in range(repeated))
        place += repeated


def _column_styles(table: etree._Element) -> dict[int, str]:
    """The style that cells without one of their own have, by the number of the column."""
    found: dict[int, str] = {}
    place = 0
    for column in table.iter(f"{_TABLE}table-column"):
        repeated = _repeated(column, "columns")
        style = column.get(f"{_TABLE}default-cell-style-name", "")
        found.update((number, style) for number in range(place, min(place + repeated, _COLUMNS)))
        place += repeated
    return found


def _ods_value(cell: etree._Element) -> JsonValue:
    kind = cell.get(f"{_OFFICE}value-type")
    match kind:
        case None:
            return None
        case "float" | "percentage" | "currency":
            return _number(cell.get(f"{_OFFICE}value", ""))
        case "boolean":
            return cell.get(f"{_OFFICE}boolean-value") == "true"
        case "date" | "time":
            return cell.get(f"{_OFFICE}{kind}-value")
        case _:
            return "\n".join(text_of(paragraph) for paragraph in cell.iterfind(f"{_TEXT}p"))


def _ods_formula(formula: str) -> str:
    """As people write it: "of:=SUM([.B2:.B4])" is "=SUM(B2:B4)"."""
    plain = formula.partition(":")[2] if ":=" in formula else formula
    return _ODS_REFERENCE.sub(lambda found: str(found[1]).replace(":.", ":"), plain)


def _repeated(element: etree._Element, what: str) -> int:
    raw = element.get(f"{_TABLE}number-{what}-repeated", "1")
    return int(raw) if raw.isdecimal() and 0 < len(raw) < 8 else 1


def column_name(number: int) -> str:
    """The name of a column: 0 is "A", 26 "AA"."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _number(raw: str) -> JsonValue:
    """A whole number where it is one; the text where it is no number that JSON has."""
    try:
        value = float(raw)
    except ValueError:
        return raw
    if not isfinite(value):
        return raw
    return int(value) if value.is_integer() else value
