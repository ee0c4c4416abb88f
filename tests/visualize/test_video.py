import sys
from dataclasses import replace
from pathlib import Path

import av
import pytest

from tapwright.core.actions import TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Size
from tapwright.devices.fake import FakeDevice
from tapwright.errors import (
    DiskError,
    MissingExtraError,
    NothingFoundError,
    UsageError,
    install_command,
)
from tapwright.visualize.encoding import VideoCodec
from tapwright.visualize.video import write_video


def made(*sizes: Size) -> Episode:
    steps = tuple(
        Step(FakeDevice(size=size).observe(), Decision(TypeText(text="牛奶"), "为什么 " * number))
        for number, size in enumerate(sizes, start=1)
    )
    return Episode("x", "t", "Do it", steps, steps[-1].observation, "success", "hand")


@pytest.mark.parametrize("sizes", [[(27, 61)], [(40, 80), (80, 41)], [(41, 99)] * 20])
@pytest.mark.parametrize(
    ("name", "codec"), [("v.webm", "vp9"), ("v.mp4", "vp9"), ("v.mp4", "h264")]
)
def test_a_video_shows_each_step_and_the_final_screen_on_even_sides(
    tmp_path: Path, sizes: list[tuple[int, int]], name: str, codec: VideoCodec
) -> None:
    episode = made(*(Size(*size) for size in sizes))
    path = write_video(episode, tmp_path / name, fps=2, codec=codec)
    with av.open(str(path)) as found:
        assert found.streams.video[0].codec_context.name == codec
        (stream,) = found.streams.video
        pictures = [frame.to_ndarray(format="rgb24") for frame in found.decode(video=0)]
    assert len(pictures) == len(sizes) + 1
    assert float(stream.average_rate or 0) == 2
    assert stream.width % 2 == stream.height % 2 == 0
    assert stream.width >= max(width for width, _ in sizes)
    assert len({picture.shape for picture in pictures}) == 1
    assert int(pictures[0].max()) - int(pictures[0].min()) > 100


def test_what_no_video_can_be_made_of_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"ends in \.webm or \.mp4, for vp9") as caught:
        write_video(made(Size(27, 60)), tmp_path / "v.avi")
    assert caught.value.hint.endswith("v.webm")
    with pytest.raises(UsageError, match=r"ends in \.mp4, for h264") as caught:
        write_video(made(Size(27, 60)), tmp_path / "v.webm", codec="h264")
    assert caught.value.hint.endswith("v.mp4")
    with pytest.raises(UsageError, match="0 steps a second"):
        write_video(made(Size(27, 60)), tmp_path / "v.mp4", fps=0)
    nothing = replace(made(Size(27, 60)), steps=(), final=None)
    with pytest.raises(NothingFoundError):
        write_video(nothing, tmp_path / "v.mp4")
    (tmp_path / "file").write_text("")
    with pytest.raises(DiskError, match=r"file/v\.mp4"):
        write_video(made(Size(27, 60)), tmp_path / "file" / "v.mp4")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_an_ffmpeg_without_gpl_code_writes_vp9_and_says_that_h264_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpl = {"libx264", "libx264rgb", "libx265"}
    monkeypatch.setattr(av, "codecs_available", av.codecs_available - gpl)
    assert write_video(made(Size(27, 60)), tmp_path / "v.webm").exists()
    with pytest.raises(UsageError, match="built without libx264") as caught:
        write_video(made(Size(27, 60)), tmp_path / "v.mp4", codec="h264")
    assert caught.value.hint == "--codec vp9"


def test_without_pyav_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingExtraError) as caught:
        write_video(made(Size(27, 60)), tmp_path / "v.mp4")
    assert caught.value.hint == install_command("video")
