"""What Android shows and reports of its screen: picture, front window, rotation.

Parses the output of `dumpsys window`, whose wording changes from release to
release; the patterns are those of Android 7 to 15
(https://android.googlesource.com/platform/frameworks/base/+/refs/tags/android-14.0.0_r1/services/core/java/com/android/server/wm/DisplayContent.java).
"""

import re
from dataclasses import dataclass

from tapwright.core.geometry import Size
from tapwright.core.observation import Orientation
from tapwright.core.screenshot import Screenshot
from tapwright.devices.adb.shell import PhoneShell
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.errors import BadImageError

__all__ = ["FrontWindow", "parse_front_window", "read_front_window", "take_screenshot"]

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_END = b"IEND\xaeB`\x82"

# Blanks are named, as \s takes in newlines: a million empty lines would be searched for hours.
_FOCUS = re.compile(r"^[ \t]*mCurrentFocus=Window\{(?P<window>[^}]*)\}", re.MULTILINE)
_APP = re.compile(r"^[ \t]*mFocusedApp=.*?\bu\d+ (?P<package>[\w.]+)/", re.MULTILINE | re.ASCII)
_COMPONENT = re.compile(r"\s(?P<package>[A-Za-z]\w*(?:\.\w+)+)/\S+$", re.ASCII)
_CURRENT = re.compile(r"\bcur=(\d{1,5})x(\d{1,5})\b", re.ASCII)
_ROTATION = re.compile(r"\b(?:mCurrentRotation|mRotation)=(?:ROTATION_)?(\d{1,3})\b", re.ASCII)


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


def take_screenshot(shell: PhoneShell) -> Screenshot:
    """Take the picture of the screen, a PNG in its pixels.

    Raises:
        BadDeviceOutputError: it is not a complete PNG.
        DeviceLostError: the phone did not answer in time, or is gone.
    """
    output = shell.run("screencap", "-p")
    # A phone with two displays warns on the same stream that one was requested.
    start = output.data.find(_PNG, 0, 4096)
    data = output.data[start:]
    if output.code or start < 0 or not data.endswith(_PNG_END):
        errors = output.errors.decode("utf-8", "replace").strip()[:200]
        raise BadDeviceOutputError(
            f"adb {shell.serial}: its screenshot is not a complete PNG ({len(output.data):,} "
            f"bytes, exit code {output.code}): {errors}",
            hint="restart the phone; try: adb exec-out screencap -p > screen.png",
        )
    screenshot = Screenshot(data, origin=f"adb {shell.serial}")
    try:
        _ = screenshot.size
    except BadImageError as error:
        raise BadDeviceOutputError(str(error), hint="restart the phone") from error
    return screenshot


def read_front_window(shell: PhoneShell) -> FrontWindow:
    """Ask which window is in front."""
    front = parse_front_window(shell.check("dumpsys", "window", "displays"))
    if not front.window:  # before Android 10 it is listed among the windows
        both = [("dumpsys", "window", "displays"), ("dumpsys", "window", "windows")]
        front = parse_front_window(shell.script(both).text)
    return front
