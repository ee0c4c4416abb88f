"""Records what is done in a Gymnasium environment as episodes of a store.

The wrapper is to be the innermost but for the environment's own: it records the device's own
pictures and hierarchies, whatever outer wrappers make of the observations.
"""

from collections.abc import Mapping
from typing import Any, SupportsFloat, TypeAlias

import gymnasium

from tapwright.core.episode import Decision
from tapwright.environment.episode_recorder import EpisodeRecorder
from tapwright.errors import DeviceError, UsageError
from tapwright.gym.environments import TapwrightEnv
from tapwright.store.store import EpisodeStore

__all__ = ["RecordEpisodes"]

StrDict: TypeAlias = dict[str, Any]


class RecordEpisodes(gymnasium.Wrapper[StrDict, Any, StrDict, Any]):
    """Writes each episode to `store`, step by step, as `agent`'s.

    A step is on disk when `step` returns, and survives the process. An episode without a step
    leaves nothing behind; one that `reset` or `close` cuts short is "truncated", unless its task is
    done, and one whose device was lost is "interrupted".
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
        self._inner = env.unwrapped
        self._recorder = EpisodeRecorder(store, self._inner.environment, agent=agent)

    @property
    def episode_id(self) -> str:
        """That of the episode in progress, or of the last one; "" before the first step."""
        return self._recorder.episode_id

    def reset(
        self, *, seed: int | None = None, options: StrDict | None = None
    ) -> tuple[StrDict, StrDict]:
        """Start the next episode; see the environment.

        Raises:
            DiskError: the disk is full or not writable.
        """
        self._cut_short()
        found = self.env.reset(seed=seed, options=options)
        self._recorder.begin(self._inner.latest[1])
        return found

    def step(
        self, action: Mapping[str, Any] | Any
    ) -> tuple[StrDict, SupportsFloat, bool, bool, StrDict]:
        """Perform one action, and write it; see the environment.

        Raises:
            DiskError: the disk is full or not writable.
        """
        before = self._inner.latest[0]
        try:
            found = self.env.step(action)
        except DeviceError:
            self._recorder.abandon()
            raise
        final, info = self._inner.latest
        self._recorder.append(before, Decision(self._inner.performed), float(found[1]), info)
        if found[2] or found[3]:
            self._recorder.end(info["outcome"], final)
        return found

    def close(self) -> None:
        """End the episode in progress, and close the environment."""
        try:
            self._cut_short()
        finally:
            super().close()

    def _cut_short(self) -> None:
        if self.episode_id:  # else nothing was ever observed
            self._recorder.cut_short(self._inner.latest[0])
