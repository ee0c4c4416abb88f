"""A server of a face: it listens on this machine, and beyond it only with a token."""

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tapwright.cli.errors import EXPOSED_SERVER
from tapwright.cli.serve import listen

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

__all__ = ["Listening", "listen_guarded", "refuse_exposure"]

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SHUTDOWN_S = 5


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that has its port already; `url` is where it is."""

    url: str
    server: "uvicorn.Server"
    socket: socket.socket

    async def serve(self) -> None:
        """Serve until Ctrl-C or SIGTERM."""
        await self.server.serve(sockets=[self.socket])


def refuse_exposure(host: str, token: str) -> None:
    """Refuse to listen for other machines without a token.

    Raises:
        UsageError: others could use the devices.
    """
    if host not in _LOOPBACK and not token:
        raise EXPOSED_SERVER(
            f"--host {host}: others could use the device without a token",
            hint="--token-file FILE, or TAPWRIGHT_TOKEN",
        )


def listen_guarded(
    app: "ASGIApp", host: str, port: int, names: Sequence[str], token: str
) -> Listening:
    """A server of `app` for who has the token, under the names of this machine and `names`.

    It logs warnings alone, and no address.

    Raises:
        UsageError: others could use the devices, or the port is taken.
    """
    import uvicorn

    from tapwright.faces.guard import refuse_strangers, require_token

    refuse_exposure(host, token)
    listening = listen(host, port)
    hosts = _hosts(host, listening.getsockname()[1], names)
    config = uvicorn.Config(
        refuse_strangers(require_token(app, token), hosts),
        access_log=False,
        log_level="warning",
        server_header=False,
        ws="websockets-sansio",
        ws_max_size=1 << 20,
        timeout_graceful_shutdown=_SHUTDOWN_S,
    )
    return Listening(f"http://{hosts[0]}", uvicorn.Server(config), listening)


def _hosts(host: str, port: int, names: Sequence[str]) -> list[str]:
    """What a request may name as its host, the address itself first."""
    shown = f"[{host}]" if ":" in host else host
    own = ("localhost",) if host in _LOOPBACK else ()
    return [f"{name}:{port}" for name in (shown, *own, *names)]
