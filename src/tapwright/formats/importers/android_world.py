"""AndroidWorld's checkpoints: https://github.com/google-research/android_world/tree/d9c569f.

A checkpoint (android_world/checkpointer.py) is a gzipped pickle `TASK_INSTANCE.pkl.gz` of a list of
attempts, each a dictionary (constants.py, suite_utils.py) whose `episode_data` has a list for each
field of a step. Read are those of agents/m3a.py and agents/t3a.py, and of agents that keep the same
fields: a screen, its elements, and the answer or the `JSONAction` in it. An answer without an
action did nothing: it becomes a wait of no time, refused with the reason.

The agents draw a mark on the stored screen around the element that they chose, so these pictures
give the answer away: they are to be looked at, not to be learned from.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tapwright.conventions.androidworld import ANDROIDWORLD
from tapwright.core.actions import Wait
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.errors import BadAnswerError
from tapwright.formats import temporary_storage
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.exporters.android_world import write_checkpoints
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import foreign_record
from tapwright.formats.importers.answers import split_answer
from tapwright.formats.importers.keeping import PHONE, Seen, cut_short, see_screens
from tapwright.formats.pickles.objects import ObjectUnpickler, PickledObject
from tapwright.formats.pickles.read import read_pickles

_SCREENS = ("raw_screenshot", "before_screenshot", "screenshot")
_ELEMENTS = ("before_ui_elements", "before_element_list", "ui_elements")
_TEXTS = {
    "text": "text", "content_description": "content-desc", "hint_text": "hint",
    "class_name": "class", "package_name": "package", "resource_name": "resource-id",
}  # fmt: skip
_FLAGS = {
    "is_checkable": "checkable", "is_checked": "checked", "is_clickable": "clickable",
    "is_enabled": "enabled", "is_focusable": "focusable", "is_focused": "focused",
    "is_long_clickable": "long-clickable", "is_scrollable": "scrollable",
    "is_selected": "selected",
}  # fmt: skip
_EXTRA = ("seed", "instance_id", "run_time", "is_successful")


class AndroidWorldCheckpoints:
    """Reads and writes AndroidWorld's checkpoints."""

    name = "androidworld"

    def recognizes(self, path: Path) -> bool:
        """Whether `path` is a file with the suffix `.pkl.gz` that AgentLab's steps do not have."""
        name = path.name
        return (
            name.endswith(".pkl.gz") and not name.startswith(("step_", "goal_")) and path.is_file()
        )

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the attempts in a file, or in the `.pkl.gz` files below a directory."""
        storage, found = temporary_storage.TemporaryStorage(), False
        for file in foreign_record.find_files(path, "*.pkl.gz"):
            found = True
            try:
                yield from _read_file(file, storage)
            except ForeignDataError as error:
                if file == path:
                    raise
                yield UnreadableEpisode.of(str(file), error)
        if not found:
            raise ForeignDataError(f"{path}: no .pkl.gz file in it")

    def write(self, episodes: Iterable[Episode], path: Path) -> int:
        """Write checkpoints into a new directory; returns how many."""
        return write_checkpoints(episodes, path)

    def check_step(self, step: Step) -> None:
        """Check that AndroidWorld has a word for the action."""
        ANDROIDWORLD.render(step.decision, step.observation.size)


ANDROID_WORLD = AndroidWorldCheckpoints()


def _read_file(
    file: Path, storage: temporary_storage.TemporaryStorage
) -> Iterator[Episode | UnreadableEpisode]:
    with temporary_storage.open_encoder_pool() as pool:
        for attempts in read_pickles(
            file, temporary_storage.TemporaryValues(file, pool, storage), ObjectUnpickler
        ):
            if not isinstance(attempts, list):
                raise ForeignDataError(f"{file}: holds no list of attempts")
            for number, attempt in enumerate(attempts):
                where = f"{file}, attempt {number}"
                yield foreign_record.read_or_report(where, partial(_build_episode, attempt, where))


def _build_episode(attempt: object, where: str) -> Episode:
    if not isinstance(attempt, dict) or not isinstance(attempt.get("goal"), str):
        raise ForeignDataError(f"{where}: is no attempt; expected a dictionary with a goal")
    failure = attempt.get("exception_info")
    data = attempt.get("episode_data")
    last = (
        "".join(temporary_storage.load_text(failure).strip().splitlines()[-1:])[:300]
        if failure
        else ""
    )
    if not isinstance(data, dict):
        ended = f"was not played to its end: {last}" if last else "has no steps"
        raise ForeignDataError(f"{where}: {ended}")
    template = temporary_storage.load_text(attempt.get("task_template")) or "task"
    rows = _rows(data)
    looks = (
        (f"{where}, step {number}", partial(_see, row, f"{where}, step {number}"))
        for number, row in enumerate(rows)
    )
    pictured = any(row.get(name) is not None for row in rows for name in _SCREENS)
    screens = see_screens(looks, PHONE, is_fault=pictured)
    steps = tuple(
        _build_step(row, seen, f"{where}, step {number}")
        for number, (row, seen) in enumerate(zip(rows, screens, strict=True))
    )
    extra = {name: str(_plain(attempt[name])) for name in _EXTRA if attempt.get(name) is not None}
    agent = temporary_storage.load_text(attempt.get("agent_name"))
    mark = json.dumps([template, extra, agent, [_answer(row) for row in rows]])
    digest = hashlib.sha256(mark.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    last_step = steps[-1] if steps else None
    if last:
        extra["error"] = last
    episode = Episode(
        id=f"androidworld-{template}-{digest}",
        task_id=template,
        instruction=attempt["goal"],
        steps=steps,
        final=last_step.after if last_step else None,
        outcome=_outcome(attempt.get("is_successful")),
        agent=agent,
        device="android_world",
        extra=extra,
    )
    unplayed = f"{where}: was not played to its end: {last}"
    return cut_short(episode, where, unplayed, 1) if last else episode


def _rows(data: Mapping[str, object]) -> list[Mapping[str, Any]]:
    """The steps; a field that some steps do not have cannot be told apart, and is left out."""
    lists = {name: values for name, values in data.items() if isinstance(values, list)}
    length = max(map(len, lists.values()), default=0)
    whole = {name: values for name, values in lists.items() if len(values) == length}
    return [{name: values[number] for name, values in whole.items()} for number in range(length)]


def _outcome(successful: object) -> EpisodeOutcome:
    value = _plain(successful)
    if not isinstance(value, int | float) or value != value:
        return "unknown"
    return "success" if value > 0.5 else "failure"  # as suite_utils.py prints it


def _see(step: Mapping[str, Any], where: str) -> Observation:
    observation = _screen(step, _SCREENS, _ELEMENTS, where)
    if observation is None:
        raise ForeignDataError(
            f"{where}: has no screen; expected one of {', '.join(_SCREENS)}, "
            f"found {', '.join(sorted(step))[:300]}"
        )
    return observation


def _build_step(step: Mapping[str, Any], seen: Seen, where: str) -> Step:
    observation = seen.observation
    if seen.log:
        listed = _list_elements(step, _ELEMENTS)
        tree = None if listed is None else _build_tree(listed, observation.size, where)
        observation = replace(observation, ui_tree=tree)
    after = _screen(step, ("after_screenshot",), ("after_element_list",), where)
    answer = _answer(step)
    try:
        decision = ANDROIDWORLD.parse_on(answer, observation)
    except BadAnswerError as error:
        wait = Wait(duration_s=0)
        decision, refused = Decision(wait, split_answer(answer).thought), str(error)
        log = (*([f"answer: {answer}"] if answer else []), *seen.log)
        return Step(observation, decision, refused=refused, after=after, log=log)
    return Step(observation, decision, after=after, log=seen.log)


def _answer(step: Mapping[str, Any]) -> str:
    """What the agent answered; its action alone where the answer was not kept."""
    output = temporary_storage.load_text(step.get("action_output"))
    action = step.get("action_output_json")
    if output or not isinstance(action, PickledObject):
        return output
    fields = {name: value for name, value in action.attributes.items() if value is not None}
    reason = temporary_storage.load_text(step.get("action_reason"))
    return f"Reason: {reason}\nAction: {json.dumps(fields, ensure_ascii=False, default=str)}"


def _screen(
    step: Mapping[str, Any], screens: Sequence[str], elements: Sequence[str], where: str
) -> Observation | None:
    picture = next((step[name] for name in screens if step.get(name) is not None), None)
    if not isinstance(picture, temporary_storage.StoredPicture):
        return None
    screenshot, size = picture.screenshot()
    listed = _list_elements(step, elements)
    tree = None if listed is None else _build_tree(listed, size, where)
    return Observation(screenshot=screenshot, size=size, ui_tree=tree)


def _list_elements(step: Mapping[str, Any], names: Sequence[str]) -> Sequence[object] | None:
    return next((step[name] for name in names if isinstance(step.get(name), list)), None)


def _build_tree(elements: Sequence[object], size: Size, where: str) -> UiTree:
    """The elements in their order, one level deep, so that an index finds the one that it names."""
    nodes: list[dict[str, str]] = []
    for element in elements:
        if not isinstance(element, PickledObject):
            raise ForeignDataError(f"{where}: an element of the screen is no object")
        found = element.attributes
        texts = {
            ours: temporary_storage.load_text(found[name])
            for name, ours in _TEXTS.items()
            if found.get(name)
        }
        flags = {
            ours: str(found[name]).lower() for name, ours in _FLAGS.items()
            if isinstance(found.get(name), bool)
        }  # fmt: skip
        nodes.append({"class": "", **texts, **flags, **_bounds(found.get("bbox_pixels"))})
    return foreign_record.build_flat_tree(nodes, size, where)


def _bounds(box: object) -> dict[str, str]:
    if not isinstance(box, PickledObject):
        return {}
    edges = [_plain(box.attributes.get(name)) for name in ("x_min", "y_min", "x_max", "y_max")]
    if not all(isinstance(edge, int | float) and abs(edge) < 1e6 for edge in edges):
        return {}
    left, top, right, bottom = (round(edge) for edge in edges)
    return {"bounds": f"[{left},{top}][{right},{bottom}]"}


def _plain(value: object) -> Any:
    """A number of NumPy as Python's."""
    return value.item() if hasattr(value, "item") else value
