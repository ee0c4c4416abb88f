"""AgentNetBench's rules for a step on a desktop, where a near miss earns a part.

Follows `evaluation/agentnetbench/eval.py` of https://github.com/xlang-ai/OpenCUA: `agentnet` is
1d70f20, unchanged since 8d6f506 and the paper; `agentnet_later` is 60da8b9, which compares the keys
in order and the direction and amount of a scroll, and scales the score of a step with more actions
than the recorded one has.

There a drag is two actions, to its start and to its end, and its score is the mean of both. A type
that it compares nothing of (waiting, an app, an answer) earns 0 even when it is right. The newline
that ends a text is not scored apart.
"""

from collections.abc import Sequence
from math import exp, sqrt
from typing import Literal, TypeAlias

from rapidfuzz.distance import Levenshtein

from tapwright.benchmarks import step_reference
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Box, Point, Size

__all__ = [
    "agentnet", "agentnet_later", "distance_score", "judge_several", "scroll_share", "text_score",
]  # fmt: skip

_NEAR = 0.01 * sqrt(2)
_DECAY = 120
_ALIKE = 0.8

_Version: TypeAlias = Literal["paper", "later"]
_Part: TypeAlias = tuple[str, Point | str | tuple[str, ...] | actions.Scroll | None]
"""An action as the evaluator names it, and what it compares."""


def agentnet(predicted: Action, right: step_reference.StepReference) -> step_reference.StepVerdict:
    """The paper's rule: keys as a set, any scroll is right."""
    return _judge([predicted], [right], "paper")


def agentnet_later(
    predicted: Action, right: step_reference.StepReference
) -> step_reference.StepVerdict:
    """The rule of the later code."""
    return _judge([predicted], [right], "later")


def judge_several(
    predicted: Sequence[Action], right: Sequence[step_reference.StepReference], *, later: bool
) -> step_reference.StepVerdict:
    """Either rule for an answer of several actions, which the evaluator compares one by one."""
    return _judge(predicted, right, "later" if later else "paper")


def _judge(
    predicted: Sequence[Action], right: Sequence[step_reference.StepReference], version: _Version
) -> step_reference.StepVerdict:
    given = [part for action in predicted for part in _parts(action)]
    wanted = [(part, one) for one in right for part in _parts(one.action)]
    if given[0][0] not in [name for (name, _), _ in wanted]:
        return step_reference.WRONG_TYPE
    scores = [
        _score(given[at], part, one, version) if at < len(given) else 0.0
        for at, (part, one) in enumerate(wanted)
    ]
    too_many = len(wanted) / max(len(given), len(wanted)) if version == "later" else 1.0
    return step_reference.StepVerdict(True, sum(scores) / len(scores) * too_many)


def _parts(action: Action) -> list[_Part]:
    match action:
        case actions.Tap(at=at, button=button):
            return [("click" if button == "left" else f"{button}click", at)]
        case actions.DoubleTap(at=at) | actions.TripleTap(at=at):
            return [(action.type, at)]
        case actions.Hover(at=at):
            return [("moveto", at)]
        case actions.Drag(start=start, end=end) | actions.Swipe(start=start, end=end):
            return [("moveto", start), ("dragto", end)]
        case actions.TypeText(text=text, at=at):
            return [*([] if at is None else [("click", at)]), ("write", text)]
        case actions.PressKey(key=key):
            return [("press", (key,))]
        case actions.Hotkey(keys=keys):
            return [("hotkey", tuple(key.lower() for key in keys))]
        case actions.Scroll():
            return [("scroll", action)]
        case actions.Finish(outcome=outcome):
            return [("terminate", "success" if outcome == "success" else "failure")]
        case _:
            return [(action.type, None)]


def _score(
    one: _Part, wanted: _Part, right: step_reference.StepReference, version: _Version
) -> float:
    if one[0] != wanted[0]:
        return 0.0
    match one[1], wanted[1]:
        case Point() as at, Point() as wanted_at:
            return distance_score(at, wanted_at, right.target)
        case str(end), str(wanted_end) if one[0] == "terminate":
            return float(end == wanted_end)
        case str(text), str(wanted_text):
            return text_score(text, wanted_text)
        case actions.Scroll() as wheel, actions.Scroll() as wanted_wheel:
            return 1.0 if version == "paper" else scroll_share(wheel, wanted_wheel, right.size)
        case tuple(keys), tuple(wanted_keys):
            same = keys == wanted_keys
            return float(same if version == "later" else set(keys) == set(wanted_keys))
        case _:
            return 0.0


def distance_score(at: Point, wanted: Point, target: Box | None) -> float:
    """1 in the target or within a hundredth of the screen, then falling with the distance to 0."""
    if target is not None and target.contains(at):
        return 1.0
    return min(1.0, exp(-_DECAY * (at.distance(wanted) - _NEAR)))


def text_score(text: str, wanted: str) -> float:
    """The similarity of two texts without case and blanks at their ends; 0.8 is enough for 1."""
    alike = Levenshtein.normalized_similarity(text.lower().strip(), wanted.lower().strip())
    return min(alike / _ALIKE, 1.0)


def scroll_share(one: actions.Scroll, other: actions.Scroll, size: Size) -> float:
    """Nothing the wrong way; else the share of the smaller in the larger amount."""
    if step_reference.gesture_direction(one, size) != step_reference.gesture_direction(other, size):
        return 0.0
    amounts = sorted(max(abs(scroll.dx), abs(scroll.dy)) for scroll in (one, other))
    return amounts[0] / amounts[1] if amounts[1] else 1.0
