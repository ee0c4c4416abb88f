"""Which extra of tapwright brings a module that is not installed."""

import re
from collections import Counter

from tapwright.errors import MissingExtraError

__all__ = ["missing_extra"]

_OF_AN_EXTRA = re.compile(r"(?P<name>[\w.-]+).*;\s*extra == ['\"](?P<extra>[\w-]+)['\"]", re.ASCII)


def missing_extra(what: str, error: ModuleNotFoundError) -> MissingExtraError | None:
    """The error that names the extra which `what` needs; None when no extra brings the module."""
    extra = _extra_with((error.name or "").partition(".")[0])
    return None if extra is None else MissingExtraError(what, extra)


def _extra_with(module: str) -> str | None:
    """The extra that installs a module and least besides, as tapwright's own metadata says.

    The module's distribution is taken to have its name, but for case and the kind of dash; what
    is not installed has no metadata that could tell.
    """
    from importlib.metadata import requires

    sizes: Counter[str] = Counter()
    fitting: list[str] = []
    for requirement in requires("tapwright") or ():
        if match := _OF_AN_EXTRA.match(requirement):
            sizes[match["extra"]] += 1
            if _folded(match["name"]) == _folded(module):
                fitting.append(match["extra"])
    return min(fitting, key=lambda extra: sizes[extra], default=None)


def _folded(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
