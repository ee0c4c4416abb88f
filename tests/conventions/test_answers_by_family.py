"""Answers as models of each family write them, and what they mean."""

import json
from pathlib import Path

import pytest

from tapwright.conventions import conventions
from tapwright.conventions.mobimind import MOBIMIND_DECIDER, MOBIMIND_GROUNDER
from tapwright.conventions.qwen_vl import QWEN2_5_VL
from tapwright.conventions.rendering import convert_gesture
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size, to_pixel
from tapwright.devices.fake import FakeDevice
from tapwright.errors import BadAnswerError, UngroundedAnswerError, UnsupportedByConventionError

SCREEN = Size(1080, 2400)
GOLDEN = Path(__file__).parents[1] / "golden/mobiagent/answers.json"
MIDDLE = Point(0.5, 0.5)
UP = actions.Swipe(start=Point(0.5, 0.7), end=Point(0.5, 0.3))


def box(x: int, y: int) -> str:
    return f"<|box_start|>({x},{y})<|box_end|>"


@pytest.mark.parametrize(
    ("name", "answer", "action"),
    [
        (
            "qwen2.5-vl",
            '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "system_button", '
            '"button": "Menu"}}\n</tool_call>',
            actions.PressKey(key="recents"),
        ),
        (
            "qwen2.5-vl",
            '{"name": "mobile_use", "arguments": '
            '"{\\"action\\": \\"key\\", \\"text\\": \\"del\\"}"}',
            actions.PressKey(key="backspace"),
        ),
        (
            "qwen3-vl",
            "<think>hm</think>\n\nThought: t\nAction: Tap it\n```json\n"
            '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [500, 250]}}'
            "\n```",
            actions.Tap(at=Point(500 / 999, 250 / 999)),
        ),
        (
            "gui-owl",
            'Action: "done"\n<tool_call>\n{"name": "mobile_use", "arguments": {"action": '
            '"terminate", "status": "failure"}}\n</tool_call>',
            actions.Finish(outcome="failure"),
        ),
        ("ui-tars-1.0", f"Action: click(start_box='{box(500, 250)}')",
         actions.Tap(at=Point(0.5, 0.25))),
        ("ui-tars-1.0", "Action: click(start_box='(500,250)')", actions.Tap(at=Point(0.5, 0.25))),
        (
            "ui-tars-1.0",
            f"Action: scroll(start_box='{box(500, 800)}', end_box='{box(500, 200)}')",
            actions.Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)),
        ),
        (
            "ui-tars-1.0",
            f"Action: scroll(start_box='{box(500, 500)}', direction='down')",
            actions.Scroll(at=MIDDLE, dy=0.5),
        ),
        ("ui-tars-1.0", "Action: call_user()", actions.Finish(outcome="infeasible")),
        ("ui-tars-1.5", "Action: wait()", actions.Wait(duration_s=5)),
        ("ui-tars-1.5", "Action: type(content='it's here\\n')",
         actions.TypeText(text="it's here\n")),
        ("ui-tars-1.5", "Action: hotkey(key='ctrl c')", actions.Hotkey(keys=("control", "c"))),
        ("ui-tars-1.5", "press_back()", actions.PressKey(key="back")),
        ("os-atlas", "thoughts:\nx\nactions:\nSCROLL [DOWN]<|im_end|>", UP),
        ("os-atlas", "Actions:\nTYPE [a [b] c]", actions.TypeText(text="a [b] c")),
        (
            "os-atlas",
            "actions:\nCLICK <point>[[500, 250]]</point>",
            actions.Tap(at=Point(0.5, 0.25)),
        ),
        ("os-atlas", "actions:\nOPEN_APP [Google Chrome]", actions.OpenApp(app="Google Chrome")),
        (
            "ui-venus-1.5-web",
            "<think>t</think>\n<action>Launch(url='https://example.org/')</action>",
            actions.Goto(url="https://example.org/"),
        ),
        (
            "cogagent-win",
            "Grounded Operation: LAUNCH(app='None', url='https://example.org/')",
            actions.Goto(url="https://example.org/"),
        ),
        (
            "aguvis",
            "Tap it.\nassistantos\npyautogui.click(x=0.5, y=0.25)",
            actions.Tap(at=Point(0.5, 0.25)),
        ),
        (
            "aguvis",
            "mobile.swipe(from_coord=[0.5, 0.8], to_coord=[0.5, 0.2])",
            actions.Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)),
        ),
        ("aguvis", "pyautogui.scroll(page=-0.3)", actions.Scroll(at=MIDDLE, dy=0.3)),
        ("aguvis", "mobile.terminate(status='success')", actions.Finish()),
        (
            "opencua",
            "## Action:\nDrag\n\n## Code:\n```python\npyautogui.moveTo(x=0.5, y=0.25)\n"
            "pyautogui.dragTo(x=0.5, y=0.75, button='left')\n```",
            actions.Drag(start=Point(0.5, 0.25), end=Point(0.5, 0.75)),
        ),
        ("opencua", "```python\npyautogui.press(keys=['home'])\n```",
         actions.PressKey(key="move_home")),
        ("opencua", "```python\npyautogui.scroll(-5)\n```", actions.Scroll(at=MIDDLE, dy=0.5)),
        (
            "opencua",
            "```code\ncomputer.terminate(status='failure')\n```",
            actions.Finish(outcome="failure"),
        ),
        ("opencua", "```python\npyautogui.click(0.5, 0.25, clicks=2)\n```",
         actions.DoubleTap(at=Point(0.5, 0.25))),
        ("opencua", "```python\npyautogui.tripleClick(0.5, 0.25)\n```",
         actions.TripleTap(at=Point(0.5, 0.25))),
        ("opencua", "```python\ncomputer.triple_click(x=0.5, y=0.25)\n```",
         actions.TripleTap(at=Point(0.5, 0.25))),
        ("opencua", "```python\npyautogui.moveTo(0.5, 0.25)\npyautogui.scroll(-5)\n```",
         actions.Scroll(at=Point(0.5, 0.25), dy=0.5)),
        ("opencua", "```python\npyautogui.write('a')\npyautogui.press('enter')\n```",
         actions.TypeText(text="a\n")),
        ("opencua", "```code\ncomputer.terminate(status='fail')\n```",
         actions.Finish(outcome="failure")),
        ("opencua-72b", "## Code:\n```code\ncomputer.wait()\n```", actions.Wait(duration_s=20)),
        (
            "opencua-72b",
            "## Code:\n```code\ncomputer.terminate(status=\"success\", answer='''it's\n4''')\n```",
            actions.Answer(text="it's\n4"),
        ),
        (
            "kimi-k2.5",
            "◁think▷so◁/think▷## Action:\nSave it.\n## Code:\n```python\n"
            "pyautogui.hotkey('ctrl', 's')\n```",
            actions.Hotkey(keys=("control", "s")),
        ),
        ("opencua", "```python\npyautogui.moveTo(0.5, 0.25)\n```",
         actions.Hover(at=Point(0.5, 0.25))),
        (
            "autoglm",
            '<think>x</think><answer>do(action="Tap", element=[500,250], message="pay")</answer>',
            actions.Tap(at=Point(0.5, 0.25)),
        ),
        (
            "autoglm",
            '<answer>do(action="Type", text="say "hi"\nand \\ go")</answer>',
            actions.TypeText(text='say "hi"\nand \\ go', clear=True),
        ),
        ("autoglm", 'I wait.\ndo(action="Wait", duration="2 seconds")', actions.Wait(duration_s=2)),
        ("autoglm", 'finish(message="done (all of it)")',
         actions.Finish(reason="done (all of it)")),
        ("autoglm", "finish()", actions.Finish()),
        ("autoglm", "All of it.\nfinish(message=done)\n", actions.Finish(reason="done")),
        ("autoglm", 'do(action="Launch", app="微信")', actions.OpenApp(app="微信")),
        ("agentcpm-gui", '{"thought":"x","POINT":[500,250]}', actions.Tap(at=Point(0.5, 0.25))),
        (
            "agentcpm-gui",
            '{"POINT":[500,250],"duration":1000}',
            actions.LongPress(at=Point(0.5, 0.25), duration_s=1),
        ),
        (
            "agentcpm-gui",
            '{"POINT":[500,250],"to":"up"}',
            actions.Swipe(start=Point(0.5, 0.25), end=Point(0.5, 0)),
        ),
        ("agentcpm-gui", '{"duration":3000}', actions.Wait(duration_s=3)),
        ("agentcpm-gui", '{"STATUS":"impossible"}', actions.Finish(outcome="infeasible")),
        ("agentcpm-gui", '{"PRESS":"HOME","STATUS":"continue"}', actions.PressKey(key="home")),
        (
            "mobimind-e2e",
            '{"action": "swipe", "parameters": {"direction": "UP"}}',
            UP,
        ),
        ("holo", '{"action": "click_absolute", "x": 0, "y": 0}', None),
        (
            "openai-computer",
            '{"output": [{"type": "reasoning"}, {"type": "computer_call", "action": '
            '{"type": "keypress", "keys": ["CTRL", "c"]}}]}',
            actions.Hotkey(keys=("control", "c")),
        ),
        (
            "openai-computer",
            '{"type": "scroll", "x": 540, "y": 1200, "scroll_x": 0, "scroll_y": -1200}',
            None,
        ),
        (
            "openai-computer",
            '{"type": "computer_call", "actions": [{"type": "wait"}]}',
            actions.Wait(),
        ),
        (
            "anthropic-computer",
            '{"content": [{"type": "text", "text": "Saving."}, {"type": "tool_use", "name": '
            '"computer", "input": {"action": "key", "text": "ctrl+s"}}], '
            '"stop_reason": "tool_use"}',
            actions.Hotkey(keys=("control", "s")),
        ),
        ("anthropic-computer", '{"action": "key", "text": "Return"}',
         actions.PressKey(key="enter")),
        (
            "anthropic-computer",
            '{"stop_reason": "end_turn", "content": [{"type": "text", "text": "It is done."}]}',
            actions.Finish(reason="It is done."),
        ),
        ("gemini-computer", '{"name": "go_back", "args": {}}', actions.PressKey(key="back")),
        (
            "gemini-computer",
            '{"content": {"parts": [{"functionCall": {"name": "scroll_document", "args": '
            '{"direction": "down"}}}]}}',
            actions.Scroll(at=MIDDLE, dy=0.8),
        ),
        ("androidworld", 'Reason: r\nAction: {"action_type": "swipe", "direction": "up"}', UP),
        (
            "androidworld",
            '{"action_type":"scroll","direction":"down"}',
            actions.Scroll(at=MIDDLE, dy=0.5),
        ),
        ("androidworld", '{"action_type": "answer", "text": "4"}', actions.Answer(text="4")),
        (
            "androidworld",
            '{"action_type": "input_text", "text": 12, "x": 540, "y": 600, "clear_text": true}',
            actions.TypeText(text="12\n", at=Point(540.5 / 1080, 600.5 / 2400), clear=True),
        ),
        ("androidworld", '{"action_type": "input_text", "text": "", "x": 1}',
         actions.TypeText(text="")),
        (
            "gemini-computer",
            '{"name": "type_text_at", "args": {"x": 500, "y": 250, "text": "a"}}',
            actions.TypeText(text="a", at=Point(0.5, 0.25), clear=True),
        ),
        (
            "gemini-computer",
            '{"name": "type_text_at", "args": {"x": 500, "y": 250, "text": "a", '
            '"press_enter": true, "clear_before_typing": false}}',
            actions.TypeText(text="a\n", at=Point(0.5, 0.25)),
        ),
        (
            "gemini-computer",
            '{"name": "type", "args": {"text": "a", "press_enter": true}}',
            actions.TypeText(text="a\n"),
        ),
        (
            "glm-4.5v",
            'Action: {"action_type": "input_text", "text": "a", "box_2d": [[0,0,999,999]], '
            '"override": true}',
            actions.TypeText(text="a\n", at=MIDDLE, clear=True),
        ),
        (
            "step-gui",
            "<THINK>t</THINK>\nexplain:e\taction:TYPE\tvalue:a\tpoint:500,250\tsummary:s",
            actions.TypeText(text="a", at=Point(0.5, 0.25)),
        ),
        (
            "step-gui",
            "<THINK>t</THINK>\naction:TYPE\tvalue:a\tpoint:500,250\tkeyboard_exists:true",
            actions.TypeText(text="a"),
        ),
        (
            "cogagent",
            "Grounded Operation: TYPE(box=[[500,250,500,250]], text='a')",
            actions.TypeText(text="a", at=Point(0.5, 0.25)),
        ),
        (
            "cogagent",
            "Grounded Operation: TYPE(box=[[000,000,999,999]], text='a')",
            actions.TypeText(text="a"),
        ),
        (
            "opencua",
            "```python\npyautogui.click(0.5, 0.25)\npyautogui.write('a')\n"
            "pyautogui.press('enter')\n```",
            actions.TypeText(text="a\n", at=Point(0.5, 0.25)),
        ),
        ("ui-venus-1.5-web", "<action>Type(content='a')</action>", actions.TypeText(text="a\n")),
    ],
)  # fmt: skip
def test_an_answer_means(name: str, answer: str, action: Action | None) -> None:
    read = conventions.get(name).parse(answer, SCREEN).action
    if action is None:
        assert isinstance(read, actions.Tap | actions.Scroll)
    else:
        assert read == action


