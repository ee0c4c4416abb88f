"""GLM-4.1V and GLM-4.5V at a computer: words, one call such as `left_click(start_box='[x,y]')`.

Follows https://github.com/zai-org/GLM-V/blob/8fc9756fd2313c6b7717bb681bed58f0694abc22
/examples/gui-agent, mode pc of glm-41v/gui_agent_41v.py and glm-45v/gui_agent_45v.py: the prompts,
which are OSWorld's, with all steps so far, and the screens of the last four in half their size.
4.1V has those after the present screen, 4.5V each in its step and the present one at the end. A
screen that was not recorded is left out as an older one is.

Rules: places in 0-999; an `element_info` is the decision's target; what the model remembers is kept
as in `glm_v`. A step of the wheel is a tenth of a screen. `WAIT()` is five seconds, `FAIL()` says
that the task cannot be done.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tapwright.conventions.call_syntax import ParsedCall, find_only_call
from tapwright.conventions.convention import Space
from tapwright.conventions.glm_v import join_memory, split_memory
from tapwright.conventions.parsing import (
    make_decision,
    read_answer,
    read_number,
    read_place,
    read_text,
)
from tapwright.conventions.prompting import fill, read_template, user_message
from tapwright.conventions.rendering import (
    make_scroll,
    plain_action,
    press_keys,
    quote,
    read_direction,
    spell_keys,
    split_scroll,
    unsupported,
    whole_numbers,
)
from tapwright.core.actions import (
    Action,
    DoubleTap,
    Drag,
    Finish,
    Hotkey,
    Hover,
    PressKey,
    Scroll,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import UnsupportedByConventionError

_SPACE: Space = "0-999"
_SHOWN_STEPS = 4
_WAIT_S = 5.0
_STEPS_OF_A_SCREEN = 10
_DEFAULT_STEPS = 5
_NOTE = (
    "\nNote: You will also see {count} recent historical screenshots (50% scaled) showing the "
    "states before your last {count} actions. These are provided in chronological order to help "
    "you understand the context of your previous actions."
)
_BUTTONS = {"left": "left_click", "right": "right_click", "middle": "middle_click"}
_VERBS = frozenset(
    {*_BUTTONS.values(), "hover", "left_double_click", "left_drag", "key", "type", "scroll",
     "WAIT", "DONE", "FAIL"}
)  # fmt: skip
_KEYS = {"control": "ctrl", "escape": "esc", "page_up": "pageup", "page_down": "pagedown",
         "move_home": "home", "move_end": "end"}  # fmt: skip
_MEMORY = re.compile(r"^[ \t]*+(?:</?memory>)?Memory:", re.MULTILINE)
_MARKS = re.compile(r"</?answer>|<\|(?:begin|end)_of_box\|>")
_BOX_BEGINS, _BOX_ENDS = "<|begin_of_box|>", "<|end_of_box|>"


@dataclass(frozen=True, slots=True)
class GlmVComputer:
    """Speaks and reads `left_click(start_box='[x,y]', element_info='…')` and so on."""

    name: str

    @property
    def source(self) -> str:
        """Where its words come from."""
        version = self.name.removeprefix("glm-").removesuffix("-computer").replace(".", "")
        return f"zai-org/GLM-V@8fc9756 examples/gui-agent/glm-{version}/gui_agent_{version}.py"

    @property
    def space(self) -> Space:
        """Whole numbers of which 999 is the far edge."""
        return _SPACE

    @property
    def present_first(self) -> bool:
        """4.1V has the present screen before the earlier ones, 4.5V behind them."""
        return self.name.startswith("glm-4.1v")

    def earlier_size(self, size: Size) -> Size:
        """Half the width and height."""
        return Size(max(size.width // 2, 1), max(size.height // 2, 1))

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One turn with the task, all steps so far, the latest screens and the present one."""
        memory = split_memory(history[-1].decision.reasoning)[1] if history else ""
        values = {"task": instruction, "memory": memory or "[]"}
        if self.present_first:
            return [self._screens_first(values, history, observation)]
        return [self._screens_in_steps(values, history, observation)]

    def render(self, decision: Decision, size: Size) -> str:
        """Why, the call, and what is to be remembered."""
        reason, memory = split_memory(decision.reasoning)
        call = self._render_action(decision, size)
        return f"{reason}\n{call}\nMemory:\n{memory or '[]'}"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the one call, in a box or without.

        Raises:
            BadAnswerError: there is no call, several, or one that is not in the grammar.
        """
        thoughts, text = read_answer(text)
        marks = list(_MEMORY.finditer(text))
        body, memory = (text[: marks[-1].start()], text[marks[-1].end() :]) if marks else (text, "")
        before, boxed, rest = body.partition(_BOX_BEGINS)
        call = find_only_call(rest.partition(_BOX_ENDS)[0] if boxed else body, _VERBS)
        if not boxed:
            before = body.partition(f"{call.name}(")[0]
        reason = _MARKS.sub("", before).strip() or thoughts
        return make_decision(
            _parse_action(call, size),
            join_memory(reason, _MARKS.sub("", memory)),
            _read_target(call),
        )

    def _screens_first(
        self, values: dict[str, str], history: Sequence[Step], observation: Observation
    ) -> Message:
        past = "".join(
            f"\nstep {number}: {split_memory(step.decision.reasoning)[0]}\n{self._past(step)}"
            for number, step in enumerate(history, start=1)
        )
        shown = [
            step.observation.screenshot
            for step in history[max(len(history) - _SHOWN_STEPS, 0) :]
            if step.observation.screenshot.recorded
        ]
        note = fill(_NOTE, count=str(len(shown))) if shown else ""
        words = fill(read_template(self.name), history=past, note=note, **values)
        return user_message(observation.screenshot, *shown, words)

    def _screens_in_steps(
        self, values: dict[str, str], history: Sequence[Step], observation: Observation
    ) -> Message:
        head, _, tail = read_template(self.name).partition("{history}")
        parts: list[str | Screenshot] = []
        words = fill(head, **values)
        for number, step in enumerate(history, start=1):
            words += f"\nstep {number}: Screenshot:"
            screen = step.observation.screenshot
            if number > len(history) - _SHOWN_STEPS and screen.recorded:
                parts += [words, screen]
                words = ""
            else:
                words += "(Omitted in context.)"
            thought = split_memory(step.decision.reasoning)[0]
            words += f" Thought: {thought}\nAction: {self._past(step)}"
        return user_message(*parts, words + fill(tail, **values), observation.screenshot)

    def _past(self, step: Step) -> str:
        try:
            return self._render_action(step.decision, step.observation.size)
        except UnsupportedByConventionError:
            return " ".join(one.type for one in step.decision.actions)

    def _render_action(self, decision: Decision, size: Size) -> str:
        info = f", element_info={quote(decision.target)}" if decision.target else ""
        sole = plain_action(self.name, decision)
        match sole:
            case Tap(at=at, button=button):
                return f"{_BUTTONS[button]}(start_box={_box(at, size)}{info})"
            case DoubleTap(at=at):
                return f"left_double_click(start_box={_box(at, size)}{info})"
            case Hover(at=at):
                return f"hover(start_box={_box(at, size)}{info})"
            case Drag(start=start, end=end):
                return f"left_drag(start_box={_box(start, size)}, end_box={_box(end, size)}{info})"
            case Scroll(at=at) as action if not action.dx:
                word, amount = split_scroll(self.name, action)
                steps = max(round(amount * _STEPS_OF_A_SCREEN), 1)
                return f"scroll(start_box={_box(at, size)}, direction='{word}', step={steps}{info})"
            case TypeText(text=text, at=None, clear=False):
                return f"type(content={quote(text)})"
            case PressKey() | Hotkey() as action:
                return f"key(keys={quote('+'.join(spell_keys(self.name, action, _KEYS, '+')))})"
            case Wait():
                return "WAIT()"
            case Finish(outcome="success"):
                return "DONE()"
            case Finish(outcome="infeasible"):
                return "FAIL()"
        raise unsupported(self.name, sole, "its prompt has no such action")


def _box(at: Point, size: Size) -> str:
    x, y = whole_numbers(at, size, _SPACE)
    return f"'[{x},{y}]'"


def _read_target(call: ParsedCall) -> str:
    info = call.get("element_info")
    return "" if info is None else read_text(info, "element_info")


def _parse_action(call: ParsedCall, size: Size) -> Action:
    def at(name: str = "start_box", position: int = 0) -> Point:
        return read_place(call.get(name, at=position), name, size, _SPACE)

    match call.name:
        case "left_click":
            return Tap(at=at())
        case "right_click":
            return Tap(at=at(), button="right")
        case "middle_click":
            return Tap(at=at(), button="middle")
        case "left_double_click":
            return DoubleTap(at=at())
        case "hover":
            return Hover(at=at())
        case "left_drag":
            return Drag(start=at(), end=at("end_box", 1))
        case "scroll":
            steps = call.get("step")
            number = _DEFAULT_STEPS if steps is None else read_number(steps, "step")
            direction = read_direction(call.get("direction", at=1))
            return make_scroll(direction, at(), number / _STEPS_OF_A_SCREEN)
        case "type":
            return TypeText(text=read_text(call.get("content", at=0), "content"))
        case "key":
            keys = read_text(call.get("keys", "key", at=0), "keys")
            return press_keys([key.strip() for key in keys.split("+")])
        case "WAIT":
            return Wait(duration_s=_WAIT_S)
        case "DONE":
            return Finish()
    return Finish(outcome="infeasible")


GLM_4_1V_COMPUTER = GlmVComputer("glm-4.1v-computer")
GLM_4_5V_COMPUTER = GlmVComputer("glm-4.5v-computer")
