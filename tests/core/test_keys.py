"""The names of keys, and what an action takes of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tapwright.core.actions import MAX_HELD, MAX_PATH, Drag, KeyDown, Tap
from tapwright.core.geometry import Point
from tapwright.core.keys import KEY_NAMES, find_key

_AT = Point(0.5, 0.5)


@pytest.mark.parametrize(
    ("other", "ours"),
    [
        ("ctrl", "control"), ("Control_L", "control"), ("SHIFT_R", "shift"), ("cmd", "meta"),
        ("KP_Enter", "keypad_enter"), ("num7", "keypad_7"), ("Numpad7", "keypad_7"),
        ("capslock", "caps_lock"), ("F24", "f24"), ("prtsc", "print"), ("home", "move_home"),
        (" ", "space"), ("\n", "enter"), ("a", "a"), ("A", "A"), ("é", "é"), ("+", "+"),
        ("minus", "-"), ("bracketleft", "["), ("parenleft", "("), ("KeyA", "a"), ("Digit1", "1"),
        ("page down", "page_down"), ("Caps Lock", "caps_lock"), ("arrow-left", "left"),
    ],
)  # fmt: skip
def test_a_key_has_one_name_whatever_it_is_called(other: str, ours: str) -> None:
    assert find_key(other) == ours


@given(st.sampled_from(KEY_NAMES) | st.characters())
def test_our_own_name_of_a_key_is_its_name(name: str) -> None:
    found = find_key(name)
    assert found is None or find_key(found) == found


@pytest.mark.parametrize("name", ["", "hyper", "f25", "\x00", "ab", "control_x"])
def test_a_key_that_no_keyboard_has_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(ValidationError, match="a keyboard has no key") as caught:
        KeyDown(key=name)
    (problem,) = caught.value.errors()
    assert "\n" not in problem["msg"]
    with pytest.raises(ValidationError, match="a keyboard has no key"):
        Tap(at=_AT, held=(name,))


def test_held_keys_are_known_by_our_names() -> None:
    assert Tap(at=_AT, held=("Ctrl", "option")) == Tap(at=_AT, held=("control", "alt"))


def test_a_path_and_the_held_keys_have_a_limit_that_is_told() -> None:
    with pytest.raises(ValidationError, match=f"at most {MAX_PATH} items"):
        Drag(start=_AT, end=_AT, path=(_AT,) * 100_000)
    with pytest.raises(ValidationError, match=f"at most {MAX_HELD} items"):
        Tap(at=_AT, held=("a",) * (MAX_HELD + 1))