@pytest.mark.parametrize(
    ("name", "answer", "decision"),
    [
        (
            "qwen2.5-vl",
            "<tool_call>\n{'name': 'mobile_use', 'arguments': {'action': 'type', "
            "'text': \"it's\"}}\n</tool_call>",
            Decision(actions.TypeText(text="it's")),
        ),
        (
            "qwen2.5-vl",
            '<tool_call>{"name": "mobile_use", "arguments": {"action": "wait", "time": "2",},}',
            Decision(actions.Wait(duration_s=2)),
        ),
        (
            "qwen2.5-vl",
            'So.</think>\n<tool_call>\n{"name": "mobile_use", "arguments": {"action": "wait"}\n'
            "</tool_call>",
            Decision(actions.Wait(), "So."),
        ),
        (
            "qwen3-vl",
            '<think>Hm.</think>\n\nThought: There.\nAction: "Tap the clock"\n<tool_call>\n'
            '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": '
            '["500", "250.0"]}}\n</tool_call>',
            Decision(actions.Tap(at=Point(500 / 999, 250 / 999)), "There.", "Tap the clock"),
        ),
        (
            "autoglm",
            'It is there. do(action="Tap", element=[500,250])',
            Decision(actions.Tap(at=Point(0.5, 0.25)), "It is there."),
        ),
        (
            "autoglm",
            '<think>t</think><answer>do(action="Type", text="a\nb")</answer><|user|>',
            Decision(actions.TypeText(text="a\nb", clear=True), "t"),
        ),
        (
            "agentcpm-gui",
            "{'thought': 't', 'POINT': [500, 250], 'PRESS': None}",
            Decision(actions.Tap(at=Point(0.5, 0.25)), "t"),
        ),
        (
            "androidworld",
            "Reason: r\nAction: {'action_type': 'input_text', 'text': 'a', 'clear_text': False}",
            Decision(actions.TypeText(text="a\n"), "r"),
        ),
        (
            "json",
            '```json\n{"reasoning": "r", "action": {"type": "tap", "at": [500, 250.0]},}\n```',
            Decision(actions.Tap(at=Point(0.5, 0.25)), "r"),
        ),
        (
            "android-tools",
            "<think>Hm.</think>r!FUNCTIONCALL{'name': 'wait', 'arguments': {'duration_s': 2}}",
            Decision(actions.Wait(duration_s=2), "r"),
        ),
        (
            "ui-tars-1.0",
            "Thought: It is there. Action: click(start_box='(500,250)')",
            Decision(actions.Tap(at=Point(0.5, 0.25)), "It is there."),
        ),
        (
            "openai-computer",
            '[{"type": "reasoning", "summary": []}, {"type": "computer_call", "action": '
            '{"type": "keypress", "keys": ["CTRL", "C"]}}]',
            Decision(actions.Hotkey(keys=("control", "c"))),
        ),
        (
            "gemini-computer",
            '{"candidates": [{"content": {"parts": [{"text": "Back."}, {"functionCall": '
            '{"name": "go_back", "args": {}}}]}}]}',
            Decision(actions.PressKey(key="back"), "Back."),
        ),
        (
            "gemini-computer",
            '{"functionCall": {"name": "click_at", "args": {"x": 500, "y": 250}}}',
            Decision(actions.Tap(at=Point(0.5, 0.25))),
        ),
    ],
)
def test_an_answer_is_read_as_a_model_may_write_it(
    name: str, answer: str, decision: Decision
) -> None:
    assert conventions.get(name).parse(answer, SCREEN) == decision


