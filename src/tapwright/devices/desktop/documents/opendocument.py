"""What OpenDocument's texts and spreadsheets have in common: styles, and the text of a paragraph.

https://docs.oasis-open.org/office/OpenDocument/v1.3/
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from lxml import etree

__all__ = ["Styles", "text_of"]

_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_CODED = re.compile(r"_([0-9a-f]{2})_")  # what a style's name cannot have, as in "Heading_20_1"
_DEPTH = 16
_MAX_SPACES = 10_000
_NO_TEXT = frozenset(
    {f"{_TEXT}note", "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}annotation"}
)


class Styles:
    """The styles of the parts of one document, by their names; the first of a name counts."""

    def __init__(self, parts: Iterable[etree._Element | None]) -> None:
        self._styles: dict[str, etree._Element] = {}
        for part in parts:
            for style in [] if part is None else part.iter(f"{_STYLE}style"):
                self._styles.setdefault(style.get(f"{_STYLE}name", ""), style)

    def is_bold(self, name: str) -> bool:
        """Whether text in this style is bold."""
        return self._property(name, "text", "font-weight") == "bold"

    def is_italic(self, name: str) -> bool:
        """Whether text in this style is italic."""
        return self._property(name, "text", "font-style") == "italic"

    def alignment(self, name: str) -> str:
        """Where the lines of a paragraph in this style lie: left, right, center or justify."""
        given = self._property(name, "paragraph", "text-align")
        return {"start": "left", "end": "right", "": "left"}.get(given, given)

    def title(self, name: str) -> str:
        """What users call it ("Heading 1"); for one made on the fly, what it is made of."""
        if name in ("", "Standard"):
            return "Default Paragraph Style"
        for style in self._line(name):
            parent = style.getparent()
            if parent is not None and etree.QName(parent).localname == "automatic-styles":
                continue
            own = style.get(f"{_STYLE}name", "")
            return self.title("") if own == "Standard" else style.get(f"{_STYLE}display-name", own)
        return _CODED.sub(lambda found: chr(int(found[1], 16)), name)

    def _property(self, name: str, kind: str, key: str) -> str:
        for style in self._line(name):
            for properties in style.iterfind(f"{_STYLE}{kind}-properties"):
                if (value := properties.get(f"{_FO}{key}")) is not None:
                    return value
        return ""

    def _line(self, name: str) -> Iterator[etree._Element]:
        """The style, and those that it comes from."""

        def ancestors() -> Iterator[etree._Element]:
            style = self._styles.get(name)
            while style is not None:
                yield style
                style = self._styles.get(style.get(f"{_STYLE}parent-style-name", ""))

        return islice(ancestors(), _DEPTH)


def text_of(element: etree._Element) -> str:
    """The text of a paragraph or of a part of one, without notes and comments."""
    return "".join(_pieces(element))


def _pieces(element: etree._Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        match child.tag:
            case tag if tag == f"{_TEXT}s":
                count = child.get(f"{_TEXT}c", "1")
                yield " " * min(int(count) if count.isdecimal() else 1, _MAX_SPACES)
            case tag if tag == f"{_TEXT}tab":
                yield "\t"
            case tag if tag == f"{_TEXT}line-break":
                yield "\n"
            case tag if tag not in _NO_TEXT:
                yield from _pieces(child)
        yield child.tail or ""
