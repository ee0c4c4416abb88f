"""The wire to a WebDriver server: one request, one JSON answer, within a time limit.

No command is sent twice. Answers are read in pieces, so that one that is endless or drips ends too.
`server_programs` are the programs of this machine that such a server may be.
https://www.w3.org/TR/webdriver2/#protocol
"""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from time import monotonic
from typing import Literal
from urllib.parse import urlsplit

import httpx
from pydantic import JsonValue

from tapwright.devices import errors
from tapwright.devices.errors import WEB_DRIVER_SERVER
from tapwright.devices.limits import MAX_ANSWER
from tapwright.devices.server_answers import PLAIN, read_answer
from tapwright.devices.webdriver.capabilities import Capabilities
from tapwright.errors import DeviceLostError, TapwrightError

__all__ = ["WebDriverConnection", "server_programs"]

_CONNECT_S = 10.0
# Node's servers, and so Appium's, drop a connection that idles for five seconds; a command on one
# that was just dropped would be lost.
_IDLE_S = 3.0
_FORGOTTEN = ("invalid session id", "no such driver")


class WebDriverConnection:
    """Sends commands to the server at `url`; each ends within `timeout_s`, unless it has its own.

    `capabilities` has the login, and the secrets that messages leave out.
    """

    def __init__(self, url: str, capabilities: Capabilities, *, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self.server = urlsplit(url).netloc
        self._capabilities = capabilities
        user, _, key = capabilities.login.partition(":")
        self._url = url
        self._client = httpx.Client(
            auth=(user, key) if capabilities.login else None,
            limits=httpx.Limits(max_connections=1, keepalive_expiry=_IDLE_S),
            headers={**PLAIN, "Content-Type": "application/json; charset=utf-8"},
            trust_env=False,  # a proxy of the environment would get every picture
        )

    def send(
        self,
        method: Literal["GET", "POST", "DELETE"],
        path: str,
        body: Mapping[str, JsonValue] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> JsonValue:
        """Send a command; returns the answer's `value`.

        Raises:
            DeviceLostError: no answer in time, or the connection broke.
            DeviceError: there is no server, or what answers does not speak WebDriver.
            SessionLostError: the server does not know the session.
            DeviceError: it opens none with these capabilities.
            CommandRefusedError: it refuses the command for another reason.
            BadDeviceOutputError: the answer is longer than `MAX_ANSWER`.
        """
        limit_s = timeout_s or self.timeout_s
        what = f"{self.server}: {method} {path.partition('/session/')[2].partition('/')[2] or path}"
        content = None if method == "GET" else json.dumps(body or {}).encode()
        try:
            status, data = self._exchange(method, path, content, limit_s, what)
        except httpx.ConnectError as error:
            raise errors.WEB_DRIVER_SERVER(
                f"{self.server}: no WebDriver server can be reached: {error}",
                hint="start one there: appium, or chromedriver --port=9515",
            ) from error
        except httpx.TimeoutException as error:
            raise DeviceLostError(
                f"{what}: no answer within {limit_s:g} s",
                hint="is the device still connected to the server?",
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise DeviceLostError(f"{what}: the connection broke: {error}") from error
        value = self._value(status, data)
        if status < 400:
            return value
        raise self._refusal(value, what, opening=path == "/session")

    def close(self) -> None:
        """Drop the connection; more than once is allowed."""
        self._client.close()

    def _exchange(
        self, method: str, path: str, content: bytes | None, limit_s: float, what: str
    ) -> tuple[int, bytes]:
        end_s = monotonic() + limit_s
        timeout = httpx.Timeout(limit_s, connect=min(limit_s, _CONNECT_S))
        with self._client.stream(
            method, self._url + path, content=content, timeout=timeout
        ) as response:
            hint = "for a page source, limit its depth: the driver's setting snapshotMaxDepth"
            data = read_answer(response, what, most=MAX_ANSWER, until=end_s, hint=hint)
            return response.status_code, data

    def _value(self, status: int, data: bytes) -> JsonValue:
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            answer = None
        if isinstance(answer, dict) and "value" in answer:
            value: JsonValue = answer["value"]
            return value
        start = self._clean(data[:80].decode("utf-8", "replace"))
        raise errors.WEB_DRIVER_SERVER(
            f"{self.server} does not speak WebDriver: status {status}, {start!r}",
            hint="the address of some servers has a path: http://127.0.0.1:4444/wd/hub",
        )

    def _refusal(self, value: JsonValue, what: str, *, opening: bool) -> TapwrightError:
        parts = value if isinstance(value, dict) else {}
        reason = str(parts.get("error", "unknown error"))
        # What follows the first line is the driver's stack.
        lines = self._clean(str(parts.get("message", value))).strip().splitlines() or [""]
        message = f"{what}: {reason}: {lines[0][:400]}"
        if not opening and (reason in _FORGOTTEN or "session is either terminated" in lines[0]):
            return errors.SessionLostError(
                message,
                hint="the server ended it: a longer appium:newCommandTimeout; reset opens another",
            )
        if opening:
            return errors.SESSION_REFUSED(
                message, hint="give the capabilities that this server's own documentation asks for"
            )
        return errors.CommandRefusedError(message, reason=reason)

    def _clean(self, text: str) -> str:
        return self._capabilities.hide(text)


_PROGRAMS = ("chromedriver", "appium")
_LIMIT_S = 30.0
_HINT = (
    "for browsers: apt-get install chromium-driver; for phones and desktops: npm install --global "
    "appium, then appium driver install xcuitest, uiautomator2, mac2 or windows"
)


def server_programs() -> list[str]:
    """Each program that is there, with its version: "chromedriver 156.0.8078.79".

    Raises:
        DeviceError: there is none.
    """
    found = []
    for name in _PROGRAMS:
        program = shutil.which(name)
        if program is not None:
            found.append(f"{name} {_version(program)}")
    if not found:
        raise WEB_DRIVER_SERVER("neither chromedriver nor Appium is installed here", hint=_HINT)
    return found


def _version(program: str) -> str:
    try:
        run = subprocess.run(
            [program, "--version"], capture_output=True, timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WEB_DRIVER_SERVER(f"{program} does not tell its version: {error}") from error
    version = re.search(rb"\d+(\.\d+)+", run.stdout)
    if run.returncode or version is None:
        said = (run.stderr or run.stdout).decode("utf-8", "replace").strip()[:200]
        raise WEB_DRIVER_SERVER(f"{program} does not tell its version: {said!r}")
    return version[0].decode()
