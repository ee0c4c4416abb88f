from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.annotate.agreement import compare_annotators, krippendorff_alpha
from tapwright.annotate.target_match import find_target, match_target
from tapwright.core.actions import Tap
from tapwright.core.geometry import Point
from tapwright.store.annotations import Annotation
from tests.annotate.screens import episode, node, screen

# Krippendorff 2011, section C: four observers, twelve units, nominal data: 0.743.
OBSERVERS = ["1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3",
             ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 ."]  # fmt: skip


def test_alpha_is_that_of_the_published_example() -> None:
    rows = [line.split() for line in OBSERVERS]
    units = [[one for one in unit if one != "."] for unit in zip(*rows, strict=True)]
    found = krippendorff_alpha(units)
    assert found is not None
    assert round(found, 3) == 0.743


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20))
def test_alpha_is_one_only_for_those_who_agree(units: list[tuple[int, int]]) -> None:
    found = krippendorff_alpha(units)
    if found is None:
        assert len(units) < 2 or len({one for unit in units for one in unit}) == 1
    else:
        assert found <= 1
        assert (found == 1) == all(a == b for a, b in units)


SEEN = screen(
    node("Save", at=(0, 50, 50, 70), clickable="true"),
    node("Delete", at=(50, 50, 100, 70), clickable="true"),
)
TAP = Tap(at=Point(0.2, 0.3))
EPISODE = episode("Go", (SEEN, TAP), (SEEN, TAP), (SEEN, TAP))


def said(*targets: str, codes: tuple[str, ...] = ()) -> list[Annotation]:
    frame = SEEN.screenshot.sha256
    return [
        Annotation(step=number, frame=frame, reasoning=f"I need {target}.", target=target,
                   annotator="a", version="1", time="", codes=codes)
        for number, target in enumerate(targets)
    ]  # fmt: skip


def test_a_target_fits_the_element_under_the_finger() -> None:
    assert match_target("the blue button “Save” at the left", SEEN, TAP) == 1.0
    low = match_target("an icon of a magnifying glass", SEEN, Tap(at=Point(0.7, 0.3)))
    assert low is not None
    assert low < 0.5
    assert match_target("anything", replace(SEEN, ui_tree=None), TAP) is None


def test_a_target_means_the_element_whose_words_it_has() -> None:
    assert SEEN.ui_tree is not None
    found = find_target("the button Delete", SEEN.ui_tree)
    assert found is not None
    assert found.text == "Delete"
    assert find_target("the picture of a cat", SEEN.ui_tree) is None


def test_two_annotators_are_compared_by_words_and_by_elements() -> None:
    ours = said("the button Save", "the button Save", "the button Save")
    theirs = said("the button save", "Save, on the left", "the button Delete")
    found = compare_annotators([(EPISODE, ours, theirs)])
    assert (found.steps, found.elements) == (3, 3)
    assert found.same_target == pytest.approx(1 / 3, abs=1e-3)
    assert found.same_element == found.touched == pytest.approx(2 / 3, abs=1e-3)
    assert found.alpha is not None
    assert found.alpha < 1


def test_what_is_only_listed_is_not_compared() -> None:
    found = compare_annotators(
        [(EPISODE, said("a", "b", "c", codes=("EMPTY",)), said("a", "b", "c"))]
    )
    assert (found.steps, found.same_target, found.alpha) == (0, None, None)
