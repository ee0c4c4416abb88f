"""Faults of a phone, one command at a time.

A fault is set for all commands that begin with some text:

    phone.faults["screencap"] = Truncated()
    phone.faults["input swipe"] = Unplug()
    phone.faults["CNXN"] = Instead(b"HTTP/1.1 400 Bad Request")

`"CNXN"` is the greeting, "sync:" files, and "" every command; the longest text that fits counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "Drop",
    "Endless",
    "Fault",
    "Hang",
    "Instead",
    "Slow",
    "Truncated",
    "Unplug",
    "WrongLength",
    "fault_of",
]


@dataclass(frozen=True, slots=True)
class Unplug:
    """Runs, but after `after_bytes` of output the phone is unplugged until `plug`."""

    after_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Drop:
    """Runs, but after `after_bytes` of output the connection is lost; a new one is accepted."""

    after_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Hang:
    """Does not run, and never responds."""


@dataclass(frozen=True, slots=True)
class Slow:
    """Runs after `delay_s` seconds."""

    delay_s: float


@dataclass(frozen=True, slots=True)
class Endless:
    """Does not run; outputs `chunk` repeatedly, as long as the client reads."""

    chunk: bytes = b"x" * 65536


@dataclass(frozen=True, slots=True)
class Truncated:
    """Runs, but only the first `keep_bytes` of output arrive, as if there were no more."""

    keep_bytes: int = 100


@dataclass(frozen=True, slots=True)
class Instead:
    """Does not run; outputs these bytes, with this exit code."""

    answer: bytes
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class WrongLength:
    """Does not run; a packet announces more bytes than follow and than are allowed."""


Fault: TypeAlias = Unplug | Drop | Hang | Slow | Endless | Truncated | Instead | WrongLength


def fault_of(faults: Mapping[str, Fault], *spellings: str) -> Fault | None:
    """The fault set for a command under any of its spellings, or None."""
    fitting = [start for start in list(faults) if any(one.startswith(start) for one in spellings)]
    # The greeting is not a command, so a fault of every command does not apply.
    if spellings == ("CNXN",):
        fitting = [start for start in fitting if start]
    return faults.get(max(fitting, key=len)) if fitting else None
