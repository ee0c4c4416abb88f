"""Programs for apps: `am`, `pm`, `cmd package`, `monkey`."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tapwright.actions import Hotkey, OpenApp, PressKey, TypeText
from tapwright.errors import UnknownAppError
from tapwright.testing.adb.android import ADB_KEYBOARD
from tapwright.testing.adb.handset import Handset
from tapwright.testing.adb.keycodes import action_of
from tapwright.testing.adb.shell import Call

ACTIVITY = ".MainActivity"
"""Every app has one activity, and is called by any."""

KEYBOARD_ACTIONS = ("ADB_INPUT_TEXT", "ADB_INPUT_B64", "ADB_CLEAR_TEXT", "ADB_INPUT_CODE")
"""The broadcasts that the ADB keyboard listens to."""

_MATCH = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true"
_MAIN, _HOME = "android.intent.action.MAIN", "android.intent.category.HOME"
_LAUNCHER = "android.intent.category.LAUNCHER"


@dataclass(slots=True)
class _Intent:
    """What `am` and `cmd package` are asked for, in the options of AOSP's `Intent`."""

    action: str = ""
    data: str = ""
    kind: str = ""
    component: str = ""
    package: str = ""
    categories: list[str] = field(default_factory=list)
    extras: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        """As `am` prints it."""
        told = [
            ("act", self.action),
            ("cat", f"[{','.join(self.categories)}]" if self.categories else ""),
            ("dat", self.data),
            ("typ", self.kind),
            ("pkg", self.package),
            ("cmp", self.component),
        ]
        words = [f"{name}={value}" for name, value in told if value]
        return "Intent { " + " ".join([*words, *(["(has extras)"] if self.extras else [])]) + " }"


async def am(call: Call) -> int:
    """`start`, `force-stop`, `broadcast`, `kill-all`."""
    match list(call.arguments):
        case ["start" | "start-activity", *rest]:
            return await _start(call, _intent(rest))
        case ["force-stop" | "kill" | "stop-app", *rest] if rest:
            await call.device(partial(_stop, call.system.handset, rest[-1]))
            return 0
        case ["kill-all"]:
            return 0
        case ["broadcast", *rest]:
            return await _broadcast(call, _intent(rest))
    return await call.fail(f"Unknown command: {' '.join(call.arguments)}\n", 255)


async def monkey(call: Call) -> int:
    """`-p PACKAGE -c CATEGORY 1`, which opens an app."""
    words = list(call.arguments)
    package = words[words.index("-p") + 1] if "-p" in words[:-1] else ""
    handset = call.system.handset
    if package not in await call.device(handset.packages):
        await call.say("** No activities found to run, monkey aborted.\n")
        return 252
    await call.device(partial(_open, handset, package))
    await call.say("Events injected: 1\n")
    await call.say("## Network stats: elapsed time=5ms (0ms mobile, 0ms wifi, 5ms not connected)\n")
    return 0


async def pm(call: Call) -> int:
    """`list packages`, `path`, `clear`, `grant`, `revoke`, `install`, `uninstall`."""
    handset = call.system.handset
    packages = await call.device(handset.packages)
    match list(call.arguments):
        case ["list", "packages" | "package", *rest]:
            wanted = [word for word in rest if not word.startswith("-")]
            own = "-s" not in rest
            chosen = sorted(p for p in packages if own and (not wanted or wanted[0] in p))
            await call.say("".join(f"package:{package}\n" for package in chosen))
        case ["path", package]:
            if package not in packages:
                return 1
            await call.say(f"package:/data/app/{package}/base.apk\n")
        case ["clear", package]:
            if package not in packages:
                await call.say("Failed\n")
                return 1
            await call.device(partial(_stop, handset, package))
            await call.say("Success\n")
        case ["grant" | "revoke", package, _]:
            if package not in packages:
                return await call.fail(
                    f"\nException occurred while executing '{call.arguments[0]}':\n"
                    f"java.lang.IllegalArgumentException: Unknown package: {package}\n",
                    255,
                )
        case _:
            return await call.fail(f"Unknown command: {' '.join(call.arguments)}\n", 255)
    return 0


async def cmd(call: Call) -> int:
    """`cmd package …` and the programs that are services of their own names."""
    from tapwright.testing.adb.programs.input import input_
    from tapwright.testing.adb.programs.screen import wm
    from tapwright.testing.adb.programs.system import settings

    match list(call.arguments):
        case ["package", "resolve-activity" | "query-activities" as verb, *rest]:
            return await _resolve(call, _intent(rest), every=verb == "query-activities")
        case ["package", *_]:
            return await pm(replace(call, words=call.words[1:]))
        case ["activity", *_]:
            return await am(replace(call, words=call.words[1:]))
        case ["input", *_]:
            return await input_(replace(call, words=call.words[1:]))
        case ["settings", *_]:
            return await settings(replace(call, words=call.words[1:]))
        case ["window", *_]:
            return await wm(replace(call, words=call.words[1:]))
    name = "".join(call.arguments[:1])
    return await call.fail(f"cmd: Can't find service: {name}\n", 20)


