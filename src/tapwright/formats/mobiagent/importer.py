"""MobiAgent's trajectories: https://github.com/IPADS-SAI/MobiAgent/tree/fd5aa72/collect.

    <root>/<app name>/<task type>/<n>/
        actions.json    app, task, and the actions (`actions.py`)
        1.jpg, 2.jpg…   the screen before each action, named by the action's place in the list; one
                        more is the screen after the last
        1.xml, 2.xml…   the view hierarchy of that screen, of MobiAgent's runner (`screens.py`)
        react.json      the reasoning, once it has been written

What an episode has no field for is kept and written back: app, task type and other wordings of the
task in `extra`; takeovers by a person, swipes of which only the direction is known, and words that
contradict the places, as lines of a step's log that start with "mobiagent:"; the bounds of the
touched element as a hierarchy of that one element, or in the log beside a whole one. What is read,
written and read again is equal. The bytes of pictures are never changed, so a PNG that is written
is also called .jpg, which every reader accepts.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from pydantic import JsonValue, TypeAdapter

from tapwright.core.actions import Action, Finish
from tapwright.core.episode import (
    APPS,
    TAKEOVER_BEFORE_STEP,
    Decision,
    Episode,
    EpisodeOutcome,
    Step,
)
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.errors import NothingFoundError
from tapwright.formats.claimed_outcomes import claimed_outcome
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.fitting import check_done
from tapwright.formats.format import UnreadableEpisode, write_each
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.account import note_left_out
from tapwright.formats.mobiagent import actions as theirs
from tapwright.formats.mobiagent.exporter import write_episode
from tapwright.formats.mobiagent.screens import add_bounds, read_numbered_screen

__all__ = ["actions_from_json"]

_PICTURE = re.compile(r"([1-9]\d{0,5})\.jpg", re.ASCII)
_NO_SCREEN = Size(1, 1)


class _Recording(foreign_record.ForeignRecord):
    app_name: str | None = None
    task_type: str | None = None
    task_description: str | list[str] = ""
    old_task_description: str | None = None
    actions: list[JsonValue]


class _Function(foreign_record.ForeignRecord):
    name: str
    parameters: dict[str, JsonValue] | None = None


class _Reason(foreign_record.ForeignRecord):
    reasoning: str = ""
    function: _Function | None = None
    action: str | None = None
    parameters: dict[str, JsonValue] | None = None
    action_index: int | None = None


_RECORDING = TypeAdapter(_Recording)
_REASONS: TypeAdapter[Sequence[_Reason]] = TypeAdapter(list[_Reason])


def actions_from_json(actions: JsonValue, screen: tuple[int, int]) -> tuple[Action, ...]:
    """Returns the actions of an `actions.json`, in order, one for each picture.

    `actions` is its list of actions, or all of it; `screen` is width and height in pixels. A swipe
    that names only its direction goes 40 % of the screen that way (`directions.swipe_toward`).
    Takeovers by a person are not actions and are left out.

    Raises:
        ForeignDataError: an item is not what MobiAgent writes; the first that is not is named.
    """
    items = actions.get("actions") if isinstance(actions, dict) else actions
    if not isinstance(items, list):
        raise ForeignDataError(f"actions are a {type(items).__name__}; expected a list of them")
    size = Size(*screen)
    recorded = (
        theirs.read_item(item, size, f"action {number}") for number, item in enumerate(items, 1)
    )
    return tuple(one.action for one in recorded if one.action is not None)


class MobiAgent:
    """Reads and writes MobiAgent's directories."""

    name = "mobiagent"

    def recognizes(self, path: Path) -> bool:
        """Whether `path` is an `actions.json` or the directory of one."""
        return path.name == "actions.json" or (path / "actions.json").is_file()

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episodes of the directories below `path`, in the order of their names.

        An id is the last three names of a directory's path: app, type and number. Of two with the
        same three, the second gets its path below `path`.
        """
        taken: set[str] = set()
        for file in foreign_record.find_files(path, "actions.json"):
            directory = file.absolute().parent
            id_ = "/".join(directory.parts[-3:])
            if id_ in taken:
                id_ = directory.relative_to(path.absolute()).as_posix()
            taken.add(id_)
            yield foreign_record.read_or_report(
                str(directory), partial(_read_episode, directory, file, id_)
            )
        if not taken:
            raise ForeignDataError(f"{path}: no actions.json in it")

    def write(self, episodes: Iterable[Episode], path: Path) -> int:
        """Write episodes into a new directory `path`; returns how many.

        An episode whose id is a path of three names goes there, with _ for what no name has; any
        other is numbered below its app and its task. Taps with a hierarchy get the bounds of the
        touched element.

        Raises:
            NothingFoundError: there are no episodes.
        """
        return write_each(_some(episodes), path, write_episode)

    def check_step(self, step: Step) -> None:
        """Check that MobiAgent has a word for the action, and that it was done."""
        check_done(step)
        for action in step.decision.actions:
            theirs.write_item(action, step.observation.size, bounds=None, has_places=True)


def _some(episodes: Iterable[Episode]) -> Iterator[Episode]:
    """The episodes, which are refused as they end if there are none."""
    is_empty = True
    for episode in episodes:
        is_empty = False
        yield episode
    if is_empty:
        raise NothingFoundError("there are no episodes to write")


def _read_episode(directory: Path, file: Path, id_: str) -> Episode:
    read = foreign_record.parse_json(_RECORDING, foreign_record.read_bytes(file), str(file))
    description = read.task_description
    instructions = description if isinstance(description, list) else [description]
    pictures = _list_pictures(directory)
    steps, numbers, final, problem = _read_steps(directory, pictures, file, read.actions)
    reasons = directory / "react.json"
    if reasons.exists():
        try:
            steps = _add_reasoning(steps, numbers, reasons)
        except ForeignDataError as error:
            note_left_out("fields", str(reasons), str(error).removeprefix(f"{reasons}: "))
    app, kind = read.app_name or "", read.task_type or ""
    extra = {theirs.APP_NAME: app, theirs.TASK_TYPE: kind, **({APPS: app} if app else {})}
    if instructions[1:]:
        extra[theirs.OTHER_INSTRUCTIONS] = json.dumps(instructions[1:])
    if read.old_task_description is not None:
        extra[theirs.OLD_INSTRUCTION] = read.old_task_description
    episode = Episode(
        id=id_,
        task_id=f"{app}/{kind}",
        instruction=next(iter(instructions), "") or keeping.note_no_instruction(str(file)),
        steps=tuple(steps),
        final=final,
        outcome=_outcome(steps, final, any(one > numbers[-1] + 1 for one in pictures)),
        extra=extra,
    )
    lost = max(1, len(read.actions) - len(steps))
    return keeping.cut_short(episode, str(file), problem, lost) if problem else episode


def _outcome(
    steps: Sequence[Step], final: Observation | None, pictures_go_on: bool
) -> EpisodeOutcome:
    """What done claims; a picture after the last action is that of a done that was not written.

    So MobiAgent's annotate.py and construct_sft.py take recordings of before it was. Of one whose
    pictures go on, the actions were cut off, and claim nothing.
    """
    if final is not None and not isinstance(steps[-1].decision.action, Finish):
        return "unknown" if pictures_go_on else "success"
    return claimed_outcome(steps)


def _read_steps(
    directory: Path, pictures: Collection[int], file: Path, items: Sequence[JsonValue]
) -> tuple[list[Step], list[int], Observation | None, str]:
    """Returns the steps, the numbers of their pictures, the screen after them, and where they end.

    They end where an action has no number that follows; else that is "".
    """
    kept: list[tuple[str, int, JsonValue]] = []
    takeovers: list[list[str]] = [[]]
    problem = ""
    last = 0
    for place, item in enumerate(items, 1):
        where = f"{file}, action {place}"
        number = item.get("action_index", place) if isinstance(item, dict) else place
        if not isinstance(number, int) or number <= last:
            problem = f"{where}: has the number {number!r} after {last}"
            break
        last = number
        if isinstance(item, dict) and item.get("type") == "suspend":
            takeover = theirs.read_item(item, _NO_SCREEN, where).takeover
            takeovers[-1].append(f"{theirs.TAKEOVER if kept else TAKEOVER_BEFORE_STEP}{takeover}")
            continue
        kept.append((where, number, item))
        takeovers.append([])
    if not kept:
        raise ForeignDataError(problem or f"{file}: has no actions")
    screens = _Screens(directory, pictures, len(items))
    looks = keeping.see_screens(
        ((where, partial(screens.read, number)) for where, number, _ in kept), keeping.PHONE
    )
    steps: list[Step] = []
    for seen, (where, number, item) in zip(looks, kept, strict=True):
        notes = screens.notes.get(number, ())
        make = partial(_make_steps, item, where, notes)
        steps += keeping.keep_steps(seen, make, recorded=item)
    for at, step in enumerate(steps):
        before = takeovers[0] if at == 0 else []
        steps[at] = replace(step, log=(*before, *step.log, *takeovers[at + 1]))
    numbers = [number for _, number, _ in kept]
    left = sorted(set(pictures) - set(numbers))
    for one in left:
        if one != last + 1:
            note_left_out("pictures", f"{directory}/{one}.jpg", "no action belongs to it")
    final = screens.read(last + 1) if last + 1 in left and not problem else None
    return steps, numbers, final, problem


def _list_pictures(directory: Path) -> set[int]:
    return {int(found[1]) for one in directory.iterdir() if (found := _PICTURE.fullmatch(one.name))}


class _Screens:
    """The screens of a recording by their numbers; `notes` are lines for the logs of steps."""

    def __init__(self, directory: Path, pictures: Collection[int], actions: int) -> None:
        self._directory, self._pictures, self._actions = directory, pictures, actions
        self.notes: dict[int, Sequence[str]] = {}

    def read(self, number: int) -> Observation:
        """The screen of this number.

        Raises:
            ForeignDataError: it has no picture, or a file cannot be read.
            BadImageError: the picture is none.
        """
        if number not in self._pictures:
            raise ForeignDataError(
                f"{self._directory}: its picture {number}.jpg is missing; "
                f"there are {len(self._pictures)} pictures and {self._actions} actions"
            )
        seen, self.notes[number] = read_numbered_screen(self._directory, number)
        return seen


def _make_steps(
    item: JsonValue, where: str, notes: Sequence[str], seen: Observation
) -> Sequence[Step]:
    return [_build_step(seen, theirs.read_item(item, seen.size, where), where, notes)]


def _build_step(
    seen: Observation, recorded: theirs.RecordedAction, where: str, notes: Sequence[str]
) -> Step:
    assert recorded.action is not None  # takeovers have no picture
    seen, more = add_bounds(seen, recorded.bounds, where)
    places = () if recorded.has_places else (theirs.NO_PLACES,)
    log = (*places, *recorded.notes, *more, *notes)
    return Step(seen, Decision(recorded.action), log=log)


def _add_reasoning(steps: Sequence[Step], numbers: Sequence[int], file: Path) -> list[Step]:
    """Adds the reasoning in `react.json` to the steps, which it must describe."""
    reasons = foreign_record.parse_json(_REASONS, foreign_record.read_bytes(file), str(file))
    reasoned = list(steps)
    if not any(one.action_index for one in reasons):
        missing = len(steps) - len(reasons)
        # MobiAgent adds the item for "done" only when it makes training data.
        if missing not in (0, 1) or (missing and not isinstance(steps[-1].decision.action, Finish)):
            raise ForeignDataError(f"{file}: has {len(reasons)} items for {len(steps)} actions")
    for place, one in enumerate(reasons):
        where = f"{file}, item {place + 1}"
        index = numbers[place] if one.action_index is None else one.action_index
        if index not in numbers:
            raise ForeignDataError(f"{where}: action {index} does not exist")
        at = numbers.index(index)
        step = steps[at]
        name = one.function.name if one.function is not None else one.action
        found = theirs.write_function(step.decision.action, "", step.observation.size)["name"]
        if name is None or name.lower() != found:
            raise ForeignDataError(f"{where}: describes {name!r}, but action {index} is {found!r}")
        parameters = (one.function.parameters if one.function else one.parameters) or {}
        target = parameters.get("target_element", "")
        if not isinstance(target, str):
            raise ForeignDataError(f"{where}: target_element is {target!r}; expected text")
        reasoning = (
            theirs.strip_direction_words(one.reasoning) if name == "swipe" else one.reasoning
        )
        decision = replace(step.decision, reasoning=reasoning, target=target)
        reasoned[at] = replace(step, decision=decision)
    return reasoned


MOBIAGENT = MobiAgent()
