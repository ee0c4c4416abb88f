"""Programs for the screen: its picture, its view hierarchy, its size."""

import io
import struct
from functools import partial

from PIL import Image

from tapwright_adb_simulator.shell import ProgramCall
from tapwright_adb_simulator.storage import FileProblem

# What a Display of 8 bits each of red, green, blue and alpha is; the colours are sRGB.
_RGBA_8888, _SRGB = 1, 1


async def screencap(call: ProgramCall) -> int:
    """The picture: raw pixels after a header, or with `-p` a PNG; to stdout, or to a file.

    https://android.googlesource.com/platform/frameworks/base/+/refs/tags/android-13.0.0_r1/cmds/screencap/screencap.cpp
    """
    words = list(call.arguments)
    if "-d" in words:
        at = words.index("-d")
        del words[at : at + 2]
    paths = [word for word in words if not word.startswith("-")]
    picture = await call.device(call.system.handset.picture)
    png = "-p" in words or (bool(paths) and paths[0].endswith(".png"))
    data = await call.device(partial(_as_png if png else _as_pixels, picture))
    if not paths:
        await call.stdout(data)
        return 0
    try:
        call.system.storage.write(paths[0], data)
    except FileProblem as problem:
        return await call.fail(f"Error opening file: {paths[0]} ({problem})\n")
    return 0


async def uiautomator(call: ProgramCall) -> int:
    """`dump`: the view hierarchy to a file, or to stdout when that is called /dev/tty.

    Says so with AOSP's own spelling, and what goes wrong on stderr with exit code 0:
    https://github.com/aosp-mirror/platform_frameworks_base/blob/4fecab570da64a1956352aedf1b3245d3ba26030/cmds/uiautomator/cmds/uiautomator/src/com/android/commands/uiautomator/DumpCommand.java
    """
    if call.arguments[:1] != ["dump"]:
        return await call.fail("Unknown command; expected: uiautomator dump [file]\n")
    paths = [word for word in call.arguments[1:] if not word.startswith("-")]
    path = paths[0] if paths else "/sdcard/window_dump.xml"
    xml = await call.device(call.system.handset.tree)
    if xml is None:
        return await call.fail("ERROR: null root node returned by UiTestAutomationBridge.\n", 0)
    data = xml.encode("utf-8", "replace")
    if path == "/dev/tty":
        await call.stdout(data)
    else:
        try:
            call.system.storage.write(path, data)
        except FileProblem as problem:
            return await call.fail(f"java.io.FileNotFoundException: {path}: {problem}\n")
    await call.write(f"UI hierchary dumped to: {path}\n")
    return 0


async def wm(call: ProgramCall) -> int:
    """`size`, `density`, `dismiss-keyguard`, `user-rotation`."""
    android, words = call.system.android, list(call.arguments)
    match words:
        case ["size"]:
            await call.write(f"Physical size: {call.system.handset.size}\n")
        case ["density"]:
            await call.write(f"Physical density: {android.density}\n")
        case ["dismiss-keyguard"]:
            android.locked = android.locked and android.secure
        case ["user-rotation"]:
            kind = "free" if android.setting("system", "accelerometer_rotation") == "1" else "lock"
            await call.write(f"{kind} {android.rotation}\n" if kind == "lock" else "free\n")
        case ["user-rotation", "free"]:
            android.set("system", "accelerometer_rotation", "1")
        case ["user-rotation", "lock", *turn]:
            android.set("system", "accelerometer_rotation", "0")
            android.set("system", "user_rotation", turn[0] if turn else str(android.rotation))
        case _:
            return await call.fail(f"Error: Unknown command: wm {' '.join(words)}\n", 255)
    return 0


def _as_png(picture: Image.Image | bytes) -> bytes:
    if isinstance(picture, bytes):
        return picture
    buffer = io.BytesIO()
    picture.convert("RGB").save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def _as_pixels(picture: Image.Image | bytes) -> bytes:
    image = Image.open(io.BytesIO(picture)) if isinstance(picture, bytes) else picture
    header = struct.pack("<4I", image.width, image.height, _RGBA_8888, _SRGB)
    return header + image.convert("RGBA").tobytes()
