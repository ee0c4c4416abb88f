"""The plain convention: one JSON object with reasoning, target and tapwright's own action.

For models that were trained on no GUI grammar, and for models trained on tapwright's own data.
Places are whole numbers from 0 to 1000, `[x, y]`. The action space in the prompt is generated
from the actions, so the two cannot differ.
"""

import json
from collections.abc import Sequence
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

from pydantic import BaseModel, JsonValue, ValidationError

from tapwright.conventions import parsing
from tapwright.conventions.convention import Space, from_point
from tapwright.conventions.remembered import remember
from tapwright.conventions.rendering import check_keys, encode_json, sole_action
from tapwright.core.actions import MAX_PATH, Action, ActionAdapter
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Picture, Text
from tapwright.core.observation import Observation

_SPACE: Space = "permille"
_SCALE = 1000
_WAY = "path"
"""The one field that is a list of places."""
_KINDS: tuple[type[BaseModel], ...] = get_args(get_args(Action)[0])
_PLACES = {
    kind.model_fields["type"].default: frozenset(
        name
        for name, field in kind.model_fields.items()
        if Point in (field.annotation, *get_args(field.annotation)) and name != _WAY
    )
    for kind in _KINDS
}


class JsonConvention:
    """Speaks and reads `{"reasoning": …, "target": …, "action": {"type": …, …}}`."""

    name = "json"
    source = "tapwright"
    space: Space = _SPACE
    """Whole thousandths of the screen."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """A system message with the grammar, then one with task, history and screen."""
        past = (
            "\n".join([_render_history_line(step, observation.size) for step in history])
            or "(nothing yet)"
        )
        words = (
            f"Task: {instruction}\n\nWhat you did last, oldest first:\n{past}\n\nThe screen now:"
        )
        return [
            Message("system", (Text(_SYSTEM),)),
            Message("user", (Text(words), Picture(observation.screenshot))),
        ]

    def render(self, decision: Decision, size: Size) -> str:
        """One line of JSON; fields that have their default value are left out."""
        action = sole_action(self.name, decision)
        answer = {
            "reasoning": decision.reasoning,
            "target": decision.target,
            "action": _render_action(action, size),
        }
        check_keys(self.name, action)
        return encode_json(answer)

    def parse(self, text: str, size: Size) -> Decision:
        """The decision in an answer: bare, fenced, or with prose around it.

        Of several objects that can be read the last counts, as drafts come first.

        Raises:
            BadAnswerError: no object in it is an answer, or its words cannot be written down, as
                half an emoji cannot; the message names what was wrong with the last one.
        """
        return parsing.read_last_object(
            parsing.read_answer(text)[1], lambda found, _: _read_decision(found, size)
        )


def _read_decision(found: parsing.JsonObject, size: Size) -> Decision:
    action = found.get("action")
    if not isinstance(action, dict):
        raise parsing.bad_answer('the object has no "action" that is an object')
    reasoning, target = (
        parsing.read_text(found.get(field, ""), f'"{field}"') for field in ("reasoning", "target")
    )
    return parsing.make_decision(_read_action(action, size), reasoning, target)


def _read_action(found: parsing.JsonObject, size: Size) -> Action:
    type_ = found.get("type")
    if not isinstance(type_, str) or type_ not in _PLACES:
        raise parsing.bad_answer(
            f'"action" has the type {parsing.shorten(type_)}; '
            f"expected one of {', '.join(sorted(_PLACES))}"
        )
    places = _PLACES[type_]
    values: dict[str, object] = {
        name: parsing.read_place(value, f'"{name}"', size, _SPACE)
        if name in places and value is not None
        else value
        for name, value in found.items()
    }
    if isinstance(way := found.get(_WAY), list) and len(way) <= MAX_PATH:
        values[_WAY] = [
            parsing.read_place(one, f'a place of "{_WAY}"', size, _SPACE) for one in way
        ]
    try:
        return ActionAdapter.validate_python(values)
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in detail["loc"])
        raise parsing.bad_answer(f"action {where}: {detail['msg']}") from error


def _render_action(action: Action, size: Size) -> parsing.JsonObject:
    fields: parsing.JsonObject = {"type": action.type}
    for name, value in action.model_dump(mode="json", exclude_defaults=True).items():
        at = getattr(action, name)
        if isinstance(at, Point):
            value = _render_place(at, size)
        elif name == _WAY:
            value = [_render_place(one, size) for one in at]
        fields[name] = value
    return fields


def _render_place(at: Point, size: Size) -> list[JsonValue]:
    return [round(number) for number in from_point(at, size, _SPACE)]


@remember
def _render_history_line(step: Step, size: Size) -> str:
    decision = step.decision
    first, *others = (encode_json(_render_action(one, size)) for one in decision.actions)
    said = f"- {first} on {decision.target}" if decision.target else f"- {first}"
    said += "".join(f", then {other}" for other in others)
    return said + "".join(f"\n  Told in return: {words}" for words in step.instructions)


def _describe_actions() -> str:
    """One line for each action: its form, then the first sentence of its docstring."""
    return "\n".join(_describe_kind(kind) for kind in _KINDS)


def _describe_kind(kind: type[BaseModel]) -> str:
    fields = []
    for name, field in kind.model_fields.items():
        if name == "type":
            fields.append(f'"type": "{field.default}"')
        elif field.is_required():
            fields.append(f'"{name}": {_describe_field(field.annotation)}')
        else:
            default = json.dumps(field.default)
            fields.append(
                f'"{name}": {_describe_field(field.annotation)} (may be left out: {default})'
            )
    return f"- {{{', '.join(fields)}}}\n  {' '.join((kind.__doc__ or '').split())}"


def _describe_field(annotation: object) -> str:
    origin = get_origin(annotation)
    if annotation is Point:
        return "[x, y]"
    if origin is Literal:
        return " | ".join(json.dumps(value) for value in get_args(annotation))
    if origin is tuple:
        return f"[{_describe_field(get_args(annotation)[0])}, ...]"
    if origin is Annotated:
        return _describe_field(get_args(annotation)[0])
    if origin in (Union, UnionType):
        members = (one for one in get_args(annotation) if one is not NoneType)
        return " | ".join(_describe_field(member) for member in members)
    if annotation is bool:
        return "true | false"
    return "number" if annotation in (int, float) else "string"


_SYSTEM = f"""\
You operate a phone or a computer for a user, one action at a time. You are given a task, what you \
did so far, and a picture of the screen as it is now. Decide on the next action.

Actions:
{_describe_actions()}

Places are [x, y] in thousandths of the screen, whole numbers from 0 to {_SCALE}: x runs to the \
right, y runs down, [0, 0] is the top left corner and [{_SCALE}, {_SCALE}] the bottom right one. \
Durations are seconds.

Answer with one JSON object and nothing else:
{{"reasoning": "why this action is the next one, from what the screen shows", "target": "the \
element that it is done to, past so that one could find it; empty when there is none", "action": \
{{"type": "...", ...}}}}

Look before you type: the field must have the focus, or you give its place. If an action changed \
nothing, try another one. When the task is done, or cannot be done, finish and say which."""

JSON_CONVENTION = JsonConvention()
