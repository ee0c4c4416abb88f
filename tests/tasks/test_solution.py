import pytest

from tapwright.core.actions import DoubleTap, Finish, LongPress, Swipe, Tap, Wait
from tapwright.core.geometry import Point, Size, to_pixel
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.errors import TaskError
from tapwright.tasks.solution import (
    AwaitElement,
    PerformAction,
    SolutionScript,
    TouchElement,
)

SIZE = Size(100, 200)


def screen(*rows: str, top: int = 0) -> Observation:
    nodes = "".join(
        f'<node class="Row" resource-id="app:id/row" clickable="true" '
        f'bounds="[0,{top + 20 * number}][100,{top + 20 * number + 20}]">'
        f'<node text="{row}" bounds="[0,{top + 20 * number}][60,{top + 20 * number + 20}]"/></node>'
        for number, row in enumerate(rows)
    )
    xml = f'<node scrollable="true" bounds="[0,0][100,200]">{nodes}</node>'
    return Observation(Screenshot(painted_scene(0, SIZE).picture), SIZE, UiTree(xml, SIZE))


def test_a_move_touches_the_middle_of_the_clickable_element() -> None:
    script = SolutionScript([TouchElement("Mail"), PerformAction(Finish())])
    decision = script.decide(screen("Notes", "Mail"))
    assert isinstance(decision.action, Tap)
    assert to_pixel(decision.action.at, SIZE) == (50, 30)
    assert decision.target == "Mail"
    assert script.decide(screen("Notes")).action == Finish()
    assert script.done


def test_an_element_out_of_sight_is_scrolled_for() -> None:
    script = SolutionScript([TouchElement("Mail", gesture="long_press")])
    action = script.decide(screen("Notes", "Clock")).action
    assert isinstance(action, Swipe)
    assert action.start.y > action.end.y
    assert isinstance(script.decide(screen("Clock", "Mail")).action, LongPress)


def test_an_element_is_touched_as_the_move_says() -> None:
    moves = [TouchElement("Mail", gesture="double_tap"), TouchElement("Mail", gesture="right_tap")]
    script, at = SolutionScript(moves), Point(0.5, 0.05)
    assert script.decide(screen("Mail")).action == DoubleTap(at=at)
    assert script.decide(screen("Mail")).action == Tap(at=at, button="right")


def test_what_is_awaited_is_not_touched_and_costs_nothing_when_it_is_there() -> None:
    script = SolutionScript([AwaitElement(TouchElement("Mail")), TouchElement("Notes")])
    assert isinstance(script.decide(screen("Notes")).action, Wait)
    assert script.decide(screen("Notes", "Mail")).target == "Notes"


def test_what_shall_be_gone_is_waited_for_while_it_is_there() -> None:
    script = SolutionScript([AwaitElement(TouchElement("Mail"), gone=True), TouchElement("Notes")])
    assert isinstance(script.decide(screen("Notes", "Mail")).action, Wait)
    assert script.decide(screen("Notes")).target == "Notes"


def test_what_stays_is_an_error_that_names_the_move() -> None:
    script = SolutionScript([AwaitElement(TouchElement("Mail"), gone=True)])
    for _ in range(60):
        script.decide(screen("Mail"))
    with pytest.raises(TaskError, match=r"gone: tap 'Mail'\): it is still on .* 30 s"):
        script.decide(screen("Mail"))


def test_what_never_comes_is_an_error_that_names_the_move() -> None:
    script = SolutionScript([AwaitElement(TouchElement("Mail"))])
    waits = [script.decide(screen("Notes")).action for _ in range(60)]
    assert sum(one.duration_s for one in waits if isinstance(one, Wait)) == 30
    with pytest.raises(TaskError, match=r"move 1 \(wait for tap 'Mail'\).* after 30 s"):
        script.decide(screen("Notes"))


def test_a_script_waits_while_an_element_is_disabled() -> None:
    def button(enabled: str) -> Observation:
        xml = f'<node text="Save" clickable="true" enabled="{enabled}" bounds="[0,0][60,20]"/>'
        return Observation(Screenshot(painted_scene(0, SIZE).picture), SIZE, UiTree(xml, SIZE))

    script = SolutionScript([TouchElement("Save")])
    assert isinstance(script.decide(button("false")).action, Wait)
    assert isinstance(script.decide(button("true")).action, Tap)


def test_an_element_that_scrolling_does_not_bring_is_an_error_that_names_the_move() -> None:
    script = SolutionScript([TouchElement("Mail")])
    script.decide(screen("Notes"))
    with pytest.raises(TaskError, match=r"move 1 .*Mail.* after 1 swipes"):
        script.decide(screen("Notes"))


def test_of_equal_rows_the_nth_is_meant() -> None:
    decision = SolutionScript([TouchElement(id="row", nth=2)]).decide(screen("a", "b", "c"))
    assert decision.action == Tap(at=Point(0.5, 0.25))


def test_a_script_at_its_end_says_so() -> None:
    with pytest.raises(TaskError, match="no move left"):
        SolutionScript([]).decide(screen("a"))


def test_a_bar_that_is_called_by_its_only_tab_is_not_the_tab() -> None:
    xml = (
        '<node focusable="true" bounds="[0,0][100,20]">'
        '<node text="Sheet1" clickable="true" bounds="[10,0][30,20]"/></node>'
    )
    seen = Observation(Screenshot(painted_scene(0, SIZE).picture), SIZE, UiTree(xml, SIZE))
    script = SolutionScript([TouchElement("Sheet1", gesture="double_tap")])
    assert script.decide(seen).action == DoubleTap(at=Point(0.2, 0.05))
