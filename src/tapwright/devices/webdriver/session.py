"""One WebDriver session: opened with capabilities, used by paths below it, ended."""

from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import quote

from pydantic import JsonValue

from tapwright.devices.errors import WEB_DRIVER_SERVER, CommandRefusedError
from tapwright.devices.webdriver.capabilities import Capabilities
from tapwright.devices.webdriver.connection import WebDriverConnection
from tapwright.errors import DeviceError

__all__ = ["Session"]

_OPEN_S = 300.0  # Appium builds and installs its agent on an iPhone first
_END_S = 20.0


class Session:
    """A new session on a server; `capabilities` are those that the server reports of it.

    Raises:
        DeviceError: the server opens none with these capabilities.
        DeviceError: there is no server, or something else answers.
    """

    def __init__(self, connection: WebDriverConnection, requested: Capabilities) -> None:
        self._connection = connection
        answer = connection.send("POST", "/session", requested.body, timeout_s=_OPEN_S)
        opened = answer if isinstance(answer, dict) else {}
        reported, id_ = opened.get("capabilities"), opened.get("sessionId")
        if not isinstance(reported, dict) or not isinstance(id_, str) or not id_:
            raise WEB_DRIVER_SERVER(
                f"{connection.server} opened a session without an id and capabilities",
                hint="is it older than the W3C's WebDriver? use Appium 2 or newer",
            )
        self.capabilities: Mapping[str, JsonValue] = reported
        self._path = f"/session/{quote(id_, safe='')}"

    def get(self, path: str) -> JsonValue:
        """The value below the session's path; raises what `WebDriverConnection.send` raises."""
        return self._connection.send("GET", f"{self._path}/{path}")

    def post(
        self, path: str, body: Mapping[str, JsonValue] | None = None, *, duration_s: float = 0.0
    ) -> JsonValue:
        """Send a command, which itself takes `duration_s` seconds; returns its value."""
        return self._connection.send(
            "POST",
            f"{self._path}/{path}",
            body,
            timeout_s=self._connection.timeout_s + 2 * duration_s,
        )

    def delete(self, path: str) -> JsonValue:
        """Delete what is below the session's path."""
        return self._connection.send("DELETE", f"{self._path}/{path}")

    def execute(
        self,
        script: str,
        arguments: Mapping[str, JsonValue] | None = None,
        *,
        duration_s: float = 0,
    ) -> JsonValue:
        """Run a driver's own command, such as "mobile: pressButton", or a page's script."""
        given: list[JsonValue] = [] if arguments is None else [dict(arguments)]
        return self.post("execute/sync", {"script": script, "args": given}, duration_s=duration_s)

    def active_element(self) -> str | None:
        """The id of the element with the focus, None if there is none."""
        try:
            found = self.get("element/active")
        except CommandRefusedError:
            return None
        values = list(found.values()) if isinstance(found, dict) else []
        return quote(values[0], safe="") if values and isinstance(values[0], str) else None

    def end(self) -> None:
        """Delete the session; a server that is gone, or has forgotten it, is no error."""
        with suppress(DeviceError):
            self._connection.send("DELETE", self._path, timeout_s=_END_S)
