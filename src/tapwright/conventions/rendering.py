"""Renders parts of an action for foreign grammars: numbers, directions, keys, an imperative line.

Direction words differ: a *finger* that goes up and *content* that goes down are the same swipe. A
grammar that names a swipe by its direction alone is read as a swipe over the middle of the
screen, and one that names a scroll by its direction alone as half a screen.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from pydantic import JsonValue

from tapwright.conventions.convention import Convention, Space, from_point
from tapwright.conventions.grounding import BoxConvention, touched_box
from tapwright.conventions.own_words import is_own_line
from tapwright.conventions.parsing import bad_answer, build_action, shorten
from tapwright.conventions.remembered import remember
from tapwright.core.actions import (
    MAX_HELD,
    Action,
    Answer,
    AskUser,
    ButtonDown,
    ButtonUp,
    CloseTab,
    DoubleTap,
    Drag,
    Finish,
    Goto,
    Hotkey,
    Hover,
    Key,
    KeyDown,
    KeyUp,
    LongPress,
    NewTab,
    OpenApp,
    PointAction,
    PressKey,
    Scroll,
    Swipe,
    SwitchTab,
    Tap,
    TripleTap,
    TypeText,
    Wait,
    mouse_details,
)
from tapwright.core.directions import OPPOSITE, Direction, finger_direction, scroll_direction
from tapwright.core.episode import Decision, Step, describe_actions
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.keys import find_key
from tapwright.errors import UnsupportedByConventionError

__all__ = [
    "action_line", "check_plain", "convert_gesture", "encode_json", "make_scroll", "normalize_keys",
    "parse_target", "plain_action", "plain_actions", "press_keys", "quote", "read_direction",
    "read_held", "render_imperative", "render_past", "render_step", "round_number", "sole_action",
    "spell_held", "spell_keys", "split_keys", "split_scroll", "swipe_direction", "unsupported",
    "whole_numbers",
]  # fmt: skip

V = TypeVar("V")
encode_json = json.JSONEncoder(ensure_ascii=False).encode
"""JSON on one line; characters of other scripts stand as they are."""

_HALF_A_SCREEN = 0.5
_USUAL = ("left", "right", "middle")
_SWIPE = re.compile(r"\Aswipe (?:up|down|left|right|nowhere)\b")
_KEYBOARD = frozenset(
    {
        "enter", "backspace", "delete", "tab", "escape", "space", "up", "down", "left", "right",
        "page_up", "page_down", "move_home", "move_end",
    }
)  # fmt: skip
"""The keys of `actions.Key` that a keyboard has."""


def unsupported(convention: str, action: Action, why: str) -> UnsupportedByConventionError:
    """An error for an action that the grammar called `convention` has no words for."""
    return UnsupportedByConventionError(f"{convention} has no words for {action.type}: {why}")


def sole_action(convention: str, decision: Decision) -> Action:
    """The action of a decision, for a grammar whose answer is one.

    Raises:
        UnsupportedByConventionError: the decision has several.
    """
    if len(decision.actions) > 1:
        raise UnsupportedByConventionError(
            f"{convention} has one action in an answer; this decision has {len(decision.actions)}",
            hint="take the step apart: episodes edit … part:STEP",
        )
    return decision.actions[0]


def plain_action(convention: str, decision: Decision) -> Action:
    """`sole_action` where `plain_actions` are all that the grammar has.

    Raises:
        UnsupportedByConventionError: the decision is no such one.
    """
    action = decision.actions[0]
    if len(decision.actions) > 1 or not _is_click(action):
        sole_action(convention, decision)
        check_plain(convention, action)
    return action


def plain_actions(convention: str, decision: Decision) -> tuple[Action, ...]:
    """The actions of a decision, for a grammar without words for what a mouse does beside clicks.

    Raises:
        UnsupportedByConventionError: one has keys that are held, another button, or a path.
    """
    for action in decision.actions:
        if not _is_click(action):
            check_plain(convention, action)
    return decision.actions


def _is_click(action: Action) -> bool:
    """Whether it is a click without keys, as nearly all are: quicker than asking for details."""
    return type(action) is Tap and not action.held and action.button in _USUAL


def check_plain(convention: str, action: Action) -> None:
    """Refuse what `plain_actions` refuses."""
    if not _is_click(action) and (details := mouse_details(action)):
        raise unsupported(convention, action, f"there is no way to say {details}")


def whole_numbers(point: Point, size: Size, space: Space) -> list[JsonValue]:
    """`[x, y]` in whole pixels, thousandths or hundredths of a picture of `size`."""
    return [round(number) for number in from_point(point, size, space)]


def box_numbers(at: Point, box: Box | None, size: Size, space: Space) -> list[JsonValue]:
    """`[left, top, right, bottom]` in whole numbers; of a point alone both corners are there."""
    if box is None:
        return [*whole_numbers(at, size, space)] * 2
    corners = Point(box.left, box.top), Point(box.right, box.bottom)
    return [number for corner in corners for number in whole_numbers(corner, size, space)]


def round_number(number: float, digits: int = 4) -> float | int:
    """A number without a tail of digits: at most so many, and none when it is whole."""
    shortened = round(number, digits)
    return int(shortened) if shortened == int(shortened) else shortened


def quote(text: str, quote: str = "'") -> str:
    r"""A Python string literal on one line; what it escapes is \, the quote, and line breaks."""
    escapes = {"\\": "\\\\", quote: f"\\{quote}", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return f"{quote}{''.join(escapes.get(char, char) for char in text)}{quote}"


def swipe_direction(convention: str, action: Swipe, size: Size) -> Direction:
    """The direction in which the finger goes, for a grammar that names a swipe by it.

    Raises:
        UnsupportedByConventionError: the finger stays where it is.
    """
    direction = finger_direction(action, size)
    if direction is None:
        raise unsupported(convention, action, "it goes in no direction")
    return direction


def read_direction(value: JsonValue) -> Direction:
    """A direction, whatever its case.

    Raises:
        BadAnswerError: it is none.
    """
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in OPPOSITE:
        raise bad_answer(f"the direction is {shorten(value)}; expected up, down, left or right")
    return cast(Direction, word)


def convert_gesture(action: Swipe | Scroll, size: Size) -> Swipe | Scroll:
    """The wheel that shows what a finger's stroke shows, or the other way round.

    Both are about the place in the middle of the stroke, and about its main direction; a stroke
    ends at the edges of the screen, so a scroll by more than that becomes shorter.
    """
    if isinstance(action, Scroll):
        along = scroll_direction(action, size) in ("left", "right")
        reach = (action.dx / 2, 0.0) if along else (0.0, action.dy / 2)
        back = (-reach[0], -reach[1])
        return Swipe(start=_shift(action.at, *reach), end=_shift(action.at, *back))
    start, end = action.start, action.end
    middle = Point((start.x + end.x) / 2, (start.y + end.y) / 2)
    if finger_direction(action, size) in ("left", "right"):
        return Scroll(at=middle, dx=start.x - end.x)
    return Scroll(at=middle, dy=start.y - end.y)


def _shift(point: Point, dx: float, dy: float) -> Point:
    return Point(min(max(point.x + dx, 0.0), 1.0), min(max(point.y + dy, 0.0), 1.0))


def make_scroll(content: Direction, at: Point, amount: float = _HALF_A_SCREEN) -> Scroll:
    """A scroll by `amount` screens that brings what lies in the direction `content` into view.

    Raises:
        BadAnswerError: it is more than a hundred screens.
    """
    signed = amount if content in ("down", "right") else -amount
    return build_action(Scroll, at=at, **{"dy" if content in ("up", "down") else "dx": signed})


def split_scroll(convention: str, action: Scroll) -> tuple[Direction, float]:
    """The direction of a scroll, by what it brings into view, and its amount in screens.

    Raises:
        UnsupportedByConventionError: it goes nowhere, or in two directions at once.
    """
    if action.dx and action.dy:
        raise unsupported(convention, action, "it scrolls in two directions at once")
    if action.dy:
        return ("down" if action.dy > 0 else "up"), abs(action.dy)
    if action.dx:
        return ("right" if action.dx > 0 else "left"), abs(action.dx)
    raise unsupported(convention, action, "it scrolls by nothing")


def normalize_keys(names: list[str]) -> tuple[str, ...]:
    """Our names of keys for foreign ones: "ctrl", "Control_L" and "CTRL" are "control".

    Known are those of X11 (keysymdef.h), of PyAutoGUI (KEYBOARD_KEYS) and of browsers. A letter
    alone keeps its case; held together with others it has none.
    """
    if len(names) == 1 and len(names[0]) == 1 and not names[0].isspace():
        return tuple(names)
    return tuple(find_key(name) or name.lower() for name in map(str.lower, names))


def press_keys(names: list[str]) -> PressKey | Hotkey:
    """What pressing keys together means: one that a keyboard names is a `PressKey`.

    Raises:
        BadAnswerError: no key is named.
    """
    keys = normalize_keys([name for name in names if name])
    if not keys:
        raise bad_answer("no key is named")
    if len(keys) == 1 and keys[0] in _KEYBOARD:
        return PressKey(key=cast(Key, keys[0]))
    return Hotkey(keys=keys)


def spell_keys(
    convention: str, action: PressKey | Hotkey, names: Mapping[str, str], joiner: str
) -> list[str]:
    """The foreign names of the keys that are pressed together.

    Raises:
        UnsupportedByConventionError: one of them is no keyboard's, or would be read as another.
    """
    keys = (action.key,) if isinstance(action, PressKey) else action.keys
    if isinstance(action, PressKey) and action.key not in _KEYBOARD:
        raise unsupported(convention, action, f"a keyboard has no key {action.key!r}")
    spelled = _name_keys(convention, action, keys, names, joiner)
    caseless = Hotkey(keys=tuple(key.lower() if len(key) == 1 else key for key in keys))
    if press_keys(spelled) not in (action, caseless):
        raise unsupported(convention, action, f"{list(keys)!r} would be read as other keys")
    return spelled


def spell_held(
    convention: str, action: Action, keys: Sequence[str], names: Mapping[str, str], joiner: str = ""
) -> list[str]:
    """The foreign names of keys that are down meanwhile, or of one that goes down or up.

    Raises:
        UnsupportedByConventionError: one has no name, or would be read as another.
    """
    spelled = _name_keys(convention, action, keys, names, joiner)
    if tuple(map(find_key, map(str.lower, spelled))) != tuple(keys):
        raise unsupported(convention, action, f"{list(keys)!r} would be read as other keys")
    return spelled


def _name_keys(
    convention: str, action: Action, keys: Sequence[str], names: Mapping[str, str], joiner: str
) -> list[str]:
    spelled = [names.get(key, key) for key in keys]
    for name in spelled:
        if name.split() != [name] or (joiner in name and joiner):
            raise unsupported(convention, action, f"{name!r} is no name of a key")
    return spelled


def split_keys(combination: str, joiner: str = "+") -> list[str]:
    """The keys of a combination; the joiner at its end is a key, too."""
    if combination == joiner:
        return [joiner]
    if combination.endswith(2 * joiner):
        return [*combination[:-2].split(joiner), joiner]
    return combination.split(joiner)


def read_held(names: Sequence[str]) -> tuple[str, ...]:
    """Our names of keys that are down meanwhile.

    Raises:
        BadAnswerError: a keyboard has no such key, or they are more than can be held.
    """
    keys = [find_key(name.lower()) for name in names]
    if None in keys:
        raise bad_answer(f"a keyboard has no key {names[keys.index(None)][:40]!r}")
    if len(keys) > MAX_HELD:
        raise bad_answer(f"{len(keys)} keys are held; expected at most {MAX_HELD}")
    return tuple(key for key in keys if key is not None)


def render_step(convention: Convention, step: Step) -> str:
    """A step of the history as the model's own answer, or in our words when it has none."""
    # Python 3.11 takes ten times as long to find that an object has not what a protocol asks for.
    if hasattr(convention, "render_boxed") and isinstance(convention, BoxConvention):
        try:
            return convention.render_boxed(step.decision, step.observation.size, touched_box(step))
        except UnsupportedByConventionError:
            return describe_actions(step.decision.actions)
    return render_past(step.decision, step.observation.size, convention)


