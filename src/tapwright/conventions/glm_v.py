"""GLM-4.1V and GLM-4.5V: `Action: {"action_type": …}` on a phone, a call on a computer.

Follows https://github.com/zai-org/GLM-V/blob/8fc9756fd2313c6b7717bb681bed58f0694abc22
/examples/gui-agent (glm-41v/gui_agent_41v.py, glm-45v/gui_agent_45v.py). Phone: the prompts with
the apps of AndroidWorld that they list; earlier answers as agent.md writes them, all of them and
counted from 0. Computer (mode pc): the prompts, which are OSWorld's, with all steps so far, and the
screens of the last four in half their size; 4.1V has those after the present screen, 4.5V each in
its step and the present one at the end. A screen that was not recorded is left out as an older one
is. The web's prompt is not here: its actions name the number that a picture has drawn on each
element.

Rules: places in 0-999, on a phone the middle of a box. What the model remembers is kept at the end
of the decision's reasoning, in a line that begins with "Memory:". On a phone `input_text` clicks
its box, empties the field for `override`, types, and presses Enter, as the prompt says; so the line
break that presses it is not written. A swipe is named by where the finger goes, over the screen or
the box. On a computer an `element_info` is the decision's target, a step of the wheel a tenth of a
screen, `WAIT()` five seconds, and `FAIL()` says that the task cannot be done.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from tapwright.conventions import parsing
from tapwright.conventions.arguments import Choice, Heading, Is, Lost, On, Place, Turn, Typed
from tapwright.conventions.call_syntax import ParsedCall, find_calls, find_only_call
from tapwright.conventions.family import (
    Family,
    OneTurn,
    fill,
    read_template,
    spell_call,
    user_message,
)
from tapwright.conventions.grounding import touched_box
from tapwright.conventions.rendering import encode_json, plain_action
from tapwright.conventions.verbs import Grammar, keys_verb, verb
from tapwright.core.actions import Action, TypeText
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import UnsupportedByConventionError

_MEMORY = "\nMemory:"
_NO_MEMORY = frozenset({"", "None", "[]", "..."})
_SECTIONS = re.compile(
    r"(?:\AMemory:(?P<memory>.*?))?^Reason:(?P<reason>.*)", re.DOTALL | re.MULTILINE
)
_ACTION = re.compile(r"^[ \t]*+Action:.*", re.DOTALL | re.MULTILINE)


def _split_memory(reasoning: str) -> tuple[str, str]:
    """The reason without what the model remembers, and that; "" where it remembers nothing."""
    reason, found, memory = f"\n{reasoning.strip()}".rpartition(_MEMORY)
    return (reason.strip(), memory.strip()) if found else (memory.strip(), "")


def _join_memory(reason: str, memory: str) -> str:
    """Reason and memory as one reasoning, which `_split_memory` takes apart."""
    memory = " ".join(memory.split())
    return reason.strip() + ("" if memory in _NO_MEMORY else f"{_MEMORY} {memory}")


@dataclass(frozen=True, slots=True)
class _BoxHeading(Heading):
    """A stroke over the screen, or as much of its box around the same middle."""

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        ends = Heading.read(self, call, on)
        box = call.get("box_2d")
        if not isinstance(box, list) or not box:
            return ends
        one = box[0] if len(box) == 1 else box
        if not isinstance(one, list) or len(one) != 4:
            raise parsing.bad_answer(
                f"box_2d is {parsing.shorten(box)}; expected [[xmin,ymin,xmax,ymax]]"
            )
        low, high = on.place(one[:2], "box_2d"), on.place(one[2:], "box_2d")
        return {
            name: Point(low.x + at.x * (high.x - low.x), low.y + at.y * (high.y - low.y))
            for name, at in ends.items()
            if isinstance(at, Point)
        }


@dataclass(frozen=True, slots=True)
class _Override:
    """Whether the field is emptied, which is always written."""

    fields: tuple[str, ...] = ("clear",)

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        clear = call.named.get("override", False)
        if not isinstance(clear, bool):
            raise parsing.bad_answer(
                f"override is {parsing.shorten(clear)}; expected true or false"
            )
        return {"clear": clear}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        assert isinstance(action, TypeText)
        return {"override": action.clear}


_PHONE = Grammar(
    (
        verb("click", "tap", at=Place("box_2d", boxes=True)),
        verb("long_press", "long_press", at=Place("box_2d", boxes=True)),
        verb(
            "input_text",
            "type_text",
            text=Typed("text"),
            at=Place("box_2d?", boxes=True),
            override=_Override(),
        ),
        verb("swipe", "swipe", heading=_BoxHeading("direction")),
        verb("open_app", "open_app", app="app_name"),
        verb("answer", "answer", text="text"),
        verb(
            "status",
            "finish",
            outcome=Choice("goal_status", {"complete": "success", "infeasible": "infeasible"}),
        ),
        verb("wait", "wait"),
        verb("keyboard_enter", "press_key", key=Is("enter")),
        verb("navigate_home", "press_key", key=Is("home")),
        verb("navigate_back", "press_key", key=Is("back")),
    ),
    word="action_type",
)


@dataclass(frozen=True, kw_only=True)
class GlmV(Family):
    """Speaks and reads `Action: {"action_type": "click", "box_2d": [[…]]}` and so on."""

    def render(self, decision: Decision, size: Size) -> str:
        """Memory, reason and the action as JSON."""
        return self.render_boxed(decision, size, None)

    def render_boxed(self, decision: Decision, size: Size, box: Box | None) -> str:
        """The same, with the box of what is touched where it is known."""
        found = self.said(decision, self.on(size, box))
        return _sections(decision, encode_json(found))

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last object with an `action_type`."""
        thoughts, text = parsing.read_answer(text)

        def read(found: parsing.JsonObject, before: str) -> Decision:
            action = self.grammar.read_object(found, self.on(size), found.get("action_type"))
            sections = _SECTIONS.search(_ACTION.sub("", before.strip()))
            if sections is None:
                return parsing.make_decision(action, thoughts)
            reasoning = _join_memory(sections["reason"], sections["memory"] or "")
            return parsing.make_decision(action, reasoning or thoughts)

        return parsing.read_last_object(text, read)

    def said(self, decision: Decision, on: On) -> parsing.JsonObject:
        """The object of an action."""
        word, args = self.grammar.write(plain_action(self.name, decision), on)
        return {"action_type": word, **args}


