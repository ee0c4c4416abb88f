"""A page's side of a recording session, for tests: over sockets of Starlette's test client."""

import itertools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient, WebSocketTestSession

from tapwright.devices.device import Device
from tapwright.tasks.task import Task
from tapwright.web.app import create_app
from tapwright.web.config import WebConfig

ORIGIN = {"origin": "http://localhost"}
SENDING = {**ORIGIN, "x-tapwright": "1", "content-type": "application/json"}
TAP = {"type": "tap", "at": {"x": 0.5, "y": 0.4}}


def client(
    store: Path,
    devices: Mapping[str, Callable[[], Device]],
    tasks: Callable[[], list[Task]] = list,
) -> TestClient:
    config = WebConfig(episodes=store, devices=devices, suites={"mine": tasks})
    return TestClient(create_app(config), base_url="http://localhost", headers=ORIGIN)


def begin(client: TestClient, device: str = "fake", **what: Any) -> str:
    body = {"device": device, "instruction": "Tap the buttons", **what}
    answer = client.post("/api/sessions", content=json.dumps(body), headers=SENDING)
    assert answer.status_code == 200, answer.text
    session = answer.json()["session"]
    assert isinstance(session, str)
    return session


class Page:
    """A tab; `state` is what it was told last of all."""

    keys = itertools.count()

    def __init__(self, socket: WebSocketTestSession) -> None:
        self.socket = socket
        self.state: dict[str, Any] = {}
        self._heard: list[dict[str, Any]] = []

    def hello(self) -> dict[str, Any]:
        self._heard.clear()
        self.socket.send_text('{"t": "hello"}')
        return self.until("state")

    def ask(self, t: str, **what: Any) -> dict[str, Any]:
        """Ask for something and wait for the answer."""
        key = what.pop("key", None) or f"key-{next(self.keys)}"
        self.socket.send_text(json.dumps({"t": t, "key": key, **what}))
        while True:
            message = self._next()
            if message["t"] in {"saved", "done", "failed"} and message["key"] == key:
                return message
            self._heard.append(message)

    def act(self, action: Mapping[str, Any] = TAP, **what: Any) -> dict[str, Any]:
        return self.ask("act", action=action, **what)

    def until(self, t: str, **wanted: Any) -> dict[str, Any]:
        """The next message of this kind, which may have come before the last answer."""
        while True:
            message = self._heard.pop(0) if self._heard else self._next()
            if message["t"] == t and wanted.items() <= message.items():
                return message

    def _next(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.receive_text())
        if message["t"] == "state":
            self.state = message
        return message
