"""Rules for step accuracy: five published ones for when a prediction counts as the recorded step.

"Step accuracy" is not one number; these five differ on the same answers.

`aitw` is `action_matching.py` of
https://github.com/google-research/google-research/tree/1d49f2c/android_in_the_wild. Taps match
within 0.14 of the screen, or when one element, enlarged to 2.4 times its size, holds both; drags
when their main axes do, either way along it; all else by type alone, texts unread.

`os-atlas` is what https://arxiv.org/abs/2410.23218 scores AndroidControl and GUI-Odyssey by. Taps
match within 0.14; texts and apps when the F1 of their words is above 0.5; scrolls by direction.

`qwen` is Qwen2.5-VL's for AndroidControl, as `eval/utils/evaluator.py` of
https://github.com/OpenBMB/AgentCPM-GUI/tree/a5612f0 has it. A tap counts in one of the five
elements nearest the right place, enlarged to 1.2 times their size, or within 0.04; texts when one
holds the other; scrolls by direction; any end is an end.

`odyssey` is `src/eval_mm/GUIOdyssey_action_matching.py` of
https://github.com/OpenGVLab/GUI-Odyssey/tree/e12788f. A tap counts in the target's box or within
0.14; texts when one holds the other, or when they are half alike.

`agentnet` is `evaluation/agentnetbench/eval.py` of https://github.com/xlang-ai/OpenCUA/tree/60da8b9,
where a near miss earns a part. It scores steps of several actions, too; here a step is one. Waiting
which earns nothing there even when it is right, counts by its type.

Distances are in fractions of width and height, boundaries included. What a set does not know (apps,
answers, the wheel) is compared by type, and its place or text by the set's own measure.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from typing import TypeAlias

from rapidfuzz.distance import Levenshtein

from tapwright.actions import (
    Action,
    Answer,
    Drag,
    Finish,
    Hotkey,
    OpenApp,
    PointAction,
    PressKey,
    Scroll,
    Swipe,
    Tap,
    TypeText,
)
from tapwright.directions import OPPOSITE, Direction, finger_direction, scroll_direction
from tapwright.errors import UnknownNameError
from tapwright.geometry import Box, Point, Size

__all__ = ["RULES", "StepReference", "StepRule", "StepVerdict", "get_rule", "place_of"]


@dataclass(frozen=True, slots=True)
class StepReference:
    """The reference of a step: the recorded action, and what is known of its screen.

    `size` is that of the screen, `elements` are the boxes on it, `target` that of the element that
    was acted on.
    """

    action: Action
    size: Size
    elements: Sequence[Box] = ()
    target: Box | None = None


@dataclass(frozen=True, slots=True)
class StepVerdict:
    """Whether the type is right, and how right the action is, 0 to 1."""

    type_match: bool
    value: float


StepRule: TypeAlias = Callable[[Action, StepReference], StepVerdict]

_FAR = 0.14
_NEAR = 0.04
_AITW_GROWTH = 1.4
_QWEN_GROWTH = 0.2
_QWEN_NEAREST = 5
_HALF_ALIKE = 0.5
_NORMALISED = Size(1, 1)
"""AITW and GUI-Odyssey compare movements in shares of the width and height, and so go by those for
the direction, too; the other sets compare the words of the data, which go by pixels."""
_AGENTNET_NEAR = 0.01 * sqrt(2)
_AGENTNET_DECAY = 120
_AGENTNET_ALIKE = 0.8


def get_rule(name: str) -> StepRule:
    """The rule set of that name.

    Raises:
        UnknownNameError: there is none.
    """
    if name not in RULES:
        raise UnknownNameError("rule set", name, sorted(RULES))
    return RULES[name]


def _aitw(predicted: Action, right: StepReference) -> StepVerdict:
    one, other = _short_swipe_as_tap(predicted), _short_swipe_as_tap(right.action)
    if _aitw_type(one) != _aitw_type(other):
        return StepVerdict(False, 0.0)
    if place_of(one) is None or place_of(other) is None:
        return _all_or_nothing(_axis(one) == _axis(other))
    boxes = [_aitw_box(box) for box in right.elements]
    return _all_or_nothing(_is_within(one, other, _FAR) or _share_element(one, other, boxes))


def _os_atlas(predicted: Action, right: StepReference) -> StepVerdict:
    if _type(predicted) != _type(right.action):
        return StepVerdict(False, 0.0)
    match _comparable(predicted, right.size), _comparable(right.action, right.size):
        case str(text), str(wanted):
            return _all_or_nothing(_word_f1(text, wanted) > _HALF_ALIKE)
        case Point(), Point():
            return _all_or_nothing(_is_within(predicted, right.action, _FAR))
        case one, other:
            return _all_or_nothing(one == other)


def _qwen(predicted: Action, right: StepReference) -> StepVerdict:
    if _type(predicted) != _type(right.action):
        return StepVerdict(False, 0.0)
    match _comparable(predicted, right.size), _comparable(right.action, right.size):
        case str(text), str(wanted):
            return _all_or_nothing(_one_holds_other(text.lower(), wanted.lower()))
        case Point() as at, Point() as wanted_at:
            boxes = sorted(
                (_enlarge(box, _QWEN_GROWTH) for box in right.elements),
                key=lambda box: _middle_distance(box, wanted_at),
            )
            held = any(_is_inside(box, at) for box in boxes[:_QWEN_NEAREST])
            return _all_or_nothing(held or _is_within(predicted, right.action, _NEAR))
        case one, other:
            return _all_or_nothing(one == other)


def _odyssey(predicted: Action, right: StepReference) -> StepVerdict:
    if (_type(predicted), _end(predicted)) != (_type(right.action), _end(right.action)):
        return StepVerdict(False, 0.0)
    match _comparable(predicted, _NORMALISED), _comparable(right.action, _NORMALISED):
        case str(text), str(wanted):
            alike = Levenshtein.normalized_similarity(text.strip(), wanted.strip()) >= _HALF_ALIKE
            return _all_or_nothing(_one_holds_other(text, wanted) or alike)
        case Point() as at, Point():
            held = right.target is not None and right.target.contains(at)
            return _all_or_nothing(held or _is_within(predicted, right.action, _FAR))
        case one, other:
            return _all_or_nothing(one == other)


def _agentnet(predicted: Action, right: StepReference) -> StepVerdict:
    if _type(predicted) != _type(right.action):
        return StepVerdict(False, 0.0)
    match predicted, right.action:
        case Scroll() as wheel, Scroll() as wanted_wheel:
            return StepVerdict(True, _scroll_share(wheel, wanted_wheel, right.size))
        case Finish(outcome=outcome), Finish(outcome=wanted_outcome):
            return _all_or_nothing((outcome == "success") == (wanted_outcome == "success"))
        case ((Drag(end=end) | Swipe(end=end)), (Drag(end=wanted_end) | Swipe(end=wanted_end))):
            return StepVerdict(True, _distance_score(end, wanted_end, right.target))
    match _comparable(predicted, right.size), _comparable(right.action, right.size):
        case str(text), str(wanted):
            alike = Levenshtein.normalized_similarity(text.lower().strip(), wanted.lower().strip())
            return StepVerdict(True, min(alike / _AGENTNET_ALIKE, 1.0))
        case Point() as at, Point() as wanted_at:
            return StepVerdict(True, _distance_score(at, wanted_at, right.target))
        case one, other:
            return _all_or_nothing(one == other)


RULES: Mapping[str, StepRule] = {
    "aitw": _aitw,
    "os-atlas": _os_atlas,
    "qwen": _qwen,
    "odyssey": _odyssey,
    "agentnet": _agentnet,
}


def _all_or_nothing(hit: bool) -> StepVerdict:
    return StepVerdict(True, float(hit))


def _type(action: Action) -> str:
    """The type as the rule sets count it: a swipe and the wheel are one, a click has its button."""
    match action:
        case Tap(button=button):
            return f"{button} click"
        case Swipe() | Scroll():
            return "scroll"
        case _:
            return action.type


def _comparable(action: Action, size: Size) -> Point | str | tuple[str, ...] | None:
    """What of an action is compared beside its type: a place, a text, or what has to be equal."""
    match action:
        case PointAction():
            return action.at
        case TypeText(text=text) | OpenApp(app=text) | Answer(text=text):
            return text
        case PressKey(key=key):
            return (key,)
        case Hotkey(keys=keys):
            return tuple(key.lower() for key in keys)
        case Swipe() | Scroll() | Drag():
            return (_direction(action, size) or "none",)
        case _:
            return None


def _end(action: Action) -> str:
    return action.outcome if isinstance(action, Finish) else ""


def place_of(action: Action) -> Point | None:
    """The one place that an action is at; None for those that have none or two."""
    return action.at if isinstance(action, PointAction) else None


def _is_within(one: Action, other: Action, reach: float) -> bool:
    at, wanted = place_of(one), place_of(other)
    return at is not None and wanted is not None and at.distance(wanted) <= reach


def _axis(action: Action) -> str:
    return "x" if _direction(action, _NORMALISED) in ("left", "right") else "y"


def _direction(action: Action, size: Size) -> Direction | None:
    """The direction of the finger, or of one that would scroll what the wheel scrolls."""
    match action:
        case Swipe() | Drag():
            return finger_direction(action, size)
        case Scroll():
            content = scroll_direction(action, size)
            return OPPOSITE[content] if content else None
        case _:
            return None


def _short_swipe_as_tap(action: Action) -> Action:
    """A swipe no longer than 0.04 is the tap that AITW takes it for."""
    if isinstance(action, Swipe) and action.start.distance(action.end) <= _NEAR:
        return Tap(at=action.start)
    return action


def _aitw_type(action: Action) -> tuple[str, str]:
    return _type(action), action.key if isinstance(action, PressKey) else _end(action)


_EnlargedBox: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom of a box that may reach over the screen."""


