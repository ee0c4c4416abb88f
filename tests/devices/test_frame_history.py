from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.devices.fake import FakeDevice
from tapwright.devices.frame_history import STALE_S, Capture, FrameHistory

SEEN = FakeDevice().observe()


def capture(number: int, began_s: float, ended_s: float) -> Capture:
    return Capture(replace(SEEN, app=f"app {number}"), began_s, ended_s)


@given(
    lengths=st.lists(st.floats(0.05, 3.0), min_size=1, max_size=20),
    captured=st.lists(st.booleans(), min_size=20, max_size=20),
    data=st.data(),
)
@pytest.mark.slow
def test_what_was_seen_is_never_of_a_later_screen(
    lengths: list[float], captured: list[bool], data: st.DataObject
) -> None:
    history, now = FrameHistory(), 0.0
    for number, length in enumerate(lengths, start=1):
        history.add_frame(now)
        if captured[number - 1]:
            history.add_capture(capture(number, now, now + 0.01))
        now += length
    asked = data.draw(st.integers(1, len(lengths)))
    seen = history.find_observation(asked, now)
    taken = [number for number in range(1, len(lengths) + 1) if captured[number - 1]]
    before = [number for number in taken if number <= asked]
    if before:
        assert seen is not None
        assert seen.app == f"app {before[-1]}"
        gone_for = sum(lengths[asked:])
        assert seen.stale == (before[-1] != asked or gone_for > STALE_S)
    elif taken:
        assert seen is not None
        assert seen.stale
    else:
        assert seen is None


def test_a_capture_that_the_screen_changed_under_is_of_no_picture() -> None:
    history = FrameHistory()
    history.add_frame(1.0)
    history.add_capture(capture(1, 1.1, 1.3))
    history.add_frame(1.2)
    for number in (1, 2):
        seen = history.find_observation(number, 1.3)
        assert seen is not None
        assert seen.stale


def test_an_unknown_picture_is_answered_with_the_latest_capture_and_marked() -> None:
    history = FrameHistory()
    assert history.find_observation(7, 0.0) is None
    history.add_frame(1.0)
    history.add_capture(capture(1, 1.1, 1.2))
    seen = history.find_observation(7, 1.3)
    assert seen is not None
    assert (seen.app, seen.stale) == ("app 1", True)
