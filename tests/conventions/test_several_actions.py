"""An answer that holds several actions: which families have it, and that they read what they write.

What upstream's own code does with such an answer: OpenCUA, EvoCUA (S1), Kimi and Aguvis run a block
of PyAutoGUI; UI-TARS splits it at ")\n\n" (`action_parser.py`); Qwen's, EvoCUA's (S2) and GUI-Owl's
agents on OSWorld do every call of the tool; OpenAI's tool has a batch; Claude's reference and
Gemini's do every call of a message. Open-AutoGLM's `parse_action` reads one expression.
"""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.conventions import conventions
from tapwright.conventions.pyautogui import fold_gestures
from tapwright.conventions.spoken import ToolConvention, tool_messages
from tapwright.core.actions import (
    Action,
    AskUser,
    ButtonDown,
    ButtonUp,
    DoubleTap,
    Drag,
    Finish,
    Hotkey,
    Hover,
    KeyDown,
    KeyUp,
    PressKey,
    Scroll,
    Tap,
    TripleTap,
    TypeText,
    Wait,
)
from tapwright.core.episode import MAX_ACTIONS, Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Picture, Text, ToolCall
from tapwright.core.observation import Observation
from tapwright.devices.fake import FakeDevice, painted_scene
from tapwright.errors import UnsupportedByConventionError

SCREEN = Size(1280, 800)
PLACES = [Point(x, y) for x in (0.1, 0.5, 0.9) for y in (0.2, 0.8)]
AT = st.sampled_from(PLACES)
HELD = st.sampled_from([(), ("shift",), ("control", "alt")])
SEVERAL = {
    "aguvis", "anthropic-computer", "anthropic-computer-high", "dart-gui", "mano",
    "doubao-1.5-ui-tars-computer",
    "evocua-s1", "evocua-s2", "gemini-computer", "gui-owl-computer", "kimi-k2.5",
    "kimi-k2.5-instant", "kimi-vl", "openai-computer", "opencua", "opencua-72b",
    "opencua-agentnetbench", "opencua-qwen2.5", "qwen2.5-vl-computer", "qwen2.5-vl-osworld",
    "qwen3-vl-computer", "qwen3-vl-osworld", "qwen3.5-vl-computer",
    "scalecua", "scalecua-android", "ui-tars-1.0-computer", "ui-tars-1.5-computer",
}  # fmt: skip
PROVIDERS = ["anthropic-computer", "openai-computer", "gemini-computer"]

ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(Tap, at=AT, button=st.sampled_from(["left", "right"]), held=HELD),
    st.builds(DoubleTap, at=AT),
    st.builds(TripleTap, at=AT, held=HELD),
    st.builds(Hover, at=AT),
    st.builds(Scroll, at=AT, dy=st.sampled_from([-0.5, 1.0]), held=HELD),
    st.builds(Drag, start=AT, end=AT),
    st.builds(TypeText, text=st.sampled_from(["a", "it's\n", "你好"])),
    st.builds(PressKey, key=st.sampled_from(["enter", "tab", "up"])),
    st.builds(Hotkey, keys=st.just(("control", "c"))),
    st.builds(ButtonDown, at=AT | st.none()),
    st.builds(ButtonUp, at=AT | st.none()),
    st.builds(KeyDown, key=st.just("shift")),
    st.builds(KeyUp, key=st.just("shift")),
    st.just(Wait()),
)


def near(one: Action, other: Action) -> bool:
    """Whether both are the same, their places but for the rounding of a pixel."""
    if type(one) is not type(other):
        return False
    for name in type(one).model_fields:
        ours, theirs = getattr(one, name), getattr(other, name)
        if isinstance(ours, Point) and isinstance(theirs, Point):
            if max(abs(ours.x - theirs.x), abs(ours.y - theirs.y)) > 0.003:
                return False
        elif name == "path":
            if not all(map(near, map(_tap, ours), map(_tap, theirs))):
                return False
        elif name not in ("duration_s", "dx", "dy", "reason") and ours != theirs:
            return False
    return True


def _tap(at: Point) -> Action:
    return Tap(at=at)


