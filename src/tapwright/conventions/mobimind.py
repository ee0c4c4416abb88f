"""MobiMind (MobiAgent): a decider without places, a grounder for them, and both in one (e2e).

Prompts and answers follow https://github.com/IPADS-SAI/MobiAgent: prompts/decider_v2.md,
grounder_coordinates.md and grounder_qwen3_bbox.md of 2025-10, e2e_qwen3.md (with its slip in
quoting) and collect/construct_sft.py at fd5aa728. Places are pixels of the picture that is sent
(which MobiAgent halves before); thousandths for what is built on Qwen3, the grounder of that name
and e2e, as phone_runner/mobiagent.py at fd5aa728 takes them (`--use_qwen3`, which it has on).

Rules: the decider's click names its target and no place, so reading one raises
`UngroundedAnswerError`, which carries the target for the grounder. Directions are the finger's; a
swipe of the decider goes over the middle of the screen. `done` is success, failed (failure) or
suspended (infeasible). Apps are opened by MobiAgent's planner, and system keys not at all. A
click's box in e2e is that of what it touches, else the point that is known, and read as its middle.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from pydantic import JsonValue

from tapwright.conventions import family, parsing, rendering
from tapwright.conventions.arguments import Choice, Heading, Lost, On, Place
from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.convention import ScreenKind
from tapwright.conventions.grounding import place_of
from tapwright.conventions.verbs import Grammar, verb
from tapwright.core.actions import Action, Swipe, Tap, Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.errors import UngroundedAnswerError

_STATUS = {"success": "success", "failed": "failure", "suspended": "infeasible"}


@dataclass(frozen=True, slots=True)
class _Stroke(Heading):
    """The finger's direction, and both ends where they are given."""

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        ends = call.get("start_coords"), call.get("end_coords")
        if None in ends:
            return Heading.read(self, call, on)
        return {"start": on.place(ends[0], "start_coords"), "end": on.place(ends[1], "end_coords")}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        assert isinstance(action, Swipe)
        finger = rendering.swipe_direction(on.convention, action, on.size)
        start, end = on.numbers(action.start), on.numbers(action.end)
        if start == end:
            raise rendering.unsupported(on.convention, action, "it stays on one pixel")
        return {"direction": finger.upper(), "start_coords": start, "end_coords": end}


class _Status(Choice):
    """How it ended; a word that the model made up ends the task as well, and is no success."""

    def decode(self, value: JsonValue, on: On) -> object:
        made_up = isinstance(value, str) and value not in _STATUS
        return "failure" if made_up else super().decode(value, on)


_TYPES_AND_ENDS = (
    verb("input", "type_text", text="text"),
    verb("wait", "wait"),
    verb("done", "finish", outcome=_Status("status?", _STATUS)),
)
_DECIDES = Grammar(
    (
        verb("click", "tap", at=Lost(Point(0.5, 0.5))),
        verb("swipe", "swipe", heading=Heading("direction", upper=True)),
        *_TYPES_AND_ENDS,
    )
)
_E2E = Grammar(
    (
        verb("click", "tap", at=Place("bbox", boxes=True)),
        verb("swipe", "swipe", heading=_Stroke("direction")),
        *_TYPES_AND_ENDS,
    )
)


