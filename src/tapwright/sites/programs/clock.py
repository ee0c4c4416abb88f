"""A clock that a site's program starts at a fixed moment, so that every run shows the same dates.

`install` comes before the site is imported: modules keep the `datetime` that they found. An object
that the standard library made, such as by subtraction, still counts as a `datetime`.
"""

import datetime
import time

__all__ = ["install", "start_at"]

_REAL = datetime.datetime
_time = time.time
_behind_s = 0.0


class _Kind(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _REAL)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _REAL)


class _Shifted(_REAL, metaclass=_Kind):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> "_Shifted":
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls) -> "_Shifted":
        return cls.fromtimestamp(time.time(), datetime.UTC).replace(tzinfo=None)


def install() -> None:
    """Put the clock in the place of the machine's, in this process."""
    time.time = lambda: _time() - _behind_s
    datetime.datetime = _Shifted  # type: ignore[misc]


def start_at(moment: str) -> None:
    """Let it be `moment` now, in ISO 8601 with an offset; from then on time passes."""
    global _behind_s
    _behind_s = _time() - _REAL.fromisoformat(moment).timestamp()
