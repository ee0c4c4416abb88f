"""Writes what somebody outside plays in an environment as episodes of a store, step by step.

`rollout` records an agent that it calls; here the one who plays calls: a trainer's loop, a client.
"""

from collections.abc import Callable, Collection, Iterable, Sequence

from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.observation import Observation
from tapwright.environment.environment import Environment, Info
from tapwright.environment.errors import EnvironmentOrderError
from tapwright.errors import DeviceError
from tapwright.store.store import EpisodeStore
from tapwright.store.writer import EpisodeWriter

__all__ = ["EpisodeRecorder", "find_unclaimed", "hide_second"]


class EpisodeRecorder:
    """Records one environment's episodes in `store`, as `agent`'s.

    A step is on disk when `append` returns, and survives the process. An episode without a step
    leaves nothing behind. `episode_id` is that of the episode in progress, or of the last one; ""
    before the first step.
    """

    def __init__(self, store: EpisodeStore, environment: Environment, *, agent: str) -> None:
        self.episode_id = ""
        self._store = store
        self._environment = environment
        self._agent = agent
        self._writer: EpisodeWriter | None = None
        self._begun: Info = {}

    def begin(self, info: Info) -> None:
        """Start the next episode with what the reset returned; nothing is written yet."""
        self.abandon()
        self._begun = info

    def append(self, before: Observation, decision: Decision, reward: float, info: Info) -> None:
        """Write a step: the screen that it was decided on, and what the environment returned.

        `reward` is in the task's own units.

        Raises:
            DiskError: the disk is full or not writable.
        """
        if self._writer is None:
            self._writer = self._create()
        self._writer.append(
            Step(
                before,
                decision,
                reward,
                instructions=info["instructions"],
                log=info["log"],
                state=info["state"],
                refused=info.get("refused", ""),
                between=info.get("between", ()),
            )
        )

    def end(self, outcome: EpisodeOutcome, final: Observation) -> None:
        """End the episode in progress, if there is one, with the screen that it ended on."""
        writer, self._writer = self._writer, None
        if writer is not None:
            with writer:
                evidence = "" if outcome == "unknown" else self._environment.evidence
                writer.finish(outcome, final, evidence=evidence)

    def cut_short(self, final: Observation) -> None:
        """End the episode in progress, if there is one, as at a limit that is reached now.

        Raises:
            DeviceError: the device is lost or broken.
        """
        if self._writer is None:
            return
        try:
            outcome = self._environment.truncate()
        except EnvironmentOrderError:  # it ended with a step that could not be written
            self.abandon()
        except DeviceError:
            self.abandon()
            raise
        else:
            self.end(outcome, final)

    def abandon(self) -> None:
        """Leave the episode in progress as it is, "interrupted", as after a kill."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def _create(self) -> EpisodeWriter:
        writer = self._store.create(
            task_id=self._environment.task.id,
            instruction=self._begun["instruction"],
            agent=self._agent,
            device=self._environment.device.name,
            log=self._begun["log"],
            state=self._begun["state"],
        )
        self.episode_id = writer.id
        return writer


def find_unclaimed(
    store: EpisodeStore, ids: Iterable[str], claimed: Collection[str]
) -> dict[str, list[Episode]]:
    """Those of these episodes that ended and whose ids are not `claimed`, by their tasks.

    Raises:
        CorruptEpisodeError: the header or end of one cannot be read.
    """
    found: dict[str, list[Episode]] = {}
    for id_ in ids:
        if id_ in claimed:
            continue
        episode = store.open(id_)
        if episode.has_ended:
            found.setdefault(episode.task_id, []).append(episode)
    return found


def hide_second(
    store: EpisodeStore, episodes: Sequence[Episode], tell: Callable[[str], object]
) -> None:
    """Hide episodes of attempts of which a ledger names another, as an edit that `undo` takes back.

    Such as that of a worker that died, or was away, before it could say that it had ended one.
    """
    for episode in episodes:
        store.remove(episode, edit="its attempt was played again, and the ledger names the other")
    if episodes:
        ids = ", ".join(one.id for one in episodes)
        tell(f"played twice; hidden, until `episodes undo`, as the ledger names the other: {ids}")
