"""Refuses a convention whose actions are not those of a device's screen, before anything is played.

A model that is asked in a phone's words on a desktop has no right click and no shortcut, and its
Home and Back do nothing there: it scores low without an error.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from tapwright.agents.errors import AGENT_CONFIG
from tapwright.workflows.agents import AgentConfig

if TYPE_CHECKING:
    from tapwright.conventions.convention import ScreenKind

__all__ = ["refuse_misfit"]

_LEAST_COMMON = 4
"""Letters at the start of their names that conventions of one family share."""
_MOST_NAMED = 3
_NOUNS = {"phone": "a phone", "computer": "a computer"}


def refuse_misfit(spec: str, config: AgentConfig, devices: Sequence[str]) -> None:
    """Refuse a model's convention that is for another kind of screen than one of the devices.

    Raises:
        UsageError: a phone's convention on a computer, or the other way round.
        UnknownNameError: there is no such convention.
    """
    from tapwright.conventions import conventions
    from tapwright.conventions.screens import screen_kind
    from tapwright.devices.login import hide_login

    if "/" not in spec:
        return
    kind = screen_kind(conventions.get(config.convention))
    for device in devices:
        shown = _device_kind(device)
        if "any" in (kind, shown) or kind == shown:
            continue
        raise AGENT_CONFIG(
            f"--convention {config.convention} is for {_NOUNS[kind]}, and the device "
            f"{hide_login(device)!r} is {_NOUNS[shown]}",
            hint=f"--convention {' or '.join(_name_fitting(config.convention, shown))}; "
            "tapwright conventions ls shows the screen of each",
        )


def _device_kind(device: str) -> "ScreenKind":
    """What a device's screen is by its name; "any" where that does not tell."""
    name, _, argument = device.partition(":")
    match name:
        case "phone" | "adb":
            return "phone"
        case "web":
            return "phone" if argument.endswith(",phone") else "computer"
        case "desktop" | "osworld" | "sites":
            return "computer"
        case _:
            return "any"


def _name_fitting(name: str, kind: "ScreenKind") -> list[str]:
    """The conventions of the family that are for such a screen, nearest first, and ours for any."""
    from tapwright.conventions import conventions
    from tapwright.conventions.screens import screen_kind

    def shared(other: str) -> int:
        pairs = zip(name, other, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    family = [
        other
        for other in sorted(conventions.names(), key=shared, reverse=True)
        if shared(other) >= _LEAST_COMMON and screen_kind(conventions.get(other)) == kind
    ]
    return [*family[:_MOST_NAMED], "json"]
