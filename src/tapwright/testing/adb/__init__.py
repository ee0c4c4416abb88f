"""A phone on the wire for tests of device code, and the real `adb` to talk to it."""

from tapwright.testing.adb.android import ADB_KEYBOARD, PLAIN_KEYBOARD, Android
from tapwright.testing.adb.connection import Service, Stream, StreamGone
from tapwright.testing.adb.faults import (
    Drop,
    Endless,
    Fault,
    Hang,
    Instead,
    Slow,
    Truncated,
    Unplug,
    WrongLength,
)
from tapwright.testing.adb.phone import AdbPhone
from tapwright.testing.adb.scrcpy import write_jar
from tapwright.testing.adb.server import AdbServer

__all__ = [
    "ADB_KEYBOARD",
    "PLAIN_KEYBOARD",
    "AdbPhone",
    "AdbServer",
    "Android",
    "Drop",
    "Endless",
    "Fault",
    "Hang",
    "Instead",
    "Service",
    "Slow",
    "Stream",
    "StreamGone",
    "Truncated",
    "Unplug",
    "WrongLength",
    "write_jar",
]
