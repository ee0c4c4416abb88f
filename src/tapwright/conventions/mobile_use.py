"""Families that call the tool `mobile_use` to act on a phone: Qwen-VL, GUI-Owl 1.5 and MAI-UI.

Verbs and arguments follow https://github.com/QwenLM/Qwen3-VL/blob/
8cdcb85d224a71da4a999e73877fd5c686db5237/cookbooks/mobile_agent.ipynb; the families differ in the
verbs that they have, in their unit, and in what stands before the call.

- "qwen2.5-vl": prompt and history of that notebook, as its outputs show them. The reason, for which
  the grammar has no place, stands before the call; the target is not written.
- "qwen3-vl": the same notebook at 9658872. Its prompt states that the screen has 999x999 pixels and
  its code divides by 999, and so do we.
- "infigui-r1": Qwen2.5-VL's tool with a thought in tags, as
  https://github.com/Reallm-Labs/InfiGUI-R1 (d280ab8, eval/android_control/android_control.py, with
  `--thinking`) asks it on AndroidControl; its client resizes pictures to at most 6400 tokens.
- "gui-owl": https://github.com/X-PLUG/MobileAgent/blob/11cea575561fb7800b5fb6b6cafa56f7a91de11f
  /Mobile-Agent-v3.5/mobile_use/utils.py; "gui-owl-androidworld", with which the published
  AndroidWorld run was made, its android_world_v3.5/android_world/agents/gui_owl.py. Today's date,
  which stands before the task in the former, is left out, as a recording does not know it. The
  client scales pictures to multiples of 28, but not in AndroidWorld.
- "mai-ui": https://github.com/Tongyi-MAI/MAI-UI/blob/4dd07b9e910a294f001452e888514d912b96cc41/src
  (prompt.py, mai_naivigation_agent.py, mai_grounding_agent.py), places divided by 999. A swipe has
  the finger's direction and perhaps the place in its middle. The prompt names AndroidWorld's apps.
  `double_click`, which another of its prompts has, is read; `ask_user` and other tools are refused.

Rules: system_button Menu, which the tool's description calls the background menu, is our key
"recents"; `key` takes adb's names. The tool ends as success or failure; without a status as
success, and `tap`, `scroll` and `open_app` are read as `click`, `swipe` and `open`, as MobileAgent
reads them (mobile_use/run_gui_owl_1_5_for_mobile.py), where GUI-Owl's wait without a time is two
seconds. `interact`, which calls the user, is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pydantic import JsonValue

from tapwright.conventions import rendering
from tapwright.conventions.arguments import ENDS, MIDDLE, Choice, Number, On
from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.family import AnswersBack, Family, InTurns, OneTurn
from tapwright.conventions.remembered import remember
from tapwright.conventions.resize import QWEN2_5_VL as QWEN_RESIZE
from tapwright.conventions.resize import SmartResize
from tapwright.conventions.tool_call import FindingToolCaller, ToolCaller
from tapwright.conventions.verbs import Grammar, verb
from tapwright.core.actions import Action, Swipe
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size

_TOOL = "mobile_use"
_BUTTONS = {"Back": "back", "Home": "home", "Menu": "recents", "Enter": "enter"}
_KEY_EVENTS = {
    **{
        one: one
        for one in ("menu", "power", "volume_up", "volume_down", "camera", "clear", "tab", "escape",
                    "space", "page_up", "page_down", "move_home", "move_end")
    },
    "del": "backspace", "forward_del": "delete", "dpad_up": "up", "dpad_down": "down",
    "dpad_left": "left", "dpad_right": "right", "back": "back", "home": "home",
    "app_switch": "recents", "enter": "enter",
}  # fmt: skip
_MOBILE_USE = Grammar(
    (
        verb("click|tap", "tap", at="coordinate"),
        verb("long_press", "long_press", at="coordinate", duration_s="time?"),
        verb("swipe|scroll", "swipe", start="coordinate", end="coordinate2"),
        verb("type", "type_text", text="text"),
        verb("answer", "answer", text="text"),
        verb("open|open_app", "open_app", app="text"),
        verb("system_button", "press_key", key=Choice("button", _BUTTONS, any_case=True)),
        verb(
            "key",
            "press_key",
            key=Choice(
                "text",
                _KEY_EVENTS | {f"keycode_{event}": key for event, key in _KEY_EVENTS.items()},
                any_case=True,
            ),
        ),
        verb("wait", "wait", duration_s="time?"),
        verb("terminate", "finish", outcome=Choice("status?", ENDS)),
    )
)


def _say_call(family: Family, step: Step) -> str:
    """An earlier call without its tags."""
    return _say_alone(step.decision, step.observation.size, family)


@remember
def _say_alone(decision: Decision, size: Size, family: Family) -> str:
    said = rendering.render_past(replace(decision, reasoning=""), size, family)
    return said.removeprefix("<tool_call>").removesuffix("</tool_call>").strip()


def _say_arguments(family: Family, step: Step) -> str:
    """The arguments of an earlier call."""
    call = _say_call(family, step)
    return call.removeprefix('{"name": "mobile_use", "arguments": ').removesuffix("}")


def _say_unquoted(family: Family, step: Step) -> str:
    return rendering.action_line(step).replace('"', "")


_QUERY = OneTurn(
    "The user query:  {task}\n"
    "Task progress (You have done the following operation on the current device): {history}"
    "{picture}",
    system="{template}",
    line="Step {number}: {step}; ",
    recall=_say_call,
)
QWEN2_5_VL = ToolCaller(
    name="qwen2.5-vl",
    source="QwenLM/Qwen3-VL@8cdcb85 cookbooks/mobile_agent.ipynb",
    space="pixel",
    resize=QWEN_RESIZE,
    tool=_TOOL,
    grammar=_MOBILE_USE.without("answer"),
    asks=_QUERY,
)
_INFIGUI = SmartResize(28, 3136, 6400 * 28**2)
INFIGUI_R1 = replace(
    QWEN2_5_VL,
    name="infigui-r1",
    source="Reallm-Labs/InfiGUI-R1@d280ab8 eval/android_control/android_control.py",
    resize=_INFIGUI,
    sends=_INFIGUI,
    before="<think>\n{reasoning}\n</think>\n",
    asks=replace(_QUERY, recall=_say_arguments),
)
QWEN3_VL = ToolCaller(
    name="qwen3-vl",
    source="QwenLM/Qwen3-VL@9658872 cookbooks/mobile_agent.ipynb",
    space="0-999",
    tool=_TOOL,
    grammar=_MOBILE_USE.without("open", "key"),
    before="Thought: {reasoning}\nAction: {line}\n",
    asks=OneTurn(
        "The user query: {task}.\n"
        "Task progress (You have done the following operation on the current device): {history}.\n"
        "{picture}",
        system="{template}",
        line="Step {number}: {step}; ",
        recall=_say_unquoted,
    ),
)

OWL_ASKS = InTurns(
    "Please generate the next move according to the UI screenshot, instruction and previous "
    "actions.\n\nInstruction: {task}\n\nPrevious actions:\n{history}",
    order="words first",
)
OWL_SENDS = SmartResize(28, 3136, 10_035_200)
OWL_SOURCE = "X-PLUG/MobileAgent@11cea57 Mobile-Agent-v3.5/"

GUI_OWL = ToolCaller(
    name="gui-owl",
    source=f"{OWL_SOURCE}mobile_use/utils.py",
    space="permille",
    sends=OWL_SENDS,
    tool=_TOOL,
    grammar=_MOBILE_USE.replacing(verb("wait", "wait", duration_s=Number("time?", unset=2.0))),
    before="Action: {line}\n",
    asks=OWL_ASKS,
)
GUI_OWL_ANDROIDWORLD = replace(
    GUI_OWL,
    name="gui-owl-androidworld",
    source=f"{OWL_SOURCE}android_world_v3.5/android_world/agents/gui_owl.py",
    sends=None,
    grammar=_MOBILE_USE,
    asks=replace(OWL_ASKS, line="Step{number}: {step}", nothing="No previous action."),
)

_REACH = 0.2
_FIRST, _LAST = 50 / 999, 949 / 999


@dataclass(frozen=True, slots=True)
class _Stroke:
    """A swipe by the finger's direction about a place, shorter near an edge of the screen."""

    fields: tuple[str, ...] = ("start", "end")

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        given = call.get("coordinate")
        middle = MIDDLE if given is None else on.place(given, "coordinate")
        x, y = (min(max(side, _FIRST), _LAST) for side in (middle.x, middle.y))
        direction = rendering.read_direction(call.get("direction"))
        across = direction in ("left", "right")
        reach = min(_REACH, x, 1 - x) if across else min(_REACH, y, 1 - y)
        if direction in ("left", "up"):
            reach = -reach
        dx, dy = (reach, 0.0) if across else (0.0, reach)
        return {"start": Point(x - dx, y - dy), "end": Point(x + dx, y + dy)}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        assert isinstance(action, Swipe)
        start, end = action.start, action.end
        middle = Point((start.x + end.x) / 2, (start.y + end.y) / 2)
        # The direction is that of the screen, whose shape no unit but pixels has.
        word = rendering.swipe_direction(on.convention, action, on.size)
        return {"direction": word, "coordinate": on.numbers(middle)}


