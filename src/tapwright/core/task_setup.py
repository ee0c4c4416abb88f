"""The set-up of a device before an episode: steps as data, and the checks that they worked.

A step is data from a task's file, never a command line: a device runs the calls that it supports
and refuses the others by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

__all__ = ["SetupCall", "SetupCheck", "SetupStep"]


@dataclass(frozen=True, slots=True)
class SetupCall:
    """One call, named as in Mobile-Env's `AdbCall`, such as "start_activity".

    `folder` is where the task was read; files that a call names are in or below it.
    """

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    folder: Path | None = field(default=None, repr=False)

    def __str__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.name}({arguments})"


@dataclass(frozen=True, slots=True)
class SetupCheck:
    """The condition for a step to have worked.

    `wanted` is the package that is in front ("app") or installed, or the regular expression that a
    line of the log matches ("message"). The check waits up to `timeout_s` seconds on the
    device's clock; with 0 it runs once.
    """

    kind: Literal["app", "installed", "message"]
    wanted: str
    timeout_s: float = 0.0
    retries: int = 0

    def __str__(self) -> str:
        return f"{self.kind} {self.wanted!r} within {self.timeout_s:g} s"


@dataclass(frozen=True, slots=True)
class SetupStep:
    """A call, or a wait of `sleep_s`, and the check that follows it.

    `once` is set for what outlives an episode, such as an installed app.
    """

    call: SetupCall | None = None
    sleep_s: float = 0.0
    check: SetupCheck | None = None
    once: bool = False

    def __str__(self) -> str:
        what = str(self.call) if self.call else f"sleep {self.sleep_s:g} s"
        return f"{what} until {self.check}" if self.check else what
