"""UI-TARS on a phone and on a computer: a thought and one call, `Action: click(…)`.

Three generations. 1.0 gives thousandths between box tags; its prompts are those of README_v1.md in
https://github.com/bytedance/UI-TARS (582f3a7). 1.5 is the open 7B, which is built on Qwen2.5-VL: it
gives pixels of the resized picture between box tags. Its phone prompt is that of `prompts.py` on
the day it was published (7eca1f0), its computer prompt `getSystemPromptV1_5` of
https://github.com/bytedance/UI-TARS-desktop (239b654, apps/ui-tars/src/main/agent/prompts.ts).
Doubao-1.5-UI-TARS, which is served and not open, gives thousandths between point tags; its prompts
are `codes/ui_tars/prompt.py` (582f3a7).

History is that of `data/training_example.json`, and of OSWorld's `mm_agents/uitars15_v1.py` and
`uitars15_v2.py` (read in the copies of vis-nlp/DSAgentBench@fe67080): the task is a turn of its
own, every earlier answer is kept, and of the screens the last five, the present one among them.
Prompts for one element: README_v1.md (1.0), `GROUNDING` of codes/prompts.py (6b315cc, 1.5) and
`GROUNDING_DOUBAO`, with upstream's slips.

Answers are read as `codes/ui_tars/action_parser.py` (582f3a7) reads them: either generation's tags
or none, `select` as a drag, `hover`, `press`, unescaped quotation marks. Each generation writes its
own tags, and reads its own unit alone. On a computer every call of an answer is done.

Rules: `scroll` with a direction names what comes into view, so "down" shows what is below, and is a
`Scroll`. On a phone a finger's stroke is 1.0's `scroll` from box to box, and `drag` of the others,
which therefore have no `Drag`; on a computer `drag` is a `Drag`. The verbs of the other platform
are read too. `press` presses a key, as in `uitars15_v1.py`; on a computer `keydown` holds one until
`keyup` or `release`. `time` of a long press is seconds; 1.0 writes it empty. `wait()` is five
seconds, `finished` is success, and `call_user`, where a prompt has it, and `error_env`, which
OSWorld's runners know, are infeasible. A newline at the end of typed text submits it.

DART-GUI and Mano, of OSWorld-Verified, have 1.5's calls on a computer without `call_user`, and
prompts of their own: DART's first screen stands in the task's turn, and Mano's steps are told in
one turn. For one element they are asked as 1.5 is. DART drops answers before the last 35.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.conventions import parsing, rendering
from tapwright.conventions.arguments import MIDDLE, Is, Lost, Number, On, Place, Turn, Words
from tapwright.conventions.call_syntax import find_calls, find_only_call
from tapwright.conventions.convention import ScreenKind
from tapwright.conventions.family import AnswersBack, Family, Finding, OneTurn, user_message
from tapwright.conventions.pyautogui import fold_moves
from tapwright.conventions.resize import UI_TARS
from tapwright.conventions.verbs import Grammar, HeldKey, Verb, keys_verb, verb
from tapwright.core.actions import PointAction
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot

_Generation: TypeAlias = Literal["1.0", "1.5", "doubao"]
_ACTION = re.compile(r"^[ \t]*+Action:", re.MULTILINE)
_ACTION_IN_LINE = re.compile(r"\sAction:")
_THOUGHT = re.compile(r"\A\s*+Thought:")
_BARE_PLACE = re.compile(
    r"\A\s*+((?:<\|box_start\|>)?[(\[][^()\[\]<>]*+[)\]](?:<\|box_end\|>)?|<point>[^<>]*+</point>)\s*\Z"
)
_TOLD = "Action desp:"
_LINE = re.compile(rf"^{_TOLD}.*\Z", re.MULTILINE | re.DOTALL)
_HELPFUL = "You are a helpful assistant."
_SHOWN = 4
_WAIT_S = 5.0
_KEYS = {
    "control": "ctrl", "meta": "win", "escape": "esc", "page_up": "pageup",
    "page_down": "pagedown", "move_home": "home", "move_end": "end", "up": "arrowup",
    "down": "arrowdown", "left": "arrowleft", "right": "arrowright",
}  # fmt: skip


class _Unsaid(Number):
    """A time whose argument is there and empty, as the prompt of 1.0 has it."""

    def encode(self, value: object, on: On) -> JsonValue:
        return ""


def _grammar(generation: _Generation, *, computer: bool, calls: bool = True) -> Grammar:
    at, start, end = "start_box|point@0", "start_box|start_point|point@0", "end_box|end_point@1"
    if generation == "doubao":
        at, start, end = "point|start_box@0", "start_point|start_box|point@0", "end_point|end_box@1"
    strokes = computer or generation == "1.0"

    def stroke(words: str, kind: str) -> Verb:
        return verb(words, kind, start=start, end=end)

    both = [
        verb("click|left_single", "tap", at=at),
        verb("right_single", "tap", at=at, button=Is("right")),
        verb("left_double", "double_tap", at=at),
        verb("scroll", "scroll", "direction", at=Place(at, unset=MIDDLE), turn=Turn("direction")),
        verb("type", "type_text", text="content@0"),
        verb("wait", "wait", duration_s=Lost(_WAIT_S)),
        verb(
            "finished",
            "finish",
            outcome=Is("success"),
            reason=Words("content@0?", terse=computer and generation != "doubao"),
        ),
    ]
    calls_user = verb("call_user|error_env", "finish", outcome=Is("infeasible"))
    words = "hotkey|press" if computer else "hotkey|press|keydown"
    hotkey = keys_verb(words, "key|hotkey|press|keydown@0", _KEYS, " ")
    app = verb("open_app", "open_app", app="app_name|content@0")
    held = _Unsaid if generation == "1.0" else partial(Number, read_only=True)
    on_phone = [
        verb("long_press", "long_press", at=at, duration_s=held("time@1?")),
        stroke("scroll" if generation == "1.0" else "drag|select", "swipe"),
        verb("press_back", "press_key", key=Is("back")),
        verb("press_home", "press_key", key=Is("home")),
    ]
    on_computer = [verb("hover", "hover", at=at)]
    (on_computer if computer else on_phone).append(hotkey)
    if strokes:
        (on_computer if computer else on_phone).append(stroke("drag|select", "drag"))
    if generation != "1.0":
        on_phone.append(app)
    says, also = (on_computer, on_phone) if computer else (on_phone, on_computer)
    also = [*also, app, stroke("scroll", "swipe")]
    if computer:
        also += [
            verb("keydown", "key_down", key=HeldKey("key@0", _KEYS)),
            verb("keyup|release", "key_up", key=HeldKey("key@0", _KEYS)),
        ]
    if strokes:  # an answer's `drag` is the platform's own
        also = [row for row in also if "drag" not in row.words]
    if calls and (generation == "1.0" or (computer and generation == "1.5")):
        says.append(calls_user)
    return Grammar([*both, *says], [*also, calls_user])


@dataclass(frozen=True, kw_only=True)
class UiTars(Finding):
    """Speaks and reads `Thought: …`, `Action: click(…)`; `place` is how a place is spelled.

    `screen` is the platform: upstream has a prompt for each, with that platform's actions alone.
    """

    place: str
    screen: ScreenKind

    def render(self, decision: Decision, size: Size) -> str:
        """Why, then the call."""
        if self.screen == "phone":
            rendering.sole_action(self.name, decision)
        actions, on = rendering.plain_actions(self.name, decision), self.on(size)
        call = "\n\n".join([self.say(action, on, self.place) for action in actions])
        return f"Thought: {decision.reasoning.strip()}\nAction: {call}"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the call after the last `Action:`, or of a call alone."""
        thoughts, text = parsing.read_answer(text)
        thought, line = parsing.split_at_last(text, _ACTION)
        if not line:
            thought, line = parsing.split_at_last(text, _ACTION_IN_LINE)
        words, on = self.grammar.words, self.on(size)
        calls = find_calls(line or thought, words) if self.screen == "computer" else []
        calls = calls or [find_only_call(line or thought, words)]
        reasoning = _THOUGHT.sub("", parsing.reasoning_before(thought)).strip() if line else ""
        actions = fold_moves(self.grammar.read(call, on) for call in calls)
        return parsing.make_decision(actions, reasoning or thoughts)

    def parse_point(self, text: str, size: Size) -> Point:
        """The place of a bare point, or of a call with one."""
        bare = _BARE_PLACE.match(parsing.read_answer(text)[1])
        if bare is not None:
            return self.on(size).place(bare[1], "the point")
        action = self.parse(text, size).first
        if not isinstance(action, PointAction):
            raise parsing.bad_answer(f"the answer is to {action.type}; expected one with a place")
        return action.at