@dataclass(frozen=True, kw_only=True)
class MobiMindDecider(family.Family):
    """Speaks and reads `{"reasoning": …, "action": …, "parameters": {…}}`; e2e with places."""

    screen: ScreenKind = "phone"
    """Upstream plays them on phones alone: phone_runner/mobiagent.py."""

    def render(self, decision: Decision, size: Size) -> str:
        """One line of JSON."""
        return self.render_boxed(decision, size, None)

    def render_boxed(self, decision: Decision, size: Size, box: Box | None) -> str:
        """One line of JSON, in which an e2e click has the box of what it touches."""
        action = rendering.plain_action(self.name, decision)
        verb, parameters = self.grammar.write(action, self.on(size, box))
        if "bbox" in parameters:
            (parameters["bbox"],) = cast(list[JsonValue], parameters["bbox"])
        if isinstance(action, Tap):
            if not (parameters or decision.target.strip()):
                raise rendering.unsupported(self.name, action, "the step names no target")
            parameters = {"target_element": decision.target, **parameters}
        answer = {"reasoning": decision.reasoning, "action": verb, "parameters": parameters}
        return rendering.encode_json(answer)

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last object that can be read.

        Raises:
            UngroundedAnswerError: it is a click of the decider, which has no place.
            BadAnswerError: there is none.
        """
        ungrounded = []

        def read(found: parsing.JsonObject, _: str) -> Decision:
            reasoning = parsing.read_text(found.get("reasoning", ""), "reasoning")
            parameters = found.get("parameters", {})
            if not isinstance(parameters, dict):
                raise parsing.bad_answer(
                    f"the parameters are {parsing.shorten(parameters)}; expected an object"
                )
            target = parsing.read_text(parameters.get("target_element", ""), "target_element")
            verb = found.get("action")
            if verb == "click" and "bbox" not in parameters and self.grammar is _DECIDES:
                # Anything but a place will do to see that the words can be written down.
                ungrounded.append(parsing.make_decision(Wait(), reasoning, target))
                return ungrounded[0]
            action = _E2E.read_object(parameters, self.on(size), verb)
            return parsing.make_decision(action, reasoning, target)

        decision = parsing.read_last_object(parsing.read_answer(text)[1], read)
        if ungrounded and decision is ungrounded[0]:
            raise UngroundedAnswerError(
                f"a click on {parsing.shorten(decision.target)} without a place; "
                "a grounder finds it",
                reasoning=decision.reasoning,
                target=decision.target,
            )
        return decision


@dataclass(frozen=True, kw_only=True)
class MobiMindGrounder(family.Family):
    """Finds one element: a place or a box under one of `names`, of which it `writes` one.

    On Qwen3 it stands in a list in a fence, with the target as its label.
    """

    writes: str
    # runner/mobiagent/mobiagent.py takes a box by any of its names in any case, in the unit of the
    # model.
    names: tuple[str, ...] = ("coordinates", "bbox", "bbox_2d", "bbox-2d", "bbox2d", "bbox_2009")

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One turn that requests the element that `instruction` describes."""
        return self.grounding_prompt(instruction, observation, instruction)

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """One turn that requests the place of `target`, with the decider's reason for the click."""
        words = family.fill(
            family.read_template(self.name), reasoning=reasoning, description=target
        )
        return [family.user_message(observation.screenshot, words)]

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place of the tap."""
        return place_of(self.parse(text, size).first)

    def render(self, decision: Decision, size: Size) -> str:
        """The place of a tap."""
        return self.render_boxed(decision, size, None)

    def render_boxed(self, decision: Decision, size: Size, box: Box | None) -> str:
        """The place of a tap; on Qwen3 the box of what it touches."""
        action, name = rendering.plain_action(self.name, decision), self.writes
        if not isinstance(action, Tap) or action.button != "left":
            raise rendering.unsupported(self.name, action, "it only names where to tap")
        if name == "coordinates":
            return json.dumps({name: self.on(size).numbers(action.at)})
        found = {
            name: rendering.box_numbers(action.at, box, size, self.space),
            "label": decision.target,
        }
        return f"```json\n[\n    {rendering.encode_json(found)}\n]\n```"

    def parse(self, text: str, size: Size) -> Decision:
        """The tap that the last object with a place or a box means."""

        def read(found: parsing.JsonObject, _: str) -> Decision:
            for name, value in found.items():
                if name.lower() in self.names:
                    at = self.on(size).place(value, name)
                    label = parsing.read_text(found.get("label", ""), "label")
                    return parsing.make_decision(Tap(at=at), target=label)
            raise parsing.bad_answer(f"the object has none of {', '.join(self.names)}")

        return parsing.read_last_object(parsing.read_answer(text)[1], read)


_ASKS = family.OneTurn(
    "{picture}{template}",
    line="{number}. {step}",
    joiner="\n",
    nothing="(No history)",
    recall=family.say_answer,
)
_PROMPTS = "IPADS-SAI/MobiAgent@fd5aa72 prompts/"

MOBIMIND_DECIDER = MobiMindDecider(
    name="mobimind-decider",
    source=f"{_PROMPTS}decider_v2.md",
    space="pixel",
    grammar=_DECIDES,
    asks=_ASKS,
)
MOBIMIND_E2E = replace(
    MOBIMIND_DECIDER,
    name="mobimind-e2e",
    source=f"{_PROMPTS}e2e_qwen3.md",
    space="permille",
    grammar=_E2E,
)
MOBIMIND_GROUNDER = MobiMindGrounder(
    name="mobimind-grounder",
    source=f"{_PROMPTS}grounder_coordinates.md",
    space="pixel",
    writes="coordinates",
    asks=_ASKS,
)
MOBIMIND_GROUNDER_QWEN3 = replace(
    MOBIMIND_GROUNDER,
    name="mobimind-grounder-qwen3",
    source=f"{_PROMPTS}grounder_qwen3_bbox.md",
    space="permille",
    writes="bbox_2d",
    names=(*MOBIMIND_GROUNDER.names, "point_2d"),
)
