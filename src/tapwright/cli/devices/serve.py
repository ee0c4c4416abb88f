"""`tapwright devices serve`: offer devices to other machines."""

import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import FILE, devices_option, option
from tapwright.cli.output import hint, print_line, print_message
from tapwright.errors import UsageError

if TYPE_CHECKING:
    from tapwright.devices.pool import DevicePool, PoolSlot


_LOOK_EVERY_S = 0.5


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright devices serve --device phone --device phone:720x1280\n"
    "  TAPWRIGHT_TOKEN=… tapwright devices serve --device phone --host 0.0.0.0\n"
    "  tapwright devices info --device remote:ws://127.0.0.1:8790/phone\n"
    "  tapwright devices serve --protocol osworld --device desktop:1920x1080"
)
@devices_option
@option("--host", default="127.0.0.1", help="The address to listen on.")
@option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8790,
    help="Port to listen on; 0: any free port.",
)
@option(
    "--token-file",
    type=FILE,
    help="A file with the token that clients need; by default TAPWRIGHT_TOKEN.",
)
@option(
    "--protocol",
    type=click.Choice(["tapwright", "osworld"]),
    default="tapwright",
    help="osworld: one desktop as OSWorld's VM is served, by HTTP.",
)
def serve(
    devices: tuple[str, ...], host: str, port: int, token_file: Path | None, protocol: str
) -> None:
    """Serve devices to other machines over WebSocket, each to one client at a time.

    A client that disconnects, or does not answer the heartbeat, loses its device, which is reset.
    Clients on other machines need the token; browsers are refused. Nothing is encrypted: across an
    untrusted network, use an SSH tunnel or a TLS proxy (remote:wss://…).

    With --protocol osworld one desktop is served to programs of this machine that speak to
    OSWorld's VM: its own evaluators, agents made for it, --device osworld:URL. DANGER: that
    protocol runs any command, and here there is no VM around it: whoever has the token acts as
    you, on your files. So it listens on 127.0.0.1 alone, always wants a token, and makes a new
    one unless it is given; do not pass it on, and do not play models that you do not trust here.
    """
    import asyncio

    token = read_host().device_token(token_file)
    if protocol == "osworld":
        _serve_desktop(devices, host, port, token)
        return
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(_serve(devices, host, port, token))


def _serve_desktop(specs: Sequence[str], host: str, port: int, token: str) -> None:
    """Serve one desktop by OSWorld's protocol until Ctrl-C or SIGTERM."""
    from tapwright.devices.desktop.device import Desktop
    from tapwright.devices.osworld.server import OsWorldServer
    from tapwright.workflows.devices import refuse_stray_profile

    kind, _, argument = (specs[0] if specs else "").partition(":")
    if len(specs) != 1 or kind != "desktop":
        raise UsageError(
            f"--protocol osworld serves one desktop; given {', '.join(specs) or 'no device'}",
            hint="--device desktop:1920x1080",
        )
    refuse_stray_profile(specs, read_host())
    if host != "127.0.0.1":
        raise UsageError(
            f"--host {host}: OSWorld's protocol runs any command, so it is served on 127.0.0.1",
            hint="from another machine, use an SSH tunnel: ssh -L 8790:127.0.0.1:8790 HOST",
        )
    ended = Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    with Desktop.named(argument) as desktop, suppress(KeyboardInterrupt):
        try:
            server = OsWorldServer(desktop, port=port, token=token)
        except OSError as error:
            raise UsageError(
                f"{host}:{port}: cannot listen: {error.strerror or error}",
                hint="--port 0 takes any free port",
            ) from error
        with server:
            if token:
                print_line(f"osworld:http://127.0.0.1:{server.port}")
                hint("whoever has the token runs any command as you; Ctrl-C stops the server")
            else:
                print_line(f"osworld:{server.url}")
                hint(
                    "whoever has this address runs any command as you, and run logs keep it; with "
                    "TAPWRIGHT_TOKEN set here and where it is used, no address has the token"
                )
            ended.wait()


async def _serve(specs: Sequence[str], host: str, port: int, token: str) -> None:
    import asyncio

    from tapwright.devices.pool import DevicePool
    from tapwright.devices.remote.server import serve_devices
    from tapwright.workflows.devices import device_openers

    server = asyncio.current_task()
    assert server is not None  # it runs in one
    with suppress(NotImplementedError):  # on Windows, where no process is sent one
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.cancel)
    with DevicePool.of(device_openers(specs, read_host())) as pool:
        try:
            async with serve_devices(pool, host=host, port=port, token=token) as bound:
                host_text = f"[{host}]" if ":" in host else host
                for slot in pool.status():
                    print_line(f"remote:ws://{host_text}:{bound}/{quote(slot.name, safe='/:,@')}")
                hint("give one of these to --device; Ctrl-C stops the server")
                await _report_states(pool)
        except OSError as error:
            raise UsageError(
                f"{host}:{port}: cannot listen: {error.strerror or error}",
                hint="--port 0 takes any free port",
            ) from error


async def _report_states(pool: "DevicePool") -> None:
    """Print each change of a device's state on stderr, until cancelled."""
    import asyncio

    reported: dict[str, tuple[str, str]] = {}
    while True:
        for slot in pool.status():
            now = (slot.state, slot.who)
            if reported.setdefault(slot.name, now) != now:
                reported[slot.name] = now
                print_message(f"{time.strftime('%H:%M:%S')} {_describe(slot)}")
        await asyncio.sleep(_LOOK_EVERY_S)


def _describe(slot: "PoolSlot") -> str:
    text = f"{slot.name}: {slot.state}"
    if slot.who:
        text += f" ({slot.who})"
    if slot.state == "unhealthy":
        text += f": {slot.error}"
    return text
