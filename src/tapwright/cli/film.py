"""`tapwright devices film`: a device's screen as it moves, as a video."""

from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING

import click

from tapwright.cli.options import device_option, open_device
from tapwright.devices.device import Device
from tapwright.errors import UsageError

if TYPE_CHECKING:
    from PIL import Image


@click.command(
    epilog="\b\nExamples:\n  tapwright devices film --device phone --seconds 2 -o film.mp4\n"
    "  tapwright devices film --device adb --scrcpy scrcpy-server-v4.1 -o film.mp4"
)
@device_option
@click.option(
    "--scrcpy",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A scrcpy server of version 4, as its release calls it: scrcpy-server-v4.1.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 3600),
    default=5.0,
    show_default=True,
    help="How long to film.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("film.mp4"),
    show_default=True,
    help="The video to write.",
)
def film(device: str, scrcpy: Path | None, seconds: float, out: Path) -> None:
    """Film a device's screen, as it is, without a reset.

    With --scrcpy a phone over adb sends a moving picture; else screenshots are taken as fast as
    they come.
    """
    from tapwright.visualize.screencast import write_screencast

    with open_device(device) as opened:
        if scrcpy is None:
            count = write_screencast(_screenshots(opened, seconds), out)
        else:
            count = write_screencast(_moving(opened, scrcpy, seconds), out)
    click.echo(out)
    click.echo(f"{count} pictures in {seconds:g} s", err=True)


def _screenshots(device: Device, seconds: float) -> "Iterator[tuple[float, Image.Image]]":
    begun = monotonic()
    while (time_s := monotonic() - begun) < seconds:
        yield time_s, device.observe().screenshot.image()


def _moving(device: Device, jar: Path, seconds: float) -> "Iterator[tuple[float, Image.Image]]":
    from tapwright.devices.adb.device import AndroidPhone
    from tapwright.devices.adb.scrcpy import VideoStream

    if not isinstance(device, AndroidPhone):
        raise UsageError(
            f"{device.name} is no phone over adb, and scrcpy runs on those only",
            hint="leave --scrcpy away, and screenshots are taken",
        )
    with VideoStream(device.shell, jar) as live:
        end = Timer(seconds, live.close)
        end.start()
        try:
            yield from live.frames()
        finally:
            end.cancel()
