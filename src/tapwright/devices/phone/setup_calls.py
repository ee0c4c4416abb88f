"""A task's set-up calls on the built-in phone: what Mobile-Env does to an Android, on its apps.

Those of https://github.com/X-LANCE/Mobile-Env (commit 976145e). As a reset restores everything,
there is nothing to clear, grant or install again.
"""

from typing import Protocol

from tapwright.core.actions import OpenApp, PressKey, Tap
from tapwright.core.geometry import Size, from_pixel
from tapwright.core.task_setup import SetupCall
from tapwright.devices.device import Device
from tapwright.errors import UnsupportedActionError

__all__ = ["run_setup_call"]


class TurningDevice(Device, Protocol):
    """A device whose screen has a size from the start, and can be turned."""

    @property
    def size(self) -> Size:
        """As it is turned now, in pixels."""
        ...

    def turn(self, *, wide: bool) -> None:
        """Turn the screen: wide, or upright."""
        ...


def run_setup_call(phone: TurningDevice, call: SetupCall) -> None:
    """Run one call of a task's set-up.

    Raises:
        UnsupportedActionError: a call that this phone does not support.
        UnknownAppError: it has no such app.
    """
    match call:
        case SetupCall("start_activity", {"full_activity": str(activity)}):
            phone.perform(OpenApp(app=activity.partition("/")[0]))
        case SetupCall("start_intent", {"package_name": str(package)}) if package:
            phone.perform(OpenApp(app=package))
        case SetupCall("force_stop", {"package_name": str(package)}):
            if phone.observe().app == package:
                phone.perform(PressKey(key="home"))
        case SetupCall("press_button", {"button": "HOME" | "BACK" as button}):
            phone.perform(PressKey(key="home" if button == "HOME" else "back"))
        case SetupCall("tap", {"x": int(x), "y": int(y)}):
            phone.perform(Tap(at=from_pixel(x, y, phone.size)))
        case SetupCall("rotate", {"orientation": "PORTRAIT_0" | "PORTRAIT_180"}):
            phone.turn(wide=False)
        case SetupCall("rotate", {"orientation": "LANDSCAPE_90" | "LANDSCAPE_270"}):
            phone.turn(wide=True)
        case SetupCall("clear_cache" | "grant_permissions" | "disable_animations"):
            pass
        case _:
            raise UnsupportedActionError(
                f"{phone.name} does not support {call}",
                hint="it supports start_activity, start_intent, force_stop, press_button, tap, "
                "rotate, and ignores clear_cache, grant_permissions and disable_animations",
            )
