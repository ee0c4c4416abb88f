"""GLM-4.1V and GLM-4.5V on a phone: `Memory:`, `Reason:`, `Action: {"action_type": …}`.

Follows https://github.com/zai-org/GLM-V/blob/8fc9756fd2313c6b7717bb681bed58f0694abc22
/examples/gui-agent: prompts of glm-41v/gui_agent_41v.py and glm-45v/gui_agent_45v.py, with the apps
of AndroidWorld that they list; earlier answers as agent.md writes them, all of them and counted
from 0. The web's prompt is not here: its actions name the number that a picture has drawn on each
element, and no place.

Rules: boxes in 0-999, whose middle is the place. What the model remembers is kept at the end of the
decision's reasoning, in a line that begins with "Memory:". `input_text` clicks its box, empties the
field for `override`, types, and presses Enter, as the prompt says; so the line break that
presses it is not written. A swipe is named by where the finger goes, over the screen or the box.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tapwright.conventions.boxes import touched_box
from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    JsonObject,
    bad_answer,
    make_decision,
    read_answer,
    read_last_object,
    read_place,
    read_text,
    shorten,
)
from tapwright.conventions.prompting import fill, read_template, user_message
from tapwright.conventions.rendering import (
    box_numbers,
    plain_action,
    read_direction,
    swipe_direction,
    unsupported,
)
from tapwright.core.actions import (
    Action,
    Answer,
    Finish,
    LongPress,
    OpenApp,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.directions import swipe_toward
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.errors import UnsupportedByConventionError

__all__ = ["GLM_4_1V", "GLM_4_5V", "GlmV", "join_memory", "split_memory"]

_SPACE: Space = "0-999"
_NOTHING_YET = "You just started, no action has been performed yet.\n"
_MEMORY = "\nMemory:"
_NO_MEMORY = frozenset({"", "None", "[]", "..."})
_SECTIONS = re.compile(
    r"(?:\AMemory:(?P<memory>.*?))?^Reason:(?P<reason>.*)", re.DOTALL | re.MULTILINE
)
_ACTION = re.compile(r"^[ \t]*+Action:.*", re.DOTALL | re.MULTILINE)
_PLAIN: dict[str, Action] = {
    "keyboard_enter": PressKey(key="enter"),
    "navigate_home": PressKey(key="home"),
    "navigate_back": PressKey(key="back"),
    "wait": Wait(),
}
_GOALS: dict[str, Action] = {
    "complete": Finish(),
    "infeasible": Finish(outcome="infeasible"),
}


def split_memory(reasoning: str) -> tuple[str, str]:
    """The reason without what the model remembers, and that; "" where it remembers nothing."""
    reason, found, memory = f"\n{reasoning.strip()}".rpartition(_MEMORY)
    return (reason.strip(), memory.strip()) if found else (memory.strip(), "")


def join_memory(reason: str, memory: str) -> str:
    """Reason and memory as one reasoning, which `split_memory` takes apart."""
    memory = " ".join(memory.split())
    return reason.strip() + ("" if memory in _NO_MEMORY else f"{_MEMORY} {memory}")


@dataclass(frozen=True, slots=True)
class GlmV:
    """Speaks and reads `Action: {"action_type": "click", "box_2d": [[…]]}` and so on."""

    name: str

    @property
    def source(self) -> str:
        """Where its words come from."""
        version = self.name.removeprefix("glm-").replace(".", "")
        return f"zai-org/GLM-V@8fc9756 examples/gui-agent/glm-{version}/gui_agent_{version}.py"

    @property
    def space(self) -> Space:
        """Whole numbers of which 999 is the far edge."""
        return _SPACE

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One turn: the screen, then actions, task and all answers so far."""
        past = "".join(
            f"Step {number}:\n{self._past(step)}\n\n" for number, step in enumerate(history)
        )
        words = fill(read_template(self.name), task=instruction, history=past or _NOTHING_YET)
        return [user_message(observation.screenshot, words)]

    def render(self, decision: Decision, size: Size) -> str:
        """Memory, reason and the action as JSON."""
        return self.render_boxed(decision, size, None)

    def render_boxed(self, decision: Decision, size: Size, box: Box | None) -> str:
        """The same, with the box of what is touched where it is known."""
        action = json.dumps(
            self._write(plain_action(self.name, decision), size, box), ensure_ascii=False
        )
        return self._sections(decision, action)

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last object with an `action_type`.

        Raises:
            BadAnswerError: there is none, or one that is not in the grammar.
        """
        thoughts, text = read_answer(text)

        def read(found: JsonObject, before: str) -> Decision:
            action = self._read(found, size)
            sections = _SECTIONS.search(_ACTION.sub("", before.strip()))
            if sections is None:
                return make_decision(action, thoughts)
            reasoning = join_memory(sections["reason"], sections["memory"] or "")
            return make_decision(action, reasoning or thoughts)

        return read_last_object(text, read)

    def _sections(self, decision: Decision, action: str) -> str:
        reason, memory = split_memory(decision.reasoning)
        return f"Memory: {memory or 'None'}\nReason: {reason}\nAction: {action}"

    def _past(self, step: Step) -> str:
        try:
            # agent.md shows the objects as Python writes them.
            size, box = step.observation.size, touched_box(step)
            action = repr(self._write(plain_action(self.name, step.decision), size, box))
        except UnsupportedByConventionError:
            action = " ".join(one.type for one in step.decision.actions)
        return self._sections(step.decision, action)

    def _write(self, action: Action, size: Size, box: Box | None) -> JsonObject:
        match action:
            case Tap(at=at, button="left"):
                return {"action_type": "click", "box_2d": _corners(at, size, box)}
            case LongPress(at=at):
                return {"action_type": "long_press", "box_2d": _corners(at, size, box)}
            case TypeText(text=text, at=at, clear=clear):
                where: JsonObject = {} if at is None else {"box_2d": _corners(at, size, box)}
                text = text.removesuffix("\n")
                return {"action_type": "input_text", "text": text, **where, "override": clear}
            case Swipe():
                direction = swipe_direction(self.name, action, size)
                return {"action_type": "swipe", "direction": direction}
            case OpenApp(app=app):
                return {"action_type": "open_app", "app_name": app}
            case Answer(text=text):
                return {"action_type": "answer", "text": text}
            case Finish(outcome="success"):
                return {"action_type": "status", "goal_status": "complete"}
            case Finish(outcome="infeasible"):
                return {"action_type": "status", "goal_status": "infeasible"}
            case Wait():
                return {"action_type": "wait"}
        for verb, plain in _PLAIN.items():
            if action == plain:
                return {"action_type": verb}
        raise unsupported(self.name, action, "its prompt has no such action")

    def _read(self, found: JsonObject, size: Size) -> Action:
        verb = found.get("action_type")
        match verb:
            case "click":
                return Tap(at=read_place(found.get("box_2d"), "box_2d", size, _SPACE))
            case "long_press":
                return LongPress(at=read_place(found.get("box_2d"), "box_2d", size, _SPACE))
            case "input_text":
                return _typing(found, size)
            case "swipe":
                return _swipe(found, size)
            case "open_app":
                return OpenApp(app=read_text(found.get("app_name"), "app_name"))
            case "answer":
                return Answer(text=read_text(found.get("text"), "text"))
            case "status":
                goal = found.get("goal_status")
                if not isinstance(goal, str) or goal not in _GOALS:
                    raise bad_answer(
                        f"the goal_status is {shorten(goal)}; expected {', '.join(_GOALS)}"
                    )
                return _GOALS[goal]
        if not isinstance(verb, str) or verb not in _PLAIN:
            raise bad_answer(
                f"the action_type is {shorten(verb)}; expected click, input_text or the like"
            )
        return _PLAIN[verb]


def _corners(at: Point, size: Size, box: Box | None) -> list[JsonValue]:
    return [box_numbers(at, box, size, _SPACE)]


def _typing(found: JsonObject, size: Size) -> TypeText:
    box, clear = found.get("box_2d"), found.get("override", False)
    at = read_place(box, "box_2d", size, _SPACE) if box else None
    if not isinstance(clear, bool):
        raise bad_answer(f"override is {shorten(clear)}; expected true or false")
    return TypeText(text=read_text(found.get("text"), "text") + "\n", at=at, clear=clear)


def _swipe(found: JsonObject, size: Size) -> Swipe:
    """The stroke over the screen, or as much of the box around the same middle."""
    swipe = swipe_toward(read_direction(found.get("direction")))
    box = found.get("box_2d")
    if not isinstance(box, list) or not box:
        return swipe
    one = box[0] if len(box) == 1 else box
    if not isinstance(one, list) or len(one) != 4:
        raise bad_answer(f"box_2d is {shorten(box)}; expected [[xmin,ymin,xmax,ymax]]")
    low = read_place(one[:2], "box_2d", size, _SPACE)
    high = read_place(one[2:], "box_2d", size, _SPACE)

    def inside(at: Point) -> Point:
        return Point(low.x + at.x * (high.x - low.x), low.y + at.y * (high.y - low.y))

    return Swipe(start=inside(swipe.start), end=inside(swipe.end))


GLM_4_1V = GlmV("glm-4.1v")
GLM_4_5V = GlmV("glm-4.5v")
