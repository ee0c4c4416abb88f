"""What is connected over adb, and what keeps a phone from being driven, with the way out."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tapwright.devices.adb.client import AdbClient, AttachedPhone, refusal_error
from tapwright.devices.adb.keyboard import has_keyboard
from tapwright.devices.adb.shell import MIN_SDK, PhoneShell, parse_sdk
from tapwright.devices.adb.wakefulness import parse_wakefulness
from tapwright.errors import DeviceError

__all__ = ["PhoneHealth", "check_phones"]

CHECK_S = 1.5
"""Time limit for the check of one phone; phones are checked in parallel."""

_AT_ONCE = 64
_MODEL = 60  # characters
_BREAK = "-- tapwright --"
_CHECK_COMMANDS = (
    ("getprop", "ro.build.version.sdk"), ("echo", _BREAK),
    ("getprop", "ro.product.model"), ("echo", _BREAK),
    ("ime", "list", "-s", "-a"), ("echo", _BREAK),
    ("dumpsys", "power"), ("dumpsys", "window", "policy"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PhoneHealth:
    """The state of a phone, in a few words; `way_out` is "" when nothing is to be done.

    `ready` is set when it can be driven now, or wakes up by itself when it is.
    """

    serial: str
    model: str
    state: str
    way_out: str = ""
    ready: bool = True


def check_phones(client: AdbClient, *, timeout_s: float = CHECK_S) -> Sequence[PhoneHealth]:
    """Check every phone that the server lists, in parallel; results are in its order.

    Raises:
        DeviceError: the server cannot be reached or started.
    """
    attached = client.attached()
    if not attached:
        return []
    with ThreadPoolExecutor(min(_AT_ONCE, len(attached)), "adb-look") as threads:
        return list(threads.map(lambda one: _check(client, one, timeout_s), attached))


def _check(client: AdbClient, one: AttachedPhone, timeout_s: float) -> PhoneHealth:
    if one.state != "device":
        error = refusal_error(one.serial, f"device {one.state}")
        return PhoneHealth(one.serial, one.model, one.state, error.hint, ready=False)
    try:
        text = PhoneShell(client, one.serial).script(_CHECK_COMMANDS, timeout_s=timeout_s).text
    except DeviceError as error:
        return PhoneHealth(one.serial, one.model, f"unhealthy: {error}", error.hint, ready=False)
    sdk, model, methods, awake = [*map(str.strip, text.split(_BREAK)), "", "", "", ""][:4]
    model = " ".join(model.split())[:_MODEL]
    return _evaluate(one.serial, model or one.model, sdk, methods, awake)


def _evaluate(serial: str, model: str, sdk: str, methods: str, awake: str) -> PhoneHealth:
    if parse_sdk(sdk) < MIN_SDK:
        return PhoneHealth(
            serial, model, f"too old: SDK {sdk[:20] or 'unknown'}",
            f"Android 7 (SDK {MIN_SDK}) or newer is needed", ready=False,
        )  # fmt: skip
    seen = parse_wakefulness(awake)
    if seen.locked and seen.secure:
        return PhoneHealth(
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
    return PhoneHealth(serial, model, state or "ready", way_out)