@pytest.mark.parametrize("name", conventions.names())
def test_a_family_without_several_actions_refuses_them(name: str) -> None:
    convention = conventions.get(name)
    two = Decision([Tap(at=PLACES[0]), Tap(at=PLACES[1])], "Because.", "the button")
    if name in SEVERAL:
        read = convention.parse(convention.render(two, SCREEN), SCREEN)
        assert len(read.actions) == 2
        assert all(map(near, read.actions, two.actions))
    else:
        with pytest.raises(UnsupportedByConventionError):
            convention.render(two, SCREEN)


@pytest.mark.parametrize("name", sorted(SEVERAL))
@settings(max_examples=40)
@given(actions=st.lists(ACTIONS, min_size=2, max_size=5))
def test_what_is_said_of_several_is_read_back(name: str, actions: list[Action]) -> None:
    convention = conventions.get(name)
    decision = Decision(actions, "It is next.", "the bell")
    try:
        text = convention.render(decision, SCREEN)
    except UnsupportedByConventionError:
        return
    read = convention.parse(text, SCREEN)
    # Some families tell one gesture in two calls, so both are told in as few actions as they can.
    back, said = fold_gestures(read.actions), fold_gestures(actions)
    assert [one.type for one in back] == [one.type for one in said]
    assert all(map(near, back, said))
    assert convention.parse(convention.render(read, SCREEN), SCREEN) == read


@pytest.mark.parametrize("name", sorted(SEVERAL))
def test_an_answer_has_a_hundred_actions_at_most(name: str) -> None:
    convention = conventions.get(name)
    most = Decision([Tap(at=PLACES[at % 2]) for at in range(MAX_ACTIONS)])
    text = convention.render(most, SCREEN)
    assert len(convention.parse(text, SCREEN).actions) == MAX_ACTIONS


@pytest.mark.parametrize("name", ["evocua-s2", "gui-owl-computer", "qwen3.5-vl-computer"])
def test_calls_in_a_row_are_one_decision_and_a_draft_is_none(name: str) -> None:
    convention = conventions.get(name)
    draft = convention.render(Decision(Tap(at=PLACES[5])), SCREEN)
    final = convention.render(Decision([Tap(at=PLACES[0]), TypeText(text="a")]), SCREEN)
    read = convention.parse(f"{draft}\nNo, this:\n{final}", SCREEN)
    assert [one.type for one in read.actions] == ["tap", "type_text"]


@pytest.mark.parametrize(
    ("name", "answer", "expected"),
    [
        (
            "anthropic-computer",
            {
                "type": "message",
                "stop_reason": "tool_use",
                "content": [
                    {"type": "text", "text": "Both files."},
                    *(
                        {"type": "tool_use", "name": "computer", "input": given}
                        for given in (
                            {"action": "mouse_move", "coordinate": [640, 400]},
                            {"action": "left_click"},
                            {"action": "screenshot"},
                            {"action": "key", "text": "Down", "repeat": 2},
                            {"action": "left_click", "coordinate": [128, 160], "text": "ctrl"},
                            {"action": "hold_key", "text": "shift", "duration": 2},
                            {"action": "left_mouse_up"},
                        )
                    ),
                ],
            },
            [
                Hover(at=Point(0.5, 0.5)),
                Tap(at=Point(0.5, 0.5)),
                PressKey(key="down"),
                PressKey(key="down"),
                Tap(at=Point(0.1, 0.2), held=("control",)),
                Hotkey(keys=("shift",), duration_s=2),
                ButtonUp(),
            ],
        ),
        (
            "openai-computer",
            {
                "type": "computer_call",
                "actions": [
                    {"type": "screenshot"},
                    {"type": "click", "button": "left", "x": 128, "y": 160, "keys": ["CTRL"]},
                    {
                        "type": "drag",
                        "path": [{"x": 128, "y": 160}, {"x": 640, "y": 160}, {"x": 640, "y": 400}],
                        "keys": ["SHIFT"],
                    },
                    {"type": "screenshot"},
                ],
            },
            [
                Tap(at=Point(0.1, 0.2), held=("control",)),
                Drag(
                    start=Point(0.1, 0.2),
                    path=(Point(0.5, 0.2),),
                    end=Point(0.5, 0.5),
                    held=("shift",),
                ),
            ],
        ),
        (
            "gemini-computer",
            {
                "content": {
                    "parts": [
                        {"functionCall": {"name": "key_down", "args": {"key": "shift"}}},
                        {"functionCall": {"name": "click", "args": {"x": 100, "y": 200}}},
                        {"functionCall": {"name": "take_screenshot", "args": {}}},
                        {"functionCall": {"name": "key_up", "args": {"key": "shift"}}},
                    ]
                },
                "finish_reason": "STOP",
            },
            [KeyDown(key="shift"), Tap(at=Point(0.1, 0.2)), KeyUp(key="shift")],
        ),
    ],
)
def test_a_providers_answer_is_read_call_by_call(
    name: str, answer: object, expected: list[Action]
) -> None:
    read = conventions.get(name).parse(json.dumps(answer), SCREEN)
    assert [one.type for one in read.actions] == [one.type for one in expected]
    assert all(map(near, read.actions, expected))


