import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.conventions.json import JSON_CONVENTION
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.keys import KEY_NAMES
from tapwright.core.messages import Picture
from tapwright.devices.fake import FakeDevice
from tapwright.errors import BadAnswerError

SIZE = Size(1080, 2400)
FRACTIONS = st.floats(0, 1)
POINTS = st.builds(Point, FRACTIONS, FRACTIONS)
SECONDS = st.floats(0, 3600)
SCREENS = st.floats(-100, 100)
KEYS = (*KEY_NAMES, "a", "A", "é", "+")
ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(actions.Tap, at=POINTS, button=st.sampled_from(["left", "right", "middle"])),
    st.builds(actions.DoubleTap, at=POINTS),
    st.builds(actions.LongPress, at=POINTS, duration_s=SECONDS),
    st.builds(actions.Swipe, start=POINTS, end=POINTS, duration_s=SECONDS),
    st.builds(actions.TypeText, text=st.text()),
    st.builds(actions.PressKey, key=st.sampled_from(["back", "home", "enter", "move_end"])),
    st.builds(actions.OpenApp, app=st.text()),
    st.builds(actions.Wait, duration_s=SECONDS),
    st.builds(actions.Answer, text=st.text()),
    st.builds(
        actions.Finish,
        outcome=st.sampled_from(["success", "failure", "infeasible"]),
        reason=st.text(),
    ),
    st.builds(actions.Hover, at=POINTS),
    st.builds(actions.Drag, start=POINTS, end=POINTS, duration_s=SECONDS),
    st.builds(actions.Scroll, at=POINTS, dx=SCREENS, dy=SCREENS),
    st.builds(actions.Hotkey, keys=st.lists(st.sampled_from(KEYS), min_size=1).map(tuple)),
)
DECISIONS = st.builds(Decision, ACTIONS, st.text(), st.text())
GOOD = '{"reasoning": "r", "target": "t", "action": {"type": "tap", "at": [500, 250]}}'
READ = Decision(actions.Tap(at=Point(0.5, 0.25)), "r", "t")


def snapped(action: Action) -> Action:
    """The action with its places where whole thousandths put them."""
    places = {
        name: Point(round(value.x * 1000) / 1000, round(value.y * 1000) / 1000)
        for name in type(action).model_fields
        if isinstance(value := getattr(action, name), Point)
    }
    return action.model_copy(update=places)


@given(decision=DECISIONS)
def test_what_is_rendered_is_read_back(decision: Decision) -> None:
    read = JSON_CONVENTION.parse(JSON_CONVENTION.render(decision, SIZE), SIZE)
    assert read == Decision(snapped(decision.action), decision.reasoning, decision.target)


@given(point=POINTS)
def test_a_place_moves_by_half_a_thousandth_at_most(point: Point) -> None:
    read = JSON_CONVENTION.parse(
        JSON_CONVENTION.render(Decision(actions.Tap(at=point)), SIZE), SIZE
    )
    assert isinstance(read.action, actions.Tap)
    assert abs(read.action.at.x - point.x) <= 0.5 / 1000 + 1e-12
    assert abs(read.action.at.y - point.y) <= 0.5 / 1000 + 1e-12


PROSE = st.text().filter(lambda text: "{" not in text and "think>" not in text)


@given(decision=DECISIONS, before=PROSE, after=PROSE)
def test_prose_without_braces_does_not_matter(decision: Decision, before: str, after: str) -> None:
    answer = JSON_CONVENTION.render(decision, SIZE)
    assert JSON_CONVENTION.parse(before + answer + after, SIZE) == JSON_CONVENTION.parse(
        answer, SIZE
    )


@given(text=st.text(alphabet='{}[]"\\:, taction0123456789eE.-\n', max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(BadAnswerError):
        assert isinstance(JSON_CONVENTION.parse(text, SIZE), Decision)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Sure!\n```\n{GOOD}\n```\nI hope that helps.",
        f'<think>{{"action": {{"type": "wait"}}}} no, better:</think>{GOOD}',
        f"{{x}} and {{ then {GOOD} }}",
        f"[{GOOD}]",
        f'{GOOD}{{"action": "nothing"}}',
        '{"action": {"type": "tap", "at": [500.0, 250]}, "target": "t", "reasoning": "r"}',
        f'{{"reasoning": "torn {GOOD}',
    ],
)
def test_an_answer_is_found_wherever_it_stands(text: str) -> None:
    assert JSON_CONVENTION.parse(text, SIZE) == READ


