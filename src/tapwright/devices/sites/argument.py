"""What follows "sites:" on a command line: the sites and the size of the browser's window."""

import re
from collections.abc import Sequence

from tapwright.core.geometry import Size
from tapwright.sites import sites

__all__ = ["DEFAULT_SIZE", "read_argument"]

DEFAULT_SIZE = Size(1280, 800)


def read_argument(argument: str) -> tuple[Sequence[str], Size]:
    """The sites and the size of "trac,spirit" or "trac,1440x900"; no site is all of them.

    Raises:
        UnknownNameError: there is no such site.
    """
    names, size = [], DEFAULT_SIZE
    for word in filter(None, argument.split(",")):
        match = re.fullmatch(r"(\d{3,4})x(\d{3,4})", word, re.ASCII)
        if match:
            size = Size(int(match[1]), int(match[2]))
        else:
            sites.get(word)
            names.append(word)
    return names, size
