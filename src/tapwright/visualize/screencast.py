"""A screencast: timed pictures of a screen, encoded as they arrive, in MP4 (H.264)."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from PIL import Image

from tapwright.errors import MissingExtraError, NothingFoundError, UsageError
from tapwright.files.atomic import atomic_file

__all__ = ["write_screencast"]

_TICKS = 1000  # in a second
# Fast, so that live pictures never wait for the encoder.
_ENCODER = {"crf": "23", "preset": "ultrafast"}


def write_screencast(pictures: Iterable[tuple[float, Image.Image]], path: Path) -> int:
    """Write pictures, each with its time in seconds; returns how many.

    Each is displayed until the next one's time. Pictures of another size than the first, as of a
    rotated phone, are scaled to it.

    Raises:
        UsageError: `path` does not end in .mp4.
        NothingFoundError: there is no picture.
        MissingExtraError: PyAV is not installed.
        DiskError: `path` cannot be written; then it is as it was.
    """
    if path.suffix.lower() != ".mp4":
        raise UsageError(
            f"{path}: expected a name that ends in .mp4", hint=f"-o {path.with_suffix('.mp4')}"
        )
    try:
        import av
    except ImportError as error:
        raise MissingExtraError("writing a video", "video") from error
    count, last = 0, -1
    with atomic_file(path) as file, av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=_TICKS, options=_ENCODER)
        stream.time_base = stream.codec_context.time_base = Fraction(1, _TICKS)
        for time_s, picture in pictures:
            if not count:
                stream.width, stream.height = (side + side % 2 for side in picture.size)
                stream.pix_fmt = "yuv420p"
            size = (stream.width, stream.height)
            scaled = picture if picture.size == size else picture.resize(size)
            frame = av.VideoFrame.from_image(scaled)  # type: ignore[no-untyped-call]
            last = max(last + 1, round(time_s * _TICKS))
            frame.pts, frame.time_base = last, Fraction(1, _TICKS)
            container.mux(stream.encode(frame))
            count += 1
        if not count:
            raise NothingFoundError(f"{path}: there is no picture to write")
        container.mux(stream.encode(None))
    return count