@pytest.mark.parametrize(
    ("name", "answer", "problem"),
    [
        ("ui-tars-1.5", "Action: click(point='<point>5 5</point>')\n\nwait()", "2 actions"),
        ("ui-tars-1.5", "Action: click(point='next to it')", "expected two numbers"),
        ("ui-tars-1.0", "Action: click(start_box='(1204,40)')", "off the screen"),
        ("ui-tars-1.0", "Action: scroll(direction='sideways')", "expected up, down, left"),
        ("opencua", "```python\npyautogui.click(546, 1204)\n```", "off the screen"),
        (
            "opencua",
            f"```python\n{'pyautogui.click(0.5, 0.5)' * 500}\n```",
            "500 actions in one answer; expected 1 to 100",
        ),
        ("autoglm", '<answer>do(action="Back")do(action="Home")</answer>', "2 actions"),
        ("agentcpm-gui", '{"STATUS":"paused"}', "STATUS is"),
        ("mobimind-grounder", '[{"point_2d": [500, 500]}]', "none of coordinates, bbox"),
        ("mobimind-e2e", '{"action": "open_app", "parameters": {}}', 'the action is "open_app"'),
        ("openai-computer", '{"type": "screenshot"}', "screenshot alone"),
        (
            "openai-computer",
            f'{{"type": "computer_call", "actions": [{", ".join(["{}"] * 101)}]}}',
            "the action is missing",
        ),
        ("anthropic-computer", '{"action": "left_click"}', "at the pointer"),
        (
            "gemini-computer",
            '{"name": "type_text_at", "args": {"y": 1, "text": "a"}}',
            "x is missing",
        ),
        (
            "gemini-computer",
            '{"name": "click_at", "args": {"x": 1, "y": 1, "safety_decision": {}}}',
            "requires a confirmation",
        ),
        ("androidworld", '{"action_type": "click", "index": 3}', "list of elements"),
        (
            "qwen3-vl",
            '{"name": "mobile_use", "arguments": {"action": "open", "text": "a"}}',
            "open",
        ),
        ("qwen2.5-vl", '{"name": "computer_use", "arguments": {"action": "key"}}', "computer_use"),
    ],
)
def test_what_is_wrong_with_an_answer_is_told(name: str, answer: str, problem: str) -> None:
    with pytest.raises(BadAnswerError) as caught:
        conventions.get(name).parse(answer, SCREEN)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("openai-computer", actions.OpenApp(app="Settings")),
        ("anthropic-computer", actions.OpenApp(app="Settings")),
        ("gemini-computer", actions.OpenApp(app="Settings")),
        ("opencua", actions.OpenApp(app="Settings")),
        ("qwen3-vl", actions.OpenApp(app="Settings")),
        ("opencua", actions.PressKey(key="back")),
        ("qwen2.5-vl", actions.Answer(text="4")),
        ("androidworld", actions.Hotkey(keys=("control", "c"))),
        ("anthropic-computer", actions.Hotkey(keys=("enter",))),
        ("agentcpm-gui", actions.OpenApp(app="Settings")),
        ("ui-tars-1.5", actions.Drag(start=MIDDLE, end=Point(0, 0))),
        ("os-atlas", actions.TypeText(text="a\nactions:\nWAIT")),
        ("autoglm", actions.OpenApp(app='a"b')),
        ("json", actions.Hotkey(keys=("control", "ctrl-c"))),
        ("android-tools", actions.Hotkey(keys=("fn",))),
        ("opencua", actions.Hotkey(keys=("fn",))),
    ],
)
def test_what_a_grammar_cannot_say_is_refused_by_name(name: str, action: Action) -> None:
    with pytest.raises(
        UnsupportedByConventionError, match=f"{name} has no words for {action.type}"
    ):
        conventions.get(name).render(Decision(action), SCREEN)


