"""The tool `computer_use`, with which Qwen-VL acts on a computer (`qwen_vl`), GUI-Owl and EvoCUA.

Verbs and arguments follow https://github.com/QwenLM/Qwen3-VL/blob/
96588727e44c78b25ba03ea03b8e12f7e64fd0da/cookbooks/utils/agent_function_call.py; the families differ
in the verbs that their prompts offer (all are read), in their unit, and in the lines before the
call. The last four steps are turns with their screens, older ones a line each. A grammar with an
`Action:` line has no place for a reason; what stands before it is read as one.

- "gui-owl-computer" is computer_use/utils.py of the repository that `mobile_use` names; its prompt
  for one element that of grounding_and_kb/eval_grounding_benchmarks.py. A wait without a time is
  two seconds, and `stop`, `open app` and others are read, as in run_gui_owl_1_5_for_pc.py.
- "evocua-s2" is https://github.com/meituan/EvoCUA/blob/4a0ad5fd4eb1d5b65966e1c7cc3feaa3b534eadd
  /mm_agents/evocua (prompts.py, evocua_agent.py). The password is the one that its runner fills in.

Rules: `left_click_drag` and the verbs without a place act where the pointer is, so the place is
that of a `mouse_move` right before in the same answer, and a drag is written so; without one they
are refused. A scroll names its place as `coordinate`, as GUI-Owl's executor reads it, unless that
is the middle. `pixels` are notches of the wheel, as every published executor turns them (OSWorld's
agents, EvoCUA, GUI-Owl), ten to a screen, at most a hundred screens. Keys are PyAutoGUI's; those in
the `text` of a click, a move or a scroll are held meanwhile, as Qwen3.5's prompt has it, and
`key_down` and `key_up`, which EvoCUA's has, are of one key each. GUI-Owl's `interact` asks the
user.
"""

from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import JsonValue

from tapwright.conventions.arguments import ENDS, MIDDLE, Choice, Is, On, Place, Turn
from tapwright.conventions.family import OneTurn
from tapwright.conventions.mobile_use import OWL_ASKS, OWL_ROWS, OWL_SENDS, OWL_SOURCE
from tapwright.conventions.parsing import JsonObject, read_text
from tapwright.conventions.pyautogui import KEY_NAMES
from tapwright.conventions.rendering import read_held, split_keys
from tapwright.conventions.resize import SmartResize
from tapwright.conventions.tool_call import FindingToolCaller, ToolCaller
from tapwright.conventions.verbs import Grammar, HeldKey, Verb, keys_verb, verb
from tapwright.core.actions import Action, Drag

TOOL = "computer_use"


class _HeldKey(HeldKey):
    """The same in a list, as the tool has its keys."""

    def decode(self, value: JsonValue, on: On) -> object:
        one = value[0] if isinstance(value, list) and len(value) == 1 else value
        return HeldKey.decode(self, one, on)

    def encode(self, value: object, on: On) -> JsonValue:
        return [HeldKey.encode(self, value, on)]


def _pointed(names: str = "coordinate") -> Place:
    return Place(names, pointer=True)


def _wheel(word: str, axis: Literal["dx", "dy"]) -> Verb:
    place = Place("coordinate", pointer=True, unset=MIDDLE, terse=True)
    return verb(word, "scroll", at=place, turn=Turn(up="pixels", steps=10, axis=axis))


COMPUTER_USE = Grammar(
    (
        verb("mouse_move", "hover", at=_pointed()),
        verb("left_click|click", "tap", at=_pointed()),
        verb("right_click", "tap", at=_pointed(), button=Is("right")),
        verb("middle_click", "tap", at=_pointed(), button=Is("middle")),
        verb("double_click", "double_tap", at=_pointed()),
        verb("triple_click", "triple_tap", at=_pointed()),
        verb("left_click_drag|drag", "drag", start=_pointed("start_coordinate"), end="coordinate"),
        _wheel("scroll", "dy"),
        _wheel("hscroll", "dx"),
        verb("type", "type_text", text="text"),
        verb("answer", "answer", text="text"),
        keys_verb("key|hotkey", "keys|text", KEY_NAMES),
        verb("wait", "wait", duration_s="time?"),
        verb("terminate", "finish", outcome=Choice("status?", ENDS)),
    ),
    also=(
        verb("key_down", "key_down", key=_HeldKey("keys", KEY_NAMES)),
        verb("key_up", "key_up", key=_HeldKey("keys", KEY_NAMES)),
    ),
)


