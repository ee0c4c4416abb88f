"""Sizes of screens, as people write them: "1080x2400"."""

import re

from tapwright.core.geometry import Size
from tapwright.errors import UsageError

__all__ = ["read_size"]

_SIZE = re.compile(r"(\d{1,5})x(\d{1,5})")


def read_size(text: str) -> Size:
    """The size that a text gives.

    Raises:
        UsageError: it gives none.
    """
    found = _SIZE.fullmatch(text)
    if found is None or not int(found[1]) or not int(found[2]):
        raise UsageError(f"the size is {text!r}; expected width and height, such as 1080x2400")
    return Size(int(found[1]), int(found[2]))
