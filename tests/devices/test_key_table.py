"""The one table of keys has each key, and each way of spelling it names one key."""

import pytest

from tapwright.core.keys import KEY_NAMES
from tapwright.devices.desktop.keysyms import key_keysym
from tapwright.devices.keys import key_event, key_stroke


@pytest.mark.parametrize("name", KEY_NAMES)
def test_every_key_is_a_key_of_x_and_of_pages(name: str) -> None:
    stroke = key_stroke(name)
    assert stroke.key
    assert stroke.code
    assert stroke.number
    assert key_keysym(name)


@pytest.mark.parametrize("field", ["code", "x", "webdriver", "android", "pyautogui"])
def test_no_two_keys_are_spelled_alike(field: str) -> None:
    spelled = [getattr(key_stroke(name), field) for name in KEY_NAMES]
    known = [one for one in spelled if one]
    assert len(set(known)) == len(known)


def test_a_key_of_the_keypad_types_and_says_where_it_is() -> None:
    event = key_event("keypad_7", (), down=True)
    told = (event["key"], event["code"], event["text"], event["location"])
    assert told == ("7", "Numpad7", "7", 3)


def test_a_key_that_is_pressed_while_control_is_down_is_a_command() -> None:
    event = key_event("a", ("control",), down=True)
    assert (event["modifiers"], event["commands"]) == (2, ["selectAll"])
