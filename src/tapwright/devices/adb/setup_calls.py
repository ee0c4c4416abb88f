"""A task's set-up calls on a real phone, by the commands that Mobile-Env runs for them.

Those of https://github.com/X-LANCE/Mobile-Env (commit 976145e), except what a task's file could
do harm with: shell and adb commands are refused by name, and an app is installed from the task's
folder only.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from tapwright.core.task_setup import SetupCall
from tapwright.devices.adb.apps import start_activity
from tapwright.devices.adb.shell import PhoneShell
from tapwright.errors import DeviceError, UnsupportedActionError

__all__ = ["run_setup_call"]

_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.\w+)*", re.ASCII)
_COMPONENT = re.compile(r"[A-Za-z]\w*(?:\.\w+)*/\.?\w+(?:[.$]\w+)*", re.ASCII)
_ROTATIONS = ("PORTRAIT_0", "LANDSCAPE_90", "PORTRAIT_180", "LANDSCAPE_270")
_ANIMATIONS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
_APK = "/data/local/tmp/tapwright.apk"
_INSTALL_S = 180.0


def run_setup_call(shell: PhoneShell, call: SetupCall) -> None:
    """Run one call of a task's set-up.

    Raises:
        UnsupportedActionError: a call that is unknown, or refused for its risk.
        DeviceError: the phone could not do it.
    """
    match call:
        case SetupCall("install_apk", {"filesystem": {"path": str(path)}}):
            _install(shell, path, call.folder)
        case SetupCall("start_activity", {"full_activity": str(activity), **options}):
            words = _string_list(options, "extra_args")
            start_activity(shell, "-S", "-W", "-n", _validate(_COMPONENT, activity, call), *words)
        case SetupCall("start_intent", {"action": str(action), "data_uri": str(uri), **rest}):
            start_activity(
                shell, "-W", *_intent_options(action, uri, str(rest.get("package_name", "")))
            )
        case SetupCall("force_stop", {"package_name": str(package)}):
            shell.check("am", "force-stop", _validate(_PACKAGE, package, call))
        case SetupCall("clear_cache", {"package_name": str(package)}):
            _run_package_manager(shell, "pm", "clear", _validate(_PACKAGE, package, call))
        case SetupCall("uninstall_package", {"package_name": str(package)}):
            _run_package_manager(shell, "pm", "uninstall", _validate(_PACKAGE, package, call))
        case SetupCall("grant_permissions", {"package_name": str(package), **options}):
            for permission in _string_list(options, "permissions"):
                named = _validate(_PACKAGE, permission, call)
                shell.check("pm", "grant", _validate(_PACKAGE, package, call), named)
        case SetupCall("press_button", {"button": "HOME" | "BACK" as button}):
            shell.check("input", "keyevent", f"KEYCODE_{button}")
        case SetupCall("tap", {"x": int(x), "y": int(y)}):
            shell.check("input", "tap", str(x), str(y))
        case SetupCall("rotate", {"orientation": str(orientation)}) if orientation in _ROTATIONS:
            rotate(shell, _ROTATIONS.index(orientation))
        case SetupCall("disable_animations"):
            for name in _ANIMATIONS:
                shell.check("settings", "put", "global", name, "0")
        case _:
            raise UnsupportedActionError(
                f"{shell.serial} does not support {call}",
                hint="it supports install_apk, start_activity, start_intent, force_stop, "
                "clear_cache, uninstall_package, grant_permissions, press_button, tap, rotate and "
                "disable_animations; one of these may replace a shell command",
            )


def rotate(shell: PhoneShell, turns: int) -> None:
    """Lock the screen's rotation, in quarter turns counter-clockwise from upright."""
    shell.check("settings", "put", "system", "accelerometer_rotation", "0")
    shell.check("settings", "put", "system", "user_rotation", str(turns % len(_ROTATIONS)))


def _install(shell: PhoneShell, path: str, folder: Path | None) -> None:
    if folder is None:
        raise UnsupportedActionError(
            f"{path!r} is not installed: the task was not read from a folder",
            hint="give the task as a file, beside which its apps lie",
        )
    try:
        folder = folder.resolve()
        file = (folder / path).resolve()
        is_inside = file.is_relative_to(folder) and file.is_file()
    except (OSError, ValueError):  # no file has such a name
        is_inside = False
    if not is_inside:
        raise UnsupportedActionError(
            f"{folder} holds no file {path[:99]!r}; apps are installed from the task's folder only",
            hint="put the file there, and name it without '..'",
        )
    shell.push(file, _APK)
    try:
        _run_package_manager(shell, "pm", "install", "-r", "-t", "-g", _APK, timeout_s=_INSTALL_S)
    finally:
        shell.run("rm", "-f", _APK)


def _intent_options(action: str, uri: str, package: str) -> list[str]:
    words = []
    for option, value in (("-a", action), ("-d", uri), ("-p", package)):
        if value:
            words += [option, value]
    return words


def _run_package_manager(shell: PhoneShell, *words: str, timeout_s: float | None = None) -> None:
    output = shell.run(*words, timeout_s=timeout_s)
    if output.code or "Success" not in output.text:
        message = f"{output.text} {output.errors.decode('utf-8', 'replace')}"
        raise DeviceError(f"{shell.serial}: {' '.join(words)}: {' '.join(message.split())[:300]}")


def _string_list(options: Mapping[str, JsonValue], name: str) -> list[str]:
    values = options.get(name)
    return [str(value) for value in values] if isinstance(values, list) else []


def _validate(pattern: re.Pattern[str], word: str, call: SetupCall) -> str:
    """Return the word if it fits the pattern, so that it cannot be an option of the program."""
    if not pattern.fullmatch(word):
        raise UnsupportedActionError(f"{word!r} in {call} is not a valid Android name")
    return word
