"""AndroidControl: TFRecord files with an episode in each record, or rows that have the same.

As https://github.com/google-research/google-research/blob/0ced6d0/android_control/README.md says,
an episode is n screens and the n - 1 actions between them. Places are pixels; "scroll" names the
direction of the content that comes into view, so the finger goes the other way, from a place that
is not recorded. "type" taps, types and presses enter. A screen's accessibility
tree becomes the view hierarchy, and says which app is in front; without it that is the app that was
opened last. `android_control_lines.py` reads the form that others
made of it.

The rows are those of https://huggingface.co/datasets/smolagents/android-control, as its card and
who reads it say (https://huggingface.co/datasets/Tonic/android-operator-episodes): `episode_id`,
`goal`, `screenshots_b64`, `actions` with a null for what one has not, and `step_instructions`;
there is a screen more than there are actions, or as many.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core import actions as act
from tapwright.core.directions import OPPOSITE, Direction, swipe_toward
from tapwright.core.episode import Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import file_importer, foreign_record, keeping, tfrecord
from tapwright.formats.importers.accessibility_forest import find_front_app, read_forest
from tapwright.formats.importers.account import note_left_out
from tapwright.formats.importers.android_control_lines import read_line

_NO_TREE = "android-control: the accessibility tree is damaged"
_NO_PLACES = "android-control: the places of the scroll were not recorded"


class _TouchAction(foreign_record.ForeignRecord):
    action_type: Literal["click", "long_press"]
    x: float
    y: float


class _ScrollAction(foreign_record.ForeignRecord):
    action_type: Literal["scroll"]
    direction: Direction


class _OpenAppAction(foreign_record.ForeignRecord):
    action_type: Literal["open_app"]
    app_name: str


class _TypeAtAction(foreign_record.ForeignRecord):
    action_type: Literal["type"]
    x: float
    y: float
    text: str


class _TypeAction(foreign_record.ForeignRecord):
    action_type: Literal["input_text"]
    text: str


class _PlainAction(foreign_record.ForeignRecord):
    action_type: Literal["navigate_home", "navigate_back", "wait"]


_ActionKind: TypeAlias = Annotated[
    _TouchAction | _ScrollAction | _OpenAppAction | _TypeAtAction | _TypeAction | _PlainAction,
    Field(discriminator="action_type"),
]


class _Row(foreign_record.ForeignRecord):
    episode_id: int | str
    goal: str = ""
    screenshots_b64: list[str | None]
    actions: list[JsonValue]
    step_instructions: list[str]


_ACTION: TypeAdapter[_ActionKind] = TypeAdapter(_ActionKind)
_ROW = TypeAdapter(_Row)
_PLAIN: Mapping[str, act.Action] = {
    "navigate_home": act.PressKey(key="home"),
    "navigate_back": act.PressKey(key="back"),
    "wait": act.Wait(),
}


def _read_file(file: Path) -> Iterator[Episode | UnreadableEpisode]:
    for record in tfrecord.read_records(file):
        if isinstance(record, UnreadableEpisode):
            yield record
        else:
            yield foreign_record.read_or_report(record.where, partial(_read_record, record))


def _read_record(record: tfrecord.TfRecord) -> Episode:
    read, where = tfrecord.ExampleReader(record), record.where
    screens, actions = read.blobs("screenshots"), read.blobs("actions")
    widths, heights = read.integers("screenshot_widths"), read.integers("screenshot_heights")
    instructions = read.texts("step_instructions")
    trees = read.blobs("accessibility_trees") if "accessibility_trees" in read else []
    counts = (
        f"{where}: {len(screens)} screens, {len(widths)} widths, {len(heights)} heights, "
        f"{len(actions)} actions and {len(instructions)} instructions"
    )
    looks = keeping.see_screens(
        (
            (f"{where}, screen {number}", partial(_read_screen, data, f"{where}, screen {number}"))
            for number, data in enumerate(screens)
        ),
        keeping.PHONE,
    )
    seen: list[keeping.Seen] = []
    for number, (look, width, height) in enumerate(zip(looks, widths, heights, strict=False)):
        declared, log = Size(width, height), list(look.log)
        if look.observation.size != declared:
            here = f"{where}, screen {number}: is {look.observation.size}"
            note_left_out("fields", here, f"{here}; its record has {declared}")
            log.append(f"android-control: its record has {declared}")
        tree, missing = _read_tree(trees, number, declared, where)
        app = find_front_app(trees[number]) if tree else ""
        observation = replace(look.observation, ui_tree=tree, app=app)
        seen.append(keeping.Seen(observation, (*log, *missing)))
    goal, id_ = read.text("goal"), read.integer("episode_id")
    read.count_fields()
    episode = _build_episode(id_, goal, seen, actions, instructions, where, counts)
    whole = len(screens) == len(widths) == len(heights) == len(actions) + 1
    if episode.has_ended and not whole:
        note_left_out("fields", where, counts)
    return episode


def _build_episode(
    id_: int | str,
    goal: str,
    seen: Sequence[keeping.Seen],
    actions: Sequence[bytes],
    instructions: Sequence[str],
    where: str,
    counts: str,
) -> Episode:
    """The episode of what belongs together, as far as there is each of it; `counts` says of what.

    It is a rater's demonstration, submitted as a whole.
    """
    steps: list[Step] = []
    for number, (action, instruction, one) in enumerate(
        zip(actions, instructions, seen, strict=False)
    ):
        make = partial(_make_steps, action, instruction, f"{where}, action {number}")
        recorded = action.decode("utf-8", "replace")
        steps.extend(keeping.keep_steps(one, make, recorded=recorded, instruction=instruction))
    kept = min(len(actions), len(instructions), len(seen))
    episode = Episode(
        id=f"android-control-{id_}",
        task_id=goal,
        instruction=goal,
        steps=tuple(foreign_record.name_opened_apps(steps)),
        final=seen[kept].observation if kept < len(seen) and not seen[kept].log else None,
        outcome="success",
        agent="human",
    )
    lost = max(len(actions), len(instructions), len(seen) - 1, 1) - kept
    return keeping.cut_short(episode, where, counts, lost) if lost else episode


def _read_row(file: Path, row: bytes, where: str) -> Episode:
    read = foreign_record.parse_json(_ROW, row, where)
    screens, actions = read.screenshots_b64, read.actions
    looks = (
        (
            f"{where}, screen {number}",
            partial(foreign_record.find_screen, [file.parent], screen or ""),
        )
        for number, screen in enumerate(screens)
    )
    return _build_episode(
        read.episode_id,
        read.goal or keeping.note_no_instruction(where),
        keeping.see_screens(looks, keeping.PHONE),
        [json.dumps(_without_nulls(action)).encode() for action in actions],
        read.step_instructions,
        where,
        f"{where}: {len(screens)} screens, {len(actions)} actions and "
        f"{len(read.step_instructions)} instructions",
    )


def _without_nulls(action: JsonValue) -> JsonValue:
    if not isinstance(action, dict):
        return action
    return {name: value for name, value in action.items() if value is not None}


def _read_screen(data: bytes, where: str) -> Observation:
    shot = Screenshot(data, origin=where)
    return Observation(screenshot=shot, size=shot.size)


def _make_steps(action: bytes, instruction: str, where: str, seen: Observation) -> list[Step]:
    made, log = _parse_actions(foreign_record.parse_json(_ACTION, action, where), seen.size)
    played = foreign_record.make_steps(seen, made, log=log, instruction=instruction)
    return [part for step in played for part in step.parts]  # as a phone's models act


def _read_tree(
    trees: Sequence[bytes], number: int, size: Size, where: str
) -> tuple[UiTree | None, list[str]]:
    """The hierarchy of a screen, and a line for the log when it cannot be read."""
    if number >= len(trees):
        return None, []
    try:
        return read_forest(trees[number], size, f"{where}, screen {number}"), []
    except ForeignDataError:
        return None, [_NO_TREE]


def _parse_actions(read: _ActionKind, size: Size) -> tuple[list[act.Action], list[str]]:
    match read:
        case _TouchAction(action_type=kind, x=x, y=y):
            at = foreign_record.pixel_center(x, y, size)
            return [act.Tap(at=at) if kind == "click" else act.LongPress(at=at)], []
        case _ScrollAction(direction=direction):
            return [swipe_toward(OPPOSITE[direction])], [_NO_PLACES]
        case _OpenAppAction(app_name=app):
            return [act.OpenApp(app=app)], []
        case _TypeAtAction(x=x, y=y, text=text):
            return [
                act.Tap(at=foreign_record.pixel_center(x, y, size)),
                act.TypeText(text=text),
                act.PressKey(key="enter"),
            ], []
        case _TypeAction(text=text):
            return [act.TypeText(text=text)], []
        case _PlainAction(action_type=name):
            return [_PLAIN[name]], []


ANDROID_CONTROL = file_importer.FileImporter(
    "android-control",
    file_importer.FileKind(
        ("android_control*-of-*", "*.tfrecord", "*.tfrecord.gz"),
        "TFRecord",
        lambda path: tfrecord.is_example_file(path, b"step_instructions"),
        _read_file,
    ),
    file_importer.marked_records(read_line, "action_content"),
    file_importer.marked_records(_read_row, "screenshots_b64", "step_instructions"),
)
