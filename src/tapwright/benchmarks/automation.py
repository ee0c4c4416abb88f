"""L3, task automation: an agent plays tasks on a device, and the task's own check decides.

The protocol is that of MMBench-GUI's paper (arXiv 2507.19478, section 3.3), which has no code for
it; the tasks are those of a suite of ours.
"""

import hashlib
from collections.abc import Sequence
from typing import Self

from tapwright.agents.agent import Agent
from tapwright.benchmarks.benchmark import Attempt, Score
from tapwright.devices.device import Device
from tapwright.environment import Environment
from tapwright.episode import Episode
from tapwright.errors import BadBenchmarkError
from tapwright.rollout import rollout
from tapwright.store import EpisodeStore
from tapwright.tasks import suites
from tapwright.tasks.task import Task

__all__ = [
    "Automation",
]


class Automation:
    """The tasks of one suite, each played once."""

    name = "l3"

    def __init__(self, tasks: Sequence[Task], *, source: str = "") -> None:
        self.source = source
        digest = hashlib.sha256()
        seen: set[str] = set()
        for number, task in enumerate(tasks):
            if task.id in seen:
                raise BadBenchmarkError(f"task {number}: id {task.id!r} is that of an earlier one")
            seen.add(task.id)
            # Whatever decides the score; the solution does not.
            told = (task.id, task.instruction, task.apps, task.max_steps, task.language)
            set_up = (task.setup.seed, sorted(task.setup.state.items()), task.setup.app)
            digest.update(repr((told, set_up, task.check)).encode())
        self.data_sha256 = digest.hexdigest()
        self._samples = [
            Attempt(
                id=task.id,
                instruction=task.instruction,
                labels={
                    "app": task.apps[0] if len(task.apps) == 1 else "several apps",
                    "language": task.language,
                },
                task=task,
            )
            for task in tasks
        ]

    @classmethod
    def load(cls, source: str) -> Self:
        """The tasks of the suite called `source`.

        Raises:
            UnknownNameError: there is no such suite.
        """
        return cls(suites.get(source)(), source=source)

    def samples(self) -> list[Attempt]:
        """In the order of the suite."""
        return self._samples

    async def play(
        self,
        sample: Attempt,
        agent: Agent,
        device: Device,
        store: EpisodeStore,
    ) -> Episode:
        """One attempt from reset to end; the episode is kept in `store`.

        Raises:
            DeviceError: the device failed; the steps so far are in the store.
            ModelError: the agent's model could not be asked.
        """
        return await rollout(agent, Environment(device, sample.task), store=store)

    def score(self, episode: Episode) -> Score:
        """1 when the check said success, whatever the agent claims."""
        return Score(
            float(episode.outcome == "success"),
            "ok",
            episode.outcome,
            {"steps": len(episode.steps), "outcome": episode.outcome, "episode": episode.id},
        )
