"""A server of a face: it listens on this machine, and beyond it only with a token."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.errors import EXPOSED_SERVER
from tapwright.cli.host import read_host
from tapwright.cli.options import FILE, F, add_options, collect_options, option
from tapwright.cli.serve import listen

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

__all__ = [
    "Door", "Listening", "door_options", "listen_guarded", "max_side_option",
]  # fmt: skip

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SHUTDOWN_S = 5


@dataclass(frozen=True, slots=True)
class Door:
    """Where a server listens, under which further `names`, and the token that opens it."""

    host: str
    port: int | None
    names: tuple[str, ...]
    token_file: Path | None

    def read_token(self) -> str:
        """The token that clients need; "" for none.

        Raises:
            UsageError: there is none, and others could use the devices.
        """
        token = read_host().device_token(self.token_file)
        if self.host not in _LOOPBACK and not token:
            raise EXPOSED_SERVER(
                f"--host {self.host}: others could use the device without a token",
                hint="--token-file FILE, or TAPWRIGHT_TOKEN",
            )
        return token


def door_options(port: int | None, where: str) -> Callable[[F], F]:
    """`--port`, `--host`, `--allow-host` and `--token-file`, as one argument `door`.

    `port` is the one by default, `where` what is said of it.
    """
    options = (
        option(
            "--port",
            type=click.IntRange(0, 65535),
            default=port,
            help=f"{where}; 0: any free port.",
        ),
        option("--host", default="127.0.0.1", help="The address to listen on."),
        option(
            "--allow-host",
            "names",
            multiple=True,
            metavar="NAME[:PORT]",
            help="A further name of it, or of the proxy before it; repeatable.",
        ),
        option(
            "--token-file",
            type=FILE,
            help="A file with the token that clients need; by default TAPWRIGHT_TOKEN.",
        ),
    )
    names = ("host", "port", "names", "token_file")
    return lambda command: add_options(collect_options("door", names, Door)(command), options)


max_side_option = option(
    "--max-side",
    type=click.IntRange(16),
    default=1568,
    metavar="PIXELS",
    help="Send larger pictures shrunk to this; many models shrink them else, and point beside.",
)


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that has its port already; `url` is where it is."""

    url: str
    server: "uvicorn.Server"
    socket: socket.socket

    async def serve(self) -> None:
        """Serve until Ctrl-C or SIGTERM."""
        await self.server.serve(sockets=[self.socket])


def listen_guarded(app: "ASGIApp", door: Door, token: str) -> Listening:
    """A server of `app` for who has the token, under the names of this machine and the door's.

    It logs warnings alone, and no address.

    Raises:
        UsageError: the port is taken.
    """
    import uvicorn

    from tapwright.faces import guard

    listening = listen(door.host, door.port or 0)
    inner = guard.outlive_clients(guard.limit_bodies(app))
    hosts = _hosts(door, listening.getsockname()[1])
    config = uvicorn.Config(
        guard.refuse_strangers(guard.require_token(inner, token), hosts),
        access_log=False,
        log_level="warning",
        server_header=False,
        ws="websockets-sansio",
        ws_max_size=guard.MAX_BODY,
        ws_per_message_deflate=False,  # most of it are pictures, which are small already
        timeout_graceful_shutdown=_SHUTDOWN_S,
    )
    return Listening(f"http://{hosts[0]}", uvicorn.Server(config), listening)


def _hosts(door: Door, port: int) -> list[str]:
    """What a request may name as its host, the address itself first."""
    shown = f"[{door.host}]" if ":" in door.host else door.host
    own = ("localhost",) if door.host in _LOOPBACK else ()
    # Behind a proxy, or a container's other port, clients name those.
    return [*(f"{name}:{port}" for name in (shown, *own, *door.names)), *door.names]
