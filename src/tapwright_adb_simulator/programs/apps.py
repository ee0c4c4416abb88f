"""Programs that start and stop apps and talk to them: `am` and `monkey`."""

import base64
import binascii
from functools import partial

from tapwright.core.actions import Hotkey, OpenApp, PressKey, TypeText
from tapwright.errors import UnknownAppError
from tapwright_adb_simulator.android import ADB_KEYBOARD
from tapwright_adb_simulator.handset import Handset
from tapwright_adb_simulator.keycodes import action_of
from tapwright_adb_simulator.programs.intents import ACTIVITY, Intent, read_intent
from tapwright_adb_simulator.shell import ProgramCall

KEYBOARD_ACTIONS = ("ADB_INPUT_TEXT", "ADB_INPUT_B64", "ADB_CLEAR_TEXT", "ADB_INPUT_CODE")
"""The broadcasts that the ADB keyboard listens to."""

CLIPPER = "ca.zgrs.clipper"
"""The app that reads and writes the clipboard when it is asked by broadcasts."""

_HOME = "android.intent.category.HOME"


async def am(call: ProgramCall) -> int:
    """`start`, `force-stop`, `broadcast`, `kill-all`, `stack list`, `stack remove`."""
    match list(call.arguments):
        case ["start" | "start-activity", *rest]:
            return await _start(call, read_intent(rest))
        case ["force-stop" | "kill" | "stop-app", *rest] if rest:
            await call.device(partial(stop, call.system.handset, rest[-1]))
            return 0
        case ["kill-all"]:
            return 0
        case ["broadcast", *rest]:
            return await _broadcast(call, read_intent(rest))
        case ["stack", "list"]:
            component = await call.device(partial(shown_component, call.system.handset))
            await call.write(
                "RootTask id=12 bounds=[0,0][0,0] displayId=0 userId=0\n"
                f"  taskId=12: {component} bounds=[0,0][0,0] userId=0 visible=true "
                f"topActivity=ComponentInfo{{{component}}}\n"
            )
            return 0
        case ["stack", "remove", _]:
            await call.device(partial(call.system.handset.perform, PressKey(key="home")))
            return 0
    return await call.fail(f"Unknown command: {' '.join(call.arguments)}\n", 255)


async def monkey(call: ProgramCall) -> int:
    """`-p PACKAGE -c CATEGORY 1`, which opens an app."""
    words = list(call.arguments)
    package = words[words.index("-p") + 1] if "-p" in words[:-1] else ""
    handset = call.system.handset
    if package not in await call.device(handset.packages):
        await call.write("** No activities found to run, monkey aborted.\n")
        return 252
    await call.device(partial(_open, handset, package))
    await call.write("Events injected: 1\n")
    await call.write(
        "## Network stats: elapsed time=5ms (0ms mobile, 0ms wifi, 5ms not connected)\n"
    )
    return 0


async def _start(call: ProgramCall, intent: Intent) -> int:
    handset = call.system.handset
    packages = await call.device(handset.packages)
    package = intent.component.partition("/")[0] or intent.package
    await call.write(f"Starting: {intent}\n")
    if _HOME in intent.categories and not package:
        await call.device(partial(handset.perform, PressKey(key="home")))
        return 0
    if package not in packages:
        if intent.component:
            whole = _whole(intent.component)
            await call.write("Error type 3\n")
            await call.write(f"Error: Activity class {{{whole}}} does not exist.\n")
        else:
            await call.write(f"Error: Activity not started, unable to resolve {intent}\n")
        return 1
    was = await call.device(handset.front)
    if "-S" in intent.flags:
        await call.device(partial(stop, handset, package))
    if was == package and "-S" not in intent.flags:
        await call.write(
            "Warning: Activity not started, intent has been delivered to currently running "
            "top-most instance.\n"
        )
    else:
        await call.device(partial(_open, handset, package, intent.component))
    if "-W" in intent.flags:
        component = intent.component or f"{package}/{ACTIVITY}"
        await call.write(
            f"Status: ok\nLaunchState: COLD\nActivity: {component}\nTotalTime: 1\nWaitTime: 1\n"
            "Complete\n"
        )
    return 0


async def _broadcast(call: ProgramCall, intent: Intent) -> int:
    android = call.system.android
    await call.write(f"Broadcasting: {intent}\n")
    if intent.action in ("clipper.get", "clipper.set") and CLIPPER in android.others:
        return await _clip(call, intent)
    if android.keyboard == ADB_KEYBOARD and ADB_KEYBOARD in android.keyboards:
        await call.device(partial(_type, call.system.handset, intent))
    await call.write("Broadcast completed: result=0\n")
    return 0


def _type(handset: Handset, intent: Intent) -> None:
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


async def _clip(call: ProgramCall, intent: Intent) -> int:
    """What https://github.com/majido/clipper answers while it is in front, and else nothing."""
    handset = call.system.handset
    if not handset.opened.startswith(f"{CLIPPER}/"):
        await call.write("Broadcast completed: result=0\n")
        return 0
    if intent.action == "clipper.set":
        handset.android.clipboard = intent.extras.get("text", "")
        await call.write('Broadcast completed: result=-1, data="Text is copied into clipboard."\n')
        return 0
    text = handset.android.clipboard
    await call.write(f'Broadcast completed: result=-1, data="{text}"\n')
    return 0


def shown_component(handset: Handset) -> str:
    """The activity in front, with both its names whole."""
    front = handset.front()
    return _whole(handset.opened if handset.opened else f"{front}/{ACTIVITY}")


def _open(handset: Handset, package: str, component: str = "") -> None:
    if package in handset.android.others:
        handset.opened = component or f"{package}/{ACTIVITY}"
        return
    try:
        handset.perform(OpenApp(app=package))
    except UnknownAppError:
        handset.perform(OpenApp(app=handset.packages()[package]))


def stop(handset: Handset, package: str) -> None:
    """Leave an app, if it is in front."""
    if handset.front() == package:
        handset.perform(PressKey(key="home"))


def _whole(component: str) -> str:
    package, _, activity = component.partition("/")
    return f"{package}/{package}{activity}" if activity.startswith(".") else component