async def _start(call: Call, intent: _Intent) -> int:
    handset = call.system.handset
    packages = await call.device(handset.packages)
    package = intent.component.partition("/")[0] or intent.package
    await call.say(f"Starting: {intent}\n")
    if _HOME in intent.categories and not package:
        await call.device(partial(handset.perform, PressKey(key="home")))
        return 0
    if package not in packages:
        if intent.component:
            whole = _whole(intent.component)
            await call.say("Error type 3\n")
            await call.say(f"Error: Activity class {{{whole}}} does not exist.\n")
        else:
            await call.say(f"Error: Activity not started, unable to resolve {intent}\n")
        return 1
    was = await call.device(handset.front)
    if "-S" in intent.flags:
        await call.device(partial(_stop, handset, package))
    if was == package and "-S" not in intent.flags:
        await call.say(
            "Warning: Activity not started, intent has been delivered to currently running "
            "top-most instance.\n"
        )
    else:
        await call.device(partial(_open, handset, package))
    if "-W" in intent.flags:
        component = intent.component or f"{package}/{ACTIVITY}"
        await call.say(
            f"Status: ok\nLaunchState: COLD\nActivity: {component}\nTotalTime: 1\nWaitTime: 1\n"
            "Complete\n"
        )
    return 0


async def _broadcast(call: Call, intent: _Intent) -> int:
    android = call.system.android
    await call.say(f"Broadcasting: {intent}\n")
    if android.keyboard == ADB_KEYBOARD and ADB_KEYBOARD in android.keyboards:
        await call.device(partial(_type, call.system.handset, intent))
    await call.say("Broadcast completed: result=0\n")
    return 0


def _type(handset: Handset, intent: _Intent) -> None:
    """What the ADB keyboard does with a broadcast; one that it does not understand is lost."""
    extra = intent.extras.get
    match intent.action:
        case "ADB_INPUT_TEXT":
            text = extra("msg", "")
        case "ADB_INPUT_B64":
            try:
                text = base64.b64decode(extra("msg", "")).decode()
            except (binascii.Error, UnicodeDecodeError):
                return
        case "ADB_CLEAR_TEXT":
            handset.perform(Hotkey(keys=("control", "a")))
            handset.perform(PressKey(key="backspace"))
            return
        case "ADB_INPUT_CODE":
            action = action_of(int(extra("code", "0"))) if extra("code", "").isdecimal() else None
            if action is not None:
                handset.perform(action)
            return
        case _:
            return
    if text and handset.shows_apps:
        handset.perform(TypeText(text=text))


async def _resolve(call: Call, intent: _Intent, *, every: bool) -> int:
    packages = await call.device(call.system.handset.packages)
    chosen = [one for one in packages if not intent.package or one == intent.package]
    if not chosen:
        await call.say("No activities found\n" if every else "No activity found\n")
        return 0
    brief = "--brief" in intent.flags
    if not every:
        await call.say(_told(chosen[0], packages, "", brief=brief))
        return 0
    if "--components" in intent.flags:
        await call.say("".join(f"{package}/{ACTIVITY}\n" for package in chosen))
        return 0
    await call.say(f"{len(chosen)} activities found:\n")
    for number, package in enumerate(chosen):
        await call.say(f"  Activity #{number}:\n{_told(package, packages, '    ', brief=brief)}")
    return 0


def _told(package: str, packages: Mapping[str, str], indent: str, *, brief: bool) -> str:
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


def _open(handset: Handset, package: str) -> None:
    try:
        handset.perform(OpenApp(app=package))
    except UnknownAppError:
        handset.perform(OpenApp(app=handset.packages()[package]))


def _stop(handset: Handset, package: str) -> None:
    if handset.front() == package:
        handset.perform(PressKey(key="home"))


def _whole(component: str) -> str:
    package, _, activity = component.partition("/")
    return f"{package}/{package}{activity}" if activity.startswith(".") else component


def _intent(words: Sequence[str]) -> _Intent:
    intent = _Intent()
    given = iter(words)
    for word in given:
        match word:
            case "-a":
                intent.action = next(given, "")
            case "-d":
                intent.data = next(given, "")
            case "-t":
                intent.kind = next(given, "")
            case "-c":
                intent.categories.append(next(given, ""))
            case "-n":
                intent.component = next(given, "")
            case "-p":
                intent.package = next(given, "")
            case "--es" | "-e" | "--ei" | "--ez" | "--el" | "--esa" | "--eia":
                name = next(given, "")
                intent.extras[name] = next(given, "")
            case "-f" | "--user" | "--display" | "--windowingMode":
                next(given, "")
            case _ if word.startswith("-"):
                intent.flags.add(word)
            case _ if "/" in word and ":" not in word:
                intent.component = word
            case _ if ":" in word:
                intent.data = word
            case _:
                intent.package = word
    return intent
