"""Where the project lives: the repository's address, `Source` in pyproject.toml's `[project.urls]`.

No other file decides it. The package's page and the site take it from there; CITATION.cff and
Dockerfile, which nothing can fill in, repeat it, and scripts/release_check.py compares. While there
is none, no page speaks of one. hatch_build.py calls this file too, so it uses the standard library
alone.
"""

import re
import tomllib
from pathlib import Path

_ADDRESS = re.compile(r"https://[\w-]+(\.[\w-]+)+(/[\w.~-]+)*/?", re.ASCII)
_PLACEHOLDER = re.compile(
    r"example|placeholder|todo|fixme|change-?me|xxx|\.(test|invalid|local)\b|/(your|my)[-_]"
    r"|/(owner|org|organi[sz]ation|user|username|name|repo|repository)(/|$)",
    re.IGNORECASE,
)
_FIRST = re.compile(r"^(\$ |    )(?=make demo$)", re.MULTILINE)


def read_source(root: Path) -> str | None:
    """The repository's address, or None while it is not known."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source: str | None = project.get("urls", {}).get("Source")
    return source


def is_address(text: str) -> bool:
    """Whether this is a whole https address, and no stand-in for one that is not known yet."""
    return bool(_ADDRESS.fullmatch(text)) and not _PLACEHOLDER.search(text)


def with_clone(page: str, source: str | None) -> str:
    """A page for readers who are not in the tree: how to get it stands before its `make demo`."""
    if source is None:
        return page
    folder = source.rpartition("/")[2]
    return _FIRST.sub(rf"\1git clone {source}\n\1cd {folder}\n\1", page, count=1)
