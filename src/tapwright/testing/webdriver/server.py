"""A WebDriver server on this machine with a phone or a desktop behind it that reacts.

It stands for Appium with the drivers of iOS, Android, macOS and Windows, where those cannot run.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import uuid4

from aiohttp import web
from pydantic import JsonValue

from tapwright.core.geometry import Size
from tapwright.testing.local_server import Fault, HttpError, LocalServer
from tapwright.testing.webdriver.input_commands import InputCommands
from tapwright.testing.webdriver.notes_app import Edges, NotesApp
from tapwright.testing.webdriver.page_sources import AppPlatform, page_source

__all__ = ["FakeWebDriver"]

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_APP = "com.example.notes"
Body: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Kind:
    """A platform: its screen and the app's window in the driver's units, and pixels to a unit."""

    screen: Edges
    window: Edges
    scale: float
    capabilities: Mapping[str, JsonValue]


_KINDS: Mapping[AppPlatform, _Kind] = {
    "ios": _Kind(
        (0, 0, 320, 568), (0, 0, 320, 568), 2.0,
        {"platformName": "iOS", "automationName": "XCUITest", "deviceName": "iPhone SE",
         "platformVersion": "17.2", "bundleId": _APP},
    ),
    "android": _Kind(
        (0, 0, 540, 1200), (0, 0, 540, 1200), 1.0,
        {"platformName": "Android", "automationName": "UiAutomator2", "deviceName": "Pixel",
         "platformVersion": "14", "appPackage": _APP},
    ),
    "macos": _Kind(
        (0, 0, 720, 450), (100, 40, 600, 420), 2.0,
        {"platformName": "mac", "automationName": "Mac2", "bundleId": _APP},
    ),
    "windows": _Kind(
        (140, 60, 940, 660), (140, 60, 940, 660), 1.0,
        {"platformName": "Windows", "automationName": "Windows", "deviceName": "WindowsPC",
         "app": _APP},
    ),
}  # fmt: skip


class _RefusedError(Exception):
    """A command is refused: the protocol's word, and the status."""

    def __init__(self, reason: str, message: str, status: int = 404) -> None:
        super().__init__(message)
        self.reason, self.status = reason, status


