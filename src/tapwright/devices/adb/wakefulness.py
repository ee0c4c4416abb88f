"""Whether a phone is awake, and waking it up.

Parses the output of `dumpsys power` and `dumpsys window policy` of Android 7 to 15. It needs no
picture, so that phones are listed without what pictures need.
"""

import re
from dataclasses import dataclass
from time import sleep

from tapwright.devices.adb.connection import Deadline
from tapwright.devices.adb.shell import PhoneShell
from tapwright.devices.errors import DEVICE_LOCKED

__all__ = ["Wakefulness", "parse_wakefulness", "wake_up"]

_UNLOCK_S = 3.0
_POLL_S = 0.2

# Blanks are named, as \s takes in newlines: a million empty lines would be searched for hours.
_AWAKE = re.compile(r"\bmWakefulness=(\w+)", re.ASCII)
_SHOWN = re.compile(
    r"\b(?:isKeyguardShowing|mDreamingLockscreen|mShowingLockscreen|keyguardShowing)=true"
    r"|^[ \t]*showing=true",
    re.MULTILINE,
)
_SECURE = re.compile(r"^[ \t]*secure=true", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Wakefulness:
    """Whether the screen is on, the lock screen covers it, and requires a secret."""

    awake: bool
    locked: bool
    secure: bool


def parse_wakefulness(text: str) -> Wakefulness:
    """Parse whether a phone is awake from `dumpsys power` and `dumpsys window policy` together."""
    awake = _AWAKE.search(text)
    return Wakefulness(
        awake=awake is None or awake[1] == "Awake",
        locked=_SHOWN.search(text) is not None,
        secure=_SECURE.search(text) is not None,
    )


def _read_wakefulness(shell: PhoneShell) -> Wakefulness:
    """Ask whether the screen is on, and locked."""
    output = shell.script([("dumpsys", "power"), ("dumpsys", "window", "policy")])
    return parse_wakefulness(output.text)


def wake_up(shell: PhoneShell) -> None:
    """Turn the screen on, and push away a lock screen that asks for no secret.

    Raises:
        DeviceError: only a person can unlock it, or it does not wake up.
    """
    state = _read_wakefulness(shell)
    if not state.awake:
        shell.check("input", "keyevent", "KEYCODE_WAKEUP")
        state = _read_wakefulness(shell)
    deadline = Deadline(_UNLOCK_S)
    if state.locked and not state.secure:
        shell.run("wm", "dismiss-keyguard")
    while state.locked and not state.secure and deadline.left():
        state = _read_wakefulness(shell)
        sleep(_POLL_S if state.locked else 0.0)
    if state.locked or not state.awake:
        raise DEVICE_LOCKED(
            f"adb {shell.serial} is {'locked' if state.locked else 'asleep and does not wake up'}",
            hint="unlock it; to keep it so: Settings > Security > Screen lock > None, "
            "and Developer options > Stay awake",
        )
