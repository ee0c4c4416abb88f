"""Renders parts of an action for foreign grammars: numbers, directions, keys, an imperative line.

Direction words differ: a *finger* that goes up and *content* that goes down are the same swipe. A
grammar that names a swipe by its direction alone is read as a swipe over the middle of the
screen, and one that names a scroll by its direction alone as half a screen.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar, cast, get_args

from pydantic import BaseModel, JsonValue

from tapwright.conventions.convention import Convention, Space, from_point
from tapwright.conventions.grounding import BoxConvention, touched_box
from tapwright.conventions.own_words import is_own_line
from tapwright.conventions.parsing import bad_answer, build_action, read_keys, shorten
from tapwright.conventions.remembered import remember
from tapwright.core import actions as act
from tapwright.core.directions import OPPOSITE, Direction, finger_direction, scroll_direction
from tapwright.core.episode import Decision, Step, describe_actions
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.keys import find_key
from tapwright.errors import UnsupportedByConventionError

__all__ = [
    "action_line", "check_keys", "check_plain", "convert_gesture", "encode_json", "make_scroll",
    "parse_target", "plain_action", "plain_actions", "press_keys", "quote", "read_direction",
    "read_held", "render_imperative", "render_past", "render_step", "round_number", "sole_action",
    "spell_held", "spell_keys", "split_keys", "split_scroll", "swipe_direction", "unsupported",
    "whole_numbers",
]  # fmt: skip

V = TypeVar("V")
encode_json = json.JSONEncoder(ensure_ascii=False).encode
"""JSON on one line; characters of other scripts stand as they are."""

_ESCAPES = str.maketrans({"\\": r"\\", "'": r"\'", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
_AT_A_PLACE = {
    kind
    for kind in get_args(get_args(act.Action)[0])
    if issubclass(kind, act.PointAction | act.Drag)
}
_HALF_A_SCREEN = 0.5
_USUAL = ("left", "right", "middle")
_WORDS: Mapping[type[BaseModel], str] = {
    act.DoubleTap: "double click", act.TripleTap: "triple click", act.LongPress: "long press",
    act.Hover: "hover over", act.Drag: "drag", act.CloseTab: "close the tab", act.Wait: "wait",
}  # fmt: skip
_SWIPE = re.compile(r"\Aswipe (?:up|down|left|right|nowhere)\b")
_KEYBOARD = frozenset(
    {
        "enter", "backspace", "delete", "tab", "escape", "space", "up", "down", "left", "right",
        "page_up", "page_down", "move_home", "move_end",
    }
)  # fmt: skip
"""The keys of `actions.Key` that a keyboard has."""


def unsupported(convention: str, action: act.Action, why: str) -> UnsupportedByConventionError:
    """An error for an action that the grammar called `convention` has no words for."""
    return UnsupportedByConventionError(f"{convention} has no words for {action.type}: {why}")


def sole_action(convention: str, decision: Decision) -> act.Action:
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


def plain_action(convention: str, decision: Decision) -> act.Action:
    """`sole_action` where `plain_actions` are all that the grammar has.

    Raises:
        UnsupportedByConventionError: the decision is no such one.
    """
    action = sole_action(convention, decision)
    check_plain(convention, action)
    return action


def plain_actions(convention: str, decision: Decision) -> tuple[act.Action, ...]:
    """The actions of a decision, for a grammar without words for what a mouse does beside clicks.

    Raises:
        UnsupportedByConventionError: one has keys that are held, another button, or a path.
    """
    for action in decision.actions:
        check_plain(convention, action)
    return decision.actions


def check_plain(convention: str, action: act.Action) -> None:
    """Refuse what `plain_actions` refuses."""
    if type(action) is act.Tap and not action.held and action.button in _USUAL:
        return  # quicker than asking for details, and nearly all are such clicks
    if details := act.mouse_details(action):
        raise unsupported(convention, action, f"there is no way to say {details}")


def whole_numbers(point: Point, size: Size, space: Space) -> list[JsonValue]:
    """`[x, y]` in whole pixels, thousandths or hundredths of a picture of `size`."""
    x, y = from_point(point, size, space)
    return [round(x), round(y)]


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


def quote(text: str) -> str:
    r"""A Python string literal on one line; what it escapes is \, ', and line breaks."""
    return f"'{text.translate(_ESCAPES)}'"


def swipe_direction(convention: str, action: act.Swipe, size: Size) -> Direction:
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


def convert_gesture(action: act.Swipe | act.Scroll, size: Size) -> act.Swipe | act.Scroll:
    """The wheel that shows what a finger's stroke shows, or the other way round.

    Both are about the place in the middle of the stroke, and about its main direction; a stroke
    ends at the edges of the screen, so a scroll by more than that becomes shorter.
    """
    if isinstance(action, act.Scroll):
        along = scroll_direction(action, size) in ("left", "right")
        reach = (action.dx / 2, 0.0) if along else (0.0, action.dy / 2)
        back = (-reach[0], -reach[1])
        return act.Swipe(start=_shift(action.at, *reach), end=_shift(action.at, *back))
    start, end = action.start, action.end
    middle = Point((start.x + end.x) / 2, (start.y + end.y) / 2)
    if finger_direction(action, size) in ("left", "right"):
        return act.Scroll(at=middle, dx=start.x - end.x)
    return act.Scroll(at=middle, dy=start.y - end.y)


def _shift(point: Point, dx: float, dy: float) -> Point:
    return Point(min(max(point.x + dx, 0.0), 1.0), min(max(point.y + dy, 0.0), 1.0))


