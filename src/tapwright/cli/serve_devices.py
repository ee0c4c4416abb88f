"""`tapwright devices serve`: offer devices to other machines."""

import asyncio
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from tapwright.cli.options import device_openers, device_token, devices_option
from tapwright.cli.output import hint
from tapwright.errors import UsageError

if TYPE_CHECKING:
    from tapwright.devices.pool import DevicePool, PoolSlot

_LOOK_EVERY_S = 0.5


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright devices serve --device phone --device phone:720x1280\n"
    "  TAPWRIGHT_TOKEN=… tapwright devices serve --device phone --host 0.0.0.0\n"
    "  tapwright devices info --device remote:ws://127.0.0.1:8790/phone"
)
@devices_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8790, show_default=True, help="0: any free."
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file with the token that clients must know; else TAPWRIGHT_TOKEN.",
)
def serve(devices: tuple[str, ...], host: str, port: int, token_file: Path | None) -> None:
    """Offer devices to other machines over WebSocket, each to one client at a time.

    A client that goes, or does not answer the heartbeat, loses its device, which is reset. Clients
    on other machines need the token; browsers are refused. Nothing is encrypted: across a network
    that is not yours, use an SSH tunnel or a proxy that speaks TLS (remote:wss://…).
    """
    token = device_token(token_file)
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(_serve(devices, host, port, token))


async def _serve(specs: Sequence[str], host: str, port: int, token: str) -> None:
    from tapwright.devices.pool import DevicePool
    from tapwright.devices.remote.server import serve_devices

    serving = asyncio.current_task()
    assert serving is not None  # it runs in one
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
    with DevicePool.of(device_openers(specs)) as pool:
        try:
            async with serve_devices(pool, host=host, port=port, token=token) as bound:
                shown = f"[{host}]" if ":" in host else host
                for place in pool.status():
                    click.echo(f"remote:ws://{shown}:{bound}/{quote(place.name, safe='/:,@')}")
                hint("give one of these to --device; Ctrl-C ends the server")
                await _tell(pool)
        except OSError as error:
            raise UsageError(
                f"{host}:{port}: cannot listen there: {error.strerror or error}",
                hint="--port 0 takes any free one",
            ) from error


async def _tell(pool: "DevicePool") -> None:
    """Say on stderr whenever a device gets another state, until cancelled."""
    told: dict[str, tuple[str, str]] = {}
    while True:
        for place in pool.status():
            now = (place.state, place.who)
            if told.setdefault(place.name, now) != now:
                told[place.name] = now
                click.echo(f"{time.strftime('%H:%M:%S')} {_words(place)}", err=True)
        await asyncio.sleep(_LOOK_EVERY_S)


def _words(place: "PoolSlot") -> str:
    said = f"{place.name}: {place.state}"
    if place.who:
        said += f" ({place.who})"
    if place.state == "unhealthy":
        said += f": {place.error}"
    return said
