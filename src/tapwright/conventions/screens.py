"""On which screens a convention's models can act: told by its prompt, else by its grammar's words.

A grammar with a phone's keys and no pointer or chord is a phone's, one with neither those keys nor
a finger's gestures a computer's. Many have words for both, or for what every screen takes; of those
some have a prompt for each platform, and say which (`PlatformConvention`).
"""

from tapwright.conventions.convention import Convention, PlatformConvention, ScreenKind
from tapwright.core.actions import (
    Action,
    Goto,
    Hotkey,
    Hover,
    LongPress,
    OpenApp,
    PressKey,
    Swipe,
    Tap,
    TypeText,
)
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.errors import TapwrightError

__all__ = ["says", "screen_kind"]

_SIZE = Size(1080, 2400)
_AT, _OTHER = Point(0.5, 0.25), Point(0.5, 0.75)
_COMPUTERS: tuple[Action, ...] = (
    Tap(at=_AT, button="right"),
    Hover(at=_AT),
    Hotkey(keys=("control", "c")),
    Goto(url="https://example.org/"),
)
_PHONES: tuple[Action, ...] = (
    LongPress(at=_AT),
    PressKey(key="home"),
    PressKey(key="recents"),
    OpenApp(app="Settings"),
)


def screen_kind(convention: Convention) -> ScreenKind:
    """The only kind of screen that its actions are for; "any" where they tell none."""
    if isinstance(convention, PlatformConvention):
        return convention.screen
    if not says(convention, TypeText(text="hello"), _SIZE):
        return "any"  # it finds an element, on whatever is shown
    phone = any(says(convention, one, _SIZE) for one in _PHONES)
    computer = any(says(convention, one, _SIZE) for one in _COMPUTERS)
    if phone and not computer:
        return "phone"
    swipes = says(convention, Swipe(start=_OTHER, end=_AT), _SIZE)
    return "computer" if computer and not (phone or swipes) else "any"


def says(convention: Convention, action: Action, size: Size) -> bool:
    """Whether its grammar has words for an action on a screen of `size`."""
    try:
        convention.render(Decision(action, "", "the button"), size)
    except TapwrightError:
        return False
    return True
