"""The pages of MiniWoB++, read out of the package that ships them.

https://github.com/Farama-Foundation/miniwob-plusplus (MIT): of the PyPI package `miniwob` only the
files below `html/` are used. It is found and not imported, so its Selenium driver is not needed.
"""

import mimetypes
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tapwright.errors import MissingExtraError

_FOLDERS = ("core", "common", "miniwob")


@cache
def files() -> Mapping[str, tuple[bytes, str]]:
    """What the pages load, bytes and media type by path: "miniwob/click-test.html"; read once.

    Raises:
        MissingExtraError: the package is not installed.
    """
    root = _root()
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), _media_type(path))
        for folder in _FOLDERS
        for path in sorted((root / folder).rglob("*"))
        if path.is_file()
    }


@cache
def names() -> Sequence[str]:
    """The names of the tasks, sorted: "click-test".

    Raises:
        MissingExtraError: the package is not installed.
    """
    return tuple(sorted(path.stem for path in (_root() / "miniwob").glob("*.html")))


def _root() -> Path:
    spec = find_spec("miniwob")
    places = spec.submodule_search_locations if spec is not None else None
    if not places:
        raise MissingExtraError("the device 'miniwob'", "miniwob")
    return Path(places[0]) / "html"


def _media_type(path: Path) -> str:
    kind = mimetypes.types_map.get(path.suffix, "application/octet-stream")
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
