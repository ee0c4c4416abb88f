"""A phone on the wire for tests of device code, and the real `adb` to talk to it."""

from tapwright_adb_simulator.android import ADB_KEYBOARD, PLAIN_KEYBOARD, Android
from tapwright_adb_simulator.connection import Service, Stream, StreamGone
from tapwright_adb_simulator.faults import (
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
from tapwright_adb_simulator.phone import AdbPhone
from tapwright_adb_simulator.scrcpy import write_jar
from tapwright_adb_simulator.server import AdbServer

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
