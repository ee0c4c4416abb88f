"""What every conformance check ends in: a law that holds, or the error that names it."""

from tapwright.testing.errors import ConformanceError


def must_have(one: object, protocol: type) -> None:
    """Go on when a member has all that its family's protocol has; otherwise as `must`."""
    names = [name for name in dir(protocol) if not name.startswith("_")]
    names += [name for name in getattr(protocol, "__annotations__", {}) if name not in names]
    missing = [name for name in names if getattr(one, name, None) is None]
    law = f"it has what `{protocol.__name__}` has"
    must(not isinstance(one, type), repr(one), f"{law}, and is no class but one of it")
    must(not missing, repr(one), f"{law}; missing: {', '.join(missing)}")


def must(kept: bool, who: str, law: str, found: object = None) -> None:
    """Go on when a law is kept.

    Raises:
        ConformanceError: it is not; names who broke it, and what was `found` instead.
    """
    if not kept:
        tail = "" if found is None else f"; found {found!r}"
        raise ConformanceError(f"{who}: {law}{tail}")
