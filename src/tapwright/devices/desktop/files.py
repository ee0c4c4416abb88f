"""Files of a desktop's home by paths of its state: "files.Documents/list.txt"."""

import os
import re
from pathlib import Path

from pydantic import JsonValue

from tapwright.devices.desktop.documents.making import make_document
from tapwright.devices.desktop.documents.views import VIEWS, read_view
from tapwright.devices.desktop.limits import MAX_HOME_FILE
from tapwright.errors import DeviceError

__all__ = ["HomeFiles"]

_ROOT = "files"
_VIEW = re.compile(rf"\.({'|'.join(VIEWS)})(?=\.|\Z)")


class HomeFiles:
    """The files below `home`; nothing outside of it is read or written, not by a link either."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def put(self, path: str, value: JsonValue) -> None:
        """Write a file, with the folders that it is in; {} makes an empty folder.

        `value` is the text of the file, for a spreadsheet CSV, for a text document its lines.

        Raises:
            DeviceError: it is no path of a file below the home, or `value` is no text.
        """
        target = self._place(path)
        is_folder = value == {}
        if target is None or target == self._home or not (isinstance(value, str) or is_folder):
            raise DeviceError(
                f"a desktop has no state {path!r} of {type(value).__name__}",
                hint='state is the text of files: {"files.Documents/list.txt": "milk"}',
            )
        try:
            if not isinstance(value, str):
                target.mkdir(parents=True, exist_ok=True)
                return
            target.parent.mkdir(parents=True, exist_ok=True)
            document = make_document(target.suffix.lower(), value)
            target.write_bytes(value.encode("utf-8") if document is None else document)
        except (OSError, UnicodeEncodeError) as error:
            raise DeviceError(f"{path} cannot be written in a desktop's home: {error}") from error

    def get(self, path: str) -> JsonValue:
        """The text of a file, or the names in a folder in their order; None if it is neither.

        Names that begin with a dot are left out, as file managers do. One of `VIEWS` after the
        file's path reads what is in it: "files.Documents/budget.ods.cells.Sheet1.B2".
        """
        target = self._place(path)
        if target is None:
            return None
        try:
            if target.is_dir():
                return [*sorted(name for name in os.listdir(target) if name[0] != ".")]
            if not target.exists():
                return self._get_view(path)
            if not target.is_file() or target.stat().st_size > MAX_HOME_FILE:
                return None
            return target.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def _get_view(self, path: str) -> JsonValue:
        for found in _VIEW.finditer(path):
            target = self._place(path[: found.start()])
            if target is not None and target.is_file():
                return read_view(target, found[1], path[found.end() + 1 :])
        return None

    def _place(self, path: str) -> Path | None:
        root, _, inner = path.partition(".")
        if root != _ROOT or "\0" in inner:
            return None
        home = self._home.resolve()
        target = (home / inner.lstrip("/")).resolve()
        return target if target.is_relative_to(home) else None
