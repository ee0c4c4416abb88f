"""Relocates a recorded action on the screen as it is now, or finds that it does not fit.

An element is the same when its class, id and words are, and its state; of several alike the one in
the same neighbourhood. Without hierarchies a target is looked for by its picture. In doubt there is
no answer: a wrong replay does harm, and without one the model is queried as before.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Box, Point
from tapwright.core.observation import Observation, UiNode

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["are_alike", "have_same_words", "relocate_decision"]

_ALIKE = 0.6
_SAME_PLACE = 0.02
_SYSTEM_UI = "com.android.systemui"
_STATES = ("checked", "selected", "enabled", "password")
_CROP = 0.06
_SEARCHED = 0.25
_PICTURES_ALIKE = 0.92


def relocate_decision(step: Step, now: Observation) -> Decision | None:
    """The decision of a recorded step as it would have to be now; None when it does not fit.

    Of several actions all have to fit, each by the screen on which it was decided.

    A tap, and where a drag begins, goes to where its element is now. Text is typed only into the
    field that it was typed into, holding what it held. An answer or the end is the same action on a
    screen that is alike, whatever else has changed: whether it may be repeated is up to the caller.
    """
    found = [_relocate(action, step.observation, now) for action in step.decision.actions]
    if None in found:
        return None
    return replace(step.decision, actions=tuple(one for one in found if one is not None))


def _relocate(action: Action, then: Observation, now: Observation) -> Action | None:
    match action:
        case actions.Wait() | actions.OpenApp() | actions.Goto() | actions.NewTab():
            return action
        case actions.PointAction(at=point):
            at = _relocate_point(point, then, now)
            return None if at is None else action.model_copy(update={"at": at})
        case actions.Scroll(at=point):
            at = _relocate_point(point, then, now)
            return (
                None
                if at is None or not are_alike(then, now)
                else action.model_copy(update={"at": at})
            )
        case actions.Drag(start=start, end=end):
            begin, goal = _relocate_point(start, then, now), _relocate_point(end, then, now)
            if begin is None or goal is None or (action.path and not are_alike(then, now)):
                return None
            return action.model_copy(update={"start": begin, "end": goal})
        case actions.TypeText():
            return _relocate_typing(action, then, now)
        case actions.ButtonDown(at=Point() as point) | actions.ButtonUp(at=Point() as point):
            at = _relocate_point(point, then, now)
            return None if at is None else action.model_copy(update={"at": at})
        case (
            actions.Swipe()
            | actions.PressKey()
            | actions.Hotkey()
            | actions.KeyDown()
            | actions.KeyUp()
            | actions.ButtonDown()
            | actions.ButtonUp()
            | actions.CloseTab()
            | actions.SwitchTab()
            | actions.Answer()
            | actions.AskUser()
            | actions.Finish()
        ):
            return action if are_alike(then, now) else None


def _relocate_typing(
    action: actions.TypeText, then: Observation, now: Observation
) -> Action | None:
    if action.at is None:
        return action if _is_same_field(then, now) else None
    at = _relocate_point(action.at, then, now)
    return None if at is None else action.model_copy(update={"at": at})


def are_alike(then: Observation, now: Observation) -> bool:
    """Whether two screens are of one app and have most of their elements in common."""
    if then.app != now.app:
        return False
    if then.ui_tree is None or now.ui_tree is None:
        return _look_alike(then, now, Box(0, 0, 1, 1), Box(0, 0, 1, 1))
    before, after = (Counter(map(_identity, _nodes(one))) for one in (then, now))
    common, together = (before & after).total(), (before | after).total()
    return together == 0 or common / together >= _ALIKE


def have_same_words(then: Observation, now: Observation) -> bool:
    """Whether the very same words are on both screens, the status bar left aside."""
    if then.app != now.app or then.ui_tree is None or now.ui_tree is None:
        return False
    before, after = (
        Counter((node.text, node.description) for node in _nodes(one)) for one in (then, now)
    )
    return before == after


def _nodes(seen: Observation) -> Sequence[UiNode]:
    nodes = seen.ui_tree.nodes if seen.ui_tree else ()
    return [
        node
        for node in nodes
        if node.box is not None and node.attributes.get("package") != _SYSTEM_UI
    ]


def _identity(node: UiNode) -> tuple[str, ...]:
    states = (node.attributes.get(state, "") for state in _STATES)
    return (node.class_name, node.resource_id, node.label, *states)


def _relocate_point(point: Point, then: Observation, now: Observation) -> Point | None:
    """The place of the touched element now, at the same offset within it."""
    if then.ui_tree is None or now.ui_tree is None:
        return _find_by_picture(point, then, now)
    target = then.ui_tree.at(point)
    if then.app != now.app:
        return None
    if target is None or target.box is None:
        return point if are_alike(then, now) else None
    there = _find_same(target, _nodes(then), _nodes(now))
    if there is None or there.box is None:
        return None
    if not (target.label or target.short_id) and not _look_alike(then, now, target.box, there.box):
        return None
    box, own = there.box, target.box
    right = (point.x - own.left) / (own.right - own.left)
    down = (point.y - own.top) / (own.bottom - own.top)
    return Point(box.left + right * (box.right - box.left), box.top + down * (box.bottom - box.top))


def _find_same(target: UiNode, before: Sequence[UiNode], after: Sequence[UiNode]) -> UiNode | None:
    """The element that is the target now; None when there is none, or several fit."""
    wanted = _identity(target)
    found = [node for node in after if _identity(node) == wanted]
    if len(found) <= 1:
        return found[0] if found else None
    twins = [node for node in before if _identity(node) == wanted]
    near = [
        node for node in found if _describe_surroundings(node) == _describe_surroundings(target)
    ]
    if (
        len(near) == 1
        and sum(_describe_surroundings(node) == _describe_surroundings(target) for node in twins)
        == 1
    ):
        return near[0]
    unmoved = [node for node in near if _is_at_same_place(node, target)]
    return unmoved[0] if len(unmoved) == 1 and len(found) == len(twins) else None


def _describe_surroundings(node: UiNode) -> tuple[str, ...]:
    """The text around an element: that of the nearest parent with more than its own."""
    own, parent = node.label, node.parent
    while parent is not None:
        if parent.label != own:
            return (parent.class_name, parent.resource_id, parent.label)
        parent = parent.parent
    return ()


def _is_at_same_place(one: UiNode, other: UiNode) -> bool:
    if one.box is None or other.box is None:
        return False
    here, there = one.box.center, other.box.center
    return abs(here.x - there.x) <= _SAME_PLACE and abs(here.y - there.y) <= _SAME_PLACE


def _is_same_field(then: Observation, now: Observation) -> bool:
    """Whether the same field has the focus; without trees, whether the screen is the same."""
    before, after = ([node for node in _nodes(one) if node.is_("focused")] for one in (then, now))
    if not before and not after:
        return are_alike(then, now)
    if len(before) != 1 or len(after) != 1 or then.app != now.app:
        return False
    return _identity(before[0]) == _identity(after[0])


def _look_alike(then: Observation, now: Observation, was: Box, is_: Box) -> bool:
    """Whether two parts of pictures look the same."""
    if not then.screenshot.recorded or not now.screenshot.recorded:
        return False
    return _measure_likeness(_crop(then, was), _crop(now, is_)) >= _PICTURES_ALIKE


def _find_by_picture(point: Point, then: Observation, now: Observation) -> Point | None:
    """Where the surroundings of a point are now, looked for not far from where they were."""
    if not then.screenshot.recorded or not now.screenshot.recorded:
        return None
    try:
        import cv2
    except ModuleNotFoundError:
        return None
    wanted_box = _window(point, _CROP)
    searched_box = _window(point, _SEARCHED)
    wanted = np.asarray(_crop(then, wanted_box).convert("L"))
    searched = _crop(now, searched_box).convert("L")
    if then.size != now.size or (wanted == wanted[0, 0]).all():
        return point if _look_alike(then, now, wanted_box, wanted_box) else None
    likeness = cv2.matchTemplate(np.asarray(searched), wanted, cv2.TM_CCOEFF_NORMED)
    _, best, _, (left, top) = cv2.minMaxLoc(likeness)
    if best < _PICTURES_ALIKE:
        return None
    return Point(
        searched_box.left + left / now.size.width + (point.x - wanted_box.left),
        searched_box.top + top / now.size.height + (point.y - wanted_box.top),
    )


def _window(around: Point, half: float) -> Box:
    return Box(
        max(around.x - half, 0), max(around.y - half, 0),
        min(around.x + half, 1), min(around.y + half, 1),
    )  # fmt: skip


def _crop(seen: Observation, box: Box) -> "Image":
    image = _picture(seen)
    return image.crop(
        (
            round(box.left * image.width),
            round(box.top * image.height),
            max(round(box.right * image.width), round(box.left * image.width) + 1),
            max(round(box.bottom * image.height), round(box.top * image.height) + 1),
        )
    )


@lru_cache(maxsize=8)
def _picture(seen: Observation) -> "Image":
    return seen.screenshot.image().convert("RGB")


def _measure_likeness(one: "Image", other: "Image") -> float:
    """From 0 to 1, by the mean difference of small grey versions."""
    first, second = (
        np.asarray(image.convert("L").resize((32, 32)), dtype=np.int16) for image in (one, other)
    )
    return 1 - float(np.abs(first - second).mean()) / 255