@dataclass(frozen=True, kw_only=True)
class ComputerCaller(ToolCaller):
    """Speaks and reads `<tool_call>{"name": "computer_use", "arguments": …}</tool_call>`."""

    tool: str = TOOL
    several: bool = True
    grammar: Grammar = field(default=COMPUTER_USE, repr=False, compare=False)

    def _arguments(self, call: JsonObject) -> JsonObject:
        given = super()._arguments(call)
        word = given.get("action")
        if word in ("key", "hotkey", "key_down", "key_up"):
            return {**given, "keys": _keys(given.get("keys", given.get("text")))}
        return given

    def _read_call(self, call: JsonObject, on: On) -> Action:
        given = self._arguments(call)
        action, keys = self.grammar.read_object(given, on, given.get("action")), given.get("text")
        if not keys or not hasattr(action, "held"):
            return action
        held = read_held([key.strip() for key in split_keys(read_text(keys, "text"))])
        return action.model_copy(update={"held": held})

    def _calls(self, action: Action, on: On) -> list[JsonObject]:
        """The call of an action; a drag is a move to its start, and a drag from there."""
        if not isinstance(action, Drag):
            return super()._calls(action, on)
        moved, dragged = ({"coordinate": on.numbers(at)} for at in (action.start, action.end))
        return [{"action": "mouse_move", **moved}, {"action": "left_click_drag", **dragged}]


@dataclass(frozen=True, kw_only=True)
class FindingComputerCaller(ComputerCaller, FindingToolCaller):
    """The same with a prompt for one element."""


def _keys(keys: JsonValue) -> list[JsonValue]:
    """Keys in a list, or one in a string; of a list written into a string, what is in it."""
    given = keys if isinstance(keys, list) else [keys]
    return [
        # Of a key that is a quotation mark or a bracket itself nothing else is left.
        key.removeprefix("keys=").strip("[]'\" ") or key if isinstance(key, str) else key
        for key in given
    ]


ASKS = replace(OWL_ASKS, words="\n" + OWL_ASKS.words, order="picture first")
FINDS = OneTurn("{picture}{task}", system="{template}")
ACTION_LINE = "Action: {line}\n"
OSWORLD_SIZES = SmartResize(32, 56**2, 16 * 16 * 4 * 12800)

EVOCUA_S2 = ComputerCaller(
    name="evocua-s2",
    source="meituan/EvoCUA@4a0ad5f mm_agents/evocua/prompts.py",
    space="0-999",
    before=ACTION_LINE,
    sends=OSWORLD_SIZES,
    grammar=COMPUTER_USE.only(*(COMPUTER_USE.words - {"hscroll", "answer"})),
    asks=ASKS,
)
GUI_OWL_COMPUTER = FindingComputerCaller(
    name="gui-owl-computer",
    source=f"{OWL_SOURCE}computer_use/utils.py",
    space="permille",
    before=ACTION_LINE,
    sends=OWL_SENDS,
    grammar=COMPUTER_USE.replacing(
        *OWL_ROWS,
        also=(
            verb("right click", "tap", at=_pointed(), button=Is("right")),
            verb("computer_double_click", "double_tap", at=_pointed()),
            verb("open app", "open_app", app="app_name"),
            verb("stop|done", "finish", outcome=Choice("status?", ENDS)),
        ),
    ),
    asks=OWL_ASKS,
    finds=replace(FINDS, system="{template:gui-owl-grounding}"),
)
