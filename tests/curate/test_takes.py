"""Takes of one task side by side."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tapwright.annotate.agreement import krippendorff_alpha
from tapwright.core.actions import Action, Finish, PressKey, Swipe, Tap, TypeText, Wait
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.curate.takes import align_takes
from tapwright.devices.fake import FakeDevice

SCREEN = FakeDevice().observe()
KEYS: dict[str, Action] = {
    "a": Tap(at=Point(0.1, 0.1)),
    "b": PressKey(key="back"),
    "h": PressKey(key="home"),
    "s": Swipe(start=Point(0.5, 0.9), end=Point(0.5, 0.1)),
    "t": TypeText(text="milk"),
    "w": Wait(duration_s=1),
    "f": Finish(outcome="success"),
}


def take(letters: str, *, target: str = "") -> Episode:
    steps = tuple(Step(SCREEN, Decision(KEYS[one], target=target)) for one in letters)
    return Episode(letters, "t", "Do it", steps)


def rows(*letters: str) -> list[Sequence[int | None]]:
    return [row.steps for row in align_takes([take(one) for one in letters])]


@given(st.lists(st.text("abhstwf", max_size=8), min_size=1, max_size=4))
def test_every_step_of_every_take_stands_in_one_row_in_its_order(letters: list[str]) -> None:
    aligned = align_takes([take(one) for one in letters])
    for column, one in enumerate(letters):
        assert [row.steps[column] for row in aligned if row.steps[column] is not None] == [
            *range(len(one))
        ]
    assert all(0 <= row.agreement <= 1 for row in aligned)


def test_a_step_that_one_take_has_more_stands_alone() -> None:
    assert rows("ahf", "awhf") == [(0, 0), (None, 1), (1, 2), (2, 3)]
    assert rows("ahf", "abf") == [(0, 0), (1, 1), (2, 2)]


def test_ends_stand_beside_each_other_however_each_ended() -> None:
    failed = Finish(outcome="failure", reason="wrong app")
    lost = Episode("l", "t", "", (*take("b").steps, Step(SCREEN, Decision(failed))))
    aligned = align_takes([lost, take("ahtf")])
    assert [row.steps for row in aligned] == [(0, 0), (None, 1), (None, 2), (1, 3)]
    assert [row.agreement for row in aligned] == [0.0] * 4


def test_takes_that_did_the_same_agree_wherever_they_touched_it() -> None:
    one = take("at")
    other = Episode(
        "o", "t", "", (Step(SCREEN, Decision(Tap(at=Point(0.9, 0.9)))), *take("t").steps)
    )
    assert [row.agreement for row in align_takes([one, other])] == [1.0, 1.0]
    named = align_takes([take("a", target="Wi-Fi"), take("a", target=" wi-fi ")])
    assert [row.agreement for row in named] == [1.0]
    apart = align_takes([take("a", target="Wi-Fi"), take("a", target="Bluetooth"), take("a")])
    assert [row.agreement for row in apart] == [0.0]


def test_alpha_of_steps_is_that_of_the_library_krippendorff() -> None:
    # krippendorff.alpha(..., level_of_measurement="nominal") of 0.9.0 on these values; that is
    # under the GPL, so it is no dependency.
    aligned = align_takes([take("abhf"), take("abwf"), take("athf")])
    alpha = krippendorff_alpha([row.did for row in aligned])
    assert alpha is not None
    assert round(alpha, 6) == 0.62069
