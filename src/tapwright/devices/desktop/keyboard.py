"""A keyboard on an X server that types any text: keys that are not there are bound for it.

A character that the layout lacks gets a key that nobody uses, for as long as it takes. XTEST has a
keyboard of its own, whose keys are the bound ones only once it has been used; so one key is sent
before any is bound. Before keys are bound anew, the window must have read those that were sent; and
before they are used, it must have read what they are: while Xlib reads one change of the keyboard,
it forgets others that come in, until the program handles their events, and Tk 8.6 looks up all keys
that wait before it handles one (mirror/libX11@436108c src/xkb/XKBBind.c, XRefreshKeyboardMapping).
So neighbours are bound first, which is one change; a window manager grabs its keys again for each.
The keypad types digits, as on a keyboard that people type on: num lock is on. A program that tells
keys by their places, as Chromium does, knows F13 to F24 where Linux has them.
Other keys are never written: a VNC server of the screen binds some of them itself, and those that
it has bound are no longer free.
"""

import time
from collections.abc import Callable, Collection, Sequence
from itertools import groupby, islice

from Xlib import X
from Xlib.ext.xtest import fake_input

from tapwright.devices.desktop.keysyms import character_keysym, key_keysym
from tapwright.devices.desktop.x11 import XConnection

__all__ = ["Keyboard"]

_SHIFT = "shift"
_HELD = (_SHIFT, "control", "alt", "meta")
_AT_ONCE = 200
# A window manager that a chord was for must see its keys go up, for which it grabs them first:
# Openbox goes through the windows until alt is released.
_WINDOWS = frozenset(map(key_keysym, ("alt", "meta")))
_GRAB_S = 0.05
_KEYPAD = range(0xFFAA, 0xFFBA)  # its second level is that of num lock
_FAR = range(0xFFCA, 0xFFD6)  # F13 to F24
_F13_CODE = 191  # KEY_F13 of linux/input-event-codes.h, and 8 more, as X counts
# The keys of a keyboard that people type on: ASCII and Latin-1, editing and function keys.
_USED = (range(0x20, 0x100), range(0xFE00, 0x10000))


