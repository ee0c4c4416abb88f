"""Judges a recorded episode by a task's events, without a device."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from tapwright.core.actions import Action, Answer, Finish, describe
from tapwright.core.episode import Episode, Moment
from tapwright.core.observation import Observation
from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.errors import NotRecordedError
from tapwright.tasks.events.graph import Compat
from tapwright.tasks.events.tree import EventOutcome, EventTree
from tapwright.tasks.task import Signals

__all__ = [
    "ReplayJudgement",
    "ReplayStep",
    "judge_episode",
]


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One step of a recording with its outcome; number 0 is the screen after reset."""

    number: int
    action: str
    outcome: EventOutcome


@dataclass(frozen=True, slots=True)
class ReplayJudgement:
    """The steps up to the end by the task; `missing` describes what was not recorded."""

    steps: tuple[ReplayStep, ...]
    missing: tuple[str, ...]


def judge_episode(
    episode: Episode,
    definition: pb.Task,
    *,
    folder: Path | None = None,
    compat: Compat | None = None,
) -> ReplayJudgement:
    """Judges an episode by a task's events; `folder` holds the pictures that the task names.

    Raises:
        NotRecordedError: the episode has no step.
        BadDefinitionError: the events are not valid.
        EventValueError: a transformation does not fit a value of this recording.
    """
    if not episode.steps:
        raise NotRecordedError(f"episode {episode.id} has no step to judge")
    tree = EventTree(definition, compat, folder=folder)
    looks = any(source.kind == "view_hierarchy_event" for source in tree.sources)
    screens = [step.observation for step in episode.steps]
    missing: dict[str, None] = {}
    if episode.final is not None:
        screens.append(episode.final)
    else:
        missing[f"the screen after step {len(screens)}, which was the last"] = None
    steps: list[ReplayStep] = []
    log: list[str] = []
    answer, claim = None, None
    for number, action, screen, past in _list_moments(episode, screens):
        log.extend(past.log)
        if isinstance(action, Answer):
            answer = action.text
        if isinstance(action, Finish):
            claim = action.outcome
        if looks and screen.ui_tree is None:
            missing[f"step {number}: a view hierarchy"] = None
        state = _reader(past.state, number, missing)
        signals = Signals(screen, log, state, action, answer, claim)
        outcome = tree.step(signals)
        steps.append(ReplayStep(number, describe(action) if action else "reset", outcome))
        if outcome.ended:
            break
    return ReplayJudgement(tuple(steps), tuple(missing))


def _list_moments(
    episode: Episode, screens: Sequence[Observation]
) -> Iterator[tuple[int, Action | None, Observation, Moment | Episode]]:
    """The reset, and each action that was done: its step's number, the screen after, and what held.

    A screen between that was not recorded is the one after the step.
    """
    yield 0, None, screens[0], episode
    for number, (step, after) in enumerate(zip(episode.steps, screens[1:], strict=False), start=1):
        for moment in step.moments:
            yield number, moment.action, moment.screen or after, moment


def _reader(
    state: Mapping[str, JsonValue], number: int, missing: dict[str, None]
) -> Callable[[str], JsonValue]:
    """Returns a reader of the recorded state; a missing path is noted, and no event."""

    def read(path: str) -> JsonValue:
        if path in state:
            return state[path]
        missing[f"step {number}: the state {path!r}"] = None
        raise NotRecordedError(f"step {number}: the state {path!r} was not recorded")

    return read
