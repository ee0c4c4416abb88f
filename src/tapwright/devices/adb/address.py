"""The address of a phone: what follows "adb:" on a command line."""

import re
from dataclasses import dataclass
from pathlib import Path

from tapwright.devices.adb.hierarchy import TreeSource
from tapwright.errors import UsageError

__all__ = ["PhoneAddress", "parse_address"]

_SERVER = re.compile(r"(?P<host>\[[^\s\[\]]+\]|[^\s:\[\]]+):(?P<port>\d{1,5})", re.ASCII)


@dataclass(frozen=True, slots=True)
class PhoneAddress:
    """A phone and how to drive it; `serial` "" is the only one, `host` "" the server here.

    `tree` is where its view hierarchy comes from, `snapshot` the emulator's snapshot that a reset
    loads, if any. `scrcpy` is the scrcpy server for its live video, None for screenshots.
    """

    serial: str = ""
    host: str = ""
    port: int = 0
    tree: TreeSource = "uiautomator"
    snapshot: str = ""
    scrcpy: Path | None = None


def parse_address(argument: str) -> PhoneAddress:
    """Read "SERIAL[@HOST:PORT][,u2][,snapshot=NAME][,scrcpy=FILE]"; FILE has no comma.

    Raises:
        UsageError: it is malformed.
    """
    where, *options = argument.split(",")
    serial, at, address = where.rpartition("@") if "@" in where else (where, "", "")
    server = _SERVER.fullmatch(address)
    host, port = (server["host"], int(server["port"])) if server else ("", 0)
    if at and not 0 < port < 1 << 16:
        raise UsageError(
            f"adb:{argument}: {address!r} is no address of an adb server",
            hint="--device adb:SERIAL@127.0.0.1:5038",
        )
    tree: TreeSource = "uiautomator"
    snapshot = ""
    scrcpy: Path | None = None
    for option in options:
        name, _, value = option.partition("=")
        if option == "u2":
            tree = "u2"
        elif name == "snapshot" and value:
            snapshot = value
        elif name == "scrcpy" and value:
            scrcpy = Path(value)
        else:
            raise UsageError(
                f"adb:{argument}: {option!r} is no option of a phone",
                hint="--device adb:SERIAL,u2 or adb:emulator-5554,snapshot=NAME or "
                "adb:SERIAL,scrcpy=scrcpy-server-v4.1",
            )
    return PhoneAddress(serial, host.strip("[]"), port, tree, snapshot, scrcpy)
