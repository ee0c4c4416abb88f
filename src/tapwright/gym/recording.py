"""Records what is done in a Gymnasium environment as episodes of a store.

The wrapper is to be the innermost but for the environment's own: it records the device's own
pictures and hierarchies, whatever outer wrappers make of the observations.
"""

from collections.abc import Mapping
from typing import Any, SupportsFloat, TypeAlias

import gymnasium

from tapwright.core.episode import Decision, EpisodeOutcome, Step
from tapwright.environment.environment import Info
from tapwright.errors import UsageError
from tapwright.gym.environments import TapwrightEnv
from tapwright.store.store import EpisodeStore
from tapwright.store.writer import EpisodeWriter

__all__ = ["RecordEpisodes"]

StrDict: TypeAlias = dict[str, Any]


class RecordEpisodes(gymnasium.Wrapper[StrDict, Any, StrDict, Any]):
    """Writes each episode to `store`, step by step, as `agent`'s.

    A step is on disk when `step` returns, and survives the process. An episode without a step
    leaves nothing behind; one that `reset` or `close` cuts short has the outcome "truncated".
    `episode_id` is that of the episode in progress, or of the last one; "" before the first step.
    """

    def __init__(
        self, env: gymnasium.Env[StrDict, Any], store: EpisodeStore, *, agent: str = "gymnasium"
    ) -> None:
        """Wrap an environment; nothing is written yet.

        Raises:
            UsageError: it is none of tapwright's environments.
        """
        super().__init__(env)
        if not isinstance(env.unwrapped, TapwrightEnv):
            raise UsageError(
                f"{env.unwrapped}: not an environment of tapwright; it has no screen to record",
                hint='gymnasium.make("tapwright.gym:tapwright/Phone-v0")',
            )
        self.episode_id = ""
        self._inner = env.unwrapped
        self._store = store
        self._agent = agent
        self._writer: EpisodeWriter | None = None
        self._begun: Info = {}

    def reset(
        self, *, seed: int | None = None, options: StrDict | None = None
    ) -> tuple[StrDict, StrDict]:
        """Start the next episode; see the environment.

        Raises:
            DiskError: the disk is full or not writable.
        """
        self._end("truncated")
        found = self.env.reset(seed=seed, options=options)
        self._begun = self._inner.latest[1]
        return found

    def step(
        self, action: Mapping[str, Any] | Any
    ) -> tuple[StrDict, SupportsFloat, bool, bool, StrDict]:
        """Perform one action, and write it; see the environment.

        Raises:
            DiskError: the disk is full or not writable.
        """
        before = self._inner.latest[0]
        found = self.env.step(action)
        info, made = self._inner.latest[1], self._inner.performed
        if self._writer is None:
            self._writer = self._begin()
        self._writer.append(
            Step(
                before,
                Decision(made),
                float(found[1]),
                instructions=info["instructions"],
                log=info["log"],
                state=info["state"],
                refused=info.get("refused", ""),
            )
        )
        if found[2] or found[3]:
            self._end(info["outcome"])
        return found

    def close(self) -> None:
        """End the episode in progress, and close the environment."""
        self._end("truncated")
        super().close()

    def _begin(self) -> EpisodeWriter:
        environment = self._inner.environment
        writer = self._store.create(
            task_id=environment.task.id,
            instruction=self._begun["instruction"],
            agent=self._agent,
            device=environment.device.name,
            log=self._begun["log"],
            state=self._begun["state"],
        )
        self.episode_id = writer.id
        return writer

    def _end(self, outcome: EpisodeOutcome) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            with writer:
                writer.finish(outcome, self._inner.latest[0])
