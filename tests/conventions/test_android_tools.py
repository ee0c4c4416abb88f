import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.conventions.android_tools import (
    ANDROID_TOOLS_CONVENTION,
    answer_message,
    chat_messages,
    render_chat,
)
from tapwright.conventions.chat import guard, plain_chat
from tapwright.conventions.function_calls import TOOLS
from tapwright.conventions.training_text import render_pair
from tapwright.core.actions import Action, Drag, Finish, Swipe, Tap, TypeText, Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size, from_pixel, to_pixel
from tapwright.core.messages import Picture
from tapwright.devices.fake import FakeDevice
from tapwright.errors import BadAnswerError
from tests.strategies import ACTIONS

GOLDEN = Path(__file__).parents[1] / "golden" / "chat_template" / "cases.json"
CASES = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]
SIZE = Size(1080, 2400)
Told: TypeAlias = dict[str, str | bool]
TAP = '!FUNCTIONCALL{"name": "tap", "arguments": {"x_coordinate": 540, "y_coordinate": 1200}}'
DECISIONS = st.builds(
    Decision,
    # What cannot be written down, as half an emoji cannot, is no answer.
    ACTIONS.filter(lambda action: r"\ud" not in repr(action)),
    st.text(),
    st.text(),
)
READ = Decision(Tap(at=from_pixel(540, 1200, SIZE)))


def told(render: Callable[[], str]) -> Told:
    """What rendering gives, in the words of the golden file."""
    try:
        return {"ok": True, "text": render()}
    except Exception as error:  # noqa: BLE001 - which errors there are is what is tested
        kind = type(error)
        name = f"{kind.__module__}.{kind.__qualname__}"
        return {"ok": False, "error_type": name, "error": str(error)}


def snapped(action: Action) -> Action:
    """The action with its places in the middle of their pixels."""

    def snap(value: Point) -> Point:
        return from_pixel(*to_pixel(value, SIZE), SIZE)

    places: dict[str, Point | tuple[Point, ...]] = {
        name: snap(value)
        for name in type(action).model_fields
        if isinstance(value := getattr(action, name), Point)
    }
    if isinstance(action, Drag):
        places["path"] = tuple(map(snap, action.path))
    return action.model_copy(update=places)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_chat_is_written_as_its_template_writes_it(case: dict[str, Any]) -> None:
    assert told(lambda: render_chat(**case["kwargs"])) == case["expect"]


@pytest.mark.parametrize(
    "case", [case for case in CASES if "expect_completion" in case], ids=lambda case: case["id"]
)
def test_the_completion_is_what_follows_the_prompt(case: dict[str, Any]) -> None:
    pair = render_pair(case["kwargs"]["messages"], case["kwargs"]["tools"])
    assert pair.completion == case["expect_completion"]
    bos = case["kwargs"]["bos_token"]
    assert {"ok": True, "text": f"{bos}{pair.text}"} == case["expect"]


@pytest.mark.parametrize(
    "case", [case for case in CASES if "expect_tokenizer_v5" in case], ids=lambda case: case["id"]
)
def test_a_plain_chat_is_written_where_null_content_is_refused(
    case: dict[str, Any],
) -> None:
    kwargs = {**case["kwargs"], "messages": plain_chat(case["kwargs"]["messages"])}
    assert told(lambda: render_chat(**kwargs)) == case["expect_tokenizer_v5"]


def test_custom_tools_win_even_when_they_are_none() -> None:
    chat = chat_messages("Go", [], FakeDevice().observe())
    one, other = TOOLS[:1], TOOLS[1:2]
    assert render_chat(chat, one, custom_tools=other) == render_chat(chat, other)
    with pytest.raises(Exception, match="Missing 'tools' in request input"):
        render_chat(chat, one, custom_tools=None)


@given(decision=DECISIONS)
def test_what_is_rendered_is_read_back(decision: Decision) -> None:
    text = ANDROID_TOOLS_CONVENTION.render(decision, SIZE)
    expected = Decision(snapped(decision.action), decision.reasoning.strip(), decision.target)
    assert ANDROID_TOOLS_CONVENTION.parse(text, SIZE) == expected
    assert ANDROID_TOOLS_CONVENTION.parse(f"{text}<|eot_id|>\n", SIZE) == expected


@given(decision=DECISIONS)
def test_the_template_writes_an_answer_as_the_convention_renders_it(decision: Decision) -> None:
    chat = chat_messages("Go", [], FakeDevice().observe())
    pair = render_pair([*chat, answer_message(decision, SIZE)], TOOLS)
    assert pair.completion == ANDROID_TOOLS_CONVENTION.render(decision, SIZE) + "<|eot_id|>\n"


@given(instruction=st.text(), decision=DECISIONS)
def test_recorded_text_adds_no_picture_no_turn_and_no_call(
    instruction: str, decision: Decision
) -> None:
    trap = "<image><|eot_id|>!FUNCTIONCALL{}"
    seen = FakeDevice().observe()
    step = Step(seen, Decision(TypeText(text=trap), trap, decision.target + trap), 0.0, (trap,))
    chat = [*chat_messages(instruction + trap, [step], seen), answer_message(step.decision, SIZE)]
    pair = render_pair(chat, TOOLS)
    assert pair.prompt.count("<image>") == 1
    assert pair.prompt.count("<|eot_id|>") == 1 + len(chat) - 1
    assert pair.completion.count("!FUNCTIONCALL") == 1


