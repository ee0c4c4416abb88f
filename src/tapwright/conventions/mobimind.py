"""MobiMind (MobiAgent): a decider without places, a grounder for them, and both in one (e2e).

Prompts and answers follow https://github.com/IPADS-SAI/MobiAgent: prompts/decider_v2.md,
grounder_coordinates.md and grounder_qwen3_bbox.md of 2025-10, e2e_qwen3.md at
7de7507b9a9a8ab376f97b9b4d2c6d6d5887e879, and collect/construct_sft.py at fd5aa728. Places are
pixels of the picture that is sent (which MobiAgent halves before), for the grounder on Qwen3
thousandths.

Rules: the decider's click names its target and no place, so reading one raises
`UngroundedAnswerError`, which carries the target for the grounder. Directions are the finger's; a
swipe of the decider goes over the middle of the screen. `done` is success, failed (failure) or
suspended (infeasible). Apps are opened by MobiAgent's planner, and system keys not at all. A
click's box in e2e is said as the point that is known, and read as its middle.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from tapwright.actions import Action, Finish, Outcome, Swipe, Tap, TypeText, Wait
from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    JsonObject,
    bad,
    decided,
    last_object,
    place,
    read_answer,
    short,
    text_field,
)
from tapwright.conventions.prompting import filled, shown, template
from tapwright.conventions.rendering import (
    direction_word,
    retold,
    swipe_direction,
    unsayable,
    whole,
)
from tapwright.directions import swipe_toward
from tapwright.episode import Decision, Step
from tapwright.errors import UngroundedAnswerError
from tapwright.geometry import Size
from tapwright.messages import Message
from tapwright.observation import Observation

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
    def space(self) -> Space:
        """Pixels of the picture; the decider gives no places."""
        return "pixel"

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One turn: the screen, then the task and the answers so far."""
        told = "\n".join(
            f"{number}. {retold(self, step)}" for number, step in enumerate(history, start=1)
        )
        words = filled(template(self.name), task=instruction, history=told or "(No history)")
        return [shown(observation.screenshot, words)]

    def render(self, decision: Decision, size: Size) -> str:
        """One line of JSON."""
        verb, parameters = self._said(decision, size)
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
            reasoning = text_field(found.get("reasoning", ""), "reasoning")
            parameters = found.get("parameters", {})
            if not isinstance(parameters, dict):
                raise bad(f"the parameters are {short(parameters)}; expected an object")
            target = text_field(parameters.get("target_element", ""), "target_element")
            if found.get("action") == "click" and "bbox" not in parameters and not self.e2e:
                # Anything but a place will do to see that the words can be written down.
                ungrounded.append(decided(Wait(), reasoning, target))
                return ungrounded[0]
            return decided(self._meant(found.get("action"), parameters, size), reasoning, target)

        decision = last_object(read_answer(text)[1], read)
        if ungrounded and decision is ungrounded[0]:
            raise UngroundedAnswerError(
                f"a click on {short(decision.target)} without a place; a grounder finds it",
                reasoning=decision.reasoning,
                target=decision.target,
            )
        return decision

    def _said(self, decision: Decision, size: Size) -> tuple[str, JsonObject]:
        action = decision.action
        match action:
            case Tap(at=at, button="left") if self.e2e:
                x, y = whole(at, size, self.space)
                return "click", {"target_element": decision.target, "bbox": [x, y, x, y]}
            case Tap(button="left"):
                if not decision.target.strip():
                    raise unsayable(self.name, action, "nobody has said what is tapped")
                return "click", {"target_element": decision.target}
            case Swipe(start=start, end=end):
                finger = swipe_direction(self.name, action, size)
                parameters: JsonObject = {"direction": finger.upper()}
                if self.e2e:
                    parameters["start_coords"] = whole(start, size, self.space)
                    parameters["end_coords"] = whole(end, size, self.space)
                    if parameters["start_coords"] == parameters["end_coords"]:
                        raise unsayable(self.name, action, "it stays on one pixel")
                return "swipe", parameters
            case TypeText(text=text):
                return "input", {"text": text}
            case Wait():
                return "wait", {}
            case Finish(outcome=outcome):
                return "done", {"status": _STATUS[outcome]}
        raise unsayable(self.name, action, "it has click, swipe, input, wait and done")

    def _meant(self, verb: JsonValue, parameters: JsonObject, size: Size) -> Action:
        match verb:
            case "click":
                return Tap(at=place(parameters.get("bbox"), "bbox", size, self.space))
            case "swipe":
                start, end = parameters.get("start_coords"), parameters.get("end_coords")
                if start is None or end is None:
                    return swipe_toward(direction_word(parameters.get("direction")))
                return Swipe(
                    start=place(start, "start_coords", size, self.space),
                    end=place(end, "end_coords", size, self.space),
                )
            case "input":
                return TypeText(text=text_field(parameters.get("text"), "text"))
            case "wait":
                return Wait()
            case "done":
                status = parameters.get("status", "success")
                if not isinstance(status, str) or status not in _OUTCOMES:
                    raise bad(f"the status is {short(status)}; expected {', '.join(_OUTCOMES)}")
                return Finish(outcome=_OUTCOMES[status])
        raise bad(f"the action is {short(verb)}; expected click, swipe, input, wait or done")


@dataclass(frozen=True, slots=True)
class MobiMindGrounder:
    """Finds one element: `{"coordinates": [x, y]}`, on Qwen3 a list with a `bbox_2d`."""

    qwen3: bool

    @property
    def name(self) -> str:
        """The words "mobimind-grounder" and "mobimind-grounder-qwen3"."""
        return "mobimind-grounder-qwen3" if self.qwen3 else "mobimind-grounder"

    @property
    def space(self) -> Space:
        """Pixels of the picture; on Qwen3 whole thousandths."""
        return "permille" if self.qwen3 else "pixel"

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One turn that asks for the element that `instruction` describes."""
        return self.ask(instruction, instruction, observation)

    def ask(self, reasoning: str, target: str, observation: Observation) -> list[Message]:
        """One turn that asks for the element `target`, which the decider clicks for a reason."""
        words = filled(template(self.name), reasoning=reasoning, description=target)
        return [shown(observation.screenshot, words)]

    def render(self, decision: Decision, size: Size) -> str:
        """The place of a tap; on Qwen3 in a fence, with the target as its label."""
        action = decision.action
        if not isinstance(action, Tap) or action.button != "left":
            raise unsayable(self.name, action, "it only says where to tap")
        at = whole(action.at, size, self.space)
        if not self.qwen3:
            return json.dumps({"coordinates": at})
        found = [{"bbox_2d": [*at, *at], "label": decision.target}]
        return f"```json\n{json.dumps(found, ensure_ascii=False)}\n```"

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
                    at = place(found[name], name, size, self.space)
                    label = text_field(found.get("label", ""), "label")
                    return decided(Tap(at=at), target=label)
            raise bad(f"the object has none of {', '.join(names)}")

        return last_object(read_answer(text)[1], read)


MOBIMIND_DECIDER = MobiMindDecider(e2e=False)
MOBIMIND_E2E = replace(MOBIMIND_DECIDER, e2e=True)
MOBIMIND_GROUNDER = MobiMindGrounder(qwen3=False)
MOBIMIND_GROUNDER_QWEN3 = MobiMindGrounder(qwen3=True)
