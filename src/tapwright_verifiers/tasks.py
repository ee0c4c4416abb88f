"""The tasks of a suite as a taskset of verifiers, and what an attempt at one is worth.

By verifiers 0.4.0 (`verifiers.v1`, https://github.com/PrimeIntellect-ai/verifiers, docs/v1): a row
is frozen data, its class reads the rewards off the trace of an attempt.
"""

from collections.abc import Callable, Iterator
from typing import Annotated, Any

import verifiers.v1 as vf
from pydantic import AfterValidator

from tapwright.core.episode import Episode
from tapwright.errors import TapwrightError
from tapwright.faces.task_set import TaskSet

__all__ = ["DeviceTask", "DeviceTaskset", "read_by", "record_attempt"]

_TOLD = "tapwright"


def record_attempt(trace: vf.Trace, episode: Episode) -> None:
    """Keep in a trace what its rewards are read off, and which episode has the rest."""
    trace.info[_TOLD] = {
        "episode": episode.id,
        "outcome": episode.outcome,
        "earned": sum(step.reward for step in episode.steps),
        "steps": len(episode.steps),
        "refused": sum(bool(step.refused) for step in episode.steps),
    }


def read_by(read: Callable[[str], object]) -> AfterValidator:
    """What refuses a configuration, in the way of the library, whose value cannot be read."""

    def check(value: str) -> str:
        try:
            read(value)
        except TapwrightError as error:
            raise ValueError(f"{error}; {error.hint}" if error.hint else f"{error}") from error
        return value

    return AfterValidator(check)


class DeviceTaskData(vf.TaskData):  # type: ignore[misc]  # the library's types are not read
    """One row: the task's id, and the seed of the device's data if not the task's own."""

    seed: int | None = None


class DeviceTask(vf.Task[DeviceTaskData]):  # type: ignore[misc]
    """What an attempt earns; one that was cut off before its end earns nothing."""

    @vf.reward  # type: ignore[untyped-decorator]
    async def success(self, trace: vf.Trace) -> float:
        """1 when the task's check says that it is done."""
        return float(_told(trace).get("outcome") == "success")

    @vf.reward(weight=0.0)  # type: ignore[untyped-decorator]
    async def earned(self, trace: vf.Trace) -> float:
        """What the task's own steps earned; its weight is 0 until the configuration raises it."""
        return float(_told(trace).get("earned", 0.0))

    @vf.metric  # type: ignore[untyped-decorator]
    async def steps(self, trace: vf.Trace) -> dict[str, float]:
        """The steps, and how many of them the device refused."""
        told = _told(trace)
        return {name: float(told.get(name, 0.0)) for name in ("steps", "refused")}


class DeviceTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    """`suite` is a name or a path of definitions; each task is a row for each of the `seeds`."""

    suite: Annotated[str, read_by(TaskSet.read)] = "phone"
    seeds: list[int] = []  # noqa: RUF012 - a field


class DeviceTaskset(vf.Taskset[DeviceTask, DeviceTasksetConfig]):  # type: ignore[misc]
    """The tasks of a suite, in their order, each over its own data or over those of each seed."""

    def load(self) -> Iterator[DeviceTask]:
        """The rows.

        Raises:
            UnknownNameError: there is no such suite.
            TaskError: a definition is not right.
        """
        for task in TaskSet.read(self.config.suite).tasks:
            for seed in self.config.seeds or (None,):
                name = task.id if seed is None else f"{task.id}, seed {seed}"
                prompt = task.instruction or task.id  # some say what to do on their page alone
                data = DeviceTaskData(id=task.id, name=name, prompt=prompt, seed=seed)
                yield DeviceTask(data, self.config.task)


def _told(trace: vf.Trace) -> dict[str, Any]:
    found: dict[str, Any] = trace.info.get(_TOLD, {})
    return found
