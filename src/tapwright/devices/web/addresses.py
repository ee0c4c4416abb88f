"""Addresses that a browser goes to: those of the hosts that its network allows."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from tapwright.devices.errors import ADDRESS_REFUSED
from tapwright.devices.login import hide_page_login
from tapwright.devices.web.network import Network
from tapwright.devices.web.page import PageInterrupted, WebPage
from tapwright.devices.web.window import BrowserWindow
from tapwright.errors import UnsupportedActionError

__all__ = ["Addresses"]


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
