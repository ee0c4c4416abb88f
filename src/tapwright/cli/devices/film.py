"""`tapwright devices film`: a video of a device's screen."""

from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import FILE, codec_option, device_option, option, out_option
from tapwright.cli.output import print_line, print_message
from tapwright.errors import UsageError

if TYPE_CHECKING:
    from PIL import Image

    from tapwright.devices.device import Device
    from tapwright.visualize.encoding import VideoCodec


@click.command(
    epilog="\b\nExamples:\n  tapwright devices film --device phone --seconds 2 -o film.webm\n"
    "  tapwright devices film --device adb --scrcpy scrcpy-server-v4.1 -o film.webm"
)
@device_option
@option(
    "--scrcpy",
    type=FILE,
    help="A scrcpy server of version 4, as named in its release: scrcpy-server-v4.1.",
)
@option("--seconds", type=click.FloatRange(0.1, 3600), default=5.0, help="Length of the video.")
@out_option("The output file; film.webm, or film.mp4 with --codec h264, if left out.", kind=FILE)
@codec_option
def film(
    device: str, scrcpy: Path | None, seconds: float, out: Path | None, codec: "VideoCodec"
) -> None:
    """Film a device's screen as it is, without a reset.

    With --scrcpy a phone over adb sends a video stream; otherwise screenshots are taken as fast as
    possible.
    """
    from tapwright.visualize.encoding import video_suffix
    from tapwright.visualize.video import write_screencast
    from tapwright.workflows.devices import open_device

    out = out or Path(f"film{video_suffix(codec)}")
    with open_device(device, read_host()) as opened:
        if scrcpy is None:
            count = write_screencast(_screenshots(opened, seconds), out, codec=codec)
        else:
            count = write_screencast(_stream(opened, scrcpy, seconds), out, codec=codec)
    print_line(out)
    print_message(f"{count} pictures in {seconds:g} s")


def _screenshots(device: "Device", seconds: float) -> "Iterator[tuple[float, Image.Image]]":
    begun = monotonic()
    while (time_s := monotonic() - begun) < seconds:
        yield time_s, device.observe().screenshot.image()


def _stream(device: "Device", jar: Path, seconds: float) -> "Iterator[tuple[float, Image.Image]]":
    from tapwright.devices.adb.device import AndroidPhone
    from tapwright.devices.adb.scrcpy import VideoStream

    if not isinstance(device, AndroidPhone):
        raise UsageError(
            f"{device.name} is not a phone over adb, and scrcpy runs only on those",
            hint="leave out --scrcpy: screenshots are taken",
        )
    with VideoStream(device.shell, jar) as live:
        end = Timer(seconds, live.close)
        end.start()
        try:
            yield from live.frames()
        finally:
            end.cancel()
