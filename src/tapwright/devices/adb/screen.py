"""What Android reports of itself: its version, the front window, rotation, lock state.

Parses the output of `dumpsys window` and `dumpsys power`, whose wording changes from release to
release; the patterns are those of Android 7 to 15
(https://android.googlesource.com/platform/frameworks/base/+/refs/tags/android-14.0.0_r1/services/core/java/com/android/server/wm/DisplayContent.java).
"""

import re
from dataclasses import dataclass

from tapwright.geometry import Size
from tapwright.observation import Orientation

__all__ = ["FrontWindow", "Wakefulness", "parse_front_window", "parse_sdk", "parse_wakefulness"]

# Blanks are named, as \s takes in newlines: a million empty lines would be searched for hours.
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
    """The window in front. `window` changes with every other window, of the same app too.

    `size` is the screen's as it is rotated now, None when Android did not report it; `rotation`
    counts quarter turns counter-clockwise from the phone's natural position, 0 to 3.
    """

    app: str
    window: str
    size: Size | None
    rotation: int

    def orientation(self, size: Size) -> Orientation:
        """The orientation of a screen of `size`."""
        reversed_ = self.rotation >= 2
        if size.width > size.height:
            return "landscape_reversed" if reversed_ else "landscape"
        return "portrait_reversed" if reversed_ else "portrait"


@dataclass(frozen=True, slots=True)
class Wakefulness:
    """Whether the screen is on, the lock screen covers it, and requires a secret."""

    awake: bool
    locked: bool
    secure: bool


def parse_sdk(text: str) -> int:
    """Parse the SDK version from `getprop ro.build.version.sdk`; 0 for none."""
    return int(text) if _SDK.fullmatch(text) else 0


def parse_front_window(text: str) -> FrontWindow:
    """Parse the front window from `dumpsys window displays`, or `windows` before Android 10."""
    focus = _FOCUS.search(text)
    window = focus["window"] if focus else ""
    owner = _COMPONENT.search(window) or _APP.search(text)
    current = _CURRENT.search(text)
    rotated = _ROTATION.search(text)
    rotation = int(rotated[1]) if rotated else 0
    return FrontWindow(
        app=owner["package"] if owner else "",
        window=window,
        size=Size(int(current[1]), int(current[2])) if current and "0" not in current.groups()
        else None,
        rotation=(rotation // 90 if rotation >= 90 else rotation) % 4,
    )  # fmt: skip


def parse_wakefulness(text: str) -> Wakefulness:
    """Parse whether a phone is awake from `dumpsys power` and `dumpsys window policy` together."""
    awake = _AWAKE.search(text)
    return Wakefulness(
        awake=awake is None or awake[1] == "Awake",
        locked=_SHOWN.search(text) is not None,
        secure=_SECURE.search(text) is not None,
    )
