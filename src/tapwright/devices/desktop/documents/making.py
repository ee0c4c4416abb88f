"""Makes office documents of plain text, as the files that an episode starts with.

A spreadsheet is made of CSV, with numbers where a field is one; a text document of its lines, where
"# " begins a heading as in Markdown.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from tapwright.devices.desktop.documents.sheets import column_name

__all__ = ["make_document"]

_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,9})?", re.ASCII)
_DATE = (1980, 1, 1, 0, 0, 0)
_HEADING = re.compile(r"(#{1,6}) (.*)")
_ODF = "application/vnd.oasis.opendocument."
_ODF_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "table", "text", "style")
)
_ODT_STYLES = "".join(
    f'<style:style style:name="Heading_20_{level}" style:display-name="Heading {level}" '
    f'style:family="paragraph" style:default-outline-level="{level}" style:class="text"/>'
    for level in range(1, 7)
)
_OOXML = "http://schemas.openxmlformats.org/"
_PACKAGE = f"{_OOXML}package/2006"
_LINKS = f"{_OOXML}officeDocument/2006/relationships"


def make_document(suffix: str, text: str) -> bytes | None:
    """The document of a suffix (".ods", ".xlsx", ".odt", ".docx"); None for any other."""
    match suffix:
        case ".ods":
            return _open_document("spreadsheet", "".join(_ods_rows(text)))
        case ".odt":
            return _open_document("text", "".join(_odt_paragraphs(text)), _ODT_STYLES)
        case ".xlsx":
            return _xlsx(text)
        case ".docx":
            return _docx(text)
        case _:
            return None


def _open_document(kind: str, inner: str, styles: str = "") -> bytes:
    content = (
        f'<office:document-content {_ODF_SPACES} office:version="1.3"><office:body>'
        f"<office:{kind}>{inner}</office:{kind}></office:body></office:document-content>"
    )
    parts = {"content.xml": content}
    if styles:
        parts["styles.xml"] = (
            f'<office:document-styles {_ODF_SPACES} office:version="1.3"><office:styles>{styles}'
            "</office:styles></office:document-styles>"
        )
    manifest = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{media}"/>'
        for path, media in (("/", _ODF + kind), *((name, "text/xml") for name in parts))
    )
    spaces = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
    return _archive(
        {
            "mimetype": _ODF + kind,
            "META-INF/manifest.xml": f'<manifest:manifest {spaces} manifest:version="1.3">'
            f"{manifest}</manifest:manifest>",
            **parts,
        }
    )


def _ods_rows(text: str) -> Iterator[str]:
    yield '<table:table table:name="Sheet1">'
    for row in csv.reader(io.StringIO(text)):
        yield "<table:table-row>"
        for cell in row:
            if not cell:
                yield "<table:table-cell/>"
                continue
            kind = f'float" office:value="{cell}' if _NUMBER.fullmatch(cell) else "string"
            yield f'<table:table-cell office:value-type="{kind}"><text:p>{escape(cell)}</text:p>'
            yield "</table:table-cell>"
        yield "</table:table-row>"
    yield "</table:table>"


def _odt_paragraphs(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if heading := _HEADING.fullmatch(line):
            level = len(heading[1])
            yield (
                f'<text:h text:style-name="Heading_20_{level}" text:outline-level="{level}">'
                f"{escape(heading[2])}</text:h>"
            )
        else:
            yield f"<text:p>{escape(line)}</text:p>"


def _xlsx(text: str) -> bytes:
    rows = "".join(
        "<row>"
        + "".join(
            _xlsx_cell(f"{column_name(place)}{number}", cell) for place, cell in enumerate(row)
        )
        + "</row>"
        for number, row in enumerate(csv.reader(io.StringIO(text)), start=1)
    )
    main = f'xmlns="{_OOXML}spreadsheetml/2006/main"'
    return _archive(
        {
            **_ooxml_frame("xl/workbook.xml", "spreadsheetml.sheet.main", {
                "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet",
            }),
            "xl/_rels/workbook.xml.rels": _links({"worksheet": "worksheets/sheet1.xml"}),
            "xl/workbook.xml": f'<workbook {main} xmlns:r="{_LINKS}"><sheets>'
            '<sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{rows}</sheetData>"
            "</worksheet>",
        }
    )  # fmt: skip


def _xlsx_cell(reference: str, cell: str) -> str:
    if not cell:
        return ""
    if _NUMBER.fullmatch(cell):
        return f'<c r="{reference}"><v>{cell}</v></c>'
    text = f'<t xml:space="preserve">{escape(cell)}</t>'
    return f'<c r="{reference}" t="inlineStr"><is>{text}</is></c>'


def _docx(text: str) -> bytes:
    spaces = f'xmlns:w="{_OOXML}wordprocessingml/2006/main"'
    paragraphs, levels = [], set()
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line)
        style, words = "", line
        if heading:
            level, words = len(heading[1]), heading[2]
            levels.add(level)
            style = f'<w:pPr><w:pStyle w:val="Heading{level}"/></w:pPr>'
        run = f'<w:r><w:t xml:space="preserve">{escape(words)}</w:t></w:r>'
        paragraphs.append(f"<w:p>{style}{run}</w:p>")
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}">'
        f'<w:name w:val="heading {level}"/><w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr>'
        "</w:style>"
        for level in sorted(levels)
    )
    return _archive(
        {
            **_ooxml_frame("word/document.xml", "wordprocessingml.document.main", {
                "word/styles.xml": "wordprocessingml.styles",
            }),
            "word/_rels/document.xml.rels": _links({"styles": "styles.xml"}),
            "word/document.xml": f"<w:document {spaces}><w:body>{''.join(paragraphs)}</w:body>"
            "</w:document>",
            "word/styles.xml": f"<w:styles {spaces}>{styles}</w:styles>",
        }
    )  # fmt: skip


def _ooxml_frame(main: str, kind: str, parts: Mapping[str, str]) -> dict[str, str]:
    """The list of parts, and the link to the main one."""
    types = "".join(
        f'<Override PartName="/{path}" ContentType="application/vnd.openxmlformats-officedocument.'
        f'{of}+xml"/>'
        for path, of in {main: kind, **parts}.items()
    )
    return {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f"{types}</Types>",
        "_rels/.rels": _links({"officeDocument": main}),
    }


def _links(targets: Mapping[str, str]) -> str:
    inner = "".join(
        f'<Relationship Id="r{number}" Type="{_LINKS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets.items(), start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inner}</Relationships>'


def _archive(parts: Mapping[str, str]) -> bytes:
    """A zip archive that is the same each time; OpenDocument's kind comes first, and plain."""
    data = io.BytesIO()
    with ZipFile(data, "w") as archive:
        for name, text in parts.items():
            info = ZipInfo(name, _DATE)
            info.compress_type = ZIP_STORED if name == "mimetype" else ZIP_DEFLATED
            head = "" if name == "mimetype" else '<?xml version="1.0" encoding="UTF-8"?>\n'
            archive.writestr(info, head + text)
    return data.getvalue()
