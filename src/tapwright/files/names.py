"""Names of files and folders that every system takes, Windows too, made of any text or out of one.

https://learn.microsoft.com/windows/win32/fileio/naming-a-file
"""

import hashlib
import re

__all__ = ["distinct_name", "portable_name", "without_folders"]

_MAX_BYTES = 200
"""Of 255, so that a writer may add an ending; a name has no more units of UTF-16 than bytes."""

_UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f\ud800-\udfff]|^\.+|[. ]+$')
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)", re.IGNORECASE)


_FOLDERS = re.compile(
    r"(?<![\w:/.\\])(?:~|[A-Za-z]:)?[/\\](?:(?:[^\s/\\:,;'\"()<>|]|[ ](?![/\\]))+[/\\])+"
)
"""Those of an absolute path, which no address and no part of another path has before it."""


def without_folders(text: str) -> str:
    """A text with the last names of the absolute paths in it: "x.json, line 3" of /home/a/x.json.

    What others get says nothing of this machine.
    """
    return _FOLDERS.sub("", text)


def portable_name(text: str) -> str:
    """The text with "_" for what no name has, in at most 200 bytes; "_" for no text.

    What is such a name stays as it is. Different texts may have one name, also but for its case.
    """
    name = _UNSAFE.sub("_", text) or "_"
    if _DEVICE.match(name):
        name = f"_{name}"
    encoded = name.encode()
    if len(encoded) <= _MAX_BYTES:
        return name
    digest = hashlib.sha256(encoded).hexdigest()[:8]
    return f"{encoded[: _MAX_BYTES - 9].decode('utf-8', 'ignore')}~{digest}"


def distinct_name(text: str) -> str:
    """As `portable_name`, with a hash of the text where it is not its own name.

    So different texts have different names, but for their case.
    """
    name = portable_name(text)
    if name == text:
        return name
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return portable_name(f"{name.encode()[: _MAX_BYTES - 9].decode('utf-8', 'ignore')}~{digest}")