@remember
def render_past(decision: Decision, size: Size, convention: Convention) -> str:
    """An earlier decision as the model's own answer, or in our words when it has none."""
    try:
        return convention.render(decision, size)
    except UnsupportedByConventionError:
        return describe_actions(decision.actions)


def action_line(step: Step) -> str:
    """A step of the history in one line: the model's own where it wrote one, else ours."""
    return render_imperative(step.decision, step.observation.size)


@remember
def render_imperative(decision: Decision, size: Size) -> str:
    """One line with the actions and the first one's target: "click the save button".

    A target that is itself such a line ("Click on the search bar.") stands as it is. Others follow
    as ", then type …".
    """
    return _render_first(decision, size) + _render_others(decision.actions, size)


def _render_first(decision: Decision, size: Size) -> str:
    action, target = decision.first, " ".join(decision.target.split())
    words = _describe(action, size)
    if not target:
        return words
    own = is_own_line(target, action)
    if own and parse_target(target, [action], size) == target:
        return target
    return words + _joiner(action) + target


def _render_others(actions: Sequence[Action], size: Size) -> str:
    if len(actions) == 1:
        return ""
    return "".join(f", then {_describe(action, size)}" for action in actions[1:])


def parse_target(line: str, actions: Sequence[Action], size: Size) -> str:
    """The element that a line of `render_imperative` is about; all of any other line."""
    action = actions[0]
    line = line.strip().removesuffix(_render_others(actions, size))
    words = _describe(action, size)
    if len(line) > 1 and line[0] == line[-1] == '"':
        line = line[1:-1]
    if isinstance(action, Swipe):
        # Rounded, a short swipe may go another way than it did.
        line = _SWIPE.sub(words, line)
    return "" if line == words else line.removeprefix(words + _joiner(action))


