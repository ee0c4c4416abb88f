"""Keys in the grammar of pywinauto's `send_keys`; the examples are those of its documentation."""

import pytest

from tapwright.core.actions import Action, Hotkey, KeyDown, KeyUp, PressKey, TypeText
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.send_keys import read_send_keys


@pytest.mark.parametrize(
    ("keys", "actions"),
    [
        ("^a^c", [Hotkey(keys=("control", "a")), Hotkey(keys=("control", "c"))]),
        ("+{INS}", [Hotkey(keys=("shift", "insert"))]),
        ("%{F4}", [Hotkey(keys=("alt", "f4"))]),
        ("{ENTER 2}", [PressKey(key="enter")] * 2),
        ("~", [PressKey(key="enter")]),
        ("{VK_CONTROL}c", [Hotkey(keys=("control", "c"))]),
        ("{VK_CONTROL}{VK_SHIFT}{END}", [Hotkey(keys=("control", "shift", "move_end"))]),
        ("{VK_MENU}", [Hotkey(keys=("alt",))]),
        ("^(ac)", [Hotkey(keys=("control", "a")), Hotkey(keys=("control", "c"))]),
        (
            "{VK_SHIFT down}hello{VK_SHIFT up}",
            [KeyDown(key="shift"), TypeText(text="hello"), KeyUp(key="shift")],
        ),
        ("=1{TAB}", [TypeText(text="=1"), PressKey(key="tab")]),
        ("{{}ENTER{}}", [Hotkey(keys=("{",)), TypeText(text="ENTER"), Hotkey(keys=("}",))]),
        ("hello world", [TypeText(text="hello world")]),
    ],
)
def test_keys_are_pressed_in_their_order(keys: str, actions: list[Action]) -> None:
    assert read_send_keys(keys, "here") == actions


@pytest.mark.parametrize("keys", ["{ENTER", "^", "{NO_SUCH_KEY}", "a{VK_CONTROL down", "{}"])
def test_what_is_no_such_text_is_refused_with_its_place(keys: str) -> None:
    with pytest.raises(ForeignDataError, match="here"):
        read_send_keys(keys, "here")
