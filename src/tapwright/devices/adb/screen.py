"""What Android says of itself: its version, the window in front, how it is turned, locked.

Reads what `dumpsys window` and `dumpsys power` write, whose words change from release to release;
those here are of Android 7 to 15
(https://android.googlesource.com/platform/frameworks/base/+/refs/tags/android-14.0.0_r1/services/core/java/com/android/server/wm/DisplayContent.java).
"""

import re
from dataclasses import dataclass

from tapwright.geometry import Size
from tapwright.observation import Orientation

__all__ = ["FrontWindow", "Wakefulness", "parse_front_window", "parse_sdk", "parse_wakefulness"]

# Blanks are named, as \s takes in newlines: a million empty lines would be looked at for hours.
_FOCUS = re.compile(r"^[ \t]*mCurrentFocus=Window\{(?P<window>[^}]*)\}", re.MULTILINE)
_APP = re.compile(r"^[ \t]*mFocusedApp=.*?\bu\d+ (?P<package>[\w.]+)/", re.MULTILINE | re.ASCII)
_COMPONENT = re.compile(r"\s(?P<package>[A-Za-z]\w*(?:\.\w+)+)/\S+$", re.ASCII)
_CURRENT = re.compile(r"\bcur=(\d{1,5})x(\d{1,5})\b", re.ASCII)
_ROTATION = re.compile(r"\b(?:mCurrentRotation|mRotation)=(?:ROTATION_)?(\d{1,3})\b", re.ASCII)
_SDK = re.compile(r"\d{1,4}", re.ASCII)
_AWAKE = re.compile(r"\bmWakefulness=(\w+)", re.ASCII)
_SHOWN = re.compile(
    r"\b(?:isKeyguardShowing|mDreamingLockscreen|mShowingLockscreen|keyguardShowing)=true"
    r"|^[ \t]*showing=true",
    re.MULTILINE,
)
_SECURE = re.compile(r"^[ \t]*secure=true", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrontWindow:
    """The window in front. `window` changes when another one comes, be it of the same app.

    `size` is the screen's as it is turned now, None when Android did not say it; `rotation`
    counts quarter turns counter-clockwise from the phone's natural position, 0 to 3.
    """

    app: str
    window: str
    size: Size | None
    rotation: int

    def orientation(self, size: Size) -> Orientation:
        """How a screen of `size` is held."""
        reversed_ = self.rotation >= 2
        if size.width > size.height:
            return "landscape_reversed" if reversed_ else "landscape"
        return "portrait_reversed" if reversed_ else "portrait"


@dataclass(frozen=True, slots=True)
class Wakefulness:
    """Whether the screen is on, the lock screen covers it, and asks for a secret."""

    awake: bool
    locked: bool
    secure: bool


def parse_sdk(said: str) -> int:
    """The version of Android's interfaces out of `getprop ro.build.version.sdk`; 0 for none."""
    return int(said) if _SDK.fullmatch(said) else 0


def parse_front_window(said: str) -> FrontWindow:
    """The window in front out of `dumpsys window displays`, or `windows` before Android 10."""
    focus = _FOCUS.search(said)
    window = focus["window"] if focus else ""
    owner = _COMPONENT.search(window) or _APP.search(said)
    current = _CURRENT.search(said)
    turned = _ROTATION.search(said)
    rotation = int(turned[1]) if turned else 0
    return FrontWindow(
        app=owner["package"] if owner else "",
        window=window,
        size=Size(int(current[1]), int(current[2])) if current and "0" not in current.groups()
        else None,
        rotation=(rotation // 90 if rotation >= 90 else rotation) % 4,
    )  # fmt: skip


def parse_wakefulness(said: str) -> Wakefulness:
    """Whether a phone is awake out of `dumpsys power` and `dumpsys window policy` together."""
    awake = _AWAKE.search(said)
    return Wakefulness(
        awake=awake is None or awake[1] == "Awake",
        locked=_SHOWN.search(said) is not None,
        secure=_SECURE.search(said) is not None,
    )
