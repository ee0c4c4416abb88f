"""A device that somebody outside plays: what every face does between its protocol and the device.

`Environment` plays one task; here the task may change, or be none, and what is played is recorded.
"""

from dataclasses import dataclass, replace

from tapwright.core.episode import Decision, EpisodeOutcome
from tapwright.core.observation import Observation
from tapwright.devices.device import Device
from tapwright.environment.environment import Environment, Info
from tapwright.environment.episode_recorder import EpisodeRecorder
from tapwright.environment.errors import EnvironmentOrderError
from tapwright.errors import DeviceError
from tapwright.files.closing import Closing
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.task import Task

__all__ = ["Session", "Turn", "make_free_task"]

_FREE_STEPS = 1_000_000


@dataclass(frozen=True, slots=True)
class Turn:
    """What the one who plays gets after a reset, a look or an action.

    `reward` is in the task's own units, `score` from 0 to 1. `refused` is why the device did not do
    it. `outcome` is set when the episode has ended: by itself (`terminated`) or at a limit
    (`truncated`).
    """

    observation: Observation
    instruction: str
    step: int = 0
    reward: float = 0.0
    score: float = 0.0
    instructions: tuple[str, ...] = ()
    refused: str = ""
    terminated: bool = False
    truncated: bool = False
    outcome: EpisodeOutcome | None = None

    @property
    def ended(self) -> bool:
        """Whether the episode is over, and takes no more actions."""
        return self.outcome is not None


class Session(Closing):
    """One client's use of one device: an episode at a time, each written to `store` as `agent`'s.

    Use it from one thread at a time. An episode that a reset or `close` cuts short is
    "truncated", unless its task is done; one whose device was lost is "interrupted", and one that
    finished without a check "unknown".
    """

    def __init__(self, device: Device, *, agent: str, store: EpisodeStore | None = None) -> None:
        self.device = device
        self._agent = agent
        self._store = store
        self._environment: Environment | None = None
        self._recorder: EpisodeRecorder | None = None
        self._turn: Turn | None = None

    @property
    def turn(self) -> Turn:
        """The latest one.

        Raises:
            EnvironmentOrderError: before the first reset.
        """
        if self._turn is None:
            raise EnvironmentOrderError("no episode has begun", hint="begin one")
        return self._turn

    @property
    def episode_id(self) -> str:
        """That of the latest episode in the store; "" where none was recorded."""
        return self._recorder.episode_id if self._recorder else ""

    def reset(self, task: Task, *, seed: int | None = None) -> Turn:
        """Begin an episode of `task`; `seed` replaces that of its set-up.

        Raises:
            DeviceError: the device cannot be set up as the task wants.
            SetupFailedError: a step of the set-up did not lead to what it should.
        """
        self.cut_short()
        self._turn = None
        if self._environment is None or self._environment.task != task:
            self._environment = Environment(self.device, task)
            if self._store is not None:
                self._recorder = EpisodeRecorder(self._store, self._environment, agent=self._agent)
        observation, info = self._environment.reset(seed=seed)
        if self._recorder is not None:
            self._recorder.begin(info)
        self._turn = Turn(observation, info["instruction"], score=info["score"])
        return self._turn

    def look(self) -> Turn:
        """The screen as it is now, on which the next action is decided.

        Raises:
            EnvironmentOrderError: before the first reset.
            DeviceError: the device is lost or broken.
        """
        self._turn = replace(self.turn, observation=self.device.observe())
        return self._turn

    def act(self, decision: Decision) -> Turn:
        """Perform what was decided on the latest screen, and record it.

        Raises:
            EnvironmentOrderError: before the first reset, or after the episode has ended.
            DeviceError: the device is lost or broken; the recording stays as it is.
            DiskError: the disk is full or not writable.
        """
        before, environment = self.turn, self._environment
        if before.ended or environment is None:
            raise EnvironmentOrderError(
                f"the episode has ended ({before.outcome}), and takes no more actions",
                hint="begin the next one",
            )
        try:
            found = environment.step(decision.actions)
        except DeviceError:
            if self._recorder is not None:
                self._recorder.abandon()
            raise
        observation, reward, terminated, truncated, info = found
        self._turn = Turn(
            observation,
            before.instruction,
            step=before.step + 1,
            reward=reward,
            score=info["score"],
            instructions=info["instructions"],
            refused=info.get("refused", ""),
            terminated=terminated,
            truncated=truncated,
            outcome=_outcome(environment.task, info) if terminated or truncated else None,
        )
        if self._recorder is not None:
            self._recorder.append(before.observation, decision, reward, info)
            if self._turn.outcome is not None:
                self._recorder.end(self._turn.outcome, observation)
        return self._turn

    def cut_short(self) -> None:
        """End the episode in progress, if there is one, as at a limit that is reached now."""
        turn, environment = self._turn, self._environment
        if turn is not None and environment is not None and not turn.ended:
            outcome = environment.truncate()
            self._turn = replace(turn, truncated=True, outcome=outcome)
            if self._recorder is not None:
                self._recorder.end(outcome, turn.observation)

    def close(self) -> None:
        """End the episode in progress, and close the device."""
        try:
            self.cut_short()
        finally:
            self.device.close()


def make_free_task(instruction: str = "") -> Task:
    """A task that nothing judges: it ends when the one who plays finishes."""
    return Task(
        id="free", instruction=instruction, apps=(), check=Unchecked(), max_steps=_FREE_STEPS
    )


def _outcome(task: Task, info: Info) -> EpisodeOutcome:
    return "unknown" if isinstance(task.check, Unchecked) else info["outcome"]
