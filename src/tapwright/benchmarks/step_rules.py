"""Published rules for when a prediction counts as the recorded step, on phones; and all by name.

"Step accuracy" is not one number; these differ on the same answers.

`aitw` is `action_matching.py` of
https://github.com/google-research/google-research/tree/1d49f2c/android_in_the_wild. Taps match
within 0.14 of the screen, or when one element, enlarged to 2.4 times its size, holds both; drags
when their main axes do, either way along it; all else by type alone, texts unread.

`os-atlas` and `os-atlas-odyssey` are `evaluation_unify.py` of `eval/eval_scripts/android_control`
and `.../odyssey`, https://github.com/OS-Copilot/OS-Atlas/tree/bad0840. Taps match within 0.14,
scrolls by direction. Of a text and an app's name the former compares only the first word (with the
bracket that the grammar puts around it); the latter wants an F1 of the words, the grammar's own
among them, above 0.5, and compares the rest by type.

`qwen` and `agentcpm-gui` are `eval/utils/evaluator.py` of
https://github.com/OpenBMB/AgentCPM-GUI/tree/acbaf50, with and without `--eval_android_control`. The
former is Qwen2.5-VL's for AndroidControl: a tap counts in one of the five elements nearest the
right place, enlarged to 1.2 times their size, or within 0.04; a recorded long press is a tap, and a
predicted one is not. The latter is for AITZ and GUI-Odyssey: a tap counts in an enlarged element
that holds the right place, or within 0.14. In both texts match when one holds the other, and
waiting and any end are one action.

`odyssey` is `src/eval_mm/GUIOdyssey_action_matching.py` of
https://github.com/OpenGVLab/GUI-Odyssey/tree/e12788f. A tap counts in the target's box or within
0.14; texts when one holds the other, or when they are half alike; a key is its own type.

Those of desktops are in `agentnet_rules`, those that earlier versions had in `own_step_rules`.
What a rule's data does not have (the wheel on a phone) is compared as what is most like it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from rapidfuzz.distance import Levenshtein

from tapwright.benchmarks.agentnet_rules import agentnet, agentnet_later
from tapwright.benchmarks.own_step_rules import own_agentnet, own_odyssey, own_os_atlas, own_qwen
from tapwright.benchmarks.step_reference import (
    NORMALISED,
    WRONG_TYPE,
    Bounds,
    StepReference,
    StepRule,
    StepVerdict,
    all_or_nothing,
    enlarge,
    gesture_direction,
    is_inside,
    is_within,
    middle_distance,
    one_holds_other,
    place_of,
)
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Point
from tapwright.errors import UnknownNameError

__all__ = ["RULES", "StepReference", "StepRule", "StepVerdict", "get_rule", "place_of"]

_FAR = 0.14
_NEAR = 0.04
_HAIR = 1e-9
"""OS-Atlas compares whole thousandths, of which 140 are exactly 0.14."""
_AITW_GROWTH = 1.4
_AGENTCPM_GROWTH = 0.2
_QWEN_NEAREST = 5
_HALF_ALIKE = 0.5
_SHORT_SWIPE = 0.04
_Choice: TypeAlias = Callable[[Sequence[Bounds], Point], Sequence[Bounds]]
"""Which of the enlarged elements a tap may be in, when the right place is this."""


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
    if _named_type(one) != _named_type(other):
        return WRONG_TYPE
    at, wanted = place_of(one), place_of(other)
    if at is None or wanted is None:
        return all_or_nothing(_axis(one) == _axis(other))
    boxes = (enlarge(bounds, _AITW_GROWTH) for bounds in right.all_bounds)
    shared = any(is_inside(box, at) and is_inside(box, wanted) for box in boxes)
    return all_or_nothing(is_within(one, other, _FAR) or shared)


def _os_atlas(predicted: Action, right: StepReference) -> StepVerdict:
    if _word(predicted) != _word(right.action):
        return WRONG_TYPE
    match predicted, right.action:
        case (actions.TypeText(text=text), actions.TypeText(text=wanted)) | (
            actions.OpenApp(app=text),
            actions.OpenApp(app=wanted),
        ):
            return all_or_nothing(text == wanted or _first_word(text) == _first_word(wanted))
        case _:
            return _os_atlas_rest(predicted, right)


def _os_atlas_odyssey(predicted: Action, right: StepReference) -> StepVerdict:
    if _word(predicted) != _word(right.action):
        return WRONG_TYPE
    match predicted, right.action:
        case actions.TypeText(text=text), actions.TypeText(text=wanted):
            alike = _word_f1(f"TYPE [{text}]", f"TYPE [{wanted}]")
            return all_or_nothing(alike > _HALF_ALIKE)
        case _:
            return _os_atlas_rest(predicted, right)


def _os_atlas_rest(predicted: Action, right: StepReference) -> StepVerdict:
    if place_of(predicted) is not None:
        return all_or_nothing(is_within(predicted, right.action, _FAR + _HAIR))
    one, other = (gesture_direction(one, right.size) for one in (predicted, right.action))
    return all_or_nothing(one == other)


def _qwen(predicted: Action, right: StepReference) -> StepVerdict:
    action = right.action
    # The script that makes the test data turns a long press into a tap.
    kind = "click" if isinstance(action, actions.LongPress) else _agentcpm_type(action)
    return _agentcpm(predicted, right, kind, reach=_NEAR, elements=_nearest)


def _agentcpm_gui(predicted: Action, right: StepReference) -> StepVerdict:
    kind = _agentcpm_type(right.action)
    return _agentcpm(predicted, right, kind, reach=_FAR, elements=_holding)


def _agentcpm(
    predicted: Action, right: StepReference, kind: str, *, reach: float, elements: _Choice
) -> StepVerdict:
    if _agentcpm_type(predicted) != kind:
        return WRONG_TYPE
    at, wanted_at = place_of(predicted), place_of(right.action)
    if at is not None and wanted_at is not None:
        boxes = [enlarge(bounds, _AGENTCPM_GROWTH) for bounds in right.all_bounds]
        held = any(is_inside(box, at) for box in elements(boxes, wanted_at))
        return all_or_nothing(held or at.distance(wanted_at) <= reach)
    match predicted, right.action:
        case (actions.TypeText(text=text), actions.TypeText(text=wanted)) | (
            actions.OpenApp(app=text),
            actions.OpenApp(app=wanted),
        ):
            return all_or_nothing(one_holds_other(text.lower(), wanted.lower()))
        case actions.PressKey(key=key), actions.PressKey(key=wanted_key):
            return all_or_nothing(key == wanted_key)
        case one, other:
            return all_or_nothing(
                gesture_direction(one, NORMALISED) == gesture_direction(other, NORMALISED)
            )


def _nearest(boxes: Sequence[Bounds], wanted: Point) -> Sequence[Bounds]:
    return sorted(boxes, key=lambda box: middle_distance(box, wanted))[:_QWEN_NEAREST]


def _holding(boxes: Sequence[Bounds], wanted: Point) -> Sequence[Bounds]:
    return [box for box in boxes if is_inside(box, wanted)]


def _odyssey(predicted: Action, right: StepReference) -> StepVerdict:
    if _named_type(predicted) != _named_type(right.action):
        return WRONG_TYPE
    at = place_of(predicted)
    if at is not None:
        held = right.target is not None and right.target.contains(at)
        return all_or_nothing(held or is_within(predicted, right.action, _FAR))
    match predicted, right.action:
        case actions.TypeText(text=text), actions.TypeText(text=wanted):
            alike = Levenshtein.normalized_similarity(text.strip(), wanted.strip()) >= _HALF_ALIKE
            return all_or_nothing(one_holds_other(text, wanted) or alike)
        case one, other:
            return all_or_nothing(
                gesture_direction(one, NORMALISED) == gesture_direction(other, NORMALISED)
            )


def _type(action: Action) -> str:
    """The type as these rules count it: a swipe, a drag and the wheel are one."""
    match action:
        case actions.Tap(button=button):
            return f"{button} click"
        case actions.Swipe() | actions.Scroll():
            return "scroll"
        case _:
            return action.type


def _word(action: Action) -> str:
    """The first word of the action in OS-Atlas's grammar, which names keys apart."""
    return f"press {action.key}" if isinstance(action, actions.PressKey) else _type(action)