def test_a_line_break_in_a_string_is_taken_as_it_is() -> None:
    read = JSON_CONVENTION.parse('{"reasoning": "a\nb", "action": {"type": "wait"}}', SIZE)
    assert read.reasoning == "a\nb"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no JSON object"),
        ("tap the button", "no JSON object"),
        ('{"type": "tap", "at": [1, 2]}', 'no "action"'),
        ('{"action": "tap"}', 'no "action"'),
        ('{"action": {"type": "click", "at": [1, 2]}}', 'the type "click"; expected one of answer'),
        ('{"action": {"type": ["tap"]}}', 'the type ["tap"]'),
        ('{"action": {"type": "tap"}}', "at: Field required"),
        ('{"action": {"type": "tap", "at": [1]}}', "[1]; expected two numbers"),
        ('{"action": {"type": "tap", "at": [1, "b"]}}', "expected two numbers"),
        ('{"action": {"type": "tap", "at": [true, 2]}}', "expected two numbers"),
        ('{"action": {"type": "tap", "at": {"x": 1, "y": 2}}}', "an object; expected two numbers"),
        ('{"action": {"type": "tap", "at": [1, 1001]}}', "x and y run from 0 to 1000"),
        ('{"action": {"type": "tap", "at": [-1, 1]}}', "x and y run from 0 to 1000"),
        ('{"action": {"type": "tap", "at": [NaN, 1]}}', "x and y run from 0 to 1000"),
        ('{"action": {"type": "tap", "at": [1, 2], "count": 3}}', "count: Extra inputs"),
        ('{"action": {"type": "wait", "duration_s": 1e999}}', "duration_s"),
        ('{"action": {"type": "press_key", "key": "f13"}}', "key: Input should be"),
        ('{"action": {"type": "wait"}, "reasoning": 3}', '"reasoning" is 3; expected a string'),
        ('{"action": {"type": "wait"}, "reasoning": "cut \\ud83d"}', "half a character"),
        ('{"action": {"type": "wait"}, "target": "\\udc00"}', "half a character"),
        (
            '{"action": {"type": "type_text", "text": "cut \\ud83d"}}',
            "its words hold half a character",
        ),
        ('{"action": {"type": "hotkey", "keys": ["\\ud83d"]}}', "half a character"),
        ('{"action": {"type": "\\ud83d"}}', r'the type "\ud83d"'),
        ('{"action": {"type": "wait", "\\ud83d": 1}}', "valid string"),
        ('{"action": {"type": "tap", "at": [' + "9" * 5000 + ", 2]}}", "run from 0 to 1000"),
    ],
)
def test_what_is_wrong_with_an_answer_is_told(text: str, problem: str) -> None:
    with pytest.raises(BadAnswerError) as caught:
        JSON_CONVENTION.parse(text, SIZE)
    assert problem in str(caught.value)
    assert str(caught.value).encode()  # it is handed on to models and logs


@pytest.mark.parametrize(
    "text",
    ["{" * 300_000, '{"' * 150_000, '{"a":' * 100_000, '{"a":[' * 50_000, '{"a":1}' * 40_000],
    ids=["braces", "quotes", "objects", "lists", "pairs"],
)
def test_a_long_answer_takes_time_in_proportion(text: str) -> None:
    started = time.process_time()
    with pytest.raises(BadAnswerError):
        JSON_CONVENTION.parse(text, SIZE)
    assert time.process_time() - started < 10


def test_the_prompt_has_every_action_the_task_the_history_and_the_screen() -> None:
    device = FakeDevice()
    first = device.observe()
    device.perform(actions.Wait())
    now = device.observe()
    steps = [
        Step(
            first,
            Decision(actions.Tap(at=Point(0.5, 0.25)), "r", "the save button"),
            0.0,
            ("Go on.",),
        )
    ]
    system, user = JSON_CONVENTION.prompt("Save the note", steps, now)
    for kind in ("tap", "swipe", "type_text", "finish", "hotkey"):
        assert f'"type": "{kind}"' in system.text
    assert '"at": [x, y]' in system.text
    assert '"key": "back" | "forward" | "home"' in system.text
    assert "Task: Save the note" in user.text
    assert '- {"type": "tap", "at": [500, 250]} on the save button' in user.text
    assert "Told in return: Go on." in user.text
    assert user.parts[-1] == Picture(now.screenshot)


def test_an_answer_is_one_line_without_defaults() -> None:
    text = JSON_CONVENTION.render(READ, SIZE)
    assert text == GOOD
    assert json.loads(text)["action"] == {"type": "tap", "at": [500, 250]}
