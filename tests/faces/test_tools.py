"""Each action is a tool, whose call gives the action back."""

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import JsonValue

from tapwright.core.actions import Action, Swipe, Tap
from tapwright.core.geometry import Point, Size, from_pixel
from tapwright.core.observation import UiTree
from tapwright.errors import UsageError
from tapwright.faces.tools import action_tools, convert_bounds, read_decision
from tests.strategies import ACTIONS

SIZE = Size(400, 800)


def test_every_action_is_a_tool_with_a_description_and_a_schema() -> None:
    tools = action_tools("pixel")
    kinds = get_args(get_args(Action)[0])
    assert [tool.name for tool in tools] == [kind.model_fields["type"].default for kind in kinds]
    for tool in tools:
        assert tool.description
        Draft202012Validator.check_schema(tool.arguments)
        assert "$ref" not in repr(tool.arguments)
        assert "reasoning" in str(tool.arguments)


@given(action=ACTIONS)
def test_a_call_in_fractions_gives_the_action_back(action: Action) -> None:
    arguments: dict[str, JsonValue] = action.model_dump(
        mode="json", exclude={"type"}, exclude_defaults=True
    )
    schemas = {tool.name: tool.arguments for tool in action_tools("fraction")}
    Draft202012Validator(schemas[action.type]).validate(arguments)
    found = read_decision(action.type, {**arguments, "reasoning": "so"}, "fraction", SIZE)
    assert (found.action, found.reasoning) == (action, "so")


@given(x=st.integers(0, SIZE.width - 1), y=st.integers(0, SIZE.height - 1))
def test_a_pixel_is_its_centre(x: int, y: int) -> None:
    found = read_decision("tap", {"at": {"x": x, "y": y}}, "pixel", SIZE).action
    assert found == Tap(at=from_pixel(x, y, SIZE))
    ends: dict[str, JsonValue] = {"start": {"x": x, "y": y}, "end": {"x": float(x), "y": 0}}
    found = read_decision("swipe", ends, "pixel", SIZE).action
    assert found == Swipe(start=from_pixel(x, y, SIZE), end=from_pixel(x, 0, SIZE))


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("fly", {}, "no tool is called 'fly'"),
        ("tap", {}, "tap.at: Field required"),
        ("tap", {"at": {"x": 400, "y": 1}}, "x runs from 0 to 399"),
        ("tap", {"at": {"x": 0.5, "y": 0.5}}, "expected whole pixels"),
        ("tap", {"at": {"x": True, "y": 1}}, "expected whole pixels"),
        ("tap", {"at": {"x": float("nan"), "y": 1}}, "expected whole pixels"),
        ("tap", {"at": {"x": 1e300, "y": 1}}, "is off a 400x800 screen"),
        ("tap", {"at": [1, 2]}, "tap.at: "),
        ("tap", {"at": {"x": 1, "y": 1}, "type": "finish", "far": 1}, "tap.far: Extra inputs"),
        ("wait", {"duration_s": 1e9}, "wait.duration_s: "),
    ],
)
def test_a_call_that_cannot_be_read_says_why(
    name: str, arguments: dict[str, JsonValue], words: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(words)) as caught:
        read_decision(name, arguments, "pixel", SIZE)
    assert "\n" not in str(caught.value)


def test_only_the_keys_that_a_device_has_are_offered() -> None:
    (tool,) = (one for one in action_tools("pixel", ["back", "home"]) if one.name == "press_key")
    assert "'enum': ['back', 'home']" in str(tool.arguments)


def test_bounds_are_in_the_unit_of_the_places() -> None:
    tree = UiTree('<hierarchy><node bounds="[0,200][400,800]" /></hierarchy>', SIZE)
    assert 'bounds="[0,50][100,200]"' in convert_bounds(tree, Size(100, 200))
    assert 'bounds="[0.0000,0.2500][1.0000,1.0000]"' in convert_bounds(tree, None)
    left_top = Point(0.0, 0.25)
    assert tree.nodes[0].box is not None
    assert (tree.nodes[0].box.left, tree.nodes[0].box.top) == (left_top.x, left_top.y)
