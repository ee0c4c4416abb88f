"""An episode as a video, every step with its action marked and a caption; and a film of a device.

It is encoded by PyAV, which includes FFmpeg's libraries, so that no program is started and no
pattern of file names is needed. All pictures of a video have one size, and even sides, as the
common pixel format of videos requires: lower screens and shorter captions get a margin.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from tapwright.core.episode import Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.drawing.marks import thumbnail
from tapwright.drawing.parallel import draw_in_parallel
from tapwright.drawing.text import BLACK, CaptionLine, draw_text_strip
from tapwright.errors import NothingFoundError, UsageError
from tapwright.visualize.encoding import VideoCodec, check_video_path, open_video
from tapwright.visualize.frames import mark_step, step_caption

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["write_screencast", "write_video"]

_MAX_ROWS = 16


@dataclass(frozen=True, slots=True)
class _Scene:
    """One picture of a video: a step or the final screen, and its caption."""

    observation: Observation
    caption: tuple[CaptionLine, ...]
    step: Step | None

    def size(self, width_px: int) -> Size:
        """The size of the screen when it is scaled down to `width_px`."""
        screen = self.observation.screenshot.size
        width = min(screen.width, width_px)
        return Size(width, max(1, round(screen.height * width / screen.width)))

    def screen(self, width_px: int) -> Image.Image:
        if self.step is not None:
            return mark_step(self.step, width_px=width_px)
        return thumbnail(self.observation.screenshot.image(), width_px)


def write_video(
    episode: Episode,
    path: Path,
    *,
    width_px: int = 540,
    fps: float = 2.0,
    codec: VideoCodec = "vp9",
    first: int = 0,
) -> Path:
    """Write a video of `fps` steps a second, at most `width_px` wide, and the final screen.

    The steps are numbered from `first`. Captions of more than 16 rows are cut; `draw_frames` draws
    them whole.

    Raises:
        UsageError: `path` does not end in .webm or .mp4, for H.264 in .mp4; PyAV has no encoder
            for `codec`; or `fps` is not between 0.05 and 60.
        NothingFoundError: the episode has no screen.
        MissingExtraError: PyAV is not installed.
        DiskError: `path` cannot be written; then it is as it was.
    """
    check_video_path(path, codec)
    if not 0.05 <= fps <= 60:
        raise UsageError(f"{fps} steps a second; expected 0.05 to 60")
    scenes = list(_scenes(episode, first))
    if not scenes:
        raise NothingFoundError(f"{episode.id}: no steps and no final screen")
    canvas, screen_height = _canvas(scenes, width_px)

    def draw(scene: _Scene) -> Image.Image:
        picture = Image.new("RGB", (canvas.width, canvas.height), BLACK)
        screen = scene.screen(width_px)
        picture.paste(screen, ((canvas.width - screen.width) // 2, screen_height - screen.height))
        picture.paste(
            draw_text_strip(scene.caption, canvas.width, max_rows=_MAX_ROWS), (0, screen_height)
        )
        return picture

    rate = Fraction(fps).limit_denominator(1000)
    with open_video(path, codec, rate) as (container, stream):
        from av import VideoFrame

        stream.width, stream.height, stream.pix_fmt = canvas.width, canvas.height, "yuv420p"
        for picture in draw_in_parallel(draw, scenes):
            frame = VideoFrame.from_image(picture)  # type: ignore[no-untyped-call]
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def _scenes(episode: Episode, first: int) -> "Iterator[_Scene]":
    for number, step in enumerate(episode.steps, first):
        yield _Scene(step.observation, tuple(step_caption(step, number)), step)
    if episode.final is not None:
        yield _Scene(episode.final, (CaptionLine(f"outcome: {episode.outcome}"),), None)


def _canvas(scenes: list[_Scene], width_px: int) -> tuple[Size, int]:
    """The size that holds every scene, and the part of its height that is for the screen."""
    screens = [scene.size(width_px) for scene in scenes]
    width = max(screen.width for screen in screens)
    width += width % 2
    height = max(screen.height for screen in screens)
    caption = max(
        draw_text_strip(scene.caption, width, max_rows=_MAX_ROWS).height for scene in scenes
    )
    return Size(width, height + caption + (height + caption) % 2), height


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