_USE = '<tool_call>\n{"name": "computer_use", "arguments": {"action": "key", "keys": ["…"]}}'


@pytest.mark.parametrize("key", ["ctrl-c", "ctrl,c", "回车", "{ENTER}", "volumeup", "KEY_LEFTCTRL"])
@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("aguvis", "os\npyautogui.hotkey(keys=['…'])"),
        ("android-tools", '!FUNCTIONCALL{"name": "hotkey", "arguments": {"keys": ["…"]}}'),
        ("anthropic-computer", '{"name": "computer", "input": {"action": "key", "text": "…"}}'),
        ("cogagent-win", "Grounded Operation: KEY_PRESS(key='…')"),
        ("fara", _USE),
        ("gemini-computer", '{"name": "hotkey", "args": {"keys": ["…"]}}'),
        ("glm-4.5v-computer", "key(keys='…')"),
        ("json", '{"action": {"type": "hotkey", "keys": ["…"]}}'),
        ("opencua", "## Code:\n```python\npyautogui.press('…')\n```"),
        (
            "openai-computer",
            '{"type": "computer_call", "action": {"type": "keypress", "keys": ["…"]}}',
        ),
        ("qwen3-vl-computer", _USE),
        ("qwen3.5-vl-computer", _USE),
        ("scalecua", "<action>\npress(keys='…')\n</action>"),
        ("ui-tars-1.5-computer", "Action: hotkey(key='…')"),
        ("ui-venus-1.5-web", "<action>Hotkey(keys=['…'])</action>"),
    ],
)  # fmt: skip
def test_a_key_that_no_keyboard_has_is_no_answer(name: str, answer: str, key: str) -> None:
    convention = conventions.get(name)
    with pytest.raises(BadAnswerError, match=r"a keyboard has no key|no key is named"):
        convention.parse(answer.replace("…", key), SCREEN)
    read = convention.parse(answer.replace("…", "pgdn"), SCREEN).action
    assert read == actions.PressKey(key="page_down") or getattr(read, "keys", ()) == ("page_down",)


