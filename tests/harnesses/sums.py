"""The suite of sums as its users have it: its facts, its benchmark, agents that answer."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tapwright.benchmarks.suite import SuiteBenchmark
from tapwright.core.actions import Answer, Finish, Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.observation import Observation
from tapwright.harnesses.harness import Harness, SuiteSource
from tapwright.harnesses.worker import SuiteLimits, SuiteWorker, SuiteWorkers
from tapwright.tasks.task import Task

PYTHON = Path(sys.executable)
SUITE = Harness(
    name="sums",
    title="Sums",
    program=Path(__file__).with_name("sums_suite.py"),
    device="fake",
)


class Sums(SuiteBenchmark):
    suite = SUITE


def worker(limits: SuiteLimits | None = None, **options: str) -> SuiteWorker:
    return SuiteWorker(SUITE, PYTHON, options, limits=limits)


def benchmark(limits: SuiteLimits | None = None, **options: str) -> Sums:
    workers = SuiteWorkers(SUITE, PYTHON, options, limits=limits)
    return Sums(workers, source=str(SuiteSource(str(PYTHON), options)))


@dataclass(frozen=True)
class Adder:
    """Adds what it is asked to; `ends` is whether it says that it is done."""

    ends: bool = True
    name: str = "adder"

    @classmethod
    def make(cls, task: Task | None, seed: int) -> "Adder":
        return cls()

    @classmethod
    def tireless(cls, task: Task | None, seed: int) -> "Adder":
        return cls(ends=False)

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        if not history:
            return Decision(Answer(text=str(sum(map(int, re.findall(r"\d+", instruction))))))
        return Decision(Finish(outcome="success") if self.ends else Wait(duration_s=0.0))
