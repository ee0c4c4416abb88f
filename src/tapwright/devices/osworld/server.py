"""Serves a desktop by OSWorld's protocol: HTTP on this machine alone, for who has the token.

The routes, their fields and their answers are those of desktop_env/server/main.py, read off
pkueecszc/OSWorld at eac51b51 (a copy of xlang-ai/OSWorld), and those that the package desktop-env
1.0.2 (desktop_env/controllers) asks for: `run_python`, `run_bash_script`,
`execute_with_verification`. Recordings, wallpapers and downloads are not served: they are answered
with 501 and the reason.

**Whoever has the token runs any command as the user who serves**: OSWorld's protocol is made of
that. A virtual machine keeps it in; a served desktop does not. So requests of browsers, and those
that name another host, are refused, and there is no way to listen to other machines.

Of ours are `POST /tapwright/reset`, which starts the desktop over, and `/tapwright/input`, by which
programs in it use its mouse and keyboard.
"""

import base64
import hmac
import secrets
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import RLock, Thread
from typing import Any
from urllib.parse import unquote

from tapwright.devices.desktop.device import Desktop
from tapwright.devices.osworld.connection import USER
from tapwright.devices.osworld.guest import Guest
from tapwright.devices.osworld.requests import Answer, GuestError, Request
from tapwright.errors import TapwrightError
from tapwright.files.closing import Closing

__all__ = ["OsWorldServer"]

_MAX_BODY = 1 << 30
_LOOPBACK = ("127.0.0.1", "localhost")


class OsWorldServer(Closing):
    """Serves `desktop` on a port of 127.0.0.1 until it is closed; 0 takes any free one.

    `token` is what clients need, a new one if there is none.

    Raises:
        OSError: the port is taken.
    """

    def __init__(self, desktop: Desktop, *, port: int = 0, token: str = "") -> None:
        self.token = token or secrets.token_urlsafe(24)
        self._guest = Guest(desktop, RLock(), self._input_address)
        handler = _handler(self._guest, self.token)
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Its address with the token, as `osworld:` and OSWorld's own client take it."""
        return f"http://{USER}:{self.token}@127.0.0.1:{self.port}"

    def close(self) -> None:
        """Stop serving; the desktop stays."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _input_address(self) -> str:
        return f"127.0.0.1:{self.port}#{self.token}"


def _handler(guest: Guest, token: str) -> type[BaseHTTPRequestHandler]:
    expected = (
        f"Bearer {token}".encode(),
        b"Basic " + base64.b64encode(f"{USER}:{token}".encode()),
    )

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version = "tapwright"
        sys_version = ""
        wbufsize = -1  # head and body leave together: apart, the second waits 40 ms for the first

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: a line for each screenshot tells nobody anything."""

        def _serve(self) -> None:
            problem = self._problem()
            if problem is not None:
                self.close_connection = True
                self._send(Answer.of_text(problem[1], problem[0]))
                return
            length = int(self.headers.get("Content-Length") or 0)
            request = Request(
                f"{self.command} {self.path.partition('?')[0].rstrip('/')}",
                self.headers.get("Content-Type") or "",
                self.rfile.read(length),
            )
            self._send(_answer(lambda: guest.answer(request)))

        def _problem(self) -> tuple[HTTPStatus, str] | None:
            host = (self.headers.get("Host") or "").rpartition(":")[0]
            if self.headers.get("Origin") or host not in _LOOPBACK:
                return HTTPStatus.FORBIDDEN, "not for browsers, and for 127.0.0.1 alone"
            given = unquote(self.headers.get("Authorization") or "").encode()
            if not any(hmac.compare_digest(given, one) for one in expected):
                return HTTPStatus.UNAUTHORIZED, "another token is expected"
            length = self.headers.get("Content-Length") or "0"
            if not length.isdecimal() or int(length) > _MAX_BODY:
                return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "at most 1 GB, and its length is told"
            return None

        def _send(self, answer: Answer) -> None:
            try:
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.kind)
                self.send_header("Content-Length", str(len(answer.data)))
                self.end_headers()
                self.wfile.write(answer.data)
                self.wfile.flush()
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # who asked has gone

    return Handler


def _answer(make: Callable[[], Answer]) -> Answer:
    """The answer; an error is told as OSWorld's server tells it."""
    try:
        return make()
    except GuestError as error:
        return Answer.of_error(str(error), error.status)
    except (TapwrightError, OSError, ValueError) as error:
        return Answer.of_error(str(error), HTTPStatus.INTERNAL_SERVER_ERROR)
