"""Mobile-Env's recordings, imported as episodes and exported again without loss.

A record holds the screen after its event; a step holds the screen before its action, which is that
of the record before. Events are folded (`gestures`) and stay in their step with reward,
instructions and the screen after them, so an imported episode is exported unchanged. What is lost:
the place of a lift, times and answers, none of which the recorder keeps; floats become the 256
levels of a screen.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from typing import BinaryIO

from tapwright.core.actions import Finish, RawEvent
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.observation import Observation
from tapwright.errors import NothingFoundError, UnsupportedByConventionError, UsageError
from tapwright.files.atomic import atomic_directory, atomic_file, check_is_new
from tapwright.files.names import portable_name
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.fitting import check_done
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.account import note_broken
from tapwright.formats.importers.keeping import refuse_step
from tapwright.formats.mobile_env.gestures import fold_events, group_events, unfold_action
from tapwright.formats.mobile_env.records import (
    EventRecord,
    TaskVocabularies,
    Trajectory,
    build_head,
    build_records,
    read_trajectories,
)
from tapwright.formats.pickles.write import write_pickle
from tapwright.formats.temporary_storage import TemporaryStorage

__all__ = ["MOBILE_ENV", "MobileEnv", "to_episode", "to_trajectory", "write_task"]

_RAW = re.compile(r"(?P<annotator>.+)\.\d+\.pkl")


class MobileEnv:
    """Reads recorder's files (`NAME.%d.pkl`) and resaved ones (`TASK.pkl`); writes the latter."""

    name = "mobile-env"

    def recognizes(self, path: Path) -> bool:
        """Whether `path` is a file with the suffix `.pkl`."""
        return path.suffix == ".pkl" and path.is_file()

    def read(
        self,
        path: Path,
        vocabularies: TaskVocabularies | None = None,
        storage: TemporaryStorage | None = None,
    ) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episodes in one pickle file, or in the `.pkl` files below a directory.

        `vocabularies` have the tokens that a recorder stores as numbers. An id is made of the task
        and the whole recording; the second of equal recordings in `path` ends with "-2", and so on.
        Pictures lie in `storage`, or in a temporary file that exists as long as these episodes.

        Raises:
            ForeignDataError: nothing in `path` can be read as this format; names the file.
        """
        storage = storage or TemporaryStorage()
        counts: Counter[str] = Counter()
        files = sorted(path.rglob("*.pkl")) if path.is_dir() else [path]
        if not files:
            raise ForeignDataError(f"{path}: holds no .pkl file")
        for file in files:
            raw = _RAW.fullmatch(file.name)
            try:
                for found in read_trajectories(file, vocabularies, storage):
                    if isinstance(found, UnreadableEpisode):
                        yield found
                        continue
                    if raw and not found.annotator:
                        found = replace(found, annotator=raw["annotator"])
                    episode = to_episode(found)
                    counts[episode.id] += 1
                    if counts[episode.id] > 1:
                        episode = replace(episode, id=f"{episode.id}-{counts[episode.id]}")
                    yield episode
            except ForeignDataError as error:
                if file == path:
                    raise
                yield UnreadableEpisode.of(str(file), error)

    def write(self, episodes: Iterable[Episode], path: Path) -> int:
        """Write a `.pkl` file of one task, or a directory with a file for each task.

        An episode that was not read from Mobile-Env is written as touches and tokens, with the
        screen before an action also for its inner events, and without a last `Finish`.

        Raises:
            UsageError: `path` exists, or it is a file and there are several tasks.
            UnsupportedByConventionError: touches cannot express an action; names the step.
            NothingFoundError: there are no episodes.
            DiskError: the disk is full or not writable; then nothing is left behind.
        """
        check_is_new(path)
        ordered = sorted(episodes, key=_task_key)
        groups = [list(group) for _, group in groupby(ordered, key=_task_key)]
        if not groups:
            raise NothingFoundError("there are no episodes to write")
        if path.suffix != ".pkl":
            with atomic_directory(path) as directory:
                for name, group in _file_names(groups):
                    with (directory / name).open("wb") as file:
                        write_task(group, file)
        elif len(groups) > 1:
            raise UsageError(
                f"{path}: one file holds one task; these episodes have {len(groups)}",
                hint=f"a path without .pkl becomes a directory of files: {path.with_suffix('')}",
            )
        else:
            with atomic_file(path) as file:
                write_task(groups[0], file)
        return len(ordered)

    def check_step(self, step: Step) -> None:
        """Check that a step is events, or can be told as such; a `Finish` is left out at the end.

        Raises:
            UnsupportedByConventionError: touches cannot express it, it was refused, or it has no
                picture.
        """
        if not step.observation.screenshot.recorded:
            raise UnsupportedByConventionError("no picture was recorded")
        for part in step.parts:
            action, events = part.decision.action, part.raw
            check_done(part)
            if not isinstance(action, Finish) and not (events and fold_events(events) == action):
                unfold_action(action)


MOBILE_ENV = MobileEnv()


def to_episode(trajectory: Trajectory) -> Episode:
    """Converts a trajectory to an episode; `to_trajectory` is the inverse."""
    records = trajectory.records
    screens = [trajectory.first, *(record.observation for record in records)]
    steps = tuple(
        _build_step(records[run.start : run.stop], screens[run.start : run.stop])
        for run in _group_records(records)
    )
    extra = {"task_name": trajectory.task_name}
    if trajectory.definition != trajectory.task_id:
        extra["task_definition_id"] = trajectory.definition
    if trajectory.commands is None:
        extra["command"] = "none"
    return Episode(
        id=_make_id(trajectory),
        task_id=trajectory.task_id,
        instruction=trajectory.task_name
        if trajectory.commands is None
        else "\n".join(trajectory.commands),
        steps=steps,
        final=screens[-1],
        agent=trajectory.annotator,
        extra={name: text for name, text in extra.items() if text},
    )


def to_trajectory(episode: Episode) -> Trajectory:
    """Converts an episode to what Mobile-Env's recorder would have written.

    Where an edit has changed a step's action, its events are derived anew; where it has changed the
    reward or instructions, the step's last event carries them.

    Raises:
        UnsupportedByConventionError: touches cannot express an action; names the step.
        ForeignDataError: the episode has neither a step nor a last screen, or only a placeholder
            for one, which would be written as if it were a screen.
    """
    steps = episode.steps
    if steps and isinstance(steps[-1].decision.alone, Finish) and not steps[-1].raw:
        steps = steps[:-1]
    screens = [step.observation for step in episode.steps[: len(steps) + 1]]
    if len(screens) == len(steps):
        last = episode.final or (screens[-1] if screens else None)
        if last is None:
            raise ForeignDataError(f"{episode.id}: has no screen; expected a step or a last screen")
        screens.append(last)
    for number, screen in enumerate(screens):
        if not screen.screenshot.recorded:
            raise ForeignDataError(
                f"{episode.id}, screen {number}: no picture was recorded",
                hint="import the episode with its pictures, or leave it out",
            )
    records: list[EventRecord] = []
    for number, step in enumerate(steps):
        parts = step.parts
        after = [*(part.observation for part in parts[1:]), screens[number + 1]]
        try:
            for part, seen in zip(parts, after, strict=True):
                records += _build_records(part, seen)
        except UnsupportedByConventionError as error:
            raise UnsupportedByConventionError(
                f"{episode.id}, step {number}: {error}", hint="Mobile-Env's recorder keeps no more"
            ) from error
    task_name = episode.extra.get("task_name", "")
    no_command = episode.extra.get("command") == "none" and episode.instruction == task_name
    return Trajectory(
        task_id=episode.task_id,
        task_name=task_name,
        commands=None if no_command else tuple(episode.instruction.split("\n")),
        first=screens[0],
        records=tuple(records),
        definition=episode.extra.get("task_definition_id", ""),
        annotator=episode.agent,
    )


def _group_records(records: Sequence[EventRecord]) -> Iterator[range]:
    """The ranges of records that make a step each: one that has no event is a step by itself."""
    begin = 0
    broken = [number for number, record in enumerate(records) if record.fault]
    for end in (*broken, len(records)):
        for run in group_events([record.event for record in records[begin:end]]):
            yield range(begin + run.start, begin + run.stop)
        if end < len(records):
            yield range(end, end + 1)
        begin = end + 1


def _build_step(records: Sequence[EventRecord], screens: Sequence[Observation]) -> Step:
    events = tuple(record.event for record in records)
    if fault := records[0].fault:
        note_broken(fault)
        step = refuse_step(screens[0], fault)
    else:
        decision = Decision(fold_events(events))
        step = Step(screens[0], decision, raw=events, between=tuple(screens[1:]))
    return replace(step, reward=_sum_rewards(events), instructions=_collect_instructions(events))


def _build_records(step: Step, after: Observation) -> list[EventRecord]:
    action, events, between = step.decision.action, step.raw, step.between
    check_done(step)
    if not events or fold_events(events) != action:
        events = unfold_action(action)
    if len(between) != len(events) - 1:
        between = (step.observation,) * (len(events) - 1)
    shown = (one if one.screenshot.recorded else step.observation for one in between)
    if (_sum_rewards(events), _collect_instructions(events)) != (step.reward, step.instructions):
        silent = [event.model_copy(update={"reward": 0.0, "instructions": ()}) for event in events]
        feedback = {"reward": step.reward, "instructions": step.instructions}
        events = (*silent[:-1], silent[-1].model_copy(update=feedback))
    return [
        EventRecord(event, screen) for event, screen in zip(events, (*shown, after), strict=True)
    ]


def _sum_rewards(events: Iterable[RawEvent]) -> float:
    return sum((event.reward for event in events), start=0.0)


def _collect_instructions(events: Iterable[RawEvent]) -> tuple[str, ...]:
    return tuple(chain.from_iterable(event.instructions for event in events))


def _make_id(trajectory: Trajectory) -> str:
    """Makes an id of the task's id and a hash of the recording; a token counts by its text."""
    digest = hashlib.sha256()
    task = [trajectory.task_id, trajectory.task_name, trajectory.commands]
    digest.update(json.dumps(task).encode())
    for observation in (trajectory.first, *(record.observation for record in trajectory.records)):
        digest.update(f"{observation.screenshot.sha256} {observation.orientation}".encode())
        if observation.ui_tree is not None:
            digest.update(observation.ui_tree.unread().xml.encode("utf-8", "surrogatepass"))
    for record in trajectory.records:
        dropped = {"index"} if getattr(record.event, "text", None) is not None else set()
        digest.update(json.dumps(record.event.model_dump(exclude=dropped)).encode())
        digest.update(record.fault.encode("utf-8", "surrogatepass"))
    slug = re.sub(r"[^a-z0-9]+", "-", trajectory.task_id.lower(), flags=re.ASCII).strip("-")[:40]
    return f"{slug or 'task'}-{digest.hexdigest()[:16]}"


def _task_key(episode: Episode) -> tuple[str, str, str]:
    extra = episode.extra
    definition = extra.get("task_definition_id", episode.task_id)
    return definition, episode.task_id, extra.get("task_name", "")


def _file_names(groups: Sequence[Sequence[Episode]]) -> Iterator[tuple[str, Sequence[Episode]]]:
    """Yields a file name for each group of one task; tasks of the same name get a number."""
    taken: Counter[str] = Counter()
    for group in groups:
        definition, _, _ = _task_key(group[0])
        name = portable_name(definition or "task")
        number = taken[name.casefold()] = taken[name.casefold()] + 1
        yield f"{name}.pkl" if number == 1 else f"{name}~{number}.pkl", group


def write_task(episodes: Sequence[Episode], file: BinaryIO) -> None:
    """Write the episodes of one task as a resaved file, one screen at a time."""
    definition, task_id, task_name = _task_key(episodes[0])
    meta = {"otask_id": task_id, "otask_name": task_name, "task_definition_id": definition}
    trajectories = (
        chain([build_head(one)], build_records(one.records)) for one in map(to_trajectory, episodes)
    )
    write_pickle({"meta": meta, "trajectories": trajectories}, file)