def _enlarge(box: Box, growth: float) -> _EnlargedBox:
    """A box that is larger by a part of itself, as both AITW and Qwen's enlarge it.

    At the left and the top it is moved onto the screen and not cut, so that it reaches as much
    further at the other side.
    """
    width, height = box.right - box.left, box.bottom - box.top
    left, top = max(0.0, box.left - growth * width / 2), max(0.0, box.top - growth * height / 2)
    right, bottom = left + min(1.0, width * (1 + growth)), top + min(1.0, height * (1 + growth))
    return left, top, right, bottom


def _aitw_box(box: Box) -> _EnlargedBox:
    return _enlarge(box, _AITW_GROWTH)


def _is_inside(box: _EnlargedBox, point: Point) -> bool:
    left, top, right, bottom = box
    return left <= point.x <= right and top <= point.y <= bottom


def _share_element(one: Action, other: Action, boxes: Sequence[_EnlargedBox]) -> bool:
    at, wanted = place_of(one), place_of(other)
    if at is None or wanted is None:
        return False
    return any(_is_inside(box, at) and _is_inside(box, wanted) for box in boxes)


def _middle_distance(box: _EnlargedBox, point: Point) -> float:
    left, top, right, bottom = box
    return sqrt(((left + right) / 2 - point.x) ** 2 + ((top + bottom) / 2 - point.y) ** 2)


def _one_holds_other(text: str, wanted: str) -> bool:
    text, wanted = text.strip(), wanted.strip()
    return text in wanted or wanted in text


def _word_f1(text: str, wanted: str) -> float:
    """F1 of the two sets of words, without case; 0 when either has none."""
    predicted, right = set(text.lower().split()), set(wanted.lower().split())
    return (
        2 * len(predicted & right) / (len(predicted) + len(right)) if predicted and right else 0.0
    )


def _distance_score(at: Point, wanted: Point, target: Box | None) -> float:
    if target is not None and target.contains(at):
        return 1.0
    return min(1.0, exp(-_AGENTNET_DECAY * (at.distance(wanted) - _AGENTNET_NEAR)))


def _scroll_share(one: Scroll, other: Scroll, size: Size) -> float:
    """Nothing the wrong way; else the share of the smaller in the larger amount."""
    if _direction(one, size) != _direction(other, size):
        return 0.0
    amounts = sorted(max(abs(scroll.dx), abs(scroll.dy)) for scroll in (one, other))
    return amounts[0] / amounts[1] if amounts[1] else 1.0
