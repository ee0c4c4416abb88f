"""Programs for what is installed: `pm`, and `cmd` for it and other services."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from tapwright_adb_simulator.programs.apps import am, stop
from tapwright_adb_simulator.programs.input import input_
from tapwright_adb_simulator.programs.intents import ACTIVITY, Intent, read_intent
from tapwright_adb_simulator.programs.screen import wm
from tapwright_adb_simulator.programs.system import settings
from tapwright_adb_simulator.shell import Program, ProgramCall
from tapwright_adb_simulator.storage import FileProblem

_MATCH = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true"
_ZIP = b"PK\x03\x04"


async def pm(call: ProgramCall) -> int:
    """`list packages`, `path`, `clear`, `grant`, `revoke`, `install`, `uninstall`.

    The device's apps are all that can be there: installing brings back what was uninstalled.
    """
    handset = call.system.handset
    packages = await call.device(handset.packages)
    match list(call.arguments):
        case ["list", "packages" | "package", *rest]:
            wanted = [word for word in rest if not word.startswith("-")]
            own = "-s" not in rest
            chosen = sorted(p for p in packages if own and (not wanted or wanted[0] in p))
            await call.write("".join(f"package:{package}\n" for package in chosen))
        case ["path", package]:
            if package not in packages:
                return 1
            await call.write(f"package:/data/app/{package}/base.apk\n")
        case ["clear", package]:
            if package not in packages:
                await call.write("Failed\n")
                return 1
            await call.device(partial(stop, handset, package))
            await call.write("Success\n")
        case ["grant" | "revoke", package, _]:
            if package not in packages:
                return await call.fail(
                    f"\nException occurred while executing '{call.arguments[0]}':\n"
                    f"java.lang.IllegalArgumentException: Unknown package: {package}\n",
                    255,
                )
        case ["install", *rest]:
            return await _install(call, rest)
        case ["uninstall", *_, package]:
            return await _uninstall(call, package)
        case _:
            return await call.fail(f"Unknown command: {' '.join(call.arguments)}\n", 255)
    return 0


async def cmd(call: ProgramCall) -> int:
    """`cmd package …` and the programs that are services of their own names."""
    match list(call.arguments):
        case ["package", "resolve-activity" | "query-activities" as verb, *rest]:
            return await _resolve(call, read_intent(rest), every=verb == "query-activities")
        case [service, *_] if service in _SERVICES:
            return await _SERVICES[service](replace(call, words=call.words[1:]))
    name = "".join(call.arguments[:1])
    return await call.fail(f"cmd: Can't find service: {name}\n", 20)


async def _install(call: ProgramCall, words: Sequence[str]) -> int:
    """Out of a file, or with `-S SIZE` of stdin."""
    if "-S" in words[:-1]:
        given, path = words[list(words).index("-S") + 1], "base.apk"
        size, data = int(given) if given.isdecimal() else 0, b""
        while len(data) < size and (more := await call.stdin()):
            data += more
    else:
        path = words[-1] if words else ""
        try:
            data = call.system.storage.read(path)
        except FileProblem:
            return await call.fail(f"Error: Unable to open file: {path}\n", 255)
    if not data.startswith(_ZIP):
        await call.write(f"Failure [INSTALL_PARSE_FAILED_NOT_APK: Failed to parse {path}]\n")
        return 1
    call.system.android.uninstalled.clear()
    await call.write("Success\n")
    return 0


async def _uninstall(call: ProgramCall, package: str) -> int:
    handset = call.system.handset
    if package not in await call.device(handset.packages):
        await call.write("Failure [DELETE_FAILED_INTERNAL_ERROR]\n")
        return 1
    await call.device(partial(stop, handset, package))
    handset.android.uninstalled.add(package)
    await call.write("Success\n")
    return 0


async def _resolve(call: ProgramCall, intent: Intent, *, every: bool) -> int:
    packages = await call.device(call.system.handset.packages)
    chosen = [one for one in packages if not intent.package or one == intent.package]
    if not chosen:
        await call.write("No activities found\n" if every else "No activity found\n")
        return 0
    brief = "--brief" in intent.flags
    if not every:
        await call.write(_format_activity(chosen[0], packages, "", brief=brief))
        return 0
    if "--components" in intent.flags:
        await call.write("".join(f"{package}/{ACTIVITY}\n" for package in chosen))
        return 0
    await call.write(f"{len(chosen)} activities found:\n")
    for number, package in enumerate(chosen):
        await call.write(
            f"  Activity #{number}:\n{_format_activity(package, packages, '    ', brief=brief)}"
        )
    return 0


def _format_activity(package: str, packages: Mapping[str, str], indent: str, *, brief: bool) -> str:
    lines = [_MATCH, f"{package}/{ACTIVITY}"]
    if not brief:
        lines = [
            _MATCH,
            "ActivityInfo:",
            f"  name={package}{ACTIVITY}",
            f"  packageName={package}",
            f"  labelRes=0x0 nonLocalizedLabel={packages[package]} icon=0x0 banner=0x0",
        ]
    return "".join(f"{indent}{line}\n" for line in lines)


_SERVICES: Mapping[str, Program] = {
    "activity": am,
    "input": input_,
    "package": pm,
    "settings": settings,
    "window": wm,
}