def _row(generation: _Generation, source: str, *, computer: bool = False) -> UiTars:
    doubao = generation == "doubao"
    family = f"{generation}-1.5-ui-tars" if doubao else f"ui-tars-{generation}"
    system = "" if doubao else _HELPFUL
    finds = AnswersBack(0, f"{{template:{family}-grounding}}", system)
    return UiTars(
        name=f"{family}-computer" if computer else family,
        source=source,
        space="pixel" if generation == "1.5" else "permille",
        resize=UI_TARS if generation == "1.5" else None,
        screen="computer" if computer else "phone",
        place="'<point>{} {}</point>'" if doubao else "'<|box_start|>({},{})<|box_end|>'",
        grammar=_grammar(generation, computer=computer),
        asks=AnswersBack(_SHOWN, "{template}", system),
        finds=OneTurn(_ASK) if generation == "1.0" else finds,
    )


@dataclass(frozen=True, slots=True)
class _Recounted:
    """The task, a line for each earlier step, the latest with their screens, and the screen."""

    words: str = "{template}"
    shown: int = 2

    def messages(
        self, family: Family, task: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The system turn, and one of the user's."""
        opening = OneTurn(self.words, _HELPFUL).messages(family, task, (), observation)
        parts: list[str | Screenshot] = [opening[1].text]
        for number, step in enumerate(history, start=1):
            parts += ["\n"] * (number > 1) + [f"第{number}步：{rendering.action_line(step)}"]
            if number > len(history) - self.shown:
                parts += ["对应截图为：", step.observation.screenshot]
        return [opening[0], user_message(*parts, "\n当前步骤的截图：", observation.screenshot)]


@dataclass(frozen=True, kw_only=True)
class Mano(UiTars):
    """Speaks and reads `Thought: …`, `Action desp: …`, `Action: click(…)`."""

    def render(self, decision: Decision, size: Size) -> str:
        """Why, what in words, then the call."""
        thought, action, call = UiTars.render(self, decision, size).rpartition("\nAction: ")
        return f"{thought}\n{_TOLD} {rendering.render_imperative(decision, size)}{action}{call}"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision, without the line that says it in words."""
        read = UiTars.parse(self, text, size)
        return replace(read, reasoning=_LINE.sub("", read.reasoning).strip())


_ASK = (
    "{picture}Output only the coordinate of one point in your response. "
    "What element matches the following task: {task}"
)
_V1 = "bytedance/UI-TARS@582f3a7 README_v1.md"
_DOUBAO = "bytedance/UI-TARS@582f3a7 codes/ui_tars/prompt.py"
_DESKTOP = "bytedance/UI-TARS-desktop@239b654 apps/ui-tars/src/main/agent/prompts.ts"

UI_TARS_1_0 = _row("1.0", _V1)
UI_TARS_1_0_COMPUTER = _row("1.0", _V1, computer=True)
UI_TARS_1_5 = _row("1.5", "bytedance/UI-TARS@7eca1f0 prompts.py")
UI_TARS_1_5_COMPUTER = _row("1.5", _DESKTOP, computer=True)
DOUBAO_1_5_UI_TARS = _row("doubao", _DOUBAO)
DOUBAO_1_5_UI_TARS_COMPUTER = _row("doubao", _DOUBAO, computer=True)

_OSWORLD = "ljxpython/OSWorldUse@b5007a9 mm_agents/{} (a mirror of OSWorld)"
_UNCALLED = _grammar("1.5", computer=True, calls=False)
DART_GUI = replace(
    UI_TARS_1_5_COMPUTER,
    name="dart-gui",
    source=_OSWORLD.format("dart_gui_agent.py, mm_agents/dart_gui/prompts.py"),
    grammar=_UNCALLED,
    asks=AnswersBack(_SHOWN, "{template}", _HELPFUL, together=True),
)
MANO = Mano(
    name="mano",
    source=_OSWORLD.format("mano_agent.py"),
    space="pixel",
    resize=UI_TARS,
    screen="computer",
    place=UI_TARS_1_5_COMPUTER.place,
    grammar=_UNCALLED,
    asks=_Recounted(),
    finds=UI_TARS_1_5_COMPUTER.finds,
)