def _joiner(action: Action) -> str:
    return " " if isinstance(action, PointAction | Drag) else " on "


def _describe(action: Action, size: Size) -> str:
    words = _describe_alone(action, size)
    held = getattr(action, "held", ())
    return "+".join((*held, words)) if held else words


def _describe_alone(action: Action, size: Size) -> str:
    match action:
        case Tap(button="left"):
            return "click"
        case Tap(button=button):
            return f"{button} click"
        case DoubleTap():
            return "double click"
        case TripleTap():
            return "triple click"
        case LongPress():
            return "long press"
        case Swipe():
            return f"swipe {finger_direction(action, size) or 'nowhere'}"
        case TypeText(text=text) | Answer(text=text):
            verb = "type" if isinstance(action, TypeText) else "answer"
            return f"{verb} {encode_json(text)}"
        case PressKey(key=key):
            return f"press {key}"
        case OpenApp(app=app):
            return f"open {' '.join(app.split())}".rstrip()
        case Goto(url=url):
            return f"go to {' '.join(url.split())}".rstrip()
        case NewTab(url=url):
            return f"open a new tab {' '.join(url.split())}".rstrip()
        case CloseTab():
            return "close the tab"
        case SwitchTab(tab=tab):
            return f"switch to tab {tab}"
        case Wait():
            return "wait"
        case Finish(outcome=outcome):
            return f"finish: {outcome}"
        case Hover():
            return "hover over"
        case Drag():
            return "drag"
        case Scroll():
            return f"scroll {scroll_direction(action, size) or 'nowhere'}"
        case Hotkey(keys=keys):
            return f"press {' '.join('+'.join(keys).split())}"
        case KeyDown(key=key):
            return f"hold {key}"
        case KeyUp(key=key):
            return f"let {key} go"
        case ButtonDown(button=button):
            return f"press the {button} button down"
        case ButtonUp(button=button):
            return f"let the {button} button go"
        case AskUser(text=text):
            return f"ask {encode_json(text)}"