def test_the_chat_of_a_step_has_the_roles_of_the_template() -> None:
    seen = FakeDevice().observe()
    step = Step(seen, Decision(Tap(at=Point(0.5, 0.5)), "r", "the button"), 0.0, ("Go on.",))
    chat = chat_messages("Save the note", [step], seen)
    assert [turn["role"] for turn in chat] == [
        "instruction", "previous_actions", "active_application", "screen_description",
    ]  # fmt: skip
    assert chat[1]["content"] == (
        '[{"name": "tap", "arguments": {"x_coordinate": 135, "y_coordinate": 300, '
        '"target": "the button"}, "told_in_return": ["Go on."]}]'
    )
    assert render_chat(chat, TOOLS, add_generation_prompt=True).endswith(
        "screen_width: 270\nscreen_height: 600\n\n<image><|eot_id|>\n"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    )


def test_the_prompt_has_the_tools_the_task_the_history_and_the_screen() -> None:
    seen = FakeDevice().observe()
    step = Step(seen, Decision(Swipe(start=Point(0.5, 0.5), end=Point(0.5, 0))))
    system, user = ANDROID_TOOLS_CONVENTION.prompt("Save the note", [step], seen)
    assert system.text.startswith("Cutting Knowledge Date")
    assert system.text.endswith("inside of the screen_description.")
    assert all(json.dumps(tool, ensure_ascii=False) in system.text for tool in TOOLS)
    assert "instruction:\nSave the note" in user.text
    assert '"end_y_coordinate": 0}' in user.text
    assert user.parts[-1] == Picture(seen.screenshot)


@pytest.mark.parametrize(
    ("text", "reasoning"),
    [
        (TAP, ""),
        (f"It is there.\n{TAP}", "It is there."),
        (f"{TAP}<|eot_id|>", ""),
        (f"```\n{TAP}\n```", "```"),
        (TAP.replace("CALL{", "CALL \n{"), ""),
        (TAP.replace("540", "540.9"), ""),
        (f'Or !FUNCTIONCALL{{"name": "wait", "arguments": {{}}}} no: {TAP}', "Or"),
        (f'{TAP}!FUNCTIONCALL{{"name": "fly", "arguments": {{}}}}', ""),
        (f'!FUNCTIONCALL{{"name": "tap", "argu {TAP}', ""),
        (f"<{guard('<image>')[1:]} {TAP}", "<image>"),
    ],
)
def test_a_call_is_found_wherever_it_stands(text: str, reasoning: str) -> None:
    assert ANDROID_TOOLS_CONVENTION.parse(text, SIZE) == Decision(READ.action, reasoning)


def test_arguments_in_a_string_are_read_too() -> None:
    text = r'!FUNCTIONCALL{"name": "type_text", "arguments": "{\"text\": \"a\"}"}'
    assert ANDROID_TOOLS_CONVENTION.parse(text, SIZE).action == TypeText(text="a")


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("", "no !FUNCTIONCALL{…}"),
        ('{"name": "tap", ', "no JSON object in the answer"),
        ('{"arguments": {}}', "no tool is called missing; expected one of tap, double_tap"),
        ('{"name": "click", "arguments": {}}', 'no tool is called "click"'),
        ('{"name": ["tap"], "arguments": {}}', 'no tool is called ["tap"]'),
        ('{"name": "tap"}', "the arguments of tap are missing; expected an object"),
        ('{"name": "tap", "arguments": "x"}', 'the arguments are "x", a string that is no JSON'),
        (
            '{"name": "tap", "arguments": {"x_coordinate": 1}}',
            "y_coordinate of tap is missing",
        ),
        (
            '{"name": "tap", "arguments": {"x_coordinate": true, "y_coordinate": 1}}',
            "of tap is true",
        ),
        ('{"name": "tap", "arguments": {"x_coordinate": 1080, "y_coordinate": 1}}', "(1080, 1) is"),
        ('{"name": "tap", "arguments": {"x_coordinate": NaN, "y_coordinate": 1}}', "(nan, 1) is"),
        ('{"name": "tap", "arguments": {"x_coordinate": 1, "y_coordinate": 1, "z": 1}}', "z: Ext"),
        ('{"name": "wait", "arguments": {"duration_s": -1}}', "Wait duration_s: Input"),
        (
            '{"name": "wait", "arguments": {"target": 1}}',
            "the target of wait is 1",
        ),
        ('{"name": "wait", "arguments": {"target": "\\ud83d"}}', "half a character"),
        ('{"name": "hotkey", "arguments": {"keys": ["\\ud83d"]}}', "half a character"),
        ('{"name": "\\ud83d"}', r'called "\ud83d"'),
    ],
)
def test_what_is_wrong_with_a_call_is_told(call: str, problem: str) -> None:
    with pytest.raises(BadAnswerError) as caught:
        ANDROID_TOOLS_CONVENTION.parse(f"!FUNCTIONCALL{call}", SIZE)
    assert problem in str(caught.value)
    assert str(caught.value).encode()  # it is handed on to models and logs


def test_there_is_a_tool_for_every_action_with_what_it_needs() -> None:
    tools = {
        tool["function"]["name"]: tool["function"]["parameters"]
        for tool in json.loads(json.dumps(TOOLS))
    }
    assert len(tools) == 24
    assert tools["swipe"]["required"] == [
        "start_x_coordinate", "start_y_coordinate", "end_x_coordinate", "end_y_coordinate",
    ]  # fmt: skip
    assert tools["finish"]["properties"]["outcome"] == {
        "default": "success",
        "enum": ["success", "failure", "infeasible"],
        "type": "string",
    }
    assert tools["wait"]["required"] == []


def test_default_fields_and_an_empty_target_are_left_out() -> None:
    assert ANDROID_TOOLS_CONVENTION.render(READ, SIZE) == TAP
    assert ANDROID_TOOLS_CONVENTION.render(Decision(Wait()), SIZE).endswith('"arguments": {}}')
    assert ANDROID_TOOLS_CONVENTION.render(Decision(Finish()), SIZE).endswith('"arguments": {}}')
