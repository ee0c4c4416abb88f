"""Families that call the tool `computer_use`: Qwen-VL, GUI-Owl 1.5 and EvoCUA (S2) on a computer.

Verbs and arguments follow https://github.com/QwenLM/Qwen3-VL/blob/
96588727e44c78b25ba03ea03b8e12f7e64fd0da/cookbooks/utils/agent_function_call.py; the families differ
in the verbs that their prompts offer (all are read), in their unit, and in the lines before the
call. The last four steps are turns with their screens, older ones a line each. A grammar with an
`Action:` line has no place for a reason; what stands before it is read as one.

- "qwen2.5-vl-computer" has the same file at 8cdcb85d224a71da4a999e73877fd5c686db5237, in pixels;
  "qwen3-vl-computer" the screen of 1000x1000 that cookbooks/computer_use.ipynb fills in. That
  notebook requests one place, and its words are the prompt for an element of Qwen3-VL (read in
  copies, as it cannot be had here); for Qwen2.5-VL they are those of
  https://github.com/likaixin2000/
  ScreenSpot-Pro-GUI-Grounding/blob/bd8bbbb470fbc4fda2a4fa9ec90bd2572507794e/models/qwen2_5vl.py,
  with its limit of 99,999,999 pixels, to which pictures are scaled before they are sent; the
  server's own limit must be no lower. Upstream begins the answer for the model, which a chat
  cannot.
- "qwen2.5-vl-osworld" and "qwen3-vl-osworld" are OSWorld's mm_agents/qwen25vl_agent.py and
  qwen3vl_agent.py in the mirror https://github.com/ljxpython/OSWorldUse/tree/
  b5007a93c4da37b08ba1ef7936b5c70bc38b7ed6, with the sizes to which they scale pictures. Turns and
  history of all four Qwens are theirs, as the notebook has none.
- "gui-owl-computer" is computer_use/utils.py of the repository that `mobile_use` names; its prompt
  for one element that of grounding_and_kb/eval_grounding_benchmarks.py. A wait without a time is
  two seconds, and `stop`, `open app` and others are read, as in run_gui_owl_1_5_for_pc.py.
- "evocua-s2" is https://github.com/meituan/EvoCUA/blob/4a0ad5fd4eb1d5b65966e1c7cc3feaa3b534eadd
  /mm_agents/evocua (prompts.py, evocua_agent.py). The password is the one that its runner fills in.
- "qwen3.5-vl-computer" writes `<function=…>` with a `<parameter=…>` per argument, as OSWorld's
  mm_agents/qwen35vl_agent.py does in the mirror https://github.com/mrwwk/DeskCraft/blob/
  3e11457c9f4d0cd81f27d961b98ae65f8b6ed309: the last hundred steps are turns, all screens but the
  first are responses of the tool, and those before the last twenty are collapsed into a sentence.
  The line with today's date is left out, as a recording does not know it.

Rules: `left_click_drag` and the verbs without a place act where the pointer is, so the place is
that of a `mouse_move` right before in the same answer, and a drag is written so; without one they
are refused. A scroll names its place as `coordinate`, as GUI-Owl's executor reads it, unless that
is the middle. `pixels` are notches of the wheel, as every published executor turns them (OSWorld's
agents, EvoCUA, GUI-Owl), ten to a screen, at most a hundred screens. Keys are PyAutoGUI's; those in
the `text` of a click, a move or a scroll are held meanwhile, as Qwen3.5's prompt has it, and
`key_down` and `key_up`, which EvoCUA's has, are of one key each. GUI-Owl's `interact` asks the
user.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import JsonValue

from tapwright.conventions.arguments import ENDS, MIDDLE, Choice, Is, On, Place, Turn
from tapwright.conventions.family import Family, InTurns, OneTurn, assistant_message, user_message
from tapwright.conventions.mobile_use import OWL_ASKS, OWL_ROWS, OWL_SENDS, OWL_SOURCE
from tapwright.conventions.parsing import JsonObject, read_text
from tapwright.conventions.pyautogui import KEY_NAMES
from tapwright.conventions.rendering import read_held, render_step, split_keys
from tapwright.conventions.resize import SmartResize
from tapwright.conventions.tool_call import FindingToolCaller, ToolCaller
from tapwright.conventions.verbs import Grammar, HeldKey, Verb, keys_verb, verb
from tapwright.core.actions import Action, Drag
from tapwright.core.episode import Step
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot

_TOOL = "computer_use"


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


_COMPUTER_USE = Grammar(
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
_OLDER = _COMPUTER_USE.only(
    *(_COMPUTER_USE.words - {"triple_click", "hscroll", "answer", "key_down", "key_up"})
)


@dataclass(frozen=True, kw_only=True)
class ComputerCaller(ToolCaller):
    """Speaks and reads `<tool_call>{"name": "computer_use", "arguments": …}</tool_call>`."""

    tool: str = _TOOL
    several: bool = True
    grammar: Grammar = field(default=_COMPUTER_USE, repr=False, compare=False)

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


_ASKS = replace(OWL_ASKS, words="\n" + OWL_ASKS.words, order="picture first")
_FINDS = OneTurn("{picture}{task}", system="{template}")
_COOKBOOK = "cookbooks/utils/agent_function_call.py"
_OSWORLD = "ljxpython/OSWorldUse@b5007a9 mm_agents/{}.py (a mirror of OSWorld)"
_LINE = "Action: {line}\n"
_SCREENSPOT_PRO = SmartResize(28, 28**2, 99_999_999)
_OSWORLD_2_5 = SmartResize(28, 56**2, 14 * 14 * 4 * 1280)
_OSWORLD_3 = SmartResize(32, 56**2, 16 * 16 * 4 * 12800)

QWEN2_5_VL_COMPUTER = FindingComputerCaller(
    name="qwen2.5-vl-computer",
    source=f"QwenLM/Qwen3-VL@8cdcb85 {_COOKBOOK}",
    space="pixel",
    resize=_SCREENSPOT_PRO,
    sends=_SCREENSPOT_PRO,
    grammar=_OLDER,
    asks=_ASKS,
    finds=replace(_FINDS, system="{template:qwen2.5-vl-grounding}"),
)
QWEN3_VL_COMPUTER = FindingComputerCaller(
    name="qwen3-vl-computer",
    source=f"QwenLM/Qwen3-VL@9658872 {_COOKBOOK}",
    space="permille",
    asks=_ASKS,
    finds=replace(_FINDS, words="{task}{picture}"),
)
QWEN2_5_VL_OSWORLD = ComputerCaller(
    name="qwen2.5-vl-osworld",
    source=_OSWORLD.format("qwen25vl_agent"),
    space="pixel",
    resize=_OSWORLD_2_5,
    sends=_OSWORLD_2_5,
    grammar=_OLDER,
    asks=_ASKS,
)
QWEN3_VL_OSWORLD = ComputerCaller(
    name="qwen3-vl-osworld",
    source=_OSWORLD.format("qwen3vl_agent"),
    space="0-999",
    before=_LINE,
    sends=_OSWORLD_3,
    grammar=_OLDER,
    asks=_ASKS,
)
EVOCUA_S2 = ComputerCaller(
    name="evocua-s2",
    source="meituan/EvoCUA@4a0ad5f mm_agents/evocua/prompts.py",
    space="0-999",
    before=_LINE,
    sends=_OSWORLD_3,
    grammar=_COMPUTER_USE.only(*(_COMPUTER_USE.words - {"hscroll", "answer"})),
    asks=_ASKS,
)
GUI_OWL_COMPUTER = FindingComputerCaller(
    name="gui-owl-computer",
    source=f"{OWL_SOURCE}computer_use/utils.py",
    space="permille",
    before=_LINE,
    sends=OWL_SENDS,
    grammar=_COMPUTER_USE.replacing(
        *OWL_ROWS,
        also=(
            verb("right click", "tap", at=_pointed(), button=Is("right")),
            verb("computer_double_click", "double_tap", at=_pointed()),
            verb("open app", "open_app", app="app_name"),
            verb("stop|done", "finish", outcome=Choice("status?", ENDS)),
        ),
    ),
    asks=OWL_ASKS,
    finds=replace(_FINDS, system="{template:gui-owl-grounding}"),
)

_LISTS = ("coordinate", "start_coordinate", "keys")
_FUNCTION, _FUNCTION_END = f"<function={_TOOL}>", "</function>"
_PARAMETER, _PARAMETER_END = "<parameter=", "</parameter>"


@dataclass(frozen=True, slots=True)
class _Collapsing(InTurns):
    """The same turns, of which only so many have a screen, as responses of the tool."""

    screens: int = 20

    def messages(
        self, family: Family, task: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The system turn; then screens and answers, and the present screen."""
        system, words, recent = self.opening(family, task, history, observation)
        messages, hidden = [system], len(recent) + 1 - self.screens
        for number, step in enumerate(recent):
            screen = step.observation.screenshot if number >= hidden else None
            messages.append(_respond(screen, "" if number else words))
            messages.append(assistant_message(render_step(family, step)))
        return [*messages, _respond(observation.screenshot, "" if recent else words)]


