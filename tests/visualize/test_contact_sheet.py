from pathlib import Path

import pytest
from PIL import Image

from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.devices.fake import FakeDevice
from tapwright.errors import DiskError, NothingFoundError, UsageError
from tapwright.visualize.contact_sheet import draw_contact_sheet
from tapwright.visualize.frames import draw_frames


def made(*, steps: int = 2, reasoning: str = "why") -> Episode:
    seen = FakeDevice(size=Size(27, 60)).observe()
    decision = Decision(Tap(at=Point(0.5, 0.5)), reasoning, "the thing")
    step = Step(seen, decision)
    return Episode("x", "t", "Do it", (step,) * steps, seen, "success", "hand")


def test_episodes_that_fit_are_one_picture_of_the_given_name(tmp_path: Path) -> None:
    assert draw_contact_sheet([made(steps=5), made()], tmp_path / "sheet.jpg", columns=3) == [
        tmp_path / "sheet.jpg"
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["sheet.jpg"]


@pytest.mark.slow
def test_what_passes_the_limits_of_a_picture_goes_on_several(tmp_path: Path) -> None:
    tall = made(steps=1, reasoning="why " * 900)
    paths = draw_contact_sheet([tall] * 4, tmp_path / "sheet.jpg", columns=1)
    assert [path.name for path in paths] == [f"sheet-{n}.jpg" for n in range(1, len(paths) + 1)]
    assert len(paths) == 4
    for path in paths:
        with Image.open(path) as picture:
            assert picture.height <= 65_500


@pytest.mark.slow
def test_a_step_with_more_words_than_a_picture_holds_is_cut(tmp_path: Path) -> None:
    endless = made(steps=1, reasoning="why " * 1100)
    assert len(list(draw_frames(endless, tmp_path / "frames", width_px=100))) == 2
    assert draw_contact_sheet([endless], tmp_path / "sheet.png", columns=1)


def test_a_name_that_is_no_pictures_is_refused_with_one_that_is(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.jpg, \.jpeg, \.png") as caught:
        draw_contact_sheet([made()], tmp_path / "sheet")
    assert caught.value.hint.endswith("sheet.jpg")


def test_no_episodes_are_no_sheet(tmp_path: Path) -> None:
    with pytest.raises(NothingFoundError):
        draw_contact_sheet([], tmp_path / "sheet.jpg")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DiskError, match=r"file/sheet\.jpg: cannot be written"):
        draw_contact_sheet([made()], tmp_path / "file" / "sheet.jpg")
    with pytest.raises(DiskError, match=r"file/000\.jpg: cannot be written"):
        list(draw_frames(made(), tmp_path / "file"))
