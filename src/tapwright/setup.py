"""What is done to a device before an episode: steps as data, and how to tell that they worked.

A step is what a task's file says, never a command line: a device does the calls that it knows and
refuses the others by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

__all__ = [
    "SetupCall",
    "SetupCheck",
    "SetupStep",
]


@dataclass(frozen=True, slots=True)
class SetupCall:
    """One call by the name that Mobile-Env's `AdbCall` gives it, such as "start_activity".

    `folder` is where the task was read, and files that a call names lie there or below.
    """

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    folder: Path | None = field(default=None, repr=False)

    def __str__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.name}({said})"


@dataclass(frozen=True, slots=True)
class SetupCheck:
    """What holds when a step has worked.

    `wanted` is the package that is in front ("app") or installed, or the regular expression that a
    line of the log matches ("message"). It is waited for `timeout_s` seconds on the device's clock;
    with 0 it is looked at once.
    """

    kind: Literal["app", "installed", "message"]
    wanted: str
    timeout_s: float = 0.0
    retries: int = 0

    def __str__(self) -> str:
        return f"{self.kind} {self.wanted!r} within {self.timeout_s:g} s"


@dataclass(frozen=True, slots=True)
class SetupStep:
    """A call, or a wait of `sleep_s`, and the check that it is followed by.

    `once` is set for what outlives an episode, such as an installed app.
    """

    call: SetupCall | None = None
    sleep_s: float = 0.0
    check: SetupCheck | None = None
    once: bool = False

    def __str__(self) -> str:
        what = str(self.call) if self.call else f"sleep {self.sleep_s:g} s"
        return f"{what} until {self.check}" if self.check else what
