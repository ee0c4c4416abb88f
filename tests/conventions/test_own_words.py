"""A model's own line for a step comes back as it is; the name of an element gets our verb."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.conventions.rendering import parse_target, render_imperative
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size

SIZE = Size(1080, 2400)
AT = Point(0.5, 0.5)
TAP = actions.Tap(at=AT)
SWIPE = actions.Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2))
ACTIONS = st.sampled_from(
    [TAP, SWIPE, actions.Scroll(at=AT, dy=0.5), actions.TypeText(text="a b"),
     actions.PressKey(key="back"),
     actions.OpenApp(app="Chrome"), actions.Wait(), actions.Finish()]
)  # fmt: skip


@pytest.mark.parametrize(
    ("action", "line"),
    [
        (TAP, "Click on the search bar."),
        (TAP, "Tap Save"),
        (TAP, "click on the 'Save' button"),
        (TAP, "Open the settings menu"),
        (TAP, "Go to settings"),
        (TAP, "点击搜索栏"),
        (SWIPE, "Swipe up to see more"),
        (actions.TypeText(text="pizza"), "Type pizza in the search field"),
        (actions.OpenApp(app="Chrome"), "Open Chrome"),
        (actions.PressKey(key="back"), "Return to the list"),
        (actions.Wait(), "Wait for the page to load"),
        (actions.Finish(), "done"),
    ],
)
def test_a_model_s_own_line_comes_back_as_it_is(action: Action, line: str) -> None:
    decision = Decision(action, target=parse_target(line, [action], SIZE))
    assert render_imperative(decision, SIZE) == line


@pytest.mark.parametrize(
    "name",
    ["search bar", "the save button", "back arrow", "button on the left", "the field “To”, first"],
)
def test_the_name_of_an_element_gets_our_verb(name: str) -> None:
    assert render_imperative(Decision(TAP, target=name), SIZE) == f"click {name}"


@given(
    action=ACTIONS,
    target=st.text(st.sampled_from(list("aZ. '\"点")), max_size=8)
    | st.lists(st.sampled_from(["click", "the", "on", "open", "swipe", "up", "bar."])).map(
        " ".join
    ),
)
def test_a_target_is_read_back_from_its_line(action: Action, target: str) -> None:
    plain = " ".join(target.split())
    line = render_imperative(Decision(action, target=target), SIZE)
    assert parse_target(line, [action], SIZE) == plain
