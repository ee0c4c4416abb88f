from typing import get_args

import pytest

from tapwright.core.actions import Key
from tapwright.devices.keys import key_events, key_stroke
from tapwright.errors import UnsupportedActionError

EDITING = set(get_args(Key)) - {
    "back", "forward", "home", "recents", "menu", "power", "volume_up", "volume_down", "camera",
    "clear", "rotate",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(EDITING))
def test_every_editing_key_is_known(name: str) -> None:
    stroke = key_stroke(name)
    assert stroke.key
    assert stroke.number


def test_an_unknown_key_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedActionError, match="'hyper'"):
        key_stroke("hyper")


def test_keys_go_down_in_order_and_up_in_reverse() -> None:
    events = key_events(("control", "shift", "a"))
    assert [(event["type"], event["key"]) for event in events] == [
        ("rawKeyDown", "Control"),
        ("rawKeyDown", "Shift"),
        ("rawKeyDown", "a"),
        ("keyUp", "a"),
        ("keyUp", "Shift"),
        ("keyUp", "Control"),
    ]
    assert [event["modifiers"] for event in events] == [2, 10, 10, 10, 2, 0]


def test_a_key_types_its_text_unless_a_command_is_meant() -> None:
    assert key_events(("a",))[0]["text"] == "a"
    assert key_events(("shift", "a"))[1]["text"] == "A"
    command = key_events(("Ctrl", "A"))[1]
    assert "text" not in command
    assert command["commands"] == ["selectAll"]
