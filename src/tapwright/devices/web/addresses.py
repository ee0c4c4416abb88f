"""Addresses that a browser goes to: those of the hosts that its network allows."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from tapwright.core.geometry import Size
from tapwright.devices.chromium_device import Viewport
from tapwright.devices.errors import ADDRESS_REFUSED
from tapwright.devices.login import hide_login, hide_page_login
from tapwright.devices.web.network import Network
from tapwright.devices.web.page import PageInterrupted, WebPage
from tapwright.devices.web.window import BrowserWindow
from tapwright.errors import UnsupportedActionError, UsageError

__all__ = ["DESKTOP", "Addresses", "read_argument"]


@dataclass(frozen=True, slots=True)
class Addresses:
    """What the device `name` may load; its errors name it."""

    name: str
    network: Network

    def go(self, window: BrowserWindow, url: str, *, new_tab: bool = False) -> None:
        """Load an address, with https where it has no scheme, in the tab in front or a new one.

        Raises:
            UnsupportedActionError: it cannot be loaded, or its host is not allowed.
        """
        url = url if ":" in url.partition("/")[0] else f"https://{url}"
        if not self.network.allows(url):
            raise self.refused(url)
        page = window.open() if new_tab else window.page
        page.refused, page.unanswered = "", False
        try:
            failure = page.navigate(url)
        except PageInterrupted:  # it asks in a loop, and cannot be left
            page = window.replace_tab()
            failure = page.navigate(url)
        if page.refused:
            raise self.refused(page.refused)
        if page.unanswered:
            raise self.unanswered(page)
        if failure and failure != "net::ERR_ABORTED":  # aborted: it was a download
            raise ADDRESS_REFUSED(
                f"{hide_page_login(url)} could not be loaded: {failure}",
                hint="does the server run, and is it right?",
            )

    def unanswered(self, page: WebPage) -> UnsupportedActionError:
        """The error about a server that a page has waited for in vain."""
        return ADDRESS_REFUSED(
            f"{self.name}: the server did not answer within {page.timeout_s:g} s",
            hint="does it run?",
        )

    def refused(self, url: str) -> UnsupportedActionError:
        """The error about an address that may not be loaded."""
        shown = hide_page_login(url)[:200]
        if urlsplit(url).scheme not in ("http", "https"):
            return ADDRESS_REFUSED(
                f"{self.name}: {shown} is not loaded; expected http or https",
                hint="what does not come from a server is not for pages",
            )
        return ADDRESS_REFUSED(
            f"{self.name}: {shown} is not among the hosts that may be reached: {self.network}",
            hint="allow its host: --network HOST,HOST",
        )


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
