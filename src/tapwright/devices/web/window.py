"""The tabs of one browser context: opened by us or by pages, closed by either, one of them active.

Other devices may have contexts in the same browser, so the window has a session of its own with
the browser, and takes of its targets those of its context alone.
"""

import os
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from threading import Condition
from time import monotonic
from typing import Any

from tapwright.core.observation import BrowserTab
from tapwright.devices.chromium import Browser
from tapwright.devices.chromium_device import Viewport
from tapwright.devices.devtools import CallResult, PendingReply
from tapwright.devices.limits import MAX_DOWNLOAD_BYTES, MAX_TABS
from tapwright.devices.login import hide_page_login
from tapwright.devices.web.network import Network
from tapwright.devices.web.page import PageInterrupted, WebPage
from tapwright.errors import DeviceError, DeviceLostError
from tapwright.files.temporary import OwnedDirectory

__all__ = ["BrowserWindow"]

# What a browser asks its user for: nobody is there to be asked.
_REFUSED = ("camera", "microphone", "geolocation", "notifications", "midi")
_POPUP_S = 3.0
_TRIES = 3
_LINES_KEPT = 10_000


class BrowserWindow:
    """The tabs of a new context, or of the browser's own where that keeps a profile.

    `events` are lines on what pages opened and downloaded. Without `downloads` no file is.
    """

    def __init__(
        self,
        browser: Browser,
        viewport: Viewport,
        network: Network,
        timeout_s: float,
        *,
        downloads: bool = True,
    ) -> None:
        self.events: deque[str] = deque(maxlen=_LINES_KEPT)
        self.files: dict[str, str] = {}
        self._wire = browser.wire
        self._viewport = viewport
        self._network = network
        self._timeout_s = timeout_s
        self._pages: list[WebPage] = []
        self._active = 0
        self._titles: dict[str, tuple[str, str]] = {}
        self._created: deque[tuple[str, str]] = deque()
        self._seen: set[str] = set()
        self._gone: set[str] = set()
        self._names: dict[str, str] = {}
        self._received: dict[str, int] = {}
        self._changed = Condition()
        self._folder = OwnedDirectory("tapwright-downloads-")
        self._session = ""
        self._context = ""
        self._session = str(self._call("Target.attachToBrowserTarget")["sessionId"])
        self._keeps = browser.keeps_profile
        self._context = self._first_context() if self._keeps else self._new_context()
        self._wire.listen(self._session, self._on_event)
        self._call(
            "Browser.setDownloadBehavior",
            {"behavior": "allowAndName" if downloads else "deny",
             "downloadPath": str(self._folder.path), "browserContextId": self._context,
             "eventsEnabled": True},
        )  # fmt: skip
        for name in _REFUSED:
            self._call(
                "Browser.setPermission",
                {"permission": {"name": name}, "setting": "denied",
                 "browserContextId": self._context},
            )  # fmt: skip
        self._call("Target.setDiscoverTargets", {"discover": True})
        self.open()

    @property
    def page(self) -> WebPage:
        """The active tab's page."""
        return self._pages[self._active]

    def __len__(self) -> int:
        return len(self._pages)

    def tabs(self) -> tuple[BrowserTab, ...]:
        """All tabs in their order, with the titles and addresses that they have now."""
        replies = [
            self._send("Target.getTargetInfo", {"targetId": page.target}) for page in self._pages
        ]
        for reply in replies:
            with suppress(DeviceError):  # it was closed meanwhile
                info = reply.result(self._timeout_s)["targetInfo"]
                self._titles[info["targetId"]] = _told(info)
        return tuple(
            BrowserTab(*self._titles.get(page.target, ("", "")), active=number == self._active)
            for number, page in enumerate(self._pages)
        )

    def open(self) -> WebPage:
        """Open an empty tab at the end and make it the active one."""
        size = self._viewport.size
        target = self._call(
            "Target.createTarget",
            {"url": "about:blank", "browserContextId": self._context,
             "width": size.width, "height": size.height},
        )["targetId"]  # fmt: skip
        self._seen.add(target)
        self._add(str(target))
        return self.page

    def replace_tab(self) -> WebPage:
        """Put an empty tab in the place of the active one, which is closed."""
        place, old = self._active, self.page
        page = self.open()
        self._pages.remove(old)
        self._close_target(old)
        self._pages.remove(page)
        self._pages.insert(place, page)
        self._active = place
        return page

    def close_tab(self) -> None:
        """Close the active tab; there must be another."""
        self._close_target(self._pages.pop(self._active))
        self.activate(max(0, self._active - 1))

    def activate(self, tab: int) -> None:
        """Bring a tab to the front."""
        self._active = tab
        self._call("Target.activateTarget", {"targetId": self.page.target})

    def sync(self) -> None:
        """Take up the tabs that pages have opened, which become active, and drop closed ones."""
        awaited = sum(page.popups for page in self._pages)
        for page in self._pages:
            page.popups = 0
        deadline = monotonic() + _POPUP_S
        with self._changed:
            while awaited and not self._created and monotonic() < deadline:
                self._changed.wait(0.05)
        for target, url in [self._created.popleft() for _ in range(len(self._created))]:
            if len(self._pages) >= MAX_TABS:
                self.events.append(f"tab refused: {url} (more than {MAX_TABS} tabs)")
                with suppress(DeviceError):
                    self._call("Target.closeTarget", {"targetId": target})
                continue
            self._take_up(target)
        self._drop_closed()

    def let_go(self) -> list[str]:
        """Let go what is down in any tab; returns what was."""
        down: list[str] = []
        for page in self._pages:
            with suppress(PageInterrupted):  # a page that is gone has nothing down
                down += page.hand.let_go()
        return down

    def path_of(self, name: str) -> str | None:
        """Where a downloaded file lies, for a page that asks for one."""
        guid = self.files.get(name)
        return None if guid is None else str(self._folder.path / guid)

    def read(self, name: str) -> bytes | None:
        """The content of a downloaded file."""
        path = self.path_of(name)
        if path is None:
            return None
        with open(path, "rb") as file:
            return file.read()

    def close(self) -> None:
        """Close all tabs and remove what was downloaded; more than once is allowed."""
        if not self._context:
            return
        for page in self._pages:
            page.forget()
        with suppress(DeviceError):
            if self._keeps:
                for page in self._pages:
                    self._send("Target.closeTarget", {"targetId": page.target})
            else:
                self._send("Target.disposeBrowserContext", {"browserContextId": self._context})
            self._wire.send("Target.detachFromTarget", {"sessionId": self._session})
        self._wire.drop(self._session, "the window was closed")
        self._context = ""
        self._folder.remove()

    def _new_context(self) -> str:
        return str(self._call("Target.createBrowserContext")["browserContextId"])

    def _first_context(self) -> str:
        """The browser's own context, which has the profile; any tab tells which it is."""
        target = self._call("Target.createTarget", {"url": "about:blank"})["targetId"]
        info = self._call("Target.getTargetInfo", {"targetId": target})["targetInfo"]
        self._call("Target.closeTarget", {"targetId": target})
        return str(info["browserContextId"])

    def _take_up(self, target: str) -> None:
        for _ in range(_TRIES):
            try:
                self._add(target)
            except PageInterrupted:  # it went elsewhere meanwhile, or closed itself
                continue
            except DeviceError:  # its server does not answer
                break
            self.events.append(f"tab opened: {self._titles[target][1]}")
            return
        with suppress(DeviceError):  # it closed itself
            self._call("Target.closeTarget", {"targetId": target})
            self.events.append(f"tab lost: {self._titles[target][1] or 'it did not load'}")

    def _add(self, target: str) -> None:
        view = self._viewport
        page = WebPage(
            self._wire, target, view.size, view.density,
            mobile=view.mobile, timeout_s=self._timeout_s, network=self._network,
        )  # fmt: skip
        self._pages.append(page)  # so that it hears that it was closed
        try:
            page.attach()
            self._call("Target.activateTarget", {"targetId": target})
        except BaseException:
            self._pages.remove(page)
            raise
        self._active = len(self._pages) - 1

    def _close_target(self, page: WebPage) -> None:
        page.forget()
        self._call("Target.closeTarget", {"targetId": page.target})

    def _drop_closed(self) -> None:
        gone = [page for page in self._pages if page.target in self._gone]
        if not gone:
            return
        front = self.page
        for page in gone:
            page.forget()
            self._pages.remove(page)
            self.events.append("tab closed by its page")
        if not self._pages:
            self.open()
        elif front in self._pages:
            self._active = self._pages.index(front)
        else:
            self.activate(len(self._pages) - 1)

    def _send(self, method: str, params: Mapping[str, Any] | None = None) -> PendingReply:
        return self._wire.send(method, params, session=self._session, timeout_s=self._timeout_s)

    def _call(self, method: str, params: Mapping[str, Any] | None = None) -> CallResult:
        return self._send(method, params).result(self._timeout_s)

    def _on_event(self, method: str, params: CallResult) -> None:
        # Runs in the pipe's reader thread: calls are sent, never awaited.
        match method:
            case "Target.targetCreated" | "Target.targetInfoChanged":
                info = params["targetInfo"]
                if info.get("browserContextId") != self._context or info["type"] != "page":
                    return
                target = info["targetId"]
                self._titles[target] = _told(info)
                if target not in self._seen and info.get("openerId"):
                    self._seen.add(target)
                    self._created.append((target, self._titles[target][1]))
            case "Target.targetDestroyed":
                self._gone.add(params["targetId"])
                for page in list(self._pages):
                    if page.target == params["targetId"]:
                        page.forget()
            case "Browser.downloadWillBegin":
                name = os.path.basename(params["suggestedFilename"]) or "download"
                self._names[params["guid"]] = name
                self.events.append(f"download begun: {name}")
            case "Browser.downloadProgress":
                self._follow_download(params)
        with self._changed:
            self._changed.notify_all()

    def _follow_download(self, params: CallResult) -> None:
        guid = params["guid"]
        name = self._names.get(guid)
        if name is None:
            return
        self._received[guid] = int(params["receivedBytes"])
        if sum(self._received.values()) > MAX_DOWNLOAD_BYTES:
            del self._names[guid], self._received[guid]
            self.events.append(f"download refused: {name} (over {MAX_DOWNLOAD_BYTES} bytes)")
            with suppress(DeviceLostError):
                self._send(
                    "Browser.cancelDownload", {"guid": guid, "browserContextId": self._context}
                )
        elif params["state"] == "completed":
            self.files[name] = guid
            self.events.append(f"download completed: {name}")
        elif params["state"] == "canceled":
            del self._received[guid]
            self.events.append(f"download cancelled: {name}")


def _told(info: Mapping[str, Any]) -> tuple[str, str]:
    """A tab's title and address, as they are recorded: without a login."""
    return info["title"], hide_page_login(info["url"])