class Keyboard:
    """Keys of one display; `settle` waits until the window in front has read what was sent."""

    def __init__(self, connection: XConnection, settle: Callable[[], None]) -> None:
        self._x = connection
        self._settle = settle
        with connection.within():
            self._first = connection.display.display.info.min_keycode
            self._map = self._read()
            self._original = list(self._map)
            self._codes = self._index()
            self._shift = self._codes[key_keysym(_SHIFT)][0]
            self._tap(self._shift)
            self._lock_digits()
            connection.display.sync()
        self._spare = self._find_spare()
        self._bound: dict[int, int] = {}

    def chord(self, names: Sequence[str]) -> None:
        """Keys by name go down in order, and up in reverse.

        Raises:
            UnsupportedActionError: a keyboard has no such key.
        """
        keysyms = [key_keysym(name) for name in names]
        self._bind(keysyms)
        codes = [code for name in names for code in self._press_codes(name)]
        with self._x.within():
            for code in codes:
                fake_input(self._x.display, X.KeyPress, code)
            if not _WINDOWS.isdisjoint(keysyms):
                self._x.display.sync()
                time.sleep(_GRAB_S)
            for code in reversed(codes):
                fake_input(self._x.display, X.KeyRelease, code)
            self._x.display.sync()

    def press(self, name: str, *, down: bool) -> None:
        """One key goes down, or up.

        Raises:
            UnsupportedActionError: a keyboard has no such key.
        """
        self._bind([key_keysym(name)])
        *shift, code = self._press_codes(name)
        with self._x.within():
            for held in shift if down else ():
                fake_input(self._x.display, X.KeyPress, held)
            fake_input(self._x.display, X.KeyPress if down else X.KeyRelease, code)
            for held in shift if down else ():
                fake_input(self._x.display, X.KeyRelease, held)
            self._x.display.sync()

    def _press_codes(self, name: str) -> list[int]:
        """The code of a key, after shift's for a sign that takes it: "+" is none without, "C" is c.

        So does PyAutoGUI with a sign.
        """
        code, shifted = self._codes[key_keysym(name)]
        return [self._shift, code] if shifted and not name.isalpha() else [code]

    def release(self) -> None:
        """Release the keys that are held with others, and give back those that were bound.

        Num lock is on again. A VNC server of this screen binds what is free, and drops characters
        when nothing is.
        """
        rows = enumerate(zip(self._map, self._original, strict=True))
        bound = [number for number, (row, original) in rows if row != original]
        self._map = list(self._original)
        self._bound.clear()
        self._codes = self._index()
        with self._x.within():
            self._write(bound)
            for name in _HELD:
                fake_input(self._x.display, X.KeyRelease, self._codes[key_keysym(name)][0])
            self._lock_digits()
            self._x.display.sync()

    def type(self, text: str) -> None:
        """Type a text, which may have line breaks and tabs."""
        rest = iter(text)
        while part := "".join(islice(rest, self._count_at_once())):
            keysyms = [character_keysym(one) for one in part]
            self._bind(keysyms)
            with self._x.within():
                for keysym in keysyms:
                    code, shifted = self._codes[keysym]
                    if shifted:
                        fake_input(self._x.display, X.KeyPress, self._shift)
                    self._tap(code)
                    if shifted:
                        fake_input(self._x.display, X.KeyRelease, self._shift)
                self._x.display.sync()
            if len(part) == _AT_ONCE:
                self._settle()

    def _find_spare(self) -> list[int]:
        """The keys that nobody uses, the longest run of neighbours first."""
        spare = [
            number
            for number, row in enumerate(self._map)
            if not any(keysym in used for keysym in row for used in _USED)
        ]
        return [number for run in sorted(_runs(spare), key=len, reverse=True) for number in run]

    def _count_at_once(self) -> int:
        """How many characters surely have keys at once; what others have bound is theirs."""
        with self._x.within():
            rows = self._read()
        self._spare = [one for one in self._spare if any(self._map[one]) or not any(rows[one])]
        return min(_AT_ONCE, len(self._spare))

    def _bind(self, keysyms: Sequence[int]) -> None:
        """See that each has a key."""
        missing = [one for one in dict.fromkeys(keysyms) if one not in self._codes]
        if not missing:
            return
        if len(missing) > len(self._spare) - len(self._bound):
            self._settle()
            self._bound.clear()
            missing = [one for one in dict.fromkeys(keysyms) if one not in self._index(self._spare)]
        taken = set(self._bound.values())
        free = [number for number in self._spare if number not in taken]
        for keysym in missing:
            own = _F13_CODE + keysym - _FAR.start - self._first if keysym in _FAR else -1
            number = own if own in free else free[0]
            free.remove(number)
            self._bound[keysym] = number
            self._map[number] = [keysym, keysym, *[0] * (len(self._map[number]) - 2)]
        self._codes = self._index()
        with self._x.within():
            self._write(sorted(self._bound[keysym] for keysym in missing))
            self._x.display.sync()
        self._settle()

    def _read(self) -> list[list[int]]:
        """The keysyms of all keys, as the server has them."""
        count = self._x.display.display.info.max_keycode - self._first + 1
        return [list(row) for row in self._x.display.get_keyboard_mapping(self._first, count)]

    def _write(self, numbers: Sequence[int]) -> None:
        """Tell the server of these keys alone, in ascending order, and of neighbours at once."""
        for run in _runs(numbers):
            rows = self._map[run[0] : run[-1] + 1]
            self._x.display.change_keyboard_mapping(self._first + run[0], rows)

    def _index(self, but: Collection[int] = ()) -> dict[int, tuple[int, bool]]:
        """Keysym -> the code of the key that types it, and whether shift is held for that."""
        rows = [(number, row) for number, row in enumerate(self._map) if number not in but]
        found = {
            row[level]: (self._first + number, level == 1)
            for level in (1, 0)  # what needs no shift is preferred
            for number, row in rows
            if row[level]
        }
        keypad = {row[1]: (self._first + number, False) for number, row in rows}
        return found | {keysym: keypad[keysym] for keysym in _KEYPAD if keysym in keypad}

    def _lock_digits(self) -> None:
        if not self._x.display.screen().root.query_pointer().mask & X.Mod2Mask:
            self._tap(self._codes[key_keysym("num_lock")][0])

    def _tap(self, code: int) -> None:
        fake_input(self._x.display, X.KeyPress, code)
        fake_input(self._x.display, X.KeyRelease, code)


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    """Ascending numbers, those that follow on each other together."""
    runs = groupby(enumerate(numbers), key=lambda at: at[1] - at[0])
    return [[number for _, number in run] for _, run in runs]
