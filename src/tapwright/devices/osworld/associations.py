"""Which application opens which kind of file, where the machine has no cache of it.

https://specifications.freedesktop.org/mime-apps-spec/1.0.1/: Debian's desktop-file-utils writes
that cache, and a desktop without it opens nothing. An application that names fewer kinds of files
is taken to be made for them.
"""

from collections.abc import Iterator
from configparser import ConfigParser
from configparser import Error as ConfigError
from functools import cache
from pathlib import Path

__all__ = ["associations"]

_FOLDERS = (Path("/usr/share/applications"), Path("/usr/local/share/applications"))


@cache
def associations() -> str:
    """The text of a mimeapps.list; "" where the machine has its own cache."""
    if any((folder / "mimeinfo.cache").is_file() for folder in _FOLDERS):
        return ""
    entries = sorted(
        (entry for folder in _FOLDERS for entry in _entries(folder)),
        key=lambda entry: (-len(entry[1]), entry[0]),
    )
    made_for = {kind: name for name, kinds in entries for kind in kinds}
    lines = [f"{kind}={name}" for kind, name in sorted(made_for.items())]
    return "\n".join(["[Default Applications]", *lines, ""])


def _entries(folder: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The applications in a folder that say what they open: their entry's name, and the kinds."""
    for path in sorted(folder.glob("*.desktop")):
        parser = ConfigParser(
            interpolation=None, delimiters=("=",), comment_prefixes=("#",), strict=False
        )
        try:
            parser.read_string(path.read_text("utf-8"))
            entry = parser["Desktop Entry"]
        except (OSError, ValueError, KeyError, ConfigError):
            continue  # a menu leaves out what it cannot read, too
        kinds = tuple(kind for kind in entry.get("MimeType", "").split(";") if kind)
        if kinds:
            yield path.name, kinds
