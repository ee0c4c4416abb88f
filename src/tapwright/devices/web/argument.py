"""The address and the shape of a web device, as `--device web:URL,SHAPE` has them."""

import re

from tapwright.core.geometry import Size
from tapwright.devices.chromium_device import Viewport
from tapwright.devices.login import hide_login
from tapwright.errors import UsageError

__all__ = ["DESKTOP", "read_argument"]

DESKTOP = Viewport(Size(1280, 800), 1.0, mobile=False)
_PHONE = Viewport(Size(360, 800), 3.0, mobile=True)


def read_argument(argument: str) -> tuple[str, Viewport]:
    """The address and the shape of "URL", "URL,1920x1080" or "URL,phone".

    Raises:
        UsageError: the address is none that a browser opens.
    """
    url, viewport = argument, DESKTOP
    head, comma, word = argument.rpartition(",")
    found = re.fullmatch(r"(\d{3,4})x(\d{3,4})", word, re.ASCII)
    if comma and found:
        url, viewport = head, Viewport(Size(int(found[1]), int(found[2])), 1.0, mobile=False)
    elif comma and word == "phone":
        url, viewport = head, _PHONE
    if url and "://" not in url and not url.startswith("about:"):
        raise UsageError(
            f"web:{hide_login(argument)}: {hide_login(url)!r} is no address",
            hint="--device web:https://example.org",
        )
    return url or "about:blank", viewport
