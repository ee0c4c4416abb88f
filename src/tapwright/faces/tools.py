"""The actions as tools: a name, a description and typed arguments for each member of the union.

They are read off the union itself, so that a new action is a new tool. A place is in pixels of the
picture that the client was sent, as models see it, or in fractions of the screen.
"""

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from inspect import cleandoc
from typing import Literal, TypeAlias, TypeGuard, get_args

from pydantic import BaseModel, JsonValue, ValidationError

from tapwright.core.actions import Action, ActionAdapter, Key
from tapwright.core.episode import Decision
from tapwright.core.geometry import Size, from_pixel
from tapwright.core.observation import UiTree
from tapwright.core.screenshot import Screenshot, shrink_image
from tapwright.errors import OffScreenError, first_problem
from tapwright.faces.errors import BAD_TOOL_CALL

__all__ = [
    "MAX_SEED", "ActionTool", "Unit", "action_kinds", "action_tools", "convert_bounds",
    "read_decision", "read_seed", "shrink_picture",
]  # fmt: skip

Unit: TypeAlias = Literal["pixel", "fraction"]
MAX_SEED = 2**31 - 1
_BOUNDS = re.compile(r'bounds="\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]"', re.ASCII)
_WAY_OUT = "the tool's schema says what it takes"
_REASONING = "Why, in a sentence or more; it is recorded with the action."
_POINTS: Mapping[Unit, JsonValue] = {
    "pixel": {
        "type": "object",
        "description": "A place: pixels of the latest picture from its top-left corner.",
        "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
        "required": ["x", "y"],
    },
    "fraction": {
        "type": "object",
        "description": "A place: fractions of the screen's width and height, 0 to 1, from its "
        "top-left corner.",
        "properties": {
            "x": {"type": "number", "minimum": 0, "maximum": 1},
            "y": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["x", "y"],
    },
}


@dataclass(frozen=True, slots=True)
class ActionTool:
    """One action: its `type` as the name, and the JSON Schema of its arguments."""

    name: str
    description: str
    arguments: Mapping[str, JsonValue]


def action_tools(unit: Unit, keys: Sequence[Key] = ()) -> tuple[ActionTool, ...]:
    """The tools in the union's order; each takes its `reasoning`, too.

    `keys` are those that the device has, all when there are none.
    """
    return tuple(_make_tool(kind, unit, keys) for kind in action_kinds())


def read_decision(
    name: str, arguments: Mapping[str, JsonValue], unit: Unit, size: Size
) -> Decision:
    """The decision of a call of a tool, whose picture was of `size` pixels.

    Raises:
        UsageError: there is no such tool, or it does not take these arguments.
    """
    names = [_type_of(kind) for kind in action_kinds()]
    if name not in names:
        raise BAD_TOOL_CALL(
            f"no tool is called {name[:80]!r}", hint=f"the actions are {', '.join(names)}"
        )
    given = dict(arguments)
    reasoning = given.pop("reasoning", "")
    try:
        places = given if unit == "fraction" else _to_fractions(given, size)
        assert isinstance(places, dict)  # as it was given
        action = ActionAdapter.validate_python({**places, "type": name})
    except OffScreenError as error:
        raise BAD_TOOL_CALL(f"{name}: {error}", hint=_WAY_OUT) from error
    except ValidationError as error:
        raise BAD_TOOL_CALL(first_problem(error), hint=_WAY_OUT) from error
    return Decision(action, reasoning if isinstance(reasoning, str) else "")


def read_seed(given: object) -> int | None:
    """The seed that a client asks for; None for none.

    Raises:
        UsageError: it is not a whole number from 0 to `MAX_SEED`.
    """
    if given is None or (type(given) is int and 0 <= given <= MAX_SEED):
        return given
    raise BAD_TOOL_CALL(f"the seed {str(given)[:80]!r} is no whole number from 0 to {MAX_SEED}")


def convert_bounds(tree: UiTree, picture: Size | None) -> str:
    """The hierarchy's XML with its bounds in pixels of a picture, or in fractions without one."""
    across, down = 1 / tree.size.width, 1 / tree.size.height
    if picture is not None:
        across, down = picture.width * across, picture.height * down

    def convert(found: re.Match[str]) -> str:
        places = [
            int(edge) * scale
            for edge, scale in zip(found.groups(), (across, down) * 2, strict=True)
        ]
        edges = [f"{one:.4f}" if picture is None else str(round(one)) for one in places]
        return 'bounds="[{},{}][{},{}]"'.format(*edges)

    return _BOUNDS.sub(convert, tree.xml)


def action_kinds() -> tuple[type[BaseModel], ...]:
    """The members of the union, in its order."""
    union, *_ = get_args(Action)
    return get_args(union)


def _type_of(kind: type[BaseModel]) -> str:
    return str(kind.model_fields["type"].default)


def _make_tool(kind: type[BaseModel], unit: Unit, keys: Sequence[Key]) -> ActionTool:
    schema = kind.model_json_schema()
    schema.pop("$defs", None)
    schema["properties"].pop("type")
    if (
        keys
        and kind.model_fields.keys() == {"type", "key"}
        and "enum" in schema["properties"]["key"]
    ):
        schema["properties"]["key"]["enum"] = list(keys)
    schema["properties"]["reasoning"] = {
        "type": "string", "default": "", "description": _REASONING
    }  # fmt: skip
    schema.pop("title")
    text = cleandoc(schema.pop("description"))
    arguments = _untitled(schema, unit)
    assert isinstance(arguments, dict)  # as the schema is
    return ActionTool(_type_of(kind), text, arguments)


def _untitled(schema: JsonValue, unit: Unit) -> JsonValue:
    """The schema without titles, and with the place's own in place of references to it."""
    if isinstance(schema, list):
        return [_untitled(one, unit) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("$ref") == "#/$defs/Point":
        return _POINTS[unit]
    return {
        name: _untitled(value, unit)
        for name, value in schema.items()
        if name != "title" or isinstance(value, dict)
    }


def _to_fractions(given: JsonValue, size: Size) -> JsonValue:
    """What was given, with every place in fractions of the screen.

    Raises:
        OffScreenError: a place is no pixel of a picture of `size`.
    """
    if isinstance(given, list):
        return [_to_fractions(one, size) for one in given]
    if not isinstance(given, dict):
        return given
    if given.keys() != {"x", "y"}:
        return {name: _to_fractions(value, size) for name, value in given.items()}
    x, y = given["x"], given["y"]
    if not (_is_whole(x) and _is_whole(y)):
        raise OffScreenError(f"the place {x!r}, {y!r}: expected whole pixels of the picture")
    point = from_pixel(int(x), int(y), size)
    return {"x": point.x, "y": point.y}


def _is_whole(value: JsonValue) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1


@lru_cache(maxsize=8)  # a client that looks twice at one screen
def shrink_picture(screenshot: Screenshot, max_side: int) -> Screenshot:
    """The screenshot itself, or as a PNG or JPEG whose longest side is `max_side` pixels."""
    size = screenshot.size.shrink(max_side=max_side)
    if size == screenshot.size:
        return screenshot
    buffer = io.BytesIO()
    kind = "JPEG" if screenshot.extension == "jpg" else "PNG"
    shrink_image(screenshot.image(), size).save(buffer, kind)
    return Screenshot(buffer.getvalue(), origin=f"{screenshot.origin}, shrunk to {size}")
