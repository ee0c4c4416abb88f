"""A keyboard on a far screen: keysyms go there, and the server finds keys for them.

A server on X types what its layout lacks by binding a key that nobody uses. Such keys are few: of
the usual layout of 248 keys 18 are free. What comes when they are used up is dropped by x11vnc
0.9.16 (src/keyboard.c, add_keysym) and TigerVNC 1.12 (unix/xserver/hw/vnc/vncInputXKB.c,
vncAddKeysym) without a word. So those characters are counted here. Past the keys that are surely
there a text is pasted where the server has the extended clipboard, and refused before any of it is
typed where it is made with LibVNCServer, as x11vnc is. Any other server is trusted to type what it
is sent, as those of Windows and macOS have no keys of X to bind; TigerVNC before 1.11, which drops
characters too, does not say which server it is. And a key is bound to the keyboard that was last
used, so theirs is used before: else the first binding is lost with the first key.
"""

import re
import time
from collections.abc import Sequence

from tapwright.devices.desktop.keysyms import character_keysym, key_keysym
from tapwright.devices.desktop.rfb import RemoteScreen
from tapwright.errors import UnsupportedActionError

__all__ = ["FarKeyboard"]

_HELD = ("shift", "control", "alt", "meta")
_SPARE = 16
_SETTLE_S = 0.1
_UNUSUAL_S = 0.02
_TAKEN_S = 5.0
_PASTED_S = 0.15
_CONTROLS = re.compile("([\n\r\t\b])")


class FarKeyboard:
    """The keyboard of a screen; `bound` is what its server has bound keys to, and grows."""

    def __init__(self, screen: RemoteScreen, bound: set[int]) -> None:
        self._screen = screen
        self._bound = bound
        self._used = False

    def release(self) -> None:
        """Release the keys that are held with others."""
        for name in _HELD:
            self._screen.key(key_keysym(name), down=False)
        self._screen.await_answer()

    def chord(self, names: Sequence[str]) -> None:
        """Keys by name go down in order, and up in reverse; the server has read them then."""
        keysyms = [key_keysym(name) for name in names]
        for keysym in keysyms:
            self._screen.key(keysym, down=True)
        for keysym in reversed(keysyms):
            self._screen.key(keysym, down=False)
        self._screen.await_answer()

    def press(self, name: str, *, down: bool) -> None:
        """One key goes down, or up; the server has read it then."""
        self._screen.key(key_keysym(name), down=down)
        self._screen.await_answer()

    def type(self, text: str) -> None:
        """Type a text; one with more other characters than there are keys for may be pasted.

        It returns when the server has read the keys.
        Pasting replaces the text of the far clipboard, and presses ctrl+v. That a program there
        asked for the text is all that is known of it: not which one, nor that it has put it in.

        Raises:
            UnsupportedActionError: it can be neither typed nor pasted, or nothing there asked for
                the text that was to be pasted.
        """
        unusual = {one: character_keysym(one) for one in text if not one.isascii()}
        new = [keysym for keysym in unusual.values() if keysym not in self._bound]
        if len(self._bound) + len(new) <= _SPARE:
            self._press(text, new)
        elif self._screen.has_extended_clipboard():
            self._paste(text)
        elif self._screen.is_libvncserver:
            raise UnsupportedActionError(
                f"{self._screen.address} has no keys for {text[:40]!r}: x11vnc drops "
                f"what is beyond some {_SPARE} characters that the layout lacks, and here "
                f"{len(self._bound)} have keys already",
                hint="serve the screen by TigerVNC, into which longer texts are pasted, or type "
                "in parts: between them start x11vnc again and open the device again",
            )
        else:
            self._press(text, new)

    def _press(self, text: str, new: Sequence[int]) -> None:
        if new:
            self._bind(new)
        for character in text:
            keysym = character_keysym(character)
            self._screen.key(keysym, down=True)
            self._screen.key(keysym, down=False)
            if not character.isascii():
                time.sleep(_UNUSUAL_S)  # TigerVNC binds a key as it is pressed
        self._screen.await_answer()

    def _bind(self, keysyms: Sequence[int]) -> None:
        """Let the server bind keys, and the window in front learn of them, before any is pressed.

        A key that goes up and was not down types nothing, but x11vnc binds one for it.
        """
        if not self._used:
            self._used = True
            self.chord(["shift"])
        for keysym in keysyms:
            self._screen.key(keysym, down=False)
            self._bound.add(keysym)
        self._screen.await_answer()
        time.sleep(_SETTLE_S)

    def _paste(self, text: str) -> None:
        for part in filter(None, _CONTROLS.split(text)):
            if part.isascii():
                self._press(part, ())
                continue
            self._screen.set_clipboard(part)
            self.chord(["ctrl", "v"])
            if not self._screen.await_taken(_TAKEN_S):
                raise UnsupportedActionError(
                    f"{self._screen.address} has no keys for {part[:40]!r}, and nothing there "
                    f"asked for the text when it was to be pasted by ctrl+v",
                    hint=f"a text of up to {_SPARE} characters that the layout lacks is typed",
                )
            time.sleep(_PASTED_S)
