"""The configuration of a web app: what it serves, and to whom."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tapwright.devices.device import Device
from tapwright.tasks.task import Task
from tapwright.web.auth import Authenticator, LocalAuthenticator

if TYPE_CHECKING:
    from tapwright.web.team.team import Team

__all__ = ["LOOPBACK", "Suites", "WebConfig"]

Suites: TypeAlias = Mapping[str, Callable[[], Sequence[Task]]]
"""Loads the tasks of a suite, by its name."""

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""The names by which a machine reaches itself, in the form of `hosts`."""


@dataclass(frozen=True)
class WebConfig:
    """What the web app serves.

    `episodes` is the directory of the store, `runs` are directories in or below which evaluation
    runs lie. `suites` loads tasks by a suite's name, `devices` opens a device by its name; both
    are called when first needed, a suite once. `authenticator` checks who may use the app, `team`
    assigns tasks to people: its accounts are the authenticator then. `base_path` is "" or such as
    "/tapwright": the path below which a proxy serves the app. `hosts` are the host names that
    requests may be sent to, lower case, without a port, an IPv6 address without brackets.
    """

    episodes: Path
    runs: tuple[Path, ...] = ()
    suites: Suites = field(default_factory=dict)
    devices: Mapping[str, Callable[[], Device]] = field(default_factory=dict)
    authenticator: Authenticator = field(default_factory=LocalAuthenticator)
    team: "Team | None" = None
    base_path: str = ""
    hosts: frozenset[str] = LOOPBACK