MAI_UI = FindingToolCaller(
    name="mai-ui",
    source="Tongyi-MAI/MAI-UI@4dd07b9 src/prompt.py",
    space="0-999",
    tool=_TOOL,
    compact=True,
    before="<thinking>\n{reasoning}\n</thinking>\n",
    grammar=Grammar(
        (
            verb("click", "tap", at="coordinate"),
            verb("long_press", "long_press", at="coordinate"),
            verb("type", "type_text", text="text"),
            verb("swipe", "swipe", stroke=_Stroke()),
            verb("open", "open_app", app="text"),
            verb("drag", "drag", start="start_coordinate", end="end_coordinate"),
            verb(
                "system_button",
                "press_key",
                key=Choice(
                    "button", {word.lower(): key for word, key in _BUTTONS.items()}, any_case=True
                ),
            ),
            verb("wait", "wait", duration_s=Number("time?", read_only=True)),
            verb("answer", "answer", text="text"),
            verb(
                "terminate",
                "finish",
                outcome=Choice(
                    "status?", {"success": "success", "fail": "failure", "failure": "failure"}
                ),
            ),
        ),
        also=(verb("double_click", "double_tap", at="coordinate"),),
    ),
    asks=AnswersBack(2, system="{template}"),
    finds=OneTurn("{task}\n{picture}", system="{template:mai-ui-grounding}"),
)
