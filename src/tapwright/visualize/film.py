"""A moving screen as a video: pictures with their times, as they come, in MP4 (H.264)."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from PIL import Image

from tapwright.errors import MissingExtraError, NothingFoundError, UsageError
from tapwright.files.atomic import atomic_file

__all__ = ["write_film"]

_TICKS = 1000  # in a second
# Pictures come as fast as they do, and must not wait for the encoder.
_ENCODER = {"crf": "23", "preset": "ultrafast"}


def write_film(pictures: Iterable[tuple[float, Image.Image]], path: Path) -> int:
    """Write pictures, each with its time in seconds; how many there were.

    Each is shown until the next one's time. Those of another size than the first, as of a phone
    that was turned, are scaled to it.

    Raises:
        UsageError: `path` does not end in .mp4.
        NothingFoundError: there is no picture.
        MissingExtraError: PyAV is not installed.
        DiskError: `path` cannot be written; then it is as it was.
    """
    if path.suffix.lower() != ".mp4":
        raise UsageError(f"{path}: a film is an .mp4", hint=f"-o {path.with_suffix('.mp4')}")
    try:
        import av
    except ImportError as error:
        raise MissingExtraError("making a film", "video") from error
    count, last = 0, -1
    with atomic_file(path) as file, av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=_TICKS, options=_ENCODER)
        stream.time_base = stream.codec_context.time_base = Fraction(1, _TICKS)
        for time_s, picture in pictures:
            if not count:
                stream.width, stream.height = (side + side % 2 for side in picture.size)
                stream.pix_fmt = "yuv420p"
            size = (stream.width, stream.height)
            shown = picture if picture.size == size else picture.resize(size)
            frame = av.VideoFrame.from_image(shown)  # type: ignore[no-untyped-call]
            last = max(last + 1, round(time_s * _TICKS))
            frame.pts, frame.time_base = last, Fraction(1, _TICKS)
            container.mux(stream.encode(frame))
            count += 1
        if not count:
            raise NothingFoundError(f"{path}: there was no picture to film")
        container.mux(stream.encode(None))
    return count