def make_scroll(content: Direction, at: Point, amount: float = _HALF_A_SCREEN) -> act.Scroll:
    """A scroll by `amount` screens that brings what lies in the direction `content` into view.

    Raises:
        BadAnswerError: it is more than a hundred screens.
    """
    signed = amount if content in ("down", "right") else -amount
    return build_action(act.Scroll, at=at, **{"dy" if content in ("up", "down") else "dx": signed})


def split_scroll(convention: str, action: act.Scroll) -> tuple[Direction, float]:
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


def press_keys(names: list[str]) -> act.PressKey | act.Hotkey:
    """What pressing keys together means: one that a keyboard names is a `PressKey`.

    A letter alone keeps its case; held together with others it has none. Names that no keyboard has
    stay as they are, for recordings; `make_decision` refuses them.

    Raises:
        BadAnswerError: no key is named.
    """
    given = [name for name in names if name]
    if not given:
        raise bad_answer("no key is named")
    if len(given) == 1:
        key = find_key(given[0]) or given[0].lower()
        return act.PressKey(key=cast(act.Key, key)) if key in _KEYBOARD else act.Hotkey(keys=(key,))
    return act.Hotkey(keys=tuple(find_key(name) or name for name in map(str.lower, given)))


def check_keys(convention: str, action: act.Action) -> None:
    """Refuse a hotkey with a key that no keyboard has, which would not be read back.

    Raises:
        UnsupportedByConventionError: it is one.
    """
    for key in action.keys if type(action) is act.Hotkey else ():
        if find_key(key) is None:
            raise unsupported(convention, action, f"a keyboard has no key {key!r}")


def spell_keys(
    convention: str, action: act.PressKey | act.Hotkey, names: Mapping[str, str], joiner: str
) -> list[str]:
    """The foreign names of the keys that are pressed together.

    Raises:
        UnsupportedByConventionError: one of them is no keyboard's, or would be read as another.
    """
    check_keys(convention, action)
    if isinstance(action, act.Hotkey):
        # A recording may have other names of them.
        keys = tuple(find_key(key) or key for key in action.keys)
        action = action.model_copy(update={"keys": keys})
    else:
        keys = (action.key,)
        if action.key not in _KEYBOARD:
            raise unsupported(convention, action, f"a keyboard has no key {action.key!r}")
    spelled = _name_keys(convention, action, keys, names, joiner)
    caseless = act.Hotkey(keys=tuple(key.lower() if len(key) == 1 else key for key in keys))
    if press_keys(spelled) not in (action, caseless):
        raise unsupported(convention, action, f"{list(keys)!r} would be read as other keys")
    return spelled


def spell_held(
    convention: str,
    action: act.Action,
    keys: Sequence[str],
    names: Mapping[str, str],
    joiner: str = "",
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
    convention: str, action: act.Action, keys: Sequence[str], names: Mapping[str, str], joiner: str
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
    keys = read_keys([*map(str.lower, names)])
    if len(keys) > act.MAX_HELD:
        raise bad_answer(f"{len(keys)} keys are held; expected at most {act.MAX_HELD}")
    return keys


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
    return _past_line(step.decision, step.observation.size)


@remember
def _past_line(decision: Decision, size: Size) -> str:
    return render_imperative(decision, size)


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


def _render_others(actions: Sequence[act.Action], size: Size) -> str:
    if len(actions) == 1:
        return ""
    return "".join(f", then {_describe(action, size)}" for action in actions[1:])


def parse_target(line: str, actions: Sequence[act.Action], size: Size) -> str:
    """The element that a line of `render_imperative` is about; all of any other line."""
    action = actions[0]
    line = line.strip().removesuffix(_render_others(actions, size))
    words = _describe(action, size)
    if len(line) > 1 and line[0] == line[-1] == '"':
        line = line[1:-1]
    if type(action) is act.Swipe:
        # Rounded, a short swipe may go another way than it did.
        line = _SWIPE.sub(words, line)
    return "" if line == words else line.removeprefix(words + _joiner(action))


def _joiner(action: act.Action) -> str:
    return " " if type(action) in _AT_A_PLACE else " on "


def _describe(action: act.Action, size: Size) -> str:
    words = _describe_alone(action, size)
    held = act.held_keys(action)
    return "+".join((*held, words)) if held else words


def _describe_alone(action: act.Action, size: Size) -> str:
    words = _WORDS.get(type(action))
    if words is not None:
        return words
    match action:
        case act.Tap(button=button):
            return "click" if button == "left" else f"{button} click"
        case act.Finish(outcome=outcome):
            return f"finish: {outcome}"
        case act.Swipe():
            return f"swipe {finger_direction(action, size) or 'nowhere'}"
        case act.TypeText(text=text) | act.Answer(text=text):
            verb = "type" if isinstance(action, act.TypeText) else "answer"
            return f"{verb} {encode_json(text)}"
        case act.PressKey(key=key):
            return f"press {key}"
        case act.OpenApp(app=app):
            return f"open {' '.join(app.split())}".rstrip()
        case act.Goto(url=url):
            return f"go to {' '.join(url.split())}".rstrip()
        case act.NewTab(url=url):
            return f"open a new tab {' '.join(url.split())}".rstrip()
        case act.SwitchTab(tab=tab):
            return f"switch to tab {tab}"
        case act.Scroll():
            return f"scroll {scroll_direction(action, size) or 'nowhere'}"
        case act.Hotkey(keys=keys):
            return f"press {' '.join('+'.join(keys).split())}"
        case act.KeyDown(key=key):
            return f"hold {key}"
        case act.KeyUp(key=key):
            return f"let {key} go"
        case act.ButtonDown(button=button):
            return f"press the {button} button down"
        case act.ButtonUp(button=button):
            return f"let the {button} button go"
        case act.AskUser(text=text):
            return f"ask {encode_json(text)}"
    raise AssertionError(f"no words for {action.type}")
