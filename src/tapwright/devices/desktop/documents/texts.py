"""The paragraphs of text documents: OpenDocument (.odt) and Office Open XML (.docx).

https://docs.oasis-open.org/office/OpenDocument/v1.3/ and ECMA-376, part 1, 17.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree
from pydantic import JsonValue

from tapwright.devices.desktop.documents.opendocument import Styles, text_of
from tapwright.devices.desktop.documents.package import Package, UnreadableDocumentError
from tapwright.devices.limits import MAX_PARAGRAPHS

__all__ = ["TEXT_DOCUMENTS", "Paragraph", "read_paragraphs"]

TEXT_DOCUMENTS = (".docx", ".odt")
"""How the names of those that are read end."""

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or a heading: `bold` and `italic` are of those whose whole text is so.

    `style` is as the application shows it ("Heading 1"); `align` is left, right, center, justify.
    """

    text: str
    style: str
    bold: bool
    italic: bool
    align: str
    in_list: bool

    def as_json(self) -> JsonValue:
        """As checks read it."""
        return {
            "text": self.text, "style": self.style, "bold": self.bold, "italic": self.italic,
            "align": self.align, "list": self.in_list,
        }  # fmt: skip


def read_paragraphs(path: Path) -> list[Paragraph]:
    """The paragraphs of a text document in their order, those in tables and lists, too.

    Raises:
        UnreadableDocumentError: it is none, or cannot be read within the limits.
    """
    package = Package(path)
    read = _read_docx if path.suffix.lower() == ".docx" else _read_odt
    found: list[Paragraph] = []
    for paragraph in read(package):
        if len(found) >= MAX_PARAGRAPHS:
            raise UnreadableDocumentError(f"{path.name} has more than {MAX_PARAGRAPHS} paragraphs")
        found.append(paragraph)
    return found


def _read_odt(package: Package) -> Iterator[Paragraph]:
    content = package.part("content.xml")
    styles = Styles([content, package.optional_part("styles.xml")])
    body = content.find(f"{_OFFICE}body/{_OFFICE}text")
    if body is None:
        raise UnreadableDocumentError("content.xml has no text in it")
    for one in body.iter(f"{_TEXT}p", f"{_TEXT}h"):
        name = one.get(f"{_TEXT}style-name", "")
        runs = [run for run in _odt_runs(one, name) if run[0].strip()]
        yield Paragraph(
            text=text_of(one),
            style=styles.title(name),
            bold=bool(runs) and all(any(map(styles.is_bold, used)) for _, used in runs),
            italic=bool(runs) and all(any(map(styles.is_italic, used)) for _, used in runs),
            align=styles.alignment(name),
            in_list=any(above.tag == f"{_TEXT}list-item" for above in one.iterancestors()),
        )


def _odt_runs(element: etree._Element, *names: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each piece of text with the styles that it is in."""
    yield element.text or "", names
    for child in element:
        if child.tag == f"{_TEXT}span":
            yield from _odt_runs(child, *names, child.get(f"{_TEXT}style-name", ""))
        yield child.tail or "", names


def _read_docx(package: Package) -> Iterator[Paragraph]:
    body = package.part("word/document.xml").find(f"{_WORD}body")
    if body is None:
        raise UnreadableDocumentError("word/document.xml has no text in it")
    styles = package.optional_part("word/styles.xml")
    titles = {
        one.get(f"{_WORD}styleId", ""): _value(one, "name")
        for one in ([] if styles is None else styles.iter(f"{_WORD}style"))
    }
    for one in body.iter(f"{_WORD}p"):
        layout = one.find(f"{_WORD}pPr")
        style = _value(layout, "pStyle")
        runs = [run for run in one.iter(f"{_WORD}r") if _docx_text(run).strip()]
        align = _value(layout, "jc")
        yield Paragraph(
            text=_docx_text(one),
            style=_title(titles.get(style, style)),
            bold=bool(runs) and all(_is_on(run, "b") for run in runs),
            italic=bool(runs) and all(_is_on(run, "i") for run in runs),
            align={"": "left", "start": "left", "end": "right", "both": "justify"}.get(
                align, align
            ),
            in_list=layout is not None and layout.find(f"{_WORD}numPr") is not None,
        )


def _docx_text(element: etree._Element) -> str:
    kinds = {f"{_WORD}tab": "\t", f"{_WORD}br": "\n", f"{_WORD}cr": "\n"}
    return "".join(
        one.text or "" if one.tag == f"{_WORD}t" else kinds[str(one.tag)]
        for one in element.iter(f"{_WORD}t", *kinds)
        # A tab in the layout is a place, not a character.
        if (above := one.getparent()) is not None and above.tag == f"{_WORD}r"
    )


def _title(name: str) -> str:
    """As the application shows it; "heading 1" and "Normal" are how the file calls its own."""
    known = {"": "Default Paragraph Style", "Normal": "Default Paragraph Style"}
    return known.get(name, name[:1].upper() + name[1:])


def _value(element: etree._Element | None, name: str) -> str:
    found = None if element is None else element.find(f"{_WORD}{name}")
    return "" if found is None else found.get(f"{_WORD}val", "")


def _is_on(run: etree._Element, name: str) -> bool:
    mark = run.find(f"{_WORD}rPr/{_WORD}{name}")
    return mark is not None and mark.get(f"{_WORD}val", "1") not in ("0", "false")
