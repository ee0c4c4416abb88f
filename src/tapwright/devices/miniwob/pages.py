"""The pages of MiniWoB++, read out of the package that ships them.

https://github.com/Farama-Foundation/miniwob-plusplus (MIT): of the PyPI package `miniwob` only the
files below `html/` are used. It is found and not imported, so its Selenium driver is not needed.
Unlike there, pictures that styles name are within the pages: loaded one by one they would appear,
and move what is around them, at a moment that differs from run to run.
"""

import posixpath
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache, partial
from importlib.util import find_spec
from pathlib import Path

from tapwright.errors import MissingExtraError, UsageError

_FOLDERS = ("core", "common", "miniwob")
_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".gif": "image/gif",
}
_NAMED_BY_A_STYLE = re.compile(rb"""url\(\s*["']?([\w./-]+)["']?\s*\)""")
_RUN_ONCE = b"<script>%s\n;document.currentScript.textContent = ''</script>"
_SCRIPT = re.compile(rb"""<script src="([\w./-]+)"></script>""")
_STYLE = re.compile(rb"""<link rel="stylesheet"(?: type="text/css")? href="([\w./-]+)"/?>""")


@cache
def files() -> Mapping[str, tuple[bytes, str]]:
    """What the pages load, bytes and media type by path: "miniwob/click-test.html"; read once.

    Raises:
        MissingExtraError: the package is not installed.
    """
    root = _root()
    found = {
        path.relative_to(root).as_posix(): (path.read_bytes(), _MEDIA_TYPES[path.suffix])
        for folder in _FOLDERS
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in _MEDIA_TYPES
    }
    return {
        path: (
            _with_pictures(data, path, found) if path.endswith((".html", ".css")) else data,
            kind,
        )
        for path, (data, kind) in found.items()
    }


def page_path(task: str) -> str:
    """The path of a task's page in `files`."""
    return f"miniwob/{task}.html"


@lru_cache(maxsize=16)
def whole_page(path: str) -> tuple[bytes, str]:
    """The page at `path` with its scripts and styles within it, and its media type.

    Asked for one by one, they take a quarter of the processor time of a reset. A script that has
    run leaves no text, which would be a quarter of a megabyte of each snapshot.
    """
    data, kind = files()[path]
    for tag, around in ((_SCRIPT, _RUN_ONCE), (_STYLE, b"<style>%s</style>")):
        data = tag.sub(partial(_within, around), data)
    return data, kind


def _within(around: bytes, named: re.Match[bytes]) -> bytes:
    """What a tag names, `around` it; the tag as it is, where the package has no such file."""
    found = files().get(posixpath.normpath(f"miniwob/{named[1].decode()}"))
    return named[0] if found is None else around % found[0]


def _with_pictures(data: bytes, path: str, found: Mapping[str, tuple[bytes, str]]) -> bytes:
    def inline(match: re.Match[bytes]) -> bytes:
        named = posixpath.join(posixpath.dirname(path), match[1].decode())
        picture = found.get(posixpath.normpath(named))
        if picture is None:
            return match[0]
        return b"url(data:%s;base64,%s)" % (picture[1].encode(), b64encode(picture[0]))

    return _NAMED_BY_A_STYLE.sub(inline, data)


@cache
def names() -> Sequence[str]:
    """The names of the tasks, sorted: "click-test".

    Raises:
        MissingExtraError: the package is not installed.
    """
    return tuple(sorted(path.stem for path in (_root() / "miniwob").glob("*.html")))


def hint_at_names(task: str) -> str:
    """The way out for who named a task that is none: those that are written alike, or the list."""
    near = get_close_matches(task, names(), n=3, cutoff=0.5)
    return f"did you mean {', '.join(near)}?" if near else "tapwright tasks ls --suite miniwob"


def _root() -> Path:
    spec = find_spec("miniwob")
    places = spec.submodule_search_locations if spec is not None else None
    if not places:
        raise MissingExtraError("the device 'miniwob'", "miniwob")
    return Path(places[0]) / "html"


DEFAULT_TASK = "click-test"


def read_argument(argument: str) -> tuple[str, int]:
    """The task and the scale of "click-test", "x3" or "click-test,x3"; a scale is 1 to 8.

    Raises:
        UsageError: there is no such task.
        MissingExtraError: the package with the pages is not installed.
    """
    task, scale = DEFAULT_TASK, 1
    for word in filter(None, argument.split(",")):
        match = re.fullmatch(r"x([1-8])", word, re.ASCII)
        if match:
            scale = int(match[1])
        else:
            task = word
    if task not in names():
        raise UsageError(
            f"miniwob:{argument}: MiniWoB++ has no task {task!r}", hint=hint_at_names(task)
        )
    return task, scale