def test_places_are_those_of_the_resized_picture() -> None:
    answer = '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [935, 406]}}'
    read = QWEN2_5_VL.parse(answer, SCREEN).action
    assert isinstance(read, actions.Tap)
    assert to_pixel(read.at, Size(1092, 2408)) == (935, 406)
    assert to_pixel(read.at, SCREEN) == (925, 405)
    assert "1092x2408" in _words_for(SCREEN)


def _words_for(size: Size) -> str:
    (system, _) = QWEN2_5_VL.prompt("x", [], FakeDevice(size=size).observe())
    return system.text


@pytest.mark.parametrize("answer", json.loads(GOLDEN.read_text())["mobimind_decider_train.json"])
def test_the_decider_speaks_as_it_is_trained_to(answer: str) -> None:
    try:
        read = MOBIMIND_DECIDER.parse(answer, SCREEN)
    except UngroundedAnswerError as error:
        read = Decision(actions.Tap(at=MIDDLE), error.reasoning, error.target)
    assert MOBIMIND_DECIDER.render(read, SCREEN) == answer


@pytest.mark.parametrize("answer", json.loads(GOLDEN.read_text())["mobimind_grounder_train.json"])
def test_the_grounder_speaks_as_it_is_trained_to(answer: str) -> None:
    read = MOBIMIND_GROUNDER.parse(answer, Size(540, 1200)).action
    numbers = next(iter(json.loads(answer).values()))
    left, top, right, bottom = numbers if len(numbers) == 4 else numbers * 2
    assert isinstance(read, actions.Tap)
    assert to_pixel(read.at, Size(540, 1200)) == ((left + right) // 2, (top + bottom) // 2)


@pytest.mark.parametrize(
    ("scroll", "swipe"),
    [
        (
            actions.Scroll(at=MIDDLE, dy=0.5),
            actions.Swipe(start=Point(0.5, 0.75), end=Point(0.5, 0.25)),
        ),
        (
            actions.Scroll(at=MIDDLE, dx=-0.5),
            actions.Swipe(start=Point(0.25, 0.5), end=Point(0.75, 0.5)),
        ),
    ],
)
def test_a_wheel_and_a_finger_that_show_the_same_are_twins(
    scroll: actions.Scroll, swipe: actions.Swipe
) -> None:
    assert convert_gesture(scroll, SCREEN) == swipe
    assert convert_gesture(swipe, SCREEN) == scroll
