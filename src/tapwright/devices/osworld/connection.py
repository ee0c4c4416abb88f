"""The wire to a server of OSWorld's protocol: bounded answers, each within a time limit."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Self
from urllib.parse import unquote, urlsplit

import httpx
from pydantic import JsonValue

from tapwright.devices.errors import GUEST_REFUSED, BadDeviceOutputError
from tapwright.devices.login import hide_login
from tapwright.devices.server_answers import PLAIN, read_answer
from tapwright.errors import DeviceLostError, UsageError

__all__ = ["USER", "Address", "OsWorldConnection"]

USER = "tapwright"
"""The user in a served desktop's address: OSWorld's own client sends the login that is there."""

_MAX_ANSWER = 64 << 20
_CONNECT_S = 10.0
_PREFIX = "import pyautogui; import time; pyautogui.FAILSAFE = False; pyautogui.PAUSE = 0.05"
"""What stands before an action's code, as in PythonController of desktop-env 1.0.2."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is, and the login that its address may hold."""

    url: str
    login: tuple[str, str] | None

    @classmethod
    def read(cls, text: str) -> Self:
        """The address that follows "osworld:".

        Raises:
            UsageError: it is no address of HTTP.
        """
        try:
            parts = urlsplit(text if "//" in text else f"http://{text}")
            scheme, name, port = parts.scheme, parts.hostname or "", parts.port
        except ValueError:
            name = ""
        if not name or scheme not in ("http", "https") or port == 0 or parts.path.strip("/"):
            raise UsageError(
                f"osworld:{hide_login(text)}: expected the address of a server",
                hint="--device osworld:http://192.168.1.20:5000, the VM's, or what "
                "tapwright devices serve --protocol osworld prints",
            )
        host = f"[{name}]" if ":" in name else name
        login = None
        if parts.username is not None:
            login = unquote(parts.username), unquote(parts.password or "")
        return cls(f"{scheme}://{host}:{port or 5000}", login)

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine."""
        return urlsplit(self.url).hostname in ("127.0.0.1", "localhost")

    @property
    def host(self) -> str:
        """The server without the login, for messages and names."""
        return self.url.partition("//")[2]


class OsWorldConnection:
    """Asks the server at an address; each request ends within `timeout_s`."""

    def __init__(self, address: Address, *, timeout_s: float = 60.0) -> None:
        self._address, self._timeout_s = address, timeout_s
        self._client = httpx.Client(
            base_url=address.url, auth=address.login, headers=PLAIN, trust_env=False
        )

    def get(self, path: str) -> bytes:
        """The answer to GET.

        Raises:
            DeviceLostError: no answer in time.
            UnsupportedActionError: another status than 200.
            BadDeviceOutputError: the answer is longer than 64 MB.
        """
        return self._ask("GET", path, None, self._timeout_s)

    def post(
        self, path: str, body: Mapping[str, JsonValue] | None = None, *, takes_s: float = 0.0
    ) -> bytes:
        """The answer to POST of JSON, which may take `takes_s` by itself.

        Raises:
            DeviceLostError: no answer in time.
            UnsupportedActionError: another status than 200.
            BadDeviceOutputError: the answer is longer than 64 MB.
        """
        return self._ask("POST", path, dict(body or {}), self._timeout_s + takes_s)

    def run_code(self, code: str, *, takes_s: float = 0.0) -> None:
        """Run PyAutoGUI's calls on the machine.

        Raises:
            DeviceLostError: no answer in time.
            UnsupportedActionError: the code failed; the message has its last line.
            BadDeviceOutputError: the answer is no JSON.
        """
        lines = "\n".join([_PREFIX, code])
        data = self.post(
            "/execute", {"command": ["python", "-c", lines], "shell": False}, takes_s=takes_s
        )
        try:
            told = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise BadDeviceOutputError(f"{self._address.host}: /execute answers no JSON") from error
        if isinstance(told, dict) and told.get("returncode"):
            said = str(told.get("error") or told.get("output")).strip().splitlines()
            raise GUEST_REFUSED(
                f"{self._address.host}: {shlex.quote(code)[:200]} ended with "
                f"{told['returncode']}: {(said or [''])[-1][:300]}"
            )

    def close(self) -> None:
        """End the connection."""
        self._client.close()

    def _ask(
        self, method: str, path: str, body: dict[str, JsonValue] | None, limit_s: float
    ) -> bytes:
        where = f"{self._address.host}: {method} {path}"
        until = monotonic() + limit_s
        limits = httpx.Timeout(limit_s, connect=_CONNECT_S)
        try:
            with self._client.stream(method, path, json=body, timeout=limits) as response:
                data = read_answer(response, where, most=_MAX_ANSWER, until=until)
        except httpx.TimeoutException as error:
            raise DeviceLostError(f"{where}: not answered within {limit_s:g} s") from error
        except httpx.HTTPError as error:
            raise DeviceLostError(
                f"{where}: {str(error) or type(error).__name__}",
                hint="is the machine up, and its server? the VM's listens on port 5000",
            ) from error
        if response.status_code != 200:
            said = data.decode("utf-8", "replace")[:300]
            raise GUEST_REFUSED(f"{where}: {response.status_code} {said}")
        return data
