"""`dumpsys`: the few lines of each service that clients look for, in Android 13's words."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from tapwright_adb_simulator.android import ADB_KEYBOARD
from tapwright_adb_simulator.programs.apps import KEYBOARD_ACTIONS
from tapwright_adb_simulator.programs.intents import ACTIVITY
from tapwright_adb_simulator.shell import ProgramCall


async def dumpsys(call: ProgramCall) -> int:
    """`activity`, `display`, `input`, `package`, `power` and `window`, as much as there is."""
    words = [word for word in call.arguments if not word.startswith("-")]
    service, *rest = words or [""]
    if not service:
        await call.write("Currently running services:\n")
        await call.write("".join(f"  {name}\n" for name in _SERVICES))
        return 0
    dump = _SERVICES.get(service)
    if dump is None:
        await call.fail(f"Can't find service: {service}\n")
        return 0
    await call.write(await dump(call, rest))
    return 0


async def _window(call: ProgramCall, words: Sequence[str]) -> str:
    android = call.system.android
    size = call.system.handset.screen
    natural = call.system.handset.size
    short, long = sorted((natural.width, natural.height))
    locked = _word(android.locked)
    displays = (
        "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n"
        "  Display: mDisplayId=0\n"
        f"    init={natural} {android.density}dpi cur={size} app={size} "
        f"rng={short}x{short}-{long}x{long}\n"
        f"    mCurrentRotation=ROTATION_{90 * android.rotation}\n"
        f"{await _focus(call)}"
    )
    policy = (
        "WINDOW MANAGER POLICY STATE (dumpsys window policy)\n"
        f"    mAwake={_word(android.awake)} mScreenOnEarly={_word(android.awake)} "
        f"mScreenOnFully={_word(android.awake)}\n"
        f"    screenState=SCREEN_STATE_{'ON' if android.awake else 'OFF'}\n"
        "    KeyguardServiceDelegate\n"
        f"      showing={locked}\n"
        f"      secure={_word(android.secure)}\n"
        f"    isKeyguardShowing={locked}\n"
        f"    mShowingLockscreen={locked} mDreamingLockscreen={locked}\n"
    )
    match "".join(words[:1]):
        case "displays" | "d":
            return displays
        case "policy" | "p":
            return policy
        case "windows" | "w":
            return "WINDOW MANAGER WINDOWS (dumpsys window windows)\n" + await _focus(call)
    return policy + displays


async def _focus(call: ProgramCall) -> str:
    handset = call.system.handset
    if not handset.android.awake:
        return "  mCurrentFocus=null\n  mFocusedApp=null\n"
    front = await call.device(handset.front)
    if handset.android.locked:
        return "  mCurrentFocus=Window{5a1c2d3 u0 NotificationShade}\n  mFocusedApp=null\n"
    component = f"{front}/{front}{ACTIVITY}"
    return (
        f"  mCurrentFocus=Window{{7c3b0e1 u0 {component}}}\n"
        f"  mFocusedApp=ActivityRecord{{b2c41f7 u0 {front}/{ACTIVITY} t12}}\n"
    )


async def _activity(call: ProgramCall, words: Sequence[str]) -> str:
    front = await call.device(call.system.handset.front)
    record = f"ActivityRecord{{b2c41f7 u0 {front}/{ACTIVITY} t12}}"
    if words[:1] == ["broadcasts"]:
        # The ADB keyboard listens from when it is shown.
        listens = call.system.android.keyboard == ADB_KEYBOARD
        heard = "".join(f'      Action: "{name}"\n' for name in KEYBOARD_ACTIONS if listens)
        return f"ACTIVITY MANAGER BROADCAST STATE (dumpsys activity broadcasts)\n{heard}"
    if words[:1] == ["recents"]:
        recent = f"  * Recent #0: Task{{b2c41f7 #12 type=standard A=10123:{front}}}\n    id=12\n"
        return f"ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)\n{recent}"
    if words[:1] == ["top"]:
        return f"TASK {front} id=12 userId=0\n  ACTIVITY {front}/{ACTIVITY} b2c41f7 pid=1042\n"
    resumed = "topResumedActivity" if call.system.android.sdk >= 30 else "mResumedActivity"
    asleep = "true" if not call.system.android.awake else "false"
    return (
        "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\n"
        "Display #0 (activities from top to bottom):\n"
        f"    {resumed}={record}\n"
        f"  ResumedActivity: {record}\n"
        f"  isSleeping={asleep}\n"
    )


async def _input(call: ProgramCall, _: Sequence[str]) -> str:
    android = call.system.android
    size, natural = call.system.handset.screen, call.system.handset.size
    older = f"      SurfaceOrientation: {android.rotation}\n" if android.sdk < 33 else ""
    return (
        "INPUT MANAGER (dumpsys input)\n"
        f"    Viewport INTERNAL: displayId=0, uniqueId=local:0, port=0, "
        f"orientation={android.rotation}, logicalFrame=[0, 0, {size.width}, {size.height}], "
        f"physicalFrame=[0, 0, {size.width}, {size.height}], "
        f"deviceSize=[{natural.width}, {natural.height}], isActive=[1]\n"
        f"{older}"
    )


async def _display(call: ProgramCall, _: Sequence[str]) -> str:
    android = call.system.android
    size, natural = call.system.handset.screen, call.system.handset.size
    state = "ON" if android.awake else "OFF"
    return (
        "DISPLAY MANAGER (dumpsys display)\n"
        "  mViewports=[DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, "
        f"uniqueId='local:0', physicalPort=0, orientation={android.rotation}, "
        f"logicalFrame=Rect(0, 0 - {size.width}, {size.height}), "
        f"physicalFrame=Rect(0, 0 - {size.width}, {size.height}), "
        f"deviceWidth={natural.width}, deviceHeight={natural.height}}}]\n"
        f"  mScreenState={state}\n"
        f"    mCurrentOrientation={android.rotation}\n"
        '    mBaseDisplayInfo=DisplayInfo{"Built-in Screen", displayId 0, '
        f"real {natural.width} x {natural.height}, density {android.density}, state {state}}}\n"
    )


async def _power(call: ProgramCall, _: Sequence[str]) -> str:
    awake = call.system.android.awake
    return (
        "POWER MANAGER (dumpsys power)\n"
        f"  mWakefulness={'Awake' if awake else 'Asleep'}\n"
        f"Display Power: state={'ON' if awake else 'OFF'}\n"
    )


async def _package(call: ProgramCall, words: Sequence[str]) -> str:
    packages = await call.device(call.system.handset.packages)
    package = "".join(words[:1])
    if package not in packages:
        return f"Unable to find package: {package}\n"
    return (
        "Packages:\n"
        f"  Package [{package}] (a1b2c3d):\n"
        "    userId=10123\n"
        "    versionCode=1 minSdk=24 targetSdk=33\n"
        "    versionName=1.0\n"
    )


async def _telephony(_: ProgramCall, __: Sequence[str]) -> str:
    return "last known state:\n  Phone Id=0\n    mCallState=0\n    mCallIncomingNumber=\n"


def _word(value: bool) -> str:
    return "true" if value else "false"


_SERVICES: Mapping[str, Callable[[ProgramCall, Sequence[str]], Awaitable[str]]] = {
    "activity": _activity,
    "display": _display,
    "input": _input,
    "package": _package,
    "power": _power,
    "telephony.registry": _telephony,
    "window": _window,
}