def _respond(screen: Screenshot | None, words: str) -> Message:
    """A screen with the task, or as the response of the tool; None is one that is collapsed."""
    if words:
        return user_message(words) if screen is None else user_message(screen, words)
    shown = screen or "This screenshot has been collapsed."
    return user_message("<tool_response>\n", shown, "\n</tool_response>")


class Qwen35Vl(ComputerCaller):
    """Speaks and reads `Action: …`, `<tool_call><function=computer_use>…`."""

    def _wrap(self, arguments: JsonObject) -> str:
        parameters = "".join(
            f"{_PARAMETER}{name}>\n{value if isinstance(value, str) else json.dumps(value)}\n"
            f"{_PARAMETER_END}\n"
            for name, value in arguments.items()
        )
        return f"<tool_call>\n{_FUNCTION}\n{parameters}{_FUNCTION_END}\n</tool_call>"

    def _as_json(self, answer: str) -> str:
        """The answer with each call in tags replaced by one in JSON."""
        made, at = [], 0
        while (begin := answer.find(_FUNCTION, at)) >= 0:
            end = answer.find(_FUNCTION_END, begin)
            if end < 0:
                break
            arguments = _read_parameters(answer[begin + len(_FUNCTION) : end])
            call = json.dumps({"name": _TOOL, "arguments": arguments}, ensure_ascii=False)
            made += [answer[at:begin], call]
            at = end + len(_FUNCTION_END)
        return "".join([*made, answer[at:]])


def _read_parameters(text: str) -> JsonObject:
    made: JsonObject = {}
    begin = text.find(_PARAMETER)
    while begin >= 0:
        name, _, _ = text[begin + len(_PARAMETER) : begin + 60].partition(">")
        start = begin + len(_PARAMETER) + len(name) + 1
        end = text.find(_PARAMETER_END, start)
        if end < 0:
            break
        value = text[start:end].removeprefix("\n").removesuffix("\n")
        made[name] = value
        if name in _LISTS:
            with suppress(ValueError, RecursionError):
                made[name] = json.loads(value)
        begin = text.find(_PARAMETER, end)
    return made


QWEN3_5_VL_COMPUTER = Qwen35Vl(
    name="qwen3.5-vl-computer",
    source="mrwwk/DeskCraft@3e11457 mm_agents/qwen35vl_agent.py (a mirror of OSWorld)",
    space="0-999",
    before=_LINE,
    sends=_OSWORLD_3,
    asks=_Collapsing(_ASKS.words, shown=99),
)
