"""Actions as calls of functions, with places in absolute pixels: one tool for each action.

Names, fields, ranges and descriptions of the tools are made from the actions, so that the two
cannot differ. A place `at` becomes the arguments `x_coordinate` and `y_coordinate`, a place `start`
becomes `start_x_coordinate` and `start_y_coordinate`; a `path` is a list of `[x, y]`. Every tool
also takes the `target` of the decision.
"""

from collections.abc import Mapping
from typing import cast, get_args

from pydantic import BaseModel, JsonValue

from tapwright.conventions import parsing
from tapwright.core.actions import MAX_PATH, Action
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size, to_pixel

__all__ = ["TOOLS", "call_arguments", "read_call_decision"]

_KINDS: Mapping[str, type[BaseModel]] = {
    kind.model_fields["type"].default: kind for kind in get_args(get_args(Action)[0])
}
_WAY = "path"
_PIXELS: Mapping[str, JsonValue] = {
    "type": "array",
    "maxItems": MAX_PATH,
    "default": [],
    "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer"}},
}
_TARGET: Mapping[str, JsonValue] = {
    "type": "string",
    "description": "The element that it is done to, told so that one could find it.",
}


def call_arguments(action: Action, target: str, size: Size) -> dict[str, JsonValue]:
    """The arguments of the call that an action on `target` is; the tool's name is its `type`.

    Fields that have their default value are left out, and so is an empty target.
    """
    arguments: dict[str, JsonValue] = {}
    for field, value in action.model_dump(mode="json", exclude_defaults=True).items():
        place = getattr(action, field)
        if isinstance(place, Point):
            arguments.update(zip(_coordinates(field), to_pixel(place, size), strict=True))
        elif field == _WAY:
            arguments[field] = [[*to_pixel(one, size)] for one in place]
        else:
            arguments[field] = value
    if target:
        arguments["target"] = target
    return arguments


def read_call_decision(
    name: JsonValue, arguments: JsonValue, size: Size, reasoning: str = ""
) -> Decision:
    """The decision that a call means on a screen of `size`; the pixel's centre is the place.

    Raises:
        BadAnswerError: there is no such tool, the arguments are not those that it takes, a pixel
            is off the screen, or words cannot be written down, as half an emoji cannot.
    """
    if not isinstance(name, str) or name not in _KINDS:
        raise parsing.bad_answer(
            f"no tool is called {parsing.shorten(name)}; expected one of {', '.join(_KINDS)}"
        )
    if not isinstance(arguments, dict):
        raise parsing.bad_answer(
            f"the arguments of {name} are {parsing.shorten(arguments)}; expected an object"
        )
    left = dict(arguments)
    target = parsing.read_text(left.pop("target", ""), f"the target of {name}")
    places: dict[str, Point | list[Point]] = {
        field: _place(name, field, left, size)
        for field, required in _places(_KINDS[name]).items()
        if required or not left.keys().isdisjoint(_coordinates(field))
    }
    if isinstance(way := left.get(_WAY), list) and len(way) <= MAX_PATH:
        where = f"a place of {_WAY} of {name}"
        places[_WAY] = [parsing.read_place(one, where, size, "pixel") for one in way]
    action = parsing.build_action(_KINDS[name], **{**left, **places})
    return parsing.make_decision(cast(Action, action), reasoning, target)


def _place(name: str, field: str, left: dict[str, JsonValue], size: Size) -> Point:
    """The place of a field, whose two arguments are taken out of those that are left."""
    at: list[JsonValue] = [
        parsing.read_number(left.pop(argument, None), f"{argument} of {name}")
        for argument in _coordinates(field)
    ]
    return parsing.read_place(at, f"{field} of {name}", size, "pixel")


def _coordinates(field: str) -> tuple[str, str]:
    prefix = "" if field == "at" else f"{field}_"
    return f"{prefix}x_coordinate", f"{prefix}y_coordinate"


def _places(kind: type[BaseModel]) -> Mapping[str, bool]:
    """The fields that are places, and whether an action needs them."""
    return {
        name: field.is_required()
        for name, field in kind.model_fields.items()
        if Point in (field.annotation, *get_args(field.annotation)) and name != _WAY
    }


def _tool(name: str, kind: type[BaseModel]) -> dict[str, JsonValue]:
    places = _places(kind)
    properties: dict[str, JsonValue] = {
        argument: {"type": "integer", "minimum": 0}
        for field in places
        for argument in _coordinates(field)
    }
    required = [
        argument for field, needed in places.items() if needed for argument in _coordinates(field)
    ]
    schema = kind.model_json_schema()
    for field, found in schema["properties"].items():
        if field == _WAY:
            properties[field] = dict(_PIXELS)
        elif field not in ("type", *places):
            properties[field] = {key: value for key, value in found.items() if key != "title"}
    required += [field for field in schema.get("required", ()) if field not in places]
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": " ".join(schema["description"].split()),
            "parameters": {
                "type": "object",
                "properties": {**properties, "target": dict(_TARGET)},
                "required": [*required],
            },
        },
    }


TOOLS: list[dict[str, JsonValue]] = [_tool(name, kind) for name, kind in _KINDS.items()]
"""The tools as JSON schemas, in the order of the actions."""
