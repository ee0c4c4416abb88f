"""On which screens a convention's models can act: told by its prompt, else by its grammar's words.

A grammar with a phone's keys and no pointer or chord is a phone's, one with neither those keys nor
a finger's gestures a computer's. Many have words for both, or for what every screen takes; of those
some have a prompt for each platform, and say which (`PlatformConvention`).
"""

from collections.abc import Iterable, Mapping

from tapwright.conventions.convention import Convention, PlatformConvention, ScreenKind
from tapwright.core import actions as act
from tapwright.core.episode import Decision, Episode
from tapwright.core.geometry import Point, Size
from tapwright.errors import TapwrightError

__all__ = ["kind_of_actions", "kind_of_episode", "says", "screen_kind"]

_SIZE = Size(1080, 2400)
_AT, _OTHER = Point(0.5, 0.25), Point(0.5, 0.75)
_COMPUTERS: tuple[act.Action, ...] = (
    act.Tap(at=_AT, button="right"),
    act.Hover(at=_AT),
    act.Hotkey(keys=("control", "c")),
    act.Goto(url="https://example.org/"),
)
_PHONES: tuple[act.Action, ...] = (
    act.LongPress(at=_AT),
    act.PressKey(key="home"),
    act.PressKey(key="recents"),
    act.OpenApp(app="Settings"),
)
_DEVICES: Mapping[str, ScreenKind] = {
    "adb": "phone", "android_world": "phone", "phone": "phone", "desktop": "computer",
    "inspect": "computer", "osworld": "computer", "sites": "computer", "windows": "computer",
    "browsergym": "any", "miniwob": "any", "web": "any", "webdriver": "any",
}  # fmt: skip
"""By the first word of a device's name; a page of the web may be of any shape."""
_PHONES_SHAPE, _LEAST_WIDTH = 1.6, 300
"""So many times as high as wide a screen is a phone's; a narrower picture is none of a screen."""


def screen_kind(convention: Convention) -> ScreenKind:
    """The only kind of screen that its actions are for; "any" where they tell none."""
    if isinstance(convention, PlatformConvention):
        return convention.screen
    if not says(convention, act.TypeText(text="hello"), _SIZE):
        return "any"  # it finds an element, on whatever is shown
    phone = any(says(convention, one, _SIZE) for one in _PHONES)
    computer = any(says(convention, one, _SIZE) for one in _COMPUTERS)
    if phone and not computer:
        return "phone"
    swipes = says(convention, act.Swipe(start=_OTHER, end=_AT), _SIZE)
    return "computer" if computer and not (phone or swipes) else "any"


def kind_of_actions(actions: Iterable[act.Action]) -> ScreenKind:
    """The only kind of screen on which these can be done; "any" where they do not tell."""
    kinds = {kind for action in actions if (kind := _kind_of(action)) != "any"}
    return kinds.pop() if len(kinds) == 1 else "any"


def kind_of_episode(episode: Episode) -> ScreenKind:
    """The only kind of screen that an episode can be of; "any" where that is not told.

    Its actions tell, else its device's name, else the shape of its pictures.
    """
    told = kind_of_actions(one for step in episode.steps for one in step.decision.actions)
    if told != "any":
        return told
    if kind := _DEVICES.get(episode.device.partition(" ")[0]):
        return kind
    upright = all(
        size.width >= _LEAST_WIDTH and size.height >= _PHONES_SHAPE * size.width
        for size in (step.observation.size for step in episode.steps)
    )
    return "phone" if upright else "any"


def _kind_of(action: act.Action) -> ScreenKind:
    match action:
        case (
            act.Hover()
            | act.Hotkey()
            | act.Scroll()
            | act.Goto()
            | act.NewTab()
            | act.CloseTab()
            | act.SwitchTab()
        ):
            return "computer"
        case act.LongPress() | act.Swipe() | act.OpenApp() | act.PressKey(key="home" | "recents"):
            return "phone"
        case act.Tap(button=button) if button != "left":
            return "computer"
    return "any"


def says(convention: Convention, action: act.Action, size: Size) -> bool:
    """Whether its grammar has words for an action on a screen of `size`.

    Words that are those of a left click tell no other button.
    """
    try:
        words = convention.render(Decision(action, "", "the button"), size)
    except TapwrightError:
        return False
    if not isinstance(action, act.Tap) or action.button == "left":
        return True
    return words != convention.render(Decision(act.Tap(at=action.at), "", "the button"), size)
