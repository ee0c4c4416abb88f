"""MobiMind (MobiAgent): a decider without places, a grounder for them, and both in one (e2e).

Prompts and answers follow https://github.com/IPADS-SAI/MobiAgent: prompts/decider_v2.md,
grounder_coordinates.md and grounder_qwen3_bbox.md of 2025-10, e2e_qwen3.md at
7de7507b9a9a8ab376f97b9b4d2c6d6d5887e879 (fd5aa728 has one quotation mark instead of another), and
collect/construct_sft.py at fd5aa728. Places are pixels of the picture that is sent (which MobiAgent
halves before); thousandths for what is built on Qwen3, the grounder of that name and e2e, as
phone_runner/mobiagent.py at fd5aa728 takes them (`--use_qwen3`, which it has on).

Rules: the decider's click names its target and no place, so reading one raises
`UngroundedAnswerError`, which carries the target for the grounder. Directions are the finger's; a
swipe of the decider goes over the middle of the screen. `done` is success, failed (failure) or
suspended (infeasible). Apps are opened by MobiAgent's planner, and system keys not at all. A
click's box in e2e is that of what it touches, else the point that is known, and read as its middle.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from tapwright.conventions.convention import ScreenKind, Space
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
    render_step,
    swipe_direction,
    unsupported,
    whole_numbers,
)
from tapwright.core.actions import Action, Finish, Outcome, Swipe, Tap, TypeText, Wait
from tapwright.core.directions import swipe_toward
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.errors import UngroundedAnswerError

_STATUS: Mapping[Outcome, str] = {
    "success": "success", "failure": "failed", "infeasible": "suspended",
}  # fmt: skip
_OUTCOMES = {status: outcome for outcome, status in _STATUS.items()}


@dataclass(frozen=True, slots=True)
class MobiMindDecider:
    """Speaks and reads `{"reasoning": …, "action": …, "parameters": {…}}`; e2e with places."""

    e2e: bool

    @property
    def name(self) -> str:
        """The words "mobimind-decider" and "mobimind-e2e"."""
        return "mobimind-e2e" if self.e2e else "mobimind-decider"

    @property
    def screen(self) -> ScreenKind:
        """Upstream plays them on phones alone: phone_runner/mobiagent.py."""
        return "phone"

    @property
    def space(self) -> Space:
        """E2e: whole thousandths; the decider gives no places, and so has pixels."""
        return "permille" if self.e2e else "pixel"

    source: str = "IPADS-SAI/MobiAgent@7de7507 prompts/decider_v2.md, prompts/e2e_qwen3.md"

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One turn: the screen, then the task and the answers so far."""
        past = "\n".join(
            f"{number}. {render_step(self, step)}" for number, step in enumerate(history, start=1)
        )
        words = fill(read_template(self.name), task=instruction, history=past or "(No history)")
        return [user_message(observation.screenshot, words)]

    def render(self, decision: Decision, size: Size) -> str:
        """One line of JSON."""
        return self.render_boxed(decision, size, None)

    def render_boxed(self, decision: Decision, size: Size, box: Box | None) -> str:
        """One line of JSON, in which an e2e click has the box of what it touches."""
        verb, parameters = self._render_action(decision, size, box)
        answer = {"reasoning": decision.reasoning, "action": verb, "parameters": parameters}
        return json.dumps(answer, ensure_ascii=False)

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last object that can be read.

        Raises:
            UngroundedAnswerError: it is a click of the decider, which has no place.
            BadAnswerError: there is none.
        """
        ungrounded = []

        def read(found: JsonObject, _: str) -> Decision:
            reasoning = read_text(found.get("reasoning", ""), "reasoning")
            parameters = found.get("parameters", {})
            if not isinstance(parameters, dict):
                raise bad_answer(f"the parameters are {shorten(parameters)}; expected an object")
            target = read_text(parameters.get("target_element", ""), "target_element")
            if found.get("action") == "click" and "bbox" not in parameters and not self.e2e:
                # Anything but a place will do to see that the words can be written down.
                ungrounded.append(make_decision(Wait(), reasoning, target))
                return ungrounded[0]
            return make_decision(
                self._parse_action(found.get("action"), parameters, size), reasoning, target
            )

        decision = read_last_object(read_answer(text)[1], read)
        if ungrounded and decision is ungrounded[0]:
            raise UngroundedAnswerError(
                f"a click on {shorten(decision.target)} without a place; a grounder finds it",
                reasoning=decision.reasoning,
                target=decision.target,
            )
        return decision

    def _render_action(
        self, decision: Decision, size: Size, box: Box | None
    ) -> tuple[str, JsonObject]:
        action = plain_action(self.name, decision)
        match action:
            case Tap(at=at, button="left") if self.e2e:
                corners = box_numbers(at, box, size, self.space)
                return "click", {"target_element": decision.target, "bbox": corners}
            case Tap(button="left"):
                if not decision.target.strip():
                    raise unsupported(self.name, action, "the step names no target")
                return "click", {"target_element": decision.target}
            case Swipe(start=start, end=end):
                finger = swipe_direction(self.name, action, size)
                parameters: JsonObject = {"direction": finger.upper()}
                if self.e2e:
                    parameters["start_coords"] = whole_numbers(start, size, self.space)
                    parameters["end_coords"] = whole_numbers(end, size, self.space)
                    if parameters["start_coords"] == parameters["end_coords"]:
                        raise unsupported(self.name, action, "it stays on one pixel")
                return "swipe", parameters
            case TypeText(text=text, at=None, clear=False):
                return "input", {"text": text}
            case Wait():
                return "wait", {}
            case Finish(outcome=outcome):
                return "done", {"status": _STATUS[outcome]}
        raise unsupported(self.name, action, "it has click, swipe, input, wait and done")

    def _parse_action(self, verb: JsonValue, parameters: JsonObject, size: Size) -> Action:
        match verb:
            case "click":
                return Tap(at=read_place(parameters.get("bbox"), "bbox", size, self.space))
            case "swipe":
                start, end = parameters.get("start_coords"), parameters.get("end_coords")
                if start is None or end is None:
                    return swipe_toward(read_direction(parameters.get("direction")))
                return Swipe(
                    start=read_place(start, "start_coords", size, self.space),
                    end=read_place(end, "end_coords", size, self.space),
                )
            case "input":
                return TypeText(text=read_text(parameters.get("text"), "text"))
            case "wait":
                return Wait()
            case "done":
                status = parameters.get("status", "success")
                if not isinstance(status, str) or status not in _OUTCOMES:
                    raise bad_answer(
                        f"the status is {shorten(status)}; expected {', '.join(_OUTCOMES)}"
                    )
                return Finish(outcome=_OUTCOMES[status])
        raise bad_answer(
            f"the action is {shorten(verb)}; expected click, swipe, input, wait or done"
        )


@dataclass(frozen=True, slots=True)
class MobiMindGrounder:
    """Finds one element: `{"coordinates": [x, y]}`, on Qwen3 a list with a `bbox_2d`."""

    qwen3: bool

    @property
    def name(self) -> str:
        """The words "mobimind-grounder" and "mobimind-grounder-qwen3"."""
        return "mobimind-grounder-qwen3" if self.qwen3 else "mobimind-grounder"

    @property
    def source(self) -> str:
        """Where its words come from."""
        return "IPADS-SAI/MobiAgent@fd5aa72 prompts/" + (
            "grounder_qwen3_bbox.md" if self.qwen3 else "grounder_coordinates.md"
        )

    @property
    def space(self) -> Space:
        """Pixels of the picture; on Qwen3 whole thousandths."""
        return "permille" if self.qwen3 else "pixel"

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One turn that requests the element that `instruction` describes."""
        return self.grounding_prompt(instruction, observation, instruction)

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """One turn that requests the place of `target`, with the decider's reason for the click."""
        words = fill(read_template(self.name), reasoning=reasoning, description=target)
        return [user_message(observation.screenshot, words)]

    def parse_point(self, text: str, size: Size) -> Point:
        """The place of the tap.

        Raises:
            BadAnswerError: there is none.
        """
        action = self.parse(text, size).action
        if not isinstance(action, Tap):
            raise bad_answer(f"the answer is to {action.type}; expected where to tap")
        return action.at

    def render(self, decision: Decision, size: Size) -> str:
        """The place of a tap; on Qwen3 in a fence, with the target as its label."""
        return self.render_boxed(decision, size, None)

    def render_boxed(self, decision: Decision, size: Size, box: Box | None) -> str:
        """The place of a tap; on Qwen3 the box of what it touches."""
        action = plain_action(self.name, decision)
        if not isinstance(action, Tap) or action.button != "left":
            raise unsupported(self.name, action, "it only names where to tap")
        if not self.qwen3:
            return json.dumps({"coordinates": whole_numbers(action.at, size, self.space)})
        corners = box_numbers(action.at, box, size, self.space)
        found = {"bbox_2d": corners, "label": decision.target}
        return f"```json\n[\n    {json.dumps(found, ensure_ascii=False)}\n]\n```"

    def parse(self, text: str, size: Size) -> Decision:
        """The tap that the last object with a place or a box means.

        Raises:
            BadAnswerError: there is none.
        """
        # MobiAgent's runner takes a box by any of its names, in the unit of the model.
        names = ["coordinates", "bbox", "bbox_2d", "bbox-2d", "bbox2d"]
        if self.qwen3:
            names.append("point_2d")

        def read(found: JsonObject, _: str) -> Decision:
            for name in names:
                if name in found:
                    at = read_place(found[name], name, size, self.space)
                    label = read_text(found.get("label", ""), "label")
                    return make_decision(Tap(at=at), target=label)
            raise bad_answer(f"the object has none of {', '.join(names)}")

        return read_last_object(read_answer(text)[1], read)


MOBIMIND_DECIDER = MobiMindDecider(e2e=False)
MOBIMIND_E2E = replace(MOBIMIND_DECIDER, e2e=True)
MOBIMIND_GROUNDER = MobiMindGrounder(qwen3=False)
MOBIMIND_GROUNDER_QWEN3 = MobiMindGrounder(qwen3=True)
