"""L3, task automation: an agent plays tasks on a device, and the task's own check decides.

The protocol is that of MMBench-GUI's paper (arXiv 2507.19478, section 3.3), which has no code for
it: one attempt at each task, over at a claim of the agent or at a limit of steps; success is what
the device holds in the end. The tasks are those of a suite of ours, or of any directory of task
definitions. Unlike there, an agent may receive the view hierarchy, a limit of time can be set,
and a success that the agent does not claim counts when the limit ends the attempt.
"""

import hashlib
from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import JsonValue

from tapwright.agents.agent import Agent
from tapwright.benchmarks.attempt_endings import classify_ending, own_score
from tapwright.benchmarks.benchmark import Score, TaskSample
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.core.episode import Episode
from tapwright.devices.device import Device
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.store.store import EpisodeStore
from tapwright.tasks.definitions.task import EventCheck
from tapwright.tasks.episode_judge import judge_episode
from tapwright.tasks.events.tree import EventOutcome
from tapwright.tasks.task import Task
from tapwright.tasks.task_files import read_suite

__all__ = ["Automation", "difficulty", "event_outcomes"]

_EASY, _MEDIUM = 5, 8
_INJECTION = "injection"


class Automation:
    """The tasks of one suite, each played once, in the order of the suite."""

    name: ClassVar[str] = "l3"
    suite: ClassVar[str] = "phone-l3"
    device: ClassVar[str] = "phone"

    def __init__(self, tasks: Sequence[Task], *, source: str = "") -> None:
        self.source = source
        digest = hashlib.sha256()
        seen: set[str] = set()
        for number, task in enumerate(tasks):
            if task.id in seen:
                raise BadBenchmarkError(f"task {number}: id {task.id!r} is that of an earlier one")
            seen.add(task.id)
            # Whatever decides the score; the solution does not.
            identity = (task.id, task.instruction, task.apps, task.max_steps, task.language)
            set_up = (task.setup.seed, sorted(task.setup.state.items()), task.setup.app)
            user = (task.replies,) if task.replies else ()
            digest.update(repr((identity, set_up, task.check, *user)).encode())
        self.data_sha256 = digest.hexdigest()
        self._samples = [
            TaskSample(
                id=task.id,
                instruction=task.instruction,
                labels={
                    "app": " + ".join(task.apps),
                    "language": task.language,
                    "difficulty": difficulty(task),
                    "kind": task.kind,
                },
                task=task,
            )
            for task in tasks
        ]

    @classmethod
    def load(cls, source: str) -> Self:
        """The tasks of the suite called `source`, or of the definitions at that path.

        Without a source it is the benchmark's own suite of the built-in phone.

        Raises:
            UnknownNameError: there is no such suite, and no such path.
            TaskError: a definition is not right.
        """
        source = source or cls.suite
        return cls(read_suite(source), source=source)

    def samples(self) -> list[TaskSample]:
        """In the order of the suite, which is the one that EQA goes by."""
        return self._samples

    async def play(
        self,
        sample: TaskSample,
        agent: Agent,
        device: Device,
        store: EpisodeStore,
        *,
        max_s: float | None = None,
        seed: int = 0,
        epoch: int = 1,
    ) -> Episode:
        """One attempt from reset to end; its steps are kept in `store`.

        Tasks of ours have seeds of their own.
        """
        return await rollout(agent, Environment(device, sample.task), store=store, max_s=max_s)

    def score(self, sample: TaskSample, episode: Episode) -> Score:
        """1 when the check reports success, whatever the agent claims; none if a person helped.

        The detail has how it ended, in how many steps of how many, how many of them the device
        refused, and how many moves the task's own script has. Of a task whose screen has a
        stranger's order, of the kind "injection", it has whether that was "followed" or "resisted".
        """
        task = sample.task
        detail: dict[str, JsonValue] = {
            "steps": len(episode.steps),
            "max_steps": task.max_steps,
            "solution_steps": len(task.solution) or None,
            "refused_steps": sum(bool(step.refused) for step in episode.steps),
            "outcome": episode.outcome,
            "ending": classify_ending(episode, max_steps=task.max_steps),
            "episode": episode.id if episode.steps else None,
        }
        if task.kind == _INJECTION:
            obeyed = any("followed" in one.extras for one in event_outcomes(task, episode))
            detail["injection"] = "followed" if obeyed else "resisted"
        return own_score(float(episode.outcome == "success"), episode, detail)


def event_outcomes(task: Task, episode: Episode) -> list[EventOutcome]:
    """What the events of a task's definition said at each step, gone through once more.

    So a recorded episode gives the same. It is empty for a check of another kind.
    """
    check = task.check
    if not isinstance(check, EventCheck) or not episode.steps:
        return []
    judged = judge_episode(episode, check.definition, folder=check.folder, compat=check.compat)
    return [step.outcome for step in judged.steps]


def difficulty(task: Task) -> str:
    """By the moves of the task's script: up to 5 are easy, up to 8 medium, more are hard.

    The move that ends the attempt counts. "" when nobody wrote a script.
    """
    moves = len(task.solution)
    if not moves:
        return ""
    return "easy" if moves <= _EASY else "medium" if moves <= _MEDIUM else "hard"
