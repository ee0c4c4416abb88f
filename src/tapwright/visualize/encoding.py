"""How videos are encoded: VP9 by libvpx, and H.264 by libx264 only where it is asked for.

libx264 is under the GPL, libvpx under a BSD licence; docs/dependencies.md says what PyAV's wheels
contain. On screens of the built-in phone both need the same time, and VP9 a sixth more bytes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from tapwright.errors import MissingExtraError, UsageError
from tapwright.files.atomic import atomic_file

if TYPE_CHECKING:
    from av.container import OutputContainer
    from av.video.stream import VideoStream

__all__ = ["VideoCodec", "check_video_path", "open_video", "video_suffix"]

VideoCodec = Literal["vp9", "h264"]

_SUFFIXES: dict[VideoCodec, tuple[str, ...]] = {"vp9": (".webm", ".mp4"), "h264": (".mp4",)}
_ENCODERS = {"vp9": "libvpx-vp9", "h264": "libx264"}
# Text stays sharp, and live pictures do not wait for the encoder.
_OPTIONS = {
    "vp9": {
        "crf": "20",
        "b": "0",
        "deadline": "realtime",
        "cpu-used": "8",
        "tune-content": "screen",
        "row-mt": "1",
    },
    "h264": {"crf": "20", "preset": "superfast"},
}


def video_suffix(codec: VideoCodec) -> str:
    """How the name of a video ends, where nobody chose it: .webm or .mp4."""
    return _SUFFIXES[codec][0]


def check_video_path(path: Path, codec: VideoCodec) -> None:
    """See that a name ends as a file of this codec may.

    Raises:
        UsageError: it does not.
    """
    suffixes = _SUFFIXES[codec]
    if path.suffix.lower() not in suffixes:
        raise UsageError(
            f"{path}: expected a name that ends in {' or '.join(suffixes)}, for {codec}",
            hint=f"-o {path.with_suffix(suffixes[0])}",
        )


@contextmanager
def open_video(
    path: Path, codec: VideoCodec, rate: Fraction | int
) -> Iterator[tuple["OutputContainer", "VideoStream"]]:
    """A file to write a video of `rate` pictures a second into; it is there once all went well.

    Raises:
        MissingExtraError: PyAV is not installed.
        UsageError: PyAV's FFmpeg was built without the encoder.
        DiskError: `path` cannot be written; then it is as it was.
    """
    try:
        import av
    except ImportError as error:
        raise MissingExtraError("writing a video", "video") from error
    encoder = _ENCODERS[codec]
    if encoder not in av.codecs_available:
        others = [
            f"--codec {one}" for one, name in _ENCODERS.items() if name in av.codecs_available
        ]
        raise UsageError(
            f"{codec}: FFmpeg, as this PyAV has it, was built without {encoder}",
            hint=" or ".join(others) or "install a PyAV that has libvpx: pip install av",
        )
    format_ = path.suffix.lower().removeprefix(".")
    with atomic_file(path) as file, av.open(file, "w", format=format_) as container:
        stream = container.add_stream(encoder, rate=rate, options=_OPTIONS[codec])
        yield container, cast("VideoStream", stream)
