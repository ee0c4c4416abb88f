"""What every conformance check ends in: a law that holds, or the error that names it."""

from tapwright.testing.errors import ConformanceError


def must(kept: bool, who: str, law: str, found: object = None) -> None:
    """Go on when a law is kept.

    Raises:
        ConformanceError: it is not; names who broke it, and what was `found` instead.
    """
    if not kept:
        tail = "" if found is None else f"; found {found!r}"
        raise ConformanceError(f"{who}: {law}{tail}")
