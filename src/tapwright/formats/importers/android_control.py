"""AndroidControl: TFRecord files with an episode in each record.

As https://github.com/google-research/google-research/blob/0ced6d0/android_control/README.md says,
an episode is n screens and the n - 1 actions between them. Places are pixels; "scroll" names the
direction of the content that comes into view, so the finger goes the other way, from a place that
is not recorded. "type" taps, types and presses enter. A screen's accessibility
tree becomes the view hierarchy, and says which app is in front; without it that is the app that was
opened last. `android_control_lines.py` reads the form that others
made of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from tapwright.core.actions import Action, LongPress, OpenApp, PressKey, Tap, TypeText, Wait
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
_ACTION: TypeAdapter[_ActionKind] = TypeAdapter(_ActionKind)
_PLAIN: Mapping[str, Action] = {
    "navigate_home": PressKey(key="home"),
    "navigate_back": PressKey(key="back"),
    "wait": Wait(),
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
    steps: list[Step] = []
    for number, (action, instruction, one) in enumerate(
        zip(actions, instructions, seen, strict=False)
    ):
        make = partial(_make_steps, action, instruction, f"{where}, action {number}")
        recorded = action.decode("utf-8", "replace")
        steps.extend(keeping.keep_steps(one, make, recorded=recorded, instruction=instruction))
    goal = read.text("goal")
    id_ = read.integer("episode_id")
    read.count_fields()
    kept = min(len(actions), len(instructions), len(seen))
    episode = Episode(
        id=f"android-control-{id_}",
        task_id=goal,
        instruction=goal,
        steps=tuple(foreign_record.name_opened_apps(steps)),
        final=seen[kept].observation if kept < len(seen) and not seen[kept].log else None,
        agent="human",
    )
    lost = max(len(actions), len(instructions), len(screens) - 1, 1) - kept
    if lost:
        return keeping.cut_short(episode, where, counts, lost)
    if not len(screens) == len(widths) == len(heights) == kept + 1:
        note_left_out("fields", where, counts)
    # A rater's demonstration, submitted as a whole.
    return replace(episode, outcome="success")


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


def _parse_actions(read: _ActionKind, size: Size) -> tuple[list[Action], list[str]]:
    match read:
        case _TouchAction(action_type=kind, x=x, y=y):
            at = foreign_record.pixel_center(x, y, size)
            return [Tap(at=at) if kind == "click" else LongPress(at=at)], []
        case _ScrollAction(direction=direction):
            return [swipe_toward(OPPOSITE[direction])], [_NO_PLACES]
        case _OpenAppAction(app_name=app):
            return [OpenApp(app=app)], []
        case _TypeAtAction(x=x, y=y, text=text):
            return [
                Tap(at=foreign_record.pixel_center(x, y, size)),
                TypeText(text=text),
                PressKey(key="enter"),
            ], []
        case _TypeAction(text=text):
            return [TypeText(text=text)], []
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
    file_importer.marked_lines(file_importer.read_each_line(read_line), b'"action_content"'),
)
