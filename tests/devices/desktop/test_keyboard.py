"""Keys that are bound for a while, on a screen where another client binds some too."""

import pytest

from tapwright.devices.desktop.device import Desktop
from tapwright.devices.desktop.keysyms import character_keysym
from tapwright.devices.desktop.x11 import XConnection

HAN = "".join(chr(code) for code in range(0x4E00, 0x4E00 + 300))


@pytest.mark.slow
def test_keys_that_another_client_binds_stay_its_own(desktop: Desktop) -> None:
    other = XConnection(desktop.machine.screen.name)
    first = other.display.display.info.min_keycode
    count = other.display.display.info.max_keycode - first + 1

    def keys() -> list[list[int]]:
        with other.within():
            return [list(row) for row in other.display.get_keyboard_mapping(first, count)]

    def bind(number: int, keysym: int) -> None:
        with other.within():
            other.display.change_keyboard_mapping(first + number, [[keysym, keysym]])
            other.display.sync()

    before = keys()
    empty = [number for number, row in enumerate(before) if not any(row)]
    theirs = {empty[0]: character_keysym("Щ"), empty[-1]: character_keysym("щ")}
    try:
        bind(empty[0], theirs[empty[0]])  # the first that is free, as a server takes it
        desktop.machine.keyboard.type(HAN)  # more than there are keys
        desktop.machine.keyboard.release()
        desktop.machine.keyboard.type("Жук")
        bind(empty[-1], theirs[empty[-1]])
        assert keys() != before
        desktop.machine.keyboard.release()
        after = keys()
        assert {number: after[number][0] for number in theirs} == theirs
        for number in set(range(count)) - set(theirs):
            assert after[number] == before[number]
    finally:
        for number in theirs:
            bind(number, 0)
        other.close()
