"""`input`: touches, keys and text, as the device's own actions.

Follows AOSP's InputShellCommand in its words and defaults:
https://github.com/aosp-mirror/platform_frameworks_base/blob/017cf35b7fa9d3a164cb6e2f067ca7effae9b370/services/core/java/com/android/server/input/InputShellCommand.java
A finger that stays where it is for half a second presses long, as a phone's own timeout has it.
Two taps count as a double tap when they are of one line, as only then they are quick enough for a
phone: `input tap 5 5 && input tap 5 5`. They come here as `input double-tap`, which no phone has.
"""

import math
import time
from collections.abc import Sequence
from functools import partial

from tapwright.core.actions import Action, DoubleTap, Drag, Hotkey, LongPress, Swipe, Tap, TypeText
from tapwright.core.geometry import Point
from tapwright_adb_simulator.handset import Handset
from tapwright_adb_simulator.keycodes import (
    MENU,
    MODIFIERS,
    POWER,
    SLEEP,
    WAKE_UP,
    action_of,
    key_code,
    typed_by,
)
from tapwright_adb_simulator.shell import ProgramCall

_SOURCES = {
    "keyboard", "dpad", "gamepad", "touchscreen", "mouse", "stylus", "trackball", "touchpad",
    "touchnavigation", "joystick",
}  # fmt: skip
_LONG_PRESS_MS = 500
_SLOP_PX = 24
_USAGE = "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]\n"


class _BadCall(Exception):  # noqa: N818 - printed on stderr
    """Arguments are missing, or are no numbers."""


async def input_(call: ProgramCall) -> int:
    """Do what the words say; exit code 255 if they say nothing that `input` knows."""
    words = list(call.arguments)
    if words[:1] and words[0] in _SOURCES:
        del words[0]
    if words[:1] == ["-d"]:
        del words[:2]
    command, *rest = words or [""]
    try:
        match command:
            case "tap" | "double-tap" | "swipe" | "draganddrop":
                await _do(call, _gesture(call.system.handset, command, rest))
            case "motionevent":
                await _do(call, _move(call.system.handset, rest))
            case "text":
                return await _type(call, rest)
            case "keyevent":
                await _press(call, rest)
            case "keycombination":
                await _do(call, _combination(rest))
            case "press" | "roll":
                pass
            case _:
                return await call.fail(f"Error: Unknown command: {command}\n{_USAGE}", 255)
    except _BadCall as problem:
        return await call.fail(
            f"\nException occurred while executing '{command}':\n"
            f"java.lang.IllegalArgumentException: {problem}\n",
            255,
        )
    return 0


async def _do(call: ProgramCall, action: Action | None) -> None:
    handset = call.system.handset
    android = handset.android
    if action is not None and handset.shows_apps:
        await call.device(partial(handset.perform, action))
    elif isinstance(action, Swipe) and action.end.y < action.start.y and android.awake:
        android.locked = android.secure


def _gesture(handset: Handset, command: str, words: Sequence[str]) -> Action | None:
    """None when the finger starts or ends off the screen."""
    double = command.endswith("tap")
    numbers = _numbers(words, 2 if double else 4)
    ends = [handset.to_point(*numbers[at : at + 2]) for at in range(0, len(numbers), 2)]
    start, end = ends[0], ends[-1]
    if start is None or end is None:
        return None
    if double:
        return Tap(at=start) if command == "tap" else DoubleTap(at=start)
    given = words[4:5]
    duration_ms = int(_numbers(given, 1)[0]) if given else -1
    duration_s = (300 if duration_ms < 0 else min(duration_ms, 3_600_000)) / 1000
    if command == "draganddrop":
        return Drag(start=start, end=end, duration_s=duration_s)
    if numbers[:2] == numbers[2:]:
        return _press_or_hold(start, duration_s)
    return Swipe(start=start, end=end, duration_s=duration_s)


def _press_or_hold(at: Point, duration_s: float) -> Action:
    if duration_s * 1000 < _LONG_PRESS_MS:
        return Tap(at=at)
    return LongPress(at=at, duration_s=duration_s)


def _move(handset: Handset, words: Sequence[str]) -> Action | None:
    """What a finger has done once it goes up; None before that."""
    if not words or words[0].upper() not in ("DOWN", "UP", "MOVE", "CANCEL"):
        raise _BadCall(f"Unknown motionevent {' '.join(words[:1])}")
    x, y = _numbers(words[1:], 2)
    match words[0].upper():
        case "DOWN":
            handset.finger = (x, y, time.monotonic())
        case "CANCEL":
            handset.finger = None
        case "UP" if handset.finger is not None:
            from_x, from_y, since_s = handset.finger
            handset.finger = None
            start, end = handset.to_point(from_x, from_y), handset.to_point(x, y)
            duration_s = min(time.monotonic() - since_s, 3600.0)
            if start is None or end is None:
                return None
            if math.hypot(x - from_x, y - from_y) <= _SLOP_PX:
                return _press_or_hold(start, duration_s)
            return Swipe(start=start, end=end, duration_s=duration_s)
    return None


async def _type(call: ProgramCall, words: Sequence[str]) -> int:
    if not words:
        raise _BadCall('Argument expected after "text"')
    text = words[0].replace("%s", " ")
    if not text.isascii():
        # The virtual keyboard's map has no events for it, and gives null.
        return await call.fail(
            "\nException occurred while executing 'text':\njava.lang.NullPointerException: "
            "Attempt to get length of null array\n",
            255,
        )
    if text:
        await _do(call, TypeText(text=text))
    return 0


async def _press(call: ProgramCall, words: Sequence[str]) -> None:
    options = [word for word in words if word.startswith("--")]
    keys = [key_code(word) for word in words if not word.startswith("--")]
    if "--delay" in options:
        del keys[0]
    if not keys:
        raise _BadCall('Argument expected after "keyevent"')
    android = call.system.android
    for code in keys:
        if code in (POWER, SLEEP, WAKE_UP):
            android.awake = code == WAKE_UP or (code == POWER and not android.awake)
        elif code == MENU and android.locked:
            android.locked = android.secure or not android.awake
        else:
            for _ in range(2 if "--doubletap" in options else 1):
                await _do(call, action_of(code))


def _combination(words: Sequence[str]) -> Action | None:
    rest = words[2:] if words[:1] == ["-t"] else words
    codes = [key_code(word) for word in rest]
    if len(codes) < 2:
        raise _BadCall("keycombination requires at least 2 keycodes")
    names = [MODIFIERS.get(code) or typed_by(code) for code in codes]
    keys = tuple(name for name in names if name is not None)
    return Hotkey(keys=keys) if len(keys) == len(codes) else None


def _numbers(words: Sequence[str], count: int) -> list[float]:
    try:
        numbers = [float(word) for word in words[:count]]
    except ValueError as error:
        raise _BadCall("Invalid arguments for command") from error
    if len(numbers) < count:
        raise _BadCall('Argument expected after "input"')
    if not all(math.isfinite(number) for number in numbers):
        raise _BadCall("Invalid arguments for command")
    return numbers
