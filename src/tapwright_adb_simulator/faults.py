"""What can be made to go wrong with a phone, one command at a time.

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
    """Done, but after `after_bytes` of its answer the phone is gone until it is plugged in."""

    after_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Drop:
    """Done, but after `after_bytes` of its answer the connection is lost; a new one is answered."""

    after_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Hang:
    """Not done, and never answered."""


@dataclass(frozen=True, slots=True)
class Slow:
    """Done after `delay_s` seconds."""

    delay_s: float


@dataclass(frozen=True, slots=True)
class Endless:
    """Not done; `chunk` is its answer over and over, for as long as anybody reads."""

    chunk: bytes = b"x" * 65536


@dataclass(frozen=True, slots=True)
class Truncated:
    """Done, but only the first `keep_bytes` of its answer come, as if there were no more."""

    keep_bytes: int = 100


@dataclass(frozen=True, slots=True)
class Instead:
    """Not done; the answer is this, with this exit code."""

    answer: bytes
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class WrongLength:
    """Not done; what comes says that it is longer than it is, by more than may be sent at once."""


Fault: TypeAlias = Unplug | Drop | Hang | Slow | Endless | Truncated | Instead | WrongLength


def fault_of(faults: Mapping[str, Fault], *spellings: str) -> Fault | None:
    """The fault that is set for a command, however it is spelt; None for none."""
    fitting = [start for start in list(faults) if any(one.startswith(start) for one in spellings)]
    # The greeting is no command, so a fault of every command is none of it.
    if spellings == ("CNXN",):
        fitting = [start for start in fitting if start]
    return faults.get(max(fitting, key=len)) if fitting else None
