"""The step rules that tapwright had before its rules had names, for logs of that time.

They differ from those that they follow (`step_rules`, `agentnet_rules`) in this: OS-Atlas compares
all words of texts and apps by their F1; Qwen's keeps waiting, ends and long presses apart and takes
directions in pixels; GUI-Odyssey counts a wrong key as the right type; AgentNet follows 60da8b9, a
drag is its end alone, and what has nothing to compare is right.
"""

from rapidfuzz.distance import Levenshtein

from tapwright.benchmarks import step_reference
from tapwright.benchmarks.agentnet_rules import distance_score, scroll_share, text_score
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Point, Size

__all__ = ["own_agentnet", "own_odyssey", "own_os_atlas", "own_qwen"]

_FAR = 0.14
_NEAR = 0.04
_GROWTH = 0.2
_NEAREST = 5
_HALF_ALIKE = 0.5


def own_os_atlas(
    predicted: Action, right: step_reference.StepReference
) -> step_reference.StepVerdict:
    """OS-Atlas's, with the F1 of all words of texts and apps."""
    if _type(predicted) != _type(right.action):
        return step_reference.WRONG_TYPE
    match _comparable(predicted, right.size), _comparable(right.action, right.size):
        case str(text), str(wanted):
            return step_reference.all_or_nothing(_word_f1(text, wanted) > _HALF_ALIKE)
        case Point(), Point():
            return step_reference.all_or_nothing(
                step_reference.is_within(predicted, right.action, _FAR)
            )
        case one, other:
            return step_reference.all_or_nothing(one == other)


def own_qwen(predicted: Action, right: step_reference.StepReference) -> step_reference.StepVerdict:
    """Qwen's, with each type on its own."""
    if _type(predicted) != _type(right.action):
        return step_reference.WRONG_TYPE
    match _comparable(predicted, right.size), _comparable(right.action, right.size):
        case str(text), str(wanted):
            return step_reference.all_or_nothing(
                step_reference.one_holds_other(text.lower(), wanted.lower())
            )
        case Point() as at, Point() as wanted_at:
            boxes = sorted(
                (
                    step_reference.enlarge((box.left, box.top, box.right, box.bottom), _GROWTH)
                    for box in right.elements
                ),
                key=lambda box: step_reference.middle_distance(box, wanted_at),
            )
            held = any(step_reference.is_inside(box, at) for box in boxes[:_NEAREST])
            return step_reference.all_or_nothing(
                held or step_reference.is_within(predicted, right.action, _NEAR)
            )
        case one, other:
            return step_reference.all_or_nothing(one == other)


def own_odyssey(
    predicted: Action, right: step_reference.StepReference
) -> step_reference.StepVerdict:
    """GUI-Odyssey's, with every key of one type."""
    if (_type(predicted), _end(predicted)) != (_type(right.action), _end(right.action)):
        return step_reference.WRONG_TYPE
    match (
        _comparable(predicted, step_reference.NORMALISED),
        _comparable(right.action, step_reference.NORMALISED),
    ):
        case str(text), str(wanted):
            alike = Levenshtein.normalized_similarity(text.strip(), wanted.strip()) >= _HALF_ALIKE
            return step_reference.all_or_nothing(
                step_reference.one_holds_other(text, wanted) or alike
            )
        case Point() as at, Point():
            held = right.target is not None and right.target.contains(at)
            return step_reference.all_or_nothing(
                held or step_reference.is_within(predicted, right.action, _FAR)
            )
        case one, other:
            return step_reference.all_or_nothing(one == other)


def own_agentnet(
    predicted: Action, right: step_reference.StepReference
) -> step_reference.StepVerdict:
    """AgentNetBench's later one, with the end of a drag alone."""
    if _type(predicted) != _type(right.action):
        return step_reference.WRONG_TYPE
    match predicted, right.action:
        case actions.Scroll() as wheel, actions.Scroll() as wanted_wheel:
            return step_reference.StepVerdict(True, scroll_share(wheel, wanted_wheel, right.size))
        case actions.Finish(outcome=outcome), actions.Finish(outcome=wanted_outcome):
            return step_reference.all_or_nothing(
                (outcome == "success") == (wanted_outcome == "success")
            )
        case (
            (actions.Drag(end=end) | actions.Swipe(end=end)),
            (actions.Drag(end=wanted_end) | actions.Swipe(end=wanted_end)),
        ):
            return step_reference.StepVerdict(True, distance_score(end, wanted_end, right.target))
    match _comparable(predicted, right.size), _comparable(right.action, right.size):
        case str(text), str(wanted):
            return step_reference.StepVerdict(True, text_score(text, wanted))
        case Point() as at, Point() as wanted_at:
            return step_reference.StepVerdict(True, distance_score(at, wanted_at, right.target))
        case one, other:
            return step_reference.all_or_nothing(one == other)


def _type(action: Action) -> str:
    """The type: a swipe and the wheel are one, a click has its button."""
    match action:
        case actions.Tap(button=button, held=held):
            return "+".join((*held, f"{button} click"))
        case actions.Swipe() | actions.Scroll():
            return "scroll"
        case _:
            return action.type


def _comparable(action: Action, size: Size) -> Point | str | tuple[str, ...] | None:
    """What of an action is compared beside its type: a place, a text, or what has to be equal."""
    match action:
        case actions.PointAction():
            return action.at
        case (
            actions.TypeText(text=text)
            | actions.OpenApp(app=text)
            | actions.Answer(text=text)
            | actions.AskUser(text=text)
        ):
            return text
        case actions.PressKey(key=key) | actions.KeyDown(key=key) | actions.KeyUp(key=key):
            return (key,)
        case actions.Hotkey(keys=keys):
            return tuple(key.lower() for key in keys)
        case actions.Goto(url=url) | actions.NewTab(url=url):
            return (url,)
        case actions.SwitchTab(tab=tab):
            return (str(tab),)
        case actions.Swipe() | actions.Scroll() | actions.Drag():
            return (step_reference.gesture_direction(action, size) or "none",)
        case _:
            return None


def _end(action: Action) -> str:
    return action.outcome if isinstance(action, actions.Finish) else ""


def _word_f1(text: str, wanted: str) -> float:
    """F1 of the two sets of words, without case; 0 when either has none."""
    predicted, right = set(text.lower().split()), set(wanted.lower().split())
    return (
        2 * len(predicted & right) / (len(predicted) + len(right)) if predicted and right else 0.0
    )