def _sections(decision: Decision, action: str) -> str:
    reason, memory = _split_memory(decision.reasoning)
    return f"Memory: {memory or 'None'}\nReason: {reason}\nAction: {action}"


def _recall(family: Family, step: Step) -> str:
    assert isinstance(family, GlmV)
    try:
        # agent.md shows the objects as Python writes them.
        on = family.on(step.observation.size, touched_box(step))
        action = repr(family.said(step.decision, on))
    except UnsupportedByConventionError:
        action = " ".join(one.type for one in step.decision.actions)
    return _sections(step.decision, action)


_SOURCE = "zai-org/GLM-V@8fc9756 examples/gui-agent/glm-{0}/gui_agent_{0}.py"

GLM_4_1V = GlmV(
    name="glm-4.1v",
    source=_SOURCE.format("41v"),
    space="0-999",
    grammar=_PHONE,
    asks=OneTurn(
        "{picture}{template}",
        line="Step {number}:\n{step}\n\n",
        first=0,
        nothing="You just started, no action has been performed yet.\n",
        recall=_recall,
    ),
)
GLM_4_5V = replace(GLM_4_1V, name="glm-4.5v", source=_SOURCE.format("45v"))

_SHOWN_STEPS = 4
_NOTE = (
    "\nNote: You will also see {count} recent historical screenshots (50% scaled) showing the "
    "states before your last {count} actions. These are provided in chronological order to help "
    "you understand the context of your previous actions."
)
_KEYS = {"control": "ctrl", "escape": "esc", "page_up": "pageup", "page_down": "pagedown",
         "move_home": "home", "move_end": "end"}  # fmt: skip
_MEMORY_LINE = re.compile(r"^[ \t]*+(?:</?memory>)?Memory:", re.MULTILINE)
_MARKS = re.compile(r"</?answer>|<\|(?:begin|end)_of_box\|>")
_BOX_BEGINS, _BOX_ENDS = "<|begin_of_box|>", "<|end_of_box|>"
_AT = "start_box@0"
_COMPUTER = Grammar(
    (
        verb("left_click", "tap", at=_AT),
        verb("right_click", "tap", at=_AT, button=Is("right")),
        verb("middle_click", "tap", at=_AT, button=Is("middle")),
        verb("left_double_click", "double_tap", at=_AT),
        verb("hover", "hover", at=_AT),
        verb("left_drag", "drag", start=_AT, end="end_box@1"),
        verb(
            "scroll", "scroll", at=_AT, turn=Turn(amount="step", steps=10, usual_steps=5, axis="dy")
        ),
        verb("type", "type_text", text="content@0"),
        keys_verb("key", "keys|key@0", _KEYS, "+"),
        verb("WAIT", "wait", duration_s=Lost(5.0)),
        verb("DONE", "finish", outcome=Is("success")),
        verb("FAIL", "finish", outcome=Is("infeasible")),
    )
)