def _agentcpm_type(action: Action) -> str:
    match action:
        case actions.Tap():
            return "click"
        case actions.Drag():
            return "scroll"
        case actions.Finish() | actions.Wait():
            return "stop"
        case _:
            return _type(action)


def _named_type(action: Action) -> tuple[str, str]:
    """The type, and the key or the end: each is an action of its own in AITW and GUI-Odyssey."""
    match action:
        case actions.PressKey(key=key):
            return _type(action), key
        case actions.Finish(outcome=outcome):
            return _type(action), outcome
        case _:
            return _type(action), ""


def _axis(action: Action) -> str:
    return "x" if gesture_direction(action, NORMALISED) in ("left", "right") else "y"


def _short_swipe_as_tap(action: Action) -> Action:
    """A swipe no longer than 0.04 is the tap that AITW takes it for."""
    if isinstance(action, actions.Swipe) and action.start.distance(action.end) <= _SHORT_SWIPE:
        return actions.Tap(at=action.start)
    return action


def _first_word(text: str) -> str:
    """The first word as OS-Atlas splits it: with the bracket before it, and after a sole one."""
    return f"[{text}]".split()[0].lower()


def _word_f1(text: str, wanted: str) -> float:
    """F1 of the two sets of words, without case."""
    predicted, right = set(text.lower().split()), set(wanted.lower().split())
    return 2 * len(predicted & right) / (len(predicted) + len(right))


RULES: Mapping[str, StepRule] = {
    "aitw": _aitw,
    "os-atlas": _os_atlas,
    "os-atlas-odyssey": _os_atlas_odyssey,
    "os-atlas-tapwright": own_os_atlas,
    "qwen": _qwen,
    "qwen-tapwright": own_qwen,
    "agentcpm-gui": _agentcpm_gui,
    "odyssey": _odyssey,
    "odyssey-tapwright": own_odyssey,
    "agentnet": agentnet,
    "agentnet-60da8b9": agentnet_later,
    "agentnet-tapwright": own_agentnet,
}