class FakeWebDriver(LocalServer):
    """A WebDriver server on 127.0.0.1 whose screen, an app with notes, reacts to what is done.

    A command named in `faults` ("screenshot", "source", "actions", "session"; the last part of its
    path) fails that way for as long as it is there. `commands` are those that came, oldest first.

        with FakeWebDriver("ios") as server:
            open_webdriver(server.url)
    """

    def __init__(self, platform: AppPlatform) -> None:
        super().__init__()
        self.platform: AppPlatform = platform
        self.faults: dict[str, Fault] = {}
        self.commands: list[str] = []
        self._kind = _KINDS[platform]
        self._turned = False
        self._sessions: set[str] = set()
        self._install()

    def forget(self) -> None:
        """End all sessions, as a server does that was started anew, or after too long a pause."""
        self._sessions.clear()

    def _install(self) -> None:
        self.app = NotesApp(self._kind.window)
        self.input = InputCommands(self.app)

    def _application(self) -> web.Application:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_route("*", "/{path:.*}", self._answer)
        return app

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        parts = request.match_info["path"].split("/")
        body = await request.json() if request.can_read_body else {}
        command = parts[-1] if len(parts) != 2 else "delete"
        self.commands.append(str(body["script"]) if command == "sync" else command)
        fault = self.faults.get(command)
        if isinstance(fault, HttpError):
            error: dict[str, JsonValue] = {"error": "unknown error", "message": fault.message}
            return web.json_response({"value": error}, status=fault.status)
        if fault is not None:
            return await self._fail(request, fault, json.dumps({"value": "a" * 1000}).encode())
        try:
            value = self._run(request.method, parts, body)
        except _RefusedError as refused:
            reason: dict[str, JsonValue] = {"error": refused.reason, "message": str(refused)}
            return web.json_response({"value": reason}, status=refused.status)
        return web.json_response({"value": value})

    def _run(self, method: str, parts: list[str], body: Body) -> JsonValue:
        if parts == ["session"] and method == "POST":
            return self._open(body)
        if len(parts) < 2 or parts[0] != "session":
            raise _RefusedError("unknown command", "/".join(parts))
        if parts[1] not in self._sessions:
            raise _RefusedError(
                "invalid session id", "A session is either terminated or not started"
            )
        match method, *parts[2:]:
            case ["DELETE"]:
                self._sessions.remove(parts[1])
            case ["GET", "screenshot"]:
                return b64encode(self._picture()).decode()
            case ["GET", "source"]:
                return page_source(self.platform, self.app.root(), self._screen())
            case ["GET", "window", "rect"]:
                left, top, right, bottom = self._screen()
                return {"x": left, "y": top, "width": right - left, "height": bottom - top}
            case ["POST", "actions"] if self.platform != "windows":
                self.input.actions(body["actions"])
            case ["POST", "execute", "sync"]:
                return self._execute(body["script"], body["args"][0] if body["args"] else {})
            case ["GET", "element", "active"]:
                if not self.app.focused:
                    raise _RefusedError("no such element", "nothing has the focus")
                return {_ELEMENT: "field"}
            case ["POST", "element", "field", "value"]:
                self.app.type(body["text"])
            case ["POST", "element", "field", "clear"]:
                self.app.draft = ""
            case ["GET", "orientation"]:
                return "LANDSCAPE" if self._turned else "PORTRAIT"
            case ["POST", "orientation"]:
                self._turn(turned=body["orientation"] == "LANDSCAPE")
            case ["POST", "back"]:
                self.app.front = False
            case _:
                raise _RefusedError("unknown command", f"{method} {'/'.join(parts[2:])}")
        return None

    def _open(self, body: Body) -> JsonValue:
        asked = body["capabilities"].get("alwaysMatch", {})
        mine = str(self._kind.capabilities["automationName"])
        wanted = str(asked.get("appium:automationName", mine))
        if wanted.lower() != mine.lower():
            raise _RefusedError(
                "session not created", f"Could not find a driver for automationName {wanted!r}", 500
            )
        id_ = uuid4().hex
        self._sessions.add(id_)
        self._install()
        return {"sessionId": id_, "capabilities": dict(self._kind.capabilities)}

    def _execute(self, script: str, given: Body) -> JsonValue:
        family, _, command = script.partition(": ")
        match command:
            case "activeAppInfo" if family == "mobile":
                return {"bundleId": _APP if self.app.front else "com.apple.springboard"}
            case "launchApp" | "activateApp":
                app = given.get("bundleId", given.get("appId", _APP))
                if app != _APP:
                    raise _RefusedError("invalid argument", f"{app} is not installed", 400)
                self.app.front = True
            case "terminateApp" | "closeApp":
                self._install()
                self.app.front = False
            case "pressButton" if self.platform == "ios":
                self.app.front = self.app.front and given["name"] != "home"
            case "pressKey" if self.platform == "android":
                self._android_key(given["keycode"])
            case _ if family == "macos" and self.platform == "macos":
                self.input.macos(command, given)
            case _ if family == "windows" and self.platform == "windows":
                self.input.windows(command, given)
            case _:
                raise _RefusedError("unknown method", f"Unknown command {script!r}")
        return None

    def _android_key(self, code: int) -> None:
        home, enter, delete = 3, 66, 67
        self.app.front = self.app.front and code != home
        self.app.type({enter: "\n", delete: "\b"}.get(code, ""))

    def _screen(self) -> Edges:
        left, top, right, bottom = self._kind.screen
        return (top, left, bottom, right) if self._turned else (left, top, right, bottom)

    def _turn(self, *, turned: bool) -> None:
        self._turned = turned
        self.app.window = self._screen()

    def _picture(self) -> bytes:
        left, top, right, bottom = self._screen()
        scale = self._kind.scale
        size = Size(round((right - left) * scale), round((bottom - top) * scale))
        return self.app.draw(size, scale, (left, top))