@dataclass(frozen=True, slots=True)
class _Screens:
    """Task, all steps so far, and the latest screens: behind the present one, or in their steps."""

    present_first: bool

    def messages(
        self, family: Family, task: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One turn with everything."""
        memory = _split_memory(history[-1].decision.reasoning)[1] if history else ""
        values = {"task": task, "memory": memory or "[]"}
        arrange = self._behind if self.present_first else self._in_steps
        return [arrange(family, values, history, observation)]

    def _behind(
        self,
        family: Family,
        values: dict[str, str],
        history: Sequence[Step],
        observation: Observation,
    ) -> Message:
        past = "".join(
            f"\nstep {number}: {_split_memory(step.decision.reasoning)[0]}\n{_past(family, step)}"
            for number, step in enumerate(history, start=1)
        )
        shown = [
            step.observation.screenshot
            for step in history[max(len(history) - _SHOWN_STEPS, 0) :]
            if step.observation.screenshot.recorded
        ]
        note = fill(_NOTE, count=str(len(shown))) if shown else ""
        words = fill(read_template(family.name), history=past, note=note, **values)
        return user_message(observation.screenshot, *shown, words)

    def _in_steps(
        self,
        family: Family,
        values: dict[str, str],
        history: Sequence[Step],
        observation: Observation,
    ) -> Message:
        head, _, tail = read_template(family.name).partition("{history}")
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
            thought = _split_memory(step.decision.reasoning)[0]
            words += f" Thought: {thought}\nAction: {_past(family, step)}"
        return user_message(*parts, words + fill(tail, **values), observation.screenshot)


@dataclass(frozen=True, kw_only=True)
class GlmVComputer(Family):
    """Speaks and reads `left_click(start_box='[x,y]', element_info='…')` and so on."""

    present_first: bool

    def earlier_size(self, size: Size) -> Size:
        """Half the width and height."""
        return Size(max(size.width // 2, 1), max(size.height // 2, 1))

    def render(self, decision: Decision, size: Size) -> str:
        """Why, the call, and what is to be remembered."""
        reason, memory = _split_memory(decision.reasoning)
        return f"{reason}\n{self.call(decision, size)}\nMemory:\n{memory or '[]'}"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the first call, in a box or without."""
        thoughts, text = parsing.read_answer(text)
        marks = list(_MEMORY_LINE.finditer(text))
        body, memory = (text[: marks[-1].start()], text[marks[-1].end() :]) if marks else (text, "")
        before, boxed, rest = body.partition(_BOX_BEGINS)
        inside, words = rest.partition(_BOX_ENDS)[0] if boxed else body, self.grammar.words
        call = (find_calls(inside, words) or [find_only_call(inside, words)])[0]
        if not boxed:
            before = body.partition(f"{call.name}(")[0]
        reason = _join_memory(_MARKS.sub("", before).strip() or thoughts, _MARKS.sub("", memory))
        info = call.get("element_info")
        target = "" if info is None else parsing.read_text(info, "element_info")
        return parsing.make_decision(self.grammar.read(call, self.on(size)), reason, target)

    def call(self, decision: Decision, size: Size) -> str:
        """The call for a decision, with its target where it is about a place."""
        action = plain_action(self.name, decision)
        word, args = self.grammar.write(action, self.on(size))
        if decision.target and "start_box" in args:
            args["element_info"] = decision.target
        return spell_call(word, args, "'[{},{}]'")


def _past(family: Family, step: Step) -> str:
    assert isinstance(family, GlmVComputer)
    try:
        return family.call(step.decision, step.observation.size)
    except UnsupportedByConventionError:
        return " ".join(one.type for one in step.decision.actions)


GLM_4_1V_COMPUTER = GlmVComputer(
    name="glm-4.1v-computer",
    source=_SOURCE.format("41v"),
    space="0-999",
    grammar=_COMPUTER,
    asks=_Screens(present_first=True),
    present_first=True,
)
GLM_4_5V_COMPUTER = replace(
    GLM_4_1V_COMPUTER,
    name="glm-4.5v-computer",
    source=_SOURCE.format("45v"),
    asks=_Screens(present_first=False),
    present_first=False,
)
