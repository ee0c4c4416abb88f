"""What one web app serves, and to whom: all that its rooms need, given once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from tapwright.devices.device import Device
from tapwright.tasks.task import Task
from tapwright.web.auth import Door, OpenDoor
from tapwright.web.team.team import Team

__all__ = ["LOOPBACK", "Suites", "WebConfig"]

Suites: TypeAlias = Mapping[str, Callable[[], Sequence[Task]]]
"""Gives the tasks of a suite, by its name."""

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""The names under which a machine reaches itself, as `hosts` has them."""


@dataclass(frozen=True)
class WebConfig:
    """What the web app serves.

    `episodes` is the directory of the store, `runs` are some whose directories are evaluation
    runs. `suites` gives tasks by a suite's name, `devices` opens a device by its name; both are
    called when first needed, a suite once. `door` says who may come in, `team` who is to record
    what: its accounts are the door then. `base_path` is "" or such as "/tapwright": the path below
    which a proxy shows the app. `hosts` are the names that a request may be sent to, lower case,
    without a port, an IPv6 address without brackets.
    """

    episodes: Path
    runs: tuple[Path, ...] = ()
    suites: Suites = field(default_factory=dict)
    devices: Mapping[str, Callable[[], Device]] = field(default_factory=dict)
    door: Door = field(default_factory=OpenDoor)
    team: Team | None = None
    base_path: str = ""
    hosts: frozenset[str] = LOOPBACK
