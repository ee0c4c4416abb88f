"""Which phone is meant: what follows "adb:" on a command line."""

from dataclasses import dataclass

from tapwright.devices.adb.hierarchy import TreeSource
from tapwright.errors import DeviceError

__all__ = ["Spec", "read_spec"]


@dataclass(frozen=True, slots=True)
class Spec:
    """A phone and how it is driven; `serial` "" is the only one, `host` "" the server here."""

    serial: str = ""
    host: str = ""
    port: int = 0
    tree: TreeSource = "uiautomator"
    snapshot: str = ""


def read_spec(argument: str) -> Spec:
    """Read "SERIAL[@HOST:PORT][,u2][,snapshot=NAME]".

    Raises:
        DeviceError: it says something else.
    """
    where, *options = argument.split(",")
    serial, at, address = where.rpartition("@") if "@" in where else (where, "", "")
    host, _, port = address.rpartition(":")
    if at and not (host and port.isdecimal() and 0 < int(port) < 1 << 16):
        raise DeviceError(
            f"adb:{argument}: {address!r} is no address of an adb server",
            hint="--device adb:SERIAL@127.0.0.1:5038",
        )
    tree: TreeSource = "uiautomator"
    snapshot = ""
    for option in options:
        name, _, value = option.partition("=")
        if option == "u2":
            tree = "u2"
        elif name == "snapshot" and value:
            snapshot = value
        else:
            raise DeviceError(
                f"adb:{argument}: {option!r} is no option of a phone",
                hint="--device adb:SERIAL,u2 or adb:emulator-5554,snapshot=NAME",
            )
    return Spec(serial, host, int(port) if at else 0, tree, snapshot)