def test_code_with_keys_that_are_held_and_buttons_that_stay_down_is_read() -> None:
    code = (
        "pyautogui.keyDown('ctrl')\npyautogui.click(x=0.1, y=0.2)\npyautogui.click(x=0.5, y=0.2)\n"
        "pyautogui.keyUp('ctrl')\npyautogui.mouseDown(x=0.1, y=0.2)\npyautogui.moveTo(x=0.5, y=0.8)"
        "\npyautogui.mouseUp()\npyautogui.keyDown('shift')\npyautogui.press('down')\n"
        "pyautogui.keyUp('shift')"
    )
    read = conventions.get("opencua").parse(f"```python\n{code}\n```", SCREEN)
    assert list(read.actions) == [
        KeyDown(key="control"),
        Tap(at=Point(0.1, 0.2)),
        Tap(at=Point(0.5, 0.2)),
        KeyUp(key="control"),
        Drag(start=Point(0.1, 0.2), end=Point(0.5, 0.8)),
        Hotkey(keys=("shift", "down")),
    ]


def test_autoglm_asks_the_user_and_notes_do_nothing_to_the_phone() -> None:
    autoglm = conventions.get("autoglm")
    asked = autoglm.parse('do(action="Take_over", message="log in")', SCREEN)
    assert asked.action == AskUser(text="log in")
    assert autoglm.parse(autoglm.render(asked, SCREEN), SCREEN) == asked
    assert autoglm.parse('do(action="Interact")', SCREEN).action == AskUser(text="")
    noted = autoglm.parse('<think>Why.</think><answer>do(action="Note", message="True")', SCREEN)
    assert (noted.action, noted.reasoning) == (Wait(duration_s=0), "Why.\nNote: True")


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_end_goes_alone(name: str) -> None:
    with pytest.raises(UnsupportedByConventionError, match="does not end the task"):
        conventions.get(name).render(Decision([Tap(at=PLACES[0]), Finish()]), SCREEN)


def _looks() -> list[Observation]:
    device = FakeDevice([painted_scene(number) for number in range(3)])
    looks = [device.observe()]
    for _ in range(2):
        device.perform(Wait())
        looks.append(device.observe())
    return looks


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_call_of_the_history_has_the_screen_after_it(name: str) -> None:
    convention = conventions.get(name)
    assert isinstance(convention, ToolConvention)
    looks = _looks()
    before, between, now = (looks[number] for number in range(3))
    step = Step(
        before,
        Decision([Tap(at=PLACES[0]), TypeText(text="a"), PressKey(key="enter")], "Because."),
        between=(between,),
    )
    _, made, *results = tool_messages(convention, "Do it", [step], now)
    calls = [part for part in made.parts if isinstance(part, ToolCall)]
    assert [message.role for message in results] == ["tool"] * len(calls)
    assert results[-1].parts[-1] == Picture(now.screenshot)
    if name == "openai-computer":
        actions = calls[0].arguments["actions"]
        assert isinstance(actions, list)
        assert len(actions) == 3
    else:
        assert results[0].parts == (Picture(between.screenshot),)
        assert isinstance(results[1].parts[0], Text)


def test_earlier_steps_of_several_actions_are_told_in_one_line() -> None:
    seen = _looks()[0]
    step = Step(seen, Decision([Tap(at=PLACES[0]), TypeText(text="a")], "Why.", "the field"))
    for name in conventions.names():
        messages = conventions.get(name).prompt("Do it", [step], seen)
        assert messages
    words = conventions.get("qwen3-vl-osworld").prompt("Do it", [step] * 6, seen)
    told = "".join(message.text for message in words)
    assert 'Step 1: click the field, then type "a"' in told
