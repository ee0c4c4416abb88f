"""A suite with its own harness as a benchmark: its process sets up and judges, tapwright plays.

A task belongs to the suite, and so does the verdict: a score between 0 and 1 from the suite's own
evaluator, asked once at the end. What it could not set up or judge has an error instead of a score
and is counted apart. The suite's version and commit are part of the data's hash, so a run on
another commit is neither continued nor compared.
"""

import asyncio
import hashlib
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from pydantic import JsonValue

from tapwright.agents.agent import Agent
from tapwright.benchmarks.attempt_endings import classify_ending, own_score
from tapwright.benchmarks.benchmark import Score, TaskSample
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.core.episode import Episode
from tapwright.devices.device import AddressedDevice, Device
from tapwright.environment.environment import Environment
from tapwright.environment.referee import REFEREE
from tapwright.environment.rollout import rollout
from tapwright.errors import TapwrightError
from tapwright.harnesses.errors import SuiteMissingError
from tapwright.harnesses.harness import Harness, SuiteSource
from tapwright.harnesses.protocol import Attempt, Evaluation, Preparation, SuiteTask
from tapwright.harnesses.suites import ANDROIDWORLD, BROWSERGYM, OSWORLD
from tapwright.harnesses.worker import SuiteWorker, SuiteWorkers
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.task import Task

__all__ = ["AndroidWorld", "BrowserGym", "OsWorld", "SuiteBenchmark"]

_MAX_STEPS = 30


class SuiteBenchmark:
    """All tasks of one suite, in its order; the labels are the suite's and the apps."""

    suite: ClassVar[Harness]

    def __init__(self, workers: SuiteWorkers, *, source: str = "") -> None:
        """List the tasks.

        Raises:
            SuiteMissingError: a part of the suite cannot be imported.
            SuiteLostError: its process ended.
        """
        self.source = source
        self.workers = workers
        weakref.finalize(self, workers.close)
        worker = workers.take()
        try:
            tasks = worker.tasks()
        finally:
            workers.give_back(worker)
        if not tasks:
            raise BadBenchmarkError(f"{workers.suite.title} has no tasks")
        self.tasks = {task.id: task for task in tasks}
        hello = workers.hello
        digest = hashlib.sha256(repr((hello.suite, hello.version, hello.commit)).encode())
        for task in tasks:
            digest.update(repr((task.id, task.max_steps)).encode())
        self.data_sha256 = digest.hexdigest()
        self._samples = [_sample(task) for task in tasks]

    @classmethod
    def load(cls, source: str) -> Self:
        """The suite in the Python that a source names, which must be an admitted one.

        Raises:
            SuiteMissingError: there is none, or the suite is not whole.
            SuiteLostError: its process ended.
        """
        read = SuiteSource.read(source)
        if not read.is_admitted:
            raise SuiteMissingError(
                f"{cls.suite.title}: the Python {read.python!r} is named by a file, or by nobody",
                hint="it is started only when you name it yourself: --suite-python PYTHON",
            )
        return cls(SuiteWorkers(cls.suite, Path(read.python), read.options), source=source)

    @property
    def name(self) -> str:
        """That of the suite."""
        return self.workers.suite.name

    @property
    def device(self) -> str:
        """The kind of device that the suite is for."""
        return self.workers.suite.device

    @property
    def facts(self) -> Mapping[str, JsonValue]:
        """What a run log says about the suite."""
        hello = self.workers.hello
        return {"suite": hello.suite, "version": hello.version, "commit": hello.commit}

    def samples(self) -> list[TaskSample]:
        """In the suite's order."""
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
        """One attempt, set up and judged by a process of the suite.

        Raises:
            SuiteSetupError: the suite could not set it up.
            SuiteEvaluatorError: the suite could not judge it; the steps are in the store.
            SuiteLostError: the suite's process was lost; the steps so far are in the store.
        """
        referee = _SuiteReferee(self.workers, sample.id, seed, epoch, self.facts)
        try:
            environment = Environment(device, sample.task, referee=referee)
            return await rollout(agent, environment, store=store, max_s=max_s)
        finally:
            with suppress(TapwrightError):  # what ended the attempt is what counts
                await asyncio.to_thread(referee.close)

    def score(self, sample: TaskSample, episode: Episode) -> Score:
        """The evaluator's, none if a person helped; the detail has why, and how it ended."""
        state = episode.steps[-1].state.get(REFEREE) if episode.steps else None
        told = state if isinstance(state, dict) else {}
        score = told.get("score")
        whole = float(episode.outcome == "success")
        value = float(score) if isinstance(score, int | float) else whole
        detail: dict[str, JsonValue] = {
            "steps": len(episode.steps),
            "max_steps": sample.task.max_steps,
            "refused_steps": sum(bool(step.refused) for step in episode.steps),
            "outcome": episode.outcome,
            "ending": classify_ending(episode, max_steps=sample.task.max_steps),
            "reason": told.get("reason", ""),
            "episode": episode.id if episode.steps else None,
        }
        if "tear_down" in told:
            detail["tear_down"] = told["tear_down"]
        return own_score(value, episode, detail)


class AndroidWorld(SuiteBenchmark):
    """AndroidWorld's 116 tasks."""

    suite = ANDROIDWORLD


class OsWorld(SuiteBenchmark):
    """OSWorld's tasks, those of the checkout that the source names."""

    suite = OSWORLD


class BrowserGym(SuiteBenchmark):
    """The tasks of BrowserGym's packages that are installed: WebArena, MiniWoB++ and others."""

    suite = BROWSERGYM


@dataclass(slots=True)
class _SuiteReferee:
    """One attempt's worker, leased while the attempt lasts."""

    workers: SuiteWorkers
    task: str
    seed: int
    epoch: int
    told: Mapping[str, JsonValue]
    _worker: SuiteWorker | None = None
    _failure: str = ""

    def set_up(self, device: Device) -> Preparation:
        """Let the suite prepare the device."""
        address = device.address() if isinstance(device, AddressedDevice) else {}
        self._worker = self.workers.take()
        return self._worker.set_up(self.task, address, seed=self.seed, epoch=self.epoch)

    def evaluate(self, attempt: Attempt) -> Evaluation:
        """Let the suite judge, and put away what the attempt left."""
        assert self._worker is not None
        found = self._worker.evaluate(attempt)
        try:
            self.close()
        except TapwrightError as error:  # the verdict stands
            self._failure = str(error)
        return found

    def facts(self) -> Mapping[str, JsonValue]:
        """The suite, its version, its commit; why the tear-down failed if it did."""
        failed = {"tear_down": self._failure} if self._failure else {}
        return {**self.told, "seed": self.seed, "epoch": self.epoch, **failed}

    def close(self) -> None:
        """Tear down what was set up, and give the worker back; more than once is allowed."""
        worker, self._worker = self._worker, None
        if worker is None:
            return
        try:
            if worker.alive:
                worker.tear_down()
        finally:
            self.workers.give_back(worker)


def _sample(task: SuiteTask) -> TaskSample:
    return TaskSample(
        id=task.id,
        instruction=task.instruction,
        labels={"app": " + ".join(task.apps), **task.labels},
        task=Task(
            id=task.id,
            instruction=task.instruction,
            apps=task.apps,
            check=Unchecked(),
            max_steps=task.max_steps or _MAX_STEPS,
        ),
    )
