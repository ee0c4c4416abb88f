from pathlib import Path

import av
import pytest
from PIL import Image

from tapwright.errors import NothingFoundError, UsageError
from tapwright.visualize.video import write_screencast


def test_a_film_shows_each_picture_from_its_time_on(tmp_path: Path) -> None:
    shades = [(0.0, 10), (0.5, 200), (0.75, 90)]
    pictures = [(time_s, Image.new("RGB", (63, 128), (shade,) * 3)) for time_s, shade in shades]
    pictures.append((1.0, Image.new("RGB", (128, 63), "black")))
    path = tmp_path / "film.webm"
    assert write_screencast(pictures, path) == 4
    with av.open(str(path)) as container:
        frames = list(container.decode(video=0))
    assert {(frame.width, frame.height) for frame in frames} == {(64, 128)}
    assert [frame.time for frame in frames] == pytest.approx([0.0, 0.5, 0.75, 1.0], abs=0.01)
    seen = [frame.to_ndarray(format="rgb24").mean() for frame in frames[:3]]
    assert seen == pytest.approx([shade for _, shade in shades], abs=5)


def test_a_film_of_nothing_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(NothingFoundError):
        write_screencast([], tmp_path / "film.webm")
    with pytest.raises(UsageError, match=r"ends in \.webm"):
        write_screencast([], tmp_path / "film.gif")
    assert list(tmp_path.iterdir()) == []
