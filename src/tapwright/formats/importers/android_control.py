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
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from tapwright.core.actions import (
    Action,
    LongPress,
    OpenApp,
    PressKey,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.directions import OPPOSITE, Direction, swipe_toward
from tapwright.core.episode import Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.accessibility_forest import find_front_app, read_forest
from tapwright.formats.importers.android_control_lines import read_line
from tapwright.formats.importers.foreign_record import (
    ForeignRecord,
    find_files,
    head_contains,
    make_steps,
    name_opened_apps,
    parse_json,
    pixel_center,
    read_lines,
    read_or_report,
)
from tapwright.formats.importers.tfrecord import (
    ExampleReader,
    TfRecord,
    is_example_file,
    read_records,
)

_FILES = ("android_control*-of-*", "*.tfrecord", "*.tfrecord.gz")
_LINES = "*.jsonl"
_NO_TREE = "android-control: the accessibility tree is damaged"
_NO_PLACES = "android-control: the places of the scroll were not recorded"


class _TouchAction(ForeignRecord):
    action_type: Literal["click", "long_press"]
    x: float
    y: float


class _ScrollAction(ForeignRecord):
    action_type: Literal["scroll"]
    direction: Direction


class _OpenAppAction(ForeignRecord):
    action_type: Literal["open_app"]
    app_name: str


class _TypeAtAction(ForeignRecord):
    action_type: Literal["type"]
    x: float
    y: float
    text: str


class _TypeAction(ForeignRecord):
    action_type: Literal["input_text"]
    text: str


class _PlainAction(ForeignRecord):
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


class AndroidControl:
    """Reads AndroidControl."""

    name = "android-control"

    def recognizes(self, path: Path) -> bool:
        """Whether a file starts like one of its two forms."""
        lines = head_contains(path, ".jsonl", b'"action_content"')
        return lines or is_example_file(path, b"step_instructions")

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episodes in a file, or in the TFRecord and .jsonl files below a directory.

        Raises:
            ForeignDataError: no such file exists, or a line is longer than 256 MB.
        """
        found = False
        for file in find_files(path, *_FILES, _LINES):
            found = True
            if file.suffix == ".jsonl":
                for where, line in read_lines(file):
                    yield read_or_report(where, partial(read_line, file, line, where))
                continue
            for record in read_records(file):
                if isinstance(record, UnreadableEpisode):
                    yield record
                else:
                    yield read_or_report(record.where, partial(_read_record, record))
        if not found:
            raise ForeignDataError(f"{path}: no TFRecord or .jsonl file in it")


def _read_record(record: TfRecord) -> Episode:
    read, where = ExampleReader(record), record.where
    screens, actions = read.blobs("screenshots"), read.blobs("actions")
    widths, heights = read.integers("screenshot_widths"), read.integers("screenshot_heights")
    instructions = read.texts("step_instructions")
    counts = (len(screens), len(widths), len(heights), len(actions) + 1, len(instructions) + 1)
    if len(set(counts)) != 1 or not actions:
        raise ForeignDataError(
            f"{where}: {len(screens)} screens, {len(widths)} widths, {len(heights)} heights, "
            f"{len(actions)} actions and {len(instructions)} instructions"
        )
    trees = read.blobs("accessibility_trees") if "accessibility_trees" in read else []
    observations: list[Observation] = []
    problems: list[list[str]] = []
    for number, data in enumerate(screens):
        shot = Screenshot(data, origin=f"{where}, screen {number}")
        declared = Size(widths[number], heights[number])
        if shot.size != declared:
            raise ForeignDataError(f"{shot.origin}: is {shot.size}; its record has {declared}")
        tree, problem = _read_tree(trees, number, declared, where)
        problems.append(problem)
        app = find_front_app(trees[number]) if tree else ""
        observations.append(Observation(screenshot=shot, size=declared, ui_tree=tree, app=app))
    steps: list[Step] = []
    for number, (action, instruction) in enumerate(zip(actions, instructions, strict=True)):
        made, log = _parse_actions(
            parse_json(_ACTION, action, f"{where}, action {number}"), observations[number].size
        )
        log += problems[number]
        played = make_steps(observations[number], made, log=log, instruction=instruction)
        steps.extend(part for step in played for part in step.parts)  # as a phone's models act
    goal = read.text("goal")
    return Episode(
        id=f"android-control-{read.integer('episode_id')}",
        task_id=goal,
        instruction=goal,
        steps=tuple(name_opened_apps(steps)),
        final=observations[-1],
        agent="human",
    )


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
            at = pixel_center(x, y, size)
            return [Tap(at=at) if kind == "click" else LongPress(at=at)], []
        case _ScrollAction(direction=direction):
            return [swipe_toward(OPPOSITE[direction])], [_NO_PLACES]
        case _OpenAppAction(app_name=app):
            return [OpenApp(app=app)], []
        case _TypeAtAction(x=x, y=y, text=text):
            return [
                Tap(at=pixel_center(x, y, size)),
                TypeText(text=text),
                PressKey(key="enter"),
            ], []
        case _TypeAction(text=text):
            return [TypeText(text=text)], []
        case _PlainAction(action_type=name):
            return [_PLAIN[name]], []


ANDROID_CONTROL = AndroidControl()
