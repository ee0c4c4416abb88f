"""The page of a browser session: its elements by the DevTools protocol, its windows.

chromedriver and msedgedriver pass DevTools commands on; from other browsers there is no tree.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from pydantic import JsonValue

from tapwright.core.observation import BrowserTab
from tapwright.devices.dom import Snapshot
from tapwright.devices.errors import BadDeviceOutputError, CommandRefusedError
from tapwright.devices.style import STYLES
from tapwright.devices.webdriver.session import Session
from tapwright.errors import UnsupportedActionError

__all__ = ["BrowserPage"]

_FOCUS = "document.activeElement === document.body ? null : document.activeElement"
_VIEW = "return [innerWidth, innerHeight]"


class BrowserPage:
    """The active tab of a session, which follows the user into one that a page opens."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._vendor = _vendor(session.capabilities)
        self._tabs: dict[str, BrowserTab] = {}  # by handle, oldest first, as each was last seen
        self._active = ""
        self.touched = session.capabilities.get("mobileEmulationEnabled") is True
        self.follow()

    @property
    def has_tree(self) -> bool:
        """Whether the browser tells its elements."""
        return bool(self._vendor)

    def follow(self) -> None:
        """Make a tab that opened since the last look the active one; or one that is left."""
        handles = self._handles()
        new = [one for one in handles if one not in self._tabs]
        kept = [one for one in self._tabs if one in handles]
        known = bool(self._tabs)
        self._tabs = {one: self._tabs.get(one, BrowserTab("", "")) for one in (*kept, *new)}
        if known and (new or self._active not in kept):
            self._activate((new or kept)[-1])
        elif not known:
            self._active = self._current() or handles[-1]

    def look(self) -> tuple[str, tuple[BrowserTab, ...]]:
        """The address of the active tab, and all tabs; others as they were when last active."""
        url = self._text("url")
        tab = BrowserTab(title=self._text("title"), url=url)
        self._tabs[self._active] = tab
        return url, tuple(
            replace(one, active=handle == self._active) for handle, one in self._tabs.items()
        )

    def goto(self, url: str) -> None:
        """Load an address in the active tab."""
        self._session.post("url", {"url": url})

    def new_tab(self, url: str) -> None:
        """Open a tab, with an address or empty, and make it the active one.

        Raises:
            BadDeviceOutputError: the browser does not name its new tab.
        """
        found = self._session.post("window/new", {"type": "tab"})
        handle = found.get("handle") if isinstance(found, dict) else None
        if not isinstance(handle, str):
            raise BadDeviceOutputError(f"the browser does not name its new tab: {found!r}")
        self._tabs[handle] = BrowserTab("", "")
        self._activate(handle)
        if url:
            self.goto(url)

    def close_tab(self) -> None:
        """Close the active tab; the one before it, else after it, becomes the active one.

        Raises:
            UnsupportedActionError: it is the last one, with which the session would end.
        """
        handles = list(self._tabs)
        if len(handles) < 2:
            raise UnsupportedActionError("the last tab of a browser stays open")
        place = handles.index(self._active)
        self._session.delete("window")
        del self._tabs[self._active]
        self._activate(handles[place - 1] if place else handles[1])

    def switch_tab(self, number: int) -> None:
        """Make the tab of this number, from 0, the active one.

        Raises:
            UnsupportedActionError: there is no such tab.
        """
        handles = list(self._tabs)
        if number >= len(handles):
            raise UnsupportedActionError(
                f"the browser has no tab {number}; it has {len(handles)}, counted from 0"
            )
        self._activate(handles[number])

    def width(self) -> float:
        """The width of the page's area in CSS pixels.

        Raises:
            BadDeviceOutputError: the page does not tell it.
        """
        view = self._session.post("execute/sync", {"script": _VIEW, "args": []})
        width = view[0] if isinstance(view, list) and view else None
        if not isinstance(width, int | float) or width < 1:
            raise BadDeviceOutputError(f"the page does not tell how wide it is: {view!r}")
        return float(width)

    def snapshot(self) -> Snapshot:
        """The elements of the page, and the focused one."""
        raw = self._devtools(
            "DOMSnapshot.captureSnapshot",
            {"computedStyles": list(STYLES), "includePaintOrder": True},
        )
        return Snapshot(raw, self._focused())

    def _focused(self) -> int | None:
        # A page that navigates right now has lost the element.
        with suppress(CommandRefusedError):
            found = self._devtools(
                "Runtime.evaluate", {"expression": _FOCUS, "objectGroup": "capture"}
            )
            result = found.get("result")
            id_ = result.get("objectId") if isinstance(result, dict) else None
            if isinstance(id_, str):
                node = self._devtools("DOM.describeNode", {"objectId": id_}).get("node")
                number = node.get("backendNodeId") if isinstance(node, dict) else None
                return number if isinstance(number, int) else None
        return None

    def _devtools(self, command: str, params: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        path = f"{self._vendor}/cdp/execute"
        found = self._session.post(path, {"cmd": command, "params": dict(params)})
        return found if isinstance(found, dict) else {}

    def _handles(self) -> list[str]:
        found = self._session.get("window/handles")
        handles = [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
        if not handles:
            raise BadDeviceOutputError("the browser has no window", hint="reset opens another")
        return handles

    def _activate(self, handle: str) -> None:
        self._session.post("window", {"handle": handle})
        self._active = handle

    def _current(self) -> str | None:
        try:
            found = self._session.get("window")
        except CommandRefusedError as error:
            if error.reason != "no such window":
                raise
            return None
        return found if isinstance(found, str) else None

    def _text(self, path: str) -> str:
        found = self._session.get(path)
        return found if isinstance(found, str) else ""


def _vendor(session: Mapping[str, JsonValue]) -> str:
    """Whose DevTools command a driver has; "" for none."""
    words = json.dumps([*session, session.get("browserName", "")]).lower()
    if "edge" in words:
        return "ms"
    return "goog" if "chrome" in words or "chromium" in words else ""
