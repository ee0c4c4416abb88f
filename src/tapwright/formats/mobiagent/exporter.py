"""Writes episodes as MobiAgent's directories, which `importer.py` describes."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

from pydantic import JsonValue, TypeAdapter

from tapwright.core.actions import LongPress, Tap
from tapwright.core.directions import finger_direction, swipe_toward
from tapwright.core.episode import TAKEOVER_BEFORE_STEP, Episode, Step
from tapwright.core.geometry import to_pixel
from tapwright.core.observation import Observation, UiTree
from tapwright.errors import BadTreeError, UnsupportedByConventionError
from tapwright.files.names import portable_name
from tapwright.formats.fitting import check_done
from tapwright.formats.importers.foreign_record import parse_json
from tapwright.formats.mobiagent import actions
from tapwright.formats.mobiagent.actions import add_direction_words

_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]", re.ASCII)
_WORD: TypeAdapter[str] = TypeAdapter(str)
_TEXTS: TypeAdapter[list[str]] = TypeAdapter(list[str])


def write_episode(episode: Episode, root: Path) -> None:
    """Write one episode below `root`, in the directory that `MobiAgent.write` describes.

    Raises:
        UnsupportedByConventionError: MobiAgent has no such action; names episode and step.
    """
    if not episode.steps:
        raise UnsupportedByConventionError(f"{episode.id}: has no steps; MobiAgent needs one")
    app, kind = _app_and_task_type(episode)
    directory = _choose_directory(episode.id, app, kind, root)
    directory.mkdir(parents=True, exist_ok=True)
    items: list[JsonValue] = []
    reasons: list[JsonValue] = []
    parts = [(number, part) for number, step in enumerate(episode.steps) for part in step.parts]
    for number, step in parts:
        items.extend(_render_takeovers(step, TAKEOVER_BEFORE_STEP))
        try:
            check_done(step)
            items.append(_render_item(step))
            if step.decision.reasoning or step.decision.target:
                reasons.append(_render_reason(step, items[-1], len(items)))
        except UnsupportedByConventionError as error:
            raise UnsupportedByConventionError(
                f"{episode.id}, step {number}: {error}",
                hint="it has click, long_press, swipe, input, open_app, wait and done",
            ) from error
        _write_screen(directory, len(items), step.observation)
        items.extend(_render_takeovers(step, actions.TAKEOVER))
    if episode.final is not None:
        _write_screen(directory, len(items) + 1, episode.final)
    recording: actions.JsonObject = {
        "app_name": app,
        "task_type": kind,
        "task_description": _render_instruction(episode),
        "action_count": len(items),
        "actions": items,
    }
    if actions.OLD_INSTRUCTION in episode.extra:
        recording[actions.OLD_INSTRUCTION] = episode.extra[actions.OLD_INSTRUCTION]
    _write_json(directory / "actions.json", recording)
    if reasons:
        _write_json(directory / "react.json", reasons)


def _write_screen(directory: Path, number: int, seen: Observation) -> None:
    (directory / f"{number}.jpg").write_bytes(seen.screenshot.data)
    if seen.ui_tree is not None and _is_whole(seen.ui_tree):
        data = seen.ui_tree.xml.encode("utf-8", "surrogatepass")
        (directory / f"{number}.xml").write_bytes(data)


def _is_whole(tree: UiTree) -> bool:
    try:
        return not tree.boxes_only
    except BadTreeError:
        return False


def _render_item(step: Step) -> actions.JsonObject:
    action, size = step.decision.action, step.observation.size
    if actions.NO_PLACES in step.log and action.type == "swipe":
        direction = finger_direction(action, size)
        if direction is not None and action == swipe_toward(direction):
            return actions.write_item(action, size, bounds=None, has_places=False)
    item = actions.write_item(action, size, bounds=_find_bounds(step), has_places=True)
    for key, note in (("direction", actions.DIRECTION), ("status", actions.STATUS)):
        word = next((line for line in step.log if line.startswith(note)), None)
        if key in item and word is not None:
            item[key] = parse_json(_WORD, word.removeprefix(note), note)
    return item


def _render_reason(step: Step, item: JsonValue, number: int) -> actions.JsonObject:
    """Renders the item of `react.json`; its direction is that of the item of `actions.json`."""
    decision, reasoning = step.decision, step.decision.reasoning
    function = actions.write_function(decision.first, decision.target, step.observation.size)
    match item:
        case {"type": "swipe", "direction": str(direction)}:
            function["parameters"] = {"direction": direction.upper()}
            reasoning = add_direction_words(reasoning, direction.lower())
    return {"reasoning": reasoning, "function": function, "action_index": number}


def _render_takeovers(step: Step, note: str) -> Iterator[actions.JsonObject]:
    for line in step.log:
        if line in (f"{note}start", f"{note}end"):
            yield {"type": "suspend", "action": line.removeprefix(note)}


def _find_bounds(step: Step) -> actions.Bounds | None:
    """Finds the bounds of the touched element: the smallest clickable one that holds the pixel.

    The only element of a hierarchy counts even when it misses the pixel, as a detector's box may.
    """
    action, tree = step.decision.action, step.observation.ui_tree
    if tree is None or not isinstance(action, Tap | LongPress):
        return None
    for line in step.log:
        if line.startswith(actions.BOUNDS) and (
            known := _BOUNDS.fullmatch(line.removeprefix(actions.BOUNDS))
        ):
            return _to_bounds(known)
    x, y = to_pixel(action.at, tree.size)
    elements = [node for node in tree.nodes if "bounds" in node.attributes]
    boxes: list[actions.Bounds] = []
    for node in elements:
        found = _BOUNDS.fullmatch(node.attributes["bounds"])
        if found is not None and node.is_("clickable"):
            boxes.append(_to_bounds(found))
    holding = [box for box in boxes if box[0] <= x <= box[2] and box[1] <= y <= box[3]]
    if not holding and len(elements) == 1:
        holding = boxes
    return min(holding, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]), default=None)


def _to_bounds(found: re.Match[str]) -> actions.Bounds:
    left, top, right, bottom = (int(edge) for edge in found.groups())
    return left, top, right, bottom


def _render_instruction(episode: Episode) -> JsonValue:
    """Renders the instruction, perhaps edited, with the other wordings that were recorded."""
    texts = episode.extra.get(actions.OTHER_INSTRUCTIONS, "[]").encode("utf-8", "surrogatepass")
    others = parse_json(_TEXTS, texts, f"{episode.id}, {actions.OTHER_INSTRUCTIONS}")
    return [episode.instruction, *others] if others else episode.instruction


def _app_and_task_type(episode: Episode) -> tuple[str, str]:
    """Returns the app's name and the task's type."""
    seen = (step.observation.app for step in episode.steps)
    app = episode.extra.get(actions.APP_NAME, next((one for one in seen if one), ""))
    return app, episode.extra.get(actions.TASK_TYPE, episode.task_id)


def _choose_directory(id_: str, app: str, kind: str, root: Path) -> Path:
    names = id_.split("/")
    own = root.joinpath(*map(portable_name, names))
    if len(names) >= 3 and not (own / "actions.json").exists():
        return own
    below = root / portable_name(app or "app") / portable_name(kind or "task")
    free = (below / str(number) for number in count(1))
    return next(one for one in free if not (one / "actions.json").exists())


def _write_json(path: Path, value: JsonValue | Mapping[str, JsonValue]) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=4) + "\n"
    # Half an emoji becomes its JSON escape.
    path.write_bytes(text.encode("utf-8", "backslashreplace"))
