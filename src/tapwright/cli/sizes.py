"""Sizes as people write them: of screens "1080x2400", of files "3.2 GB"."""

import re
from typing import TYPE_CHECKING

from tapwright.errors import UsageError

if TYPE_CHECKING:
    from tapwright.core.geometry import Size

__all__ = ["describe_size", "read_size"]

_SIZE = re.compile(r"(\d{1,5})x(\d{1,5})")


def read_size(text: str) -> "Size":
    """The size that a text gives.

    Raises:
        UsageError: it gives none.
    """
    from tapwright.core.geometry import Size

    found = _SIZE.fullmatch(text)
    if found is None or not int(found[1]) or not int(found[2]):
        raise UsageError(f"the size is {text!r}; expected width and height, such as 1080x2400")
    return Size(int(found[1]), int(found[2]))


def describe_size(size: int) -> str:
    """A number of bytes as people say it, "" for none."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"), (1, "B")):
        if size >= unit:
            return f"{size / unit:.3g} {name}" if size < 1000 * unit else f"{size // unit} {name}"
    return ""
