"""The page of a browser session: its elements by the DevTools protocol, its windows.

chromedriver and msedgedriver pass DevTools commands on; from other browsers there is no tree.
"""

import json
from collections.abc import Mapping
from contextlib import suppress

from pydantic import JsonValue

from tapwright.devices.dom import Snapshot
from tapwright.devices.errors import BadDeviceOutputError, CommandRefusedError
from tapwright.devices.style import STYLES
from tapwright.devices.webdriver.session import Session

__all__ = ["BrowserPage"]

_FOCUS = "document.activeElement === document.body ? null : document.activeElement"
_VIEW = "return [innerWidth, innerHeight]"


class BrowserPage:
    """The active window of a session, which follows the user into a window that a page opens."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._vendor = _vendor(session.capabilities)
        self._known: list[str] = []
        self.touched = session.capabilities.get("mobileEmulationEnabled") is True
        self.follow()

    @property
    def has_tree(self) -> bool:
        """Whether the browser tells its elements."""
        return bool(self._vendor)

    def follow(self) -> None:
        """Make a window that opened since the last look the active one; or one that is left."""
        found = self._session.get("window/handles")
        handles = [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
        if not handles:
            raise BadDeviceOutputError("the browser has no window", hint="reset opens another")
        new = [one for one in handles if one not in self._known]
        gone = [one for one in self._known if one not in handles]
        if self._known and (new or gone):
            current = None if new else self._current()
            if current is None:
                self._session.post("window", {"handle": (new or handles)[-1]})
        self._known = handles

    def width(self) -> float:
        """The width of the page's area in CSS pixels."""
        view = self._session.post("execute/sync", {"script": _VIEW, "args": []})
        width = view[0] if isinstance(view, list) and view else None
        if not isinstance(width, int | float) or width < 1:
            raise BadDeviceOutputError(f"the page does not tell how wide it is: {view!r}")
        return float(width)

    def address(self) -> str:
        """The address of the page."""
        found = self._session.get("url")
        return found if isinstance(found, str) else ""

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

    def _current(self) -> str | None:
        try:
            found = self._session.get("window")
        except CommandRefusedError as error:
            if error.reason != "no such window":
                raise
            return None
        return found if isinstance(found, str) else None


def _vendor(session: Mapping[str, JsonValue]) -> str:
    """Whose DevTools command a driver has; "" for none."""
    words = json.dumps([*session, session.get("browserName", "")]).lower()
    if "edge" in words:
        return "ms"
    return "goog" if "chrome" in words or "chromium" in words else ""
