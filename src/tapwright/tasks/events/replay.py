"""A recorded episode put through a task's events, without a device."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from tapwright.actions import Answer, Finish, describe
from tapwright.episode import Episode
from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.errors import NotRecordedError
from tapwright.tasks.events.graph import Compat
from tapwright.tasks.events.tree import EventTree, Outcome
from tapwright.tasks.task import Signals

__all__ = [
    "Judged",
    "JudgedStep",
    "judge_episode",
]


@dataclass(frozen=True, slots=True)
class JudgedStep:
    """One step of a recording and what the events came to; number 0 is the screen after reset."""

    number: int
    action: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Judged:
    """The steps up to the end that the task gives; `missing` is what was not recorded, in words."""

    steps: tuple[JudgedStep, ...]
    missing: tuple[str, ...]


def judge_episode(
    episode: Episode,
    definition: pb.Task,
    *,
    folder: Path | None = None,
    compat: Compat | None = None,
) -> Judged:
    """Put an episode through a task's events; `folder` holds the pictures that the task names.

    Raises:
        NotRecordedError: the episode has no step.
        BadDefinitionError: the events cannot work.
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
    steps: list[JudgedStep] = []
    log: list[str] = []
    answer, claim = None, None
    for number, screen in enumerate(screens):
        step = episode.steps[number - 1] if number else None
        action = step.decision.action if step else None
        past = step or episode
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
        steps.append(JudgedStep(number, describe(action) if action else "reset", outcome))
        if outcome.ended:
            break
    return Judged(tuple(steps), tuple(missing))


def _reader(
    state: Mapping[str, JsonValue], number: int, missing: dict[str, None]
) -> Callable[[str], JsonValue]:
    """Reads what was recorded of the apps' state; what was not is noted, and no event."""

    def read(path: str) -> JsonValue:
        if path in state:
            return state[path]
        missing[f"step {number}: the state {path!r}"] = None
        raise NotRecordedError(f"step {number}: the state {path!r} was not recorded")

    return read
