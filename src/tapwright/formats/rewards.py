"""A reward for an answer by itself: whether it is the recorded action, in TRL's shape.

`trl.GRPOTrainer(reward_funcs=reward_action, …)` takes it as it is, with a set of `sft export --to
trl-grpo`, whose column `ground_truth` it reads; so does anything that has a list of answers.
"""

import json
from collections.abc import Sequence
from typing import TypeAlias

from pydantic import JsonValue

from tapwright.conventions import conventions
from tapwright.core.actions import Action, ActionAdapter, PointAction
from tapwright.core.geometry import Box, Point, Size
from tapwright.errors import BadAnswerError

__all__ = ["Completion", "reward_action"]

Completion: TypeAlias = str | Sequence[dict[str, JsonValue]]
_NEAR = 0.04
_TYPE_ONLY = 0.2


def reward_action(
    completions: Sequence[Completion], ground_truth: Sequence[str], **_: object
) -> list[float]:
    """1 for the recorded action, 0.2 for one of its type elsewhere or with other words, else 0.

    A place is right in the box of the recorded element, or, where that is not known, within 0.04 of
    the screen's sides. Several actions are as right as the worst of them, in their order. An answer
    that its convention cannot read is 0. `completions` are texts, or conversations whose last turn
    is the answer.
    """
    return [
        _reward(_text(one), truth) for one, truth in zip(completions, ground_truth, strict=True)
    ]


def _reward(answer: str, ground_truth: str) -> float:
    truth = json.loads(ground_truth)
    found = truth["action"] if isinstance(truth["action"], list) else [truth["action"]]
    wanted = [ActionAdapter.validate_python(one) for one in found]
    size = Size(*truth["size"])
    try:
        made = conventions.get(truth["convention"]).parse(answer, size).actions
    except BadAnswerError:
        return 0.0
    if [one.type for one in made] != [one.type for one in wanted]:
        return 0.0
    box = Box(*truth["box"]) if truth["box"] else None
    boxes = (box, *(None for _ in wanted[1:]))
    return 1.0 if all(map(_is_same, made, wanted, boxes)) else _TYPE_ONLY


def _is_same(made: Action, wanted: Action, box: Box | None) -> bool:
    if not isinstance(made, PointAction) or not isinstance(wanted, PointAction):
        return made == wanted
    return box.contains(made.at) if box is not None else _is_near(made.at, wanted.at)


def _is_near(one: Point, other: Point) -> bool:
    return abs(one.x - other.x) <= _NEAR and abs(one.y - other.y) <= _NEAR


def _text(completion: Completion) -> str:
    if isinstance(completion, str):
        return completion
    content = completion[-1]["content"]
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part)
