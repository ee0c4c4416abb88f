"""The tool `mobile_use`, with which Qwen-VL acts on a phone (`qwen_vl`), GUI-Owl 1.5 and MAI-UI.

Verbs and arguments follow https://github.com/QwenLM/Qwen3-VL/blob/
8cdcb85d224a71da4a999e73877fd5c686db5237/cookbooks/mobile_agent.ipynb; the families differ in the
verbs that they have, in their unit, and in what stands before the call.

- "gui-owl": https://github.com/X-PLUG/MobileAgent/blob/11cea575561fb7800b5fb6b6cafa56f7a91de11f
  /Mobile-Agent-v3.5/mobile_use/utils.py; "gui-owl-androidworld", with which the published
  AndroidWorld run was made, its android_world_v3.5/android_world/agents/gui_owl.py. Today's date,
  which stands before the task in the former, is left out, as a recording does not know it. The
  client scales pictures to multiples of 28, but not in AndroidWorld.
- "mai-ui": https://github.com/Tongyi-MAI/MAI-UI/blob/4dd07b9e910a294f001452e888514d912b96cc41/src
  (prompt.py, mai_naivigation_agent.py, mai_grounding_agent.py), places divided by 999. A swipe has
  the finger's direction and perhaps the place in its middle. The prompt names AndroidWorld's apps.
  `double_click` and `ask_user`, which others of its prompts have, are read; other tools refused.

Rules: system_button Menu, which the tool's description calls the background menu, is our key
"recents"; `key` takes adb's names. The tool ends as success or failure; without a status as
success, and `tap`, `scroll` and `open_app` are read as `click`, `swipe` and `open`, as MobileAgent
reads them (mobile_use/run_gui_owl_1_5_for_mobile.py), where GUI-Owl's wait without a time is two
seconds, and `interact` asks the user, perhaps without words; elsewhere it is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pydantic import JsonValue

from tapwright.conventions import rendering
from tapwright.conventions.arguments import ENDS, MIDDLE, Choice, Number, On
from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.family import AnswersBack, InTurns, OneTurn
from tapwright.conventions.resize import SmartResize
from tapwright.conventions.tool_call import FindingToolCaller, ToolCaller
from tapwright.conventions.verbs import Grammar, verb
from tapwright.core.actions import Action, Swipe
from tapwright.core.geometry import Point

TOOL = "mobile_use"
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
MOBILE_USE = Grammar(
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


OWL_ASKS = InTurns(
    "Please generate the next move according to the UI screenshot, instruction and previous "
    "actions.\n\nInstruction: {task}\n\nPrevious actions:\n{history}",
    order="words first",
)
OWL_SENDS = SmartResize(28, 3136, 10_035_200)
OWL_SOURCE = "X-PLUG/MobileAgent@11cea57 Mobile-Agent-v3.5/"

OWL_ROWS = (
    verb("wait", "wait", duration_s=Number("time?", unset=2.0)),
    verb("interact|call_user|calluser", "ask_user", text="text?"),
)

GUI_OWL = ToolCaller(
    name="gui-owl",
    source=f"{OWL_SOURCE}mobile_use/utils.py",
    space="permille",
    sends=OWL_SENDS,
    tool=TOOL,
    grammar=MOBILE_USE.replacing(*OWL_ROWS),
    before="Action: {line}\n",
    asks=OWL_ASKS,
)
GUI_OWL_ANDROIDWORLD = replace(
    GUI_OWL,
    name="gui-owl-androidworld",
    source=f"{OWL_SOURCE}android_world_v3.5/android_world/agents/gui_owl.py",
    sends=None,
    grammar=MOBILE_USE,
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
    tool=TOOL,
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
        also=(
            verb("double_click", "double_tap", at="coordinate"),
            verb("ask_user", "ask_user", text="text"),
        ),
    ),
    asks=AnswersBack(2, system="{template}"),
    finds=OneTurn("{task}\n{picture}", system="{template:mai-ui-grounding}"),
)
