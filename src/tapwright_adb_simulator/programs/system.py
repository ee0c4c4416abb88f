"""Programs for properties, settings, input methods and small things."""

import asyncio
import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from tapwright_adb_simulator.android import PLAIN_KEYBOARD
from tapwright_adb_simulator.shell import ProgramCall

_SET_DATE = re.compile(r"\d{10}\.\d\d")
_SPACES = ("system", "secure", "global")


async def getprop(call: ProgramCall) -> int:
    """One property, or all of them as "[name]: [value]"."""
    properties = call.system.android.properties()
    if call.arguments:
        default = "".join(call.arguments[1:2])
        await call.write(properties.get(call.arguments[0], default) + "\n")
    else:
        await call.write("".join(f"[{name}]: [{value}]\n" for name, value in properties.items()))
    return 0


async def settings(call: ProgramCall) -> int:
    """`get`, `put`, `delete` and `list` of system, secure and global settings."""
    android = call.system.android
    words = list(call.arguments)
    if words[:1] == ["--user"]:
        del words[:2]
    match words:
        case ["get", space, name] if space in _SPACES:
            value = android.setting(space, name)
            await call.write(f"{'null' if value is None else value}\n")
        case ["put", space, name, value] if space in _SPACES:
            android.set(space, name, value)
        case ["delete", space, name] if space in _SPACES:
            gone = android.settings.pop((space, name), None) is not None
            await call.write(f"Deleted {int(gone)} rows\n")
        case ["list", space] if space in _SPACES:
            chosen = sorted(n for s, n in android.settings if s == space)
            await call.write(
                "".join(f"{name}={android.settings[space, name]}\n" for name in chosen)
            )
        case _:
            return await call.fail("Invalid command: expected get, put, delete or list\n", 255)
    return 0


async def ime(call: ProgramCall) -> int:
    """`list -s` enabled input methods, `list -s -a` all; `enable`, `disable`, `set`, `reset`."""
    android = call.system.android
    match list(call.arguments):
        case ["list", *options]:
            chosen = android.keyboards if "-a" in options else android.enabled_keyboards
            form = "{0}\n" if "-s" in options else "{0}:\n  mId={0}\n"
            await call.write("".join(form.format(one) for one in chosen))
        case ["enable", name] if name in android.keyboards:
            if name not in android.enabled_keyboards:
                android.enabled_keyboards.append(name)
            await call.write(f"Input method {name}: now enabled for user #0\n")
        case ["disable", name] if name in android.keyboards:
            if name in android.enabled_keyboards:
                android.enabled_keyboards.remove(name)
            await call.write(f"Input method {name}: now disabled for user #0\n")
        case ["set", name] if name in android.enabled_keyboards:
            android.keyboard = name
            await call.write(f"Input method {name} selected for user #0\n")
        case ["set", name]:
            return await call.fail(
                f"Unknown input method {name} cannot be selected for user #0\n", 255
            )
        case ["enable" | "disable" as verb, name]:
            return await call.fail(
                f"Unknown input method {name} cannot be {verb}d for user #0\n", 255
            )
        case ["reset"]:
            android.keyboard = PLAIN_KEYBOARD
            android.enabled_keyboards[:] = [PLAIN_KEYBOARD]
            await call.write("Reset current and enabled IMEs for user #0\n")
        case _:
            return await call.fail(f"Unknown command: {' '.join(call.arguments)}\n", 255)
    return 0


async def svc(call: ProgramCall) -> int:
    """`wifi enable` and the like are settings then; `power stayon` leaves nothing to see."""
    match list(call.arguments):
        case ["wifi" | "bluetooth" | "data" as what, "enable" | "disable" as how]:
            name = {"wifi": "wifi_on", "bluetooth": "bluetooth_on", "data": "mobile_data"}[what]
            call.system.android.set("global", name, "1" if how == "enable" else "0")
        case []:
            return await call.fail("Available commands: power, wifi, data, bluetooth\n", 1)
    return 0


async def date(call: ProgramCall) -> int:
    """The phone's time, which is that of its last log line when there is one, "+FORMAT" of it.

    "MMDDhhmmYY.SS" sets it, where the shell is root's.
    """
    android = call.system.android
    given = "".join(call.arguments[:1])
    if _SET_DATE.fullmatch(given):
        if not android.root:
            return await call.fail("date: cannot set date: Operation not permitted\n")
        wanted = datetime.strptime(given, "%m%d%H%M%y.%S").replace(tzinfo=UTC)
        android.clock_ahead_s = wanted.timestamp() - time.time()
    if android.clock_ahead_s:
        now = datetime.fromtimestamp(time.time() + android.clock_ahead_s, UTC)
    else:
        now = _now(call.system.log.since(call.system.log.end - 1))
    if given.startswith("+"):
        await call.write(
            now.strftime(given[1:].replace("%N", f"{now.microsecond * 1000:09}")) + "\n"
        )
    else:
        await call.write(now.strftime("%a %b %e %H:%M:%S UTC %Y\n"))
    return 0


def _now(lines: Sequence[str]) -> datetime:
    now = datetime.now(UTC)
    try:
        return datetime.strptime(f"{now.year}-{lines[0][:18]}", "%Y-%m-%d %H:%M:%S.%f").replace(
            tzinfo=UTC
        )
    except (IndexError, ValueError):
        return now


async def service(call: ProgramCall) -> int:
    """`call SERVICE CODE …`: every service takes every call, and answers nothing."""
    if call.arguments[:1] != ["call"]:
        return await call.fail("service: expected call SERVICE CODE\n", 10)
    await call.write("Result: Parcel(00000000    '....')\n")
    return 0


async def whoami(call: ProgramCall) -> int:
    """The name of who runs the shell."""
    await call.write("root\n" if call.system.android.root else "shell\n")
    return 0


async def id_(call: ProgramCall) -> int:
    """Who runs the shell."""
    if call.system.android.root:
        await call.write("uid=0(root) gid=0(root) groups=0(root) context=u:r:su:s0\n")
        return 0
    await call.write("uid=2000(shell) gid=2000(shell) groups=2000(shell) context=u:r:shell:s0\n")
    return 0


async def sleep(call: ProgramCall) -> int:
    """Let time pass, for no longer than the other side listens."""
    try:
        seconds = min(float("".join(call.arguments[:1])), 3600.0)
    except ValueError:
        return await call.fail(f"sleep: bad number '{' '.join(call.arguments)}'\n")
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if not await call.stream.until_gone(asyncio.sleep(left)):
            break
    return 0


async def true(_: ProgramCall) -> int:
    """Nothing, well."""
    return 0


async def false(_: ProgramCall) -> int:
    """Nothing, badly."""
    return 1
