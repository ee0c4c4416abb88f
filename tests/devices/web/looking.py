"""What a web device shows, waited for."""

from collections.abc import Callable
from time import monotonic, sleep

from tapwright.core.actions import Tap
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation, UiNode
from tapwright.devices.web.device import WebDevice

__all__ = ["at", "nodes", "tap", "texts", "wait_for_text", "wait_until"]


def wait_until(device: WebDevice, holds: Callable[[Observation], bool]) -> Observation:
    until = monotonic() + 60
    while True:
        seen = device.observe()
        if holds(seen):
            return seen
        assert monotonic() < until, f"not seen: {texts(seen)}, {seen.tabs}"
        sleep(0.05)


def wait_for_text(device: WebDevice, text: str) -> None:
    wait_until(device, lambda seen: text in [one.strip() for one in texts(seen)])


def nodes(seen: Observation) -> list[UiNode]:
    return [] if seen.ui_tree is None else list(seen.ui_tree.nodes)


def texts(seen: Observation) -> list[str]:
    return [node.text for node in nodes(seen) if node.text]


def at(device: WebDevice, text: str) -> Point:
    seen = wait_until(device, lambda seen: any(text in one for one in texts(seen)))
    box = next(node.box for node in nodes(seen) if text in node.text)
    assert box is not None
    return box.center


def tap(device: WebDevice, text: str) -> None:
    device.perform(Tap(at=at(device, text)))
