"""Errors of the faces, and what refuses a library of a version that they do not know."""

import re

from tapwright.errors import ErrorCode, UsageError

__all__ = ["BAD_TOOL_CALL", "require_version"]

# fmt: off
BAD_TOOL_CALL = ErrorCode("TW341", UsageError,
    "A client called a tool that there is not, or with values that the tool does not take.")
# fmt: on


def require_version(package: str, oldest: str, too_new: str) -> None:
    """Refuse a version of a library whose calls are not known.

    Raises:
        UsageError: it is older, or too new.
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version(package)
    except PackageNotFoundError:
        return  # importing it says which extra brings it
    if not _numbers(oldest) <= _numbers(found) < _numbers(too_new):
        raise UsageError(
            f"the package {package} is {found}; expected {oldest} or newer, below {too_new}",
            hint=f"pip install '{package}>={oldest},<{too_new}'",
        )


def _numbers(written: str) -> tuple[int, ...]:
    return tuple(int(one) for one in re.findall(r"\d+", written)[:2])
