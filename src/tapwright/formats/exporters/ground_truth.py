"""The ground truth of a sample, for rewards and metrics: the action, and the element it is on."""

import json
from typing import cast

from pydantic import JsonValue

from tapwright.core.actions import PointAction
from tapwright.core.episode import Step, dump_actions
from tapwright.core.geometry import Box
from tapwright.errors import BadTreeError, CorruptEpisodeError
from tapwright.formats.exporters.training_set import TrainingSample, UnusableStepError
from tapwright.formats.mobiagent.screens import read_recorded_bounds


def find_target_box(step: Step) -> Box | None:
    """Finds the box of the element that a step's action is on.

    That which was recorded for it counts before the view hierarchy's; None without both.

    Raises:
        UnusableStepError: the hierarchy is broken.
    """
    match step.decision.first:
        case PointAction(at=at):
            recorded = read_recorded_bounds(step)
            if recorded is not None:
                return recorded
            tree = step.observation.ui_tree
        case _:
            return None
    if tree is None:
        return None
    try:
        node = tree.at(at)
    except (BadTreeError, CorruptEpisodeError) as error:
        raise UnusableStepError("its view hierarchy cannot be read", error.code) from error
    box = node.box if node is not None and node.is_("clickable") else None
    return box if box is not None and box.area > 0 else None


def render_ground_truth(sample: TrainingSample, convention: str) -> str:
    """Renders the ground truth as JSON: what a reward function compares a parsed answer with.

    `action` is tapwright's own, places in fractions, or a list of several; `box` is [left, top,
    right, bottom] of the first one's element in fractions, where a view hierarchy has it;
    `convention` and `size` are what `tapwright.conventions.get(convention).parse(answer, size)`
    needs.

    Raises:
        UnusableStepError: the view hierarchy is broken.
    """
    box, size = find_target_box(sample.step), sample.step.observation.size
    truth: dict[str, JsonValue] = {
        "action": cast(JsonValue, json.loads(dump_actions(sample.step.decision.actions))),
        "box": None if box is None else [box.left, box.top, box.right, box.bottom],
        "convention": convention,
        "size": [size.width, size.height],
    }
    return json.dumps(truth, ensure_ascii=False)
