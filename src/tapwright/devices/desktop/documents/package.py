"""The XML parts of an office document, which is a zip archive of them, read within limits.

Documents come from agents and are not trusted: a part that unpacks to too much is refused before it
is in memory, and no entity is resolved.
"""

import zlib
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from lxml import etree

from tapwright.devices.limits import MAX_DOCUMENT_PART
from tapwright.files.regular import open_regular

__all__ = ["Package", "UnreadableDocumentError"]

_DAMAGE = (
    BadZipFile, EOFError, NotImplementedError, OSError, RuntimeError, ValueError, zlib.error,
)  # fmt: skip
"""What `zipfile` raises of an archive that is damaged, encrypted or unknown to it."""


class UnreadableDocumentError(ValueError):
    """A file is no document of the kind that its name says, is damaged, or too large."""


class Package:
    """A document's archive; `part` reads one of its files."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def part(self, name: str) -> etree._Element:
        """The root of an XML part.

        Raises:
            UnreadableDocumentError: there is none, or it cannot be read within the limits.
        """
        found = self.optional_part(name)
        if found is None:
            raise UnreadableDocumentError(f"{self._path.name} has no {name}")
        return found

    def optional_part(self, name: str) -> etree._Element | None:
        """The root of an XML part, or None if the document has none of this name.

        Raises:
            UnreadableDocumentError: it cannot be read within the limits.
        """
        try:
            with open_regular(self._path) as opened, ZipFile(opened) as archive:
                if name not in archive.NameToInfo:
                    return None
                with archive.open(name) as file:
                    data = file.read(MAX_DOCUMENT_PART + 1)
        except _DAMAGE as error:
            raise UnreadableDocumentError(f"{self._path.name}: {error}") from error
        if len(data) > MAX_DOCUMENT_PART:
            raise UnreadableDocumentError(
                f"{self._path.name}: {name} has more than {MAX_DOCUMENT_PART} bytes"
            )
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
        try:
            return etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            raise UnreadableDocumentError(f"{self._path.name}, {name}: {error}") from error
