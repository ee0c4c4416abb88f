"""A screencast: timed pictures of a screen, encoded as they arrive."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from PIL import Image

from tapwright.errors import NothingFoundError
from tapwright.visualize.encoding import VideoCodec, check_video_path, open_video

__all__ = ["write_screencast"]

_TICKS = 1000  # in a second


def write_screencast(
    pictures: Iterable[tuple[float, Image.Image]], path: Path, *, codec: VideoCodec = "vp9"
) -> int:
    """Write pictures, each with its time in seconds; returns how many.

    Each is displayed until the next one's time. Pictures of another size than the first, as of a
    rotated phone, are scaled to it.

    Raises:
        UsageError: `path` does not end in .webm or .mp4, for H.264 in .mp4; or PyAV has no encoder
            for `codec`.
        NothingFoundError: there is no picture.
        MissingExtraError: PyAV is not installed.
        DiskError: `path` cannot be written; then it is as it was.
    """
    check_video_path(path, codec)
    count, last = 0, -1
    with open_video(path, codec, _TICKS) as (container, stream):
        from av import VideoFrame

        stream.time_base = stream.codec_context.time_base = Fraction(1, _TICKS)
        for time_s, picture in pictures:
            if not count:
                stream.width, stream.height = (side + side % 2 for side in picture.size)
                stream.pix_fmt = "yuv420p"
            size = (stream.width, stream.height)
            scaled = picture if picture.size == size else picture.resize(size)
            frame = VideoFrame.from_image(scaled)  # type: ignore[no-untyped-call]
            last = max(last + 1, round(time_s * _TICKS))
            frame.pts, frame.time_base = last, Fraction(1, _TICKS)
            container.mux(stream.encode(frame))
            count += 1
        if not count:
            raise NothingFoundError(f"{path}: there is no picture to write")
        container.mux(stream.encode(None))
    return count
