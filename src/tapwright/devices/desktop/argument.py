"""What follows "desktop:" on a command line: a size, or the address of a VNC server."""

import re
from urllib.parse import urlsplit

from tapwright.core.geometry import Size
from tapwright.devices.login import hide_login
from tapwright.errors import UsageError

__all__ = ["DEFAULT_PORT", "DEFAULT_SIZE", "read_address", "read_argument", "read_size"]

DEFAULT_SIZE = Size(1280, 800)
DEFAULT_PORT = 5900
_MIN_SIDE, _MAX_SIDE = 240, 8192


def read_argument(argument: str) -> Size | tuple[str, int]:
    """The size of a desktop here, or host and port of one elsewhere, "vnc://HOST:PORT".

    Raises:
        UsageError: it is malformed.
    """
    return read_address(argument) if argument.startswith("vnc:") else read_size(argument)


def read_size(argument: str) -> Size:
    """The size "1920x1080"; "" is 1280x800.

    Raises:
        UsageError: it is none, or a side is not 240 to 8192 pixels.
    """
    if not argument:
        return DEFAULT_SIZE
    match = re.fullmatch(r"(\d{3,4})x(\d{3,4})", argument, re.ASCII)
    sides = (int(match[1]), int(match[2])) if match else ()
    if not sides or not all(_MIN_SIDE <= side <= _MAX_SIDE for side in sides):
        raise UsageError(
            f"desktop:{hide_login(argument)}: expected a size of {_MIN_SIDE} to {_MAX_SIDE} "
            "pixels each way",
            hint="--device desktop:1920x1080",
        )
    return Size(*sides)


def read_address(address: str) -> tuple[str, int]:
    """Host and port of "vnc://HOST" or "vnc://HOST:5901".

    Raises:
        UsageError: it is malformed, or has a password, which would be recorded.
    """
    if "@" in address:
        raise UsageError(
            f"desktop:{hide_login(address)}: an address holds no user or password, as it is "
            "recorded",
            hint="set TAPWRIGHT_VNC_PASSWORD",
        )
    try:
        parts = urlsplit(address)
        port = DEFAULT_PORT if parts.port is None else parts.port
    except ValueError as error:
        raise UsageError(
            f"desktop:{address}: {error}", hint="--device desktop:vnc://127.0.0.1:5901"
        ) from error
    if port == 0:
        raise UsageError(
            f"desktop:{address}: nothing listens on port 0",
            hint="--device desktop:vnc://127.0.0.1:5901; a display :1 is port 5901",
        )
    if parts.scheme != "vnc" or not parts.hostname or parts.path.strip("/") or parts.query:
        raise UsageError(
            f"desktop:{address}: expected vnc://HOST or vnc://HOST:PORT",
            hint="--device desktop:vnc://127.0.0.1:5901; a display :1 is port 5901",
        )
    return parts.hostname, port
