"""How verifiers plays on devices: tapwright's own agent, whose model is the one that is trained.

By verifiers 0.4.0: a harness may run in the process of its environment, as long as the model is
asked at the address that the rollout gives it. There the trace is made that a trainer learns from.
So the model is asked as `tapwright eval run` asks it, in the words and pictures of a convention,
and a screen that the convention leaves out of the next prompt begins a new branch of the trace.
"""

from asyncio import CancelledError
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Annotated

import verifiers.v1 as vf
from pydantic import Field

from tapwright.agents.model import ModelAgent
from tapwright.conventions import conventions
from tapwright.conventions.history import HistoryPolicy
from tapwright.devices.device import Device
from tapwright.devices.pool import DevicePool
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.errors import DeviceError, DeviceLostError, TapwrightError
from tapwright.faces.task_set import TaskSet, device_opener
from tapwright.models.openai import OpenAIModel
from tapwright.store.store import EpisodeStore
from tapwright.tasks.task import Task
from tapwright_verifiers.tasks import read_by, record_attempt

__all__ = ["DeviceEnv", "DeviceHarness"]

_ANSWER_S = 3600.0
"""How long an answer may take: in training it waits for a batch, and the trainer has its limits."""


@dataclass(slots=True)
class _Seat:
    """The device of an attempt, and its task; `is_lost` when its state is no longer known."""

    device: Device
    task: Task
    store: EpisodeStore | None
    is_lost: bool = False


_seat: ContextVar[_Seat] = ContextVar("seat")


class DeviceHarnessConfig(vf.HarnessConfig):  # type: ignore[misc]  # the library's types are not read
    """How the model is asked, as by `tapwright eval run`."""

    convention: Annotated[str, read_by(conventions.get)] = "json"
    history: Annotated[str, read_by(HistoryPolicy.from_text)] = "full"
    max_pixels: int | None = None


class DeviceHarness(vf.Harness[DeviceHarnessConfig]):  # type: ignore[misc]
    """An attempt on the device that `DeviceEnv` has leased for it."""

    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Play to the end; a model that cannot be asked ends it with the reason."""
        seat = _seat.get()
        model = OpenAIModel(
            ctx.model, base_url=endpoint, api_key=secret, timeout_s=_ANSWER_S,
            temperature=None, max_tokens=None,  # the rollout's own are laid over the request
        )  # fmt: skip
        agent = ModelAgent(
            model,
            conventions.get(self.config.convention),
            history=HistoryPolicy.from_text(self.config.history),
            max_pixels=self.config.max_pixels,
        )
        try:
            episode = await rollout(agent, Environment(seat.device, seat.task), store=seat.store)
        except (DeviceError, CancelledError):
            seat.is_lost = True
            raise
        except TapwrightError as error:
            return vf.ProgramResult(1, "", str(error))
        finally:
            await model.close()
        record_attempt(trace, episode)
        return vf.ProgramResult(0, "", "")


# Unvalidated, as it would look for the harness in this package, which is not there yet.
_HERE = vf.AgentConfig(runtime=vf.SubprocessConfig()).model_copy(
    update={"harness": DeviceHarnessConfig(id="tapwright-verifiers")}
)


class DeviceEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """`device` is opened `envs` times in each worker; `record` is the store of the episodes."""

    agent: vf.AgentConfig = _HERE
    device: Annotated[str, read_by(lambda spec: device_opener(spec, "phone"))] = ""
    envs: int = Field(1, ge=1)
    record: str = ""


class DeviceEnv(vf.Env[DeviceEnvConfig]):  # type: ignore[misc]
    """Attempts on a pool of devices: those beyond them wait until one is free."""

    async def start(self) -> None:
        """Read the tasks; a device is opened when it is first needed.

        Raises:
            UnknownNameError: there is no such suite or device.
            UsageError: the suite does not say its device.
        """
        suite = self.config.taskset.suite
        self._tasks = TaskSet.read(suite)
        self._store = EpisodeStore(self.config.record) if self.config.record else None
        self._pool = DevicePool(device_opener(self.config.device, suite), self.config.envs)

    async def stop(self) -> None:
        """Close the devices."""
        if hasattr(self, "_pool"):
            self._pool.close()

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """One attempt, on a device of its own; the next user of one that was lost gets another."""
        played = self._tasks.find(task.data.id)
        if task.data.seed is not None:
            played = replace(played, setup=replace(played.setup, seed=task.data.seed))
        lost = DeviceLostError("the attempt was given up, and the device's state is not known")
        try:
            async with self._pool.lease(who=played.id) as device:
                seat = _Seat(device, played, self._store)
                _seat.set(seat)
                await agents.agent.run(task)
                if seat.is_lost:
                    raise lost
        except DeviceLostError as error:
            if error is not lost:  # the trace tells why
                raise
