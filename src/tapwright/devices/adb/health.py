"""What is connected over adb, and what keeps a phone from being driven, with the way out."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tapwright.devices.adb.client import AdbClient, Attached, refusal
from tapwright.devices.adb.device import MIN_SDK
from tapwright.devices.adb.keyboard import has_keyboard
from tapwright.devices.adb.screen import read_sdk, read_wakefulness
from tapwright.devices.adb.shell import PhoneShell
from tapwright.errors import DeviceError

__all__ = ["Health", "look_at_all"]

LOOK_S = 1.5
"""How long one phone may take to say how it is; a sick one holds up nobody else."""

_AT_ONCE = 64
_MODEL = 60  # characters
_BREAK = "-- tapwright --"
_ASKED = (
    ("getprop", "ro.build.version.sdk"), ("echo", _BREAK),
    ("getprop", "ro.product.model"), ("echo", _BREAK),
    ("ime", "list", "-s", "-a"), ("echo", _BREAK),
    ("dumpsys", "power"), ("dumpsys", "window", "policy"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Health:
    """How a phone is: `state` in a word or two, `way_out` "" when there is nothing to mend.

    `ready` is set when it can be driven now, or wakes up by itself when it is.
    """

    serial: str
    model: str
    state: str
    way_out: str = ""
    ready: bool = True


def look_at_all(client: AdbClient, *, timeout_s: float = LOOK_S) -> Sequence[Health]:
    """Every phone that the server lists, in its order; all are asked at once.

    Raises:
        DeviceError: the server cannot be reached or started.
    """
    attached = client.attached()
    if not attached:
        return []
    with ThreadPoolExecutor(min(_AT_ONCE, len(attached)), "adb-look") as threads:
        return list(threads.map(lambda one: _look(client, one, timeout_s), attached))


def _look(client: AdbClient, one: Attached, timeout_s: float) -> Health:
    if one.state != "device":
        error = refusal(one.serial, f"device {one.state}")
        return Health(one.serial, one.model, one.state, error.hint, ready=False)
    try:
        said = PhoneShell(client, one.serial).script(_ASKED, timeout_s=timeout_s).text
    except DeviceError as error:
        return Health(one.serial, one.model, f"sick: {error}", error.hint, ready=False)
    sdk, model, methods, awake = [*map(str.strip, said.split(_BREAK)), "", "", "", ""][:4]
    model = " ".join(model.split())[:_MODEL]
    return _judged(one.serial, model or one.model, sdk, methods, awake)


def _judged(serial: str, model: str, sdk: str, methods: str, awake: str) -> Health:
    if read_sdk(sdk) < MIN_SDK:
        return Health(
            serial, model, f"too old: SDK {sdk[:20] or 'unknown'}",
            f"Android 7 (SDK {MIN_SDK}) or newer is needed", ready=False,
        )  # fmt: skip
    seen = read_wakefulness(awake)
    if seen.locked and seen.secure:
        return Health(
            serial, model, "locked",
            "unlock it; to keep it so: Settings > Security > Screen lock > None", ready=False,
        )  # fmt: skip
    keyboard = has_keyboard(methods)
    state = ", ".join(
        word
        for word, holds in (
            ("asleep", not seen.awake),
            ("locked without a secret", seen.locked),
            ("no keyboard for other languages", not keyboard),
        )
        if holds
    )
    way_out = "" if keyboard else "adb install ADBKeyboard.apk (github.com/senzhk/ADBKeyBoard)"
    return Health(serial, model, state or "ready", way_out)
