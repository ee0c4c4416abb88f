"""Brings a device back to where a demonstration stands: the recorded steps are played again.

The device was set up for the task before. Whether it then shows what it did is compared, so that
no check ever judges a device on which something else was done.
"""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Literal, TypeAlias

from tapwright.agents.loops import show_same_screen
from tapwright.core.actions import Finish
from tapwright.core.episode import Step
from tapwright.core.observation import Observation
from tapwright.devices.device import Device
from tapwright.devices.watcher import DeviceWatcher
from tapwright.errors import DeviceLostError, UnknownAppError, UnsupportedActionError
from tapwright.record.errors import DEVICE_NOT_RESTORED, RecordingError

__all__ = ["DeviceChange", "replay_steps"]

DeviceChange: TypeAlias = Literal["restarted", "reopened", "used"]
"""Why a device may not be where a demonstration left it.

The server was "restarted", the device was "reopened", or another demonstration "used" it.
"""

_WAIT_S = 3.0


def replay_steps(
    watcher: DeviceWatcher, device: Device, steps: Sequence[Step], report: Callable[[int], None]
) -> None:
    """Perform recorded steps again on a device that was set up, and compare where they lead.

    `report` gets the index of each step before it is performed. A screen has 3 s to become the
    recorded one. Compared is the last screen, and the apps' state that the check read there; a
    last step without a recorded screen is not.

    Raises:
        RecordingError: a step cannot be performed, or the device shows something else.
        DeviceLostError: the device is gone.
    """
    for index, step in enumerate(steps):
        report(index)
        actions = step.decision.actions[: step.done]
        if isinstance(actions[0], Finish):
            continue
        watcher.mark_action()
        try:
            for action in actions:
                if not isinstance(action, Finish):
                    with watcher.asking(action):
                        device.perform(action)
        except (UnknownAppError, UnsupportedActionError) as error:
            raise DEVICE_NOT_RESTORED(
                f"step {index + 1} cannot be played again: {error}",
                hint="close the demonstration with a reason, or discard it",
            ) from error
        following = steps[index + 1].observation if index + 1 < len(steps) else None
        if not _shows(watcher, step.after or following) and index + 1 == len(steps):
            raise _apart("the screen")
    for path, value in steps[-1].state.items() if steps else ():
        if device.state(path) != value:
            raise _apart(path)


def _shows(watcher: DeviceWatcher, wanted: Observation | None) -> bool:
    """Whether the screen becomes the wanted one in time; None stands for any."""
    until_s = monotonic() + _WAIT_S
    while True:
        now = watcher.observe_settled()
        if now is None:
            raise DeviceLostError(watcher.message)
        if wanted is None or show_same_screen(wanted, now):
            return True
        if monotonic() >= until_s:
            return False


def _apart(what: str) -> RecordingError:
    return DEVICE_NOT_RESTORED(
        f"the recorded steps were played again, and {what} is not what was recorded",
        hint="try again, close the demonstration with a reason, or discard it",
    )
