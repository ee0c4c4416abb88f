"""Rollouts of a Gymnasium environment as episodes of a store."""

from pathlib import Path
from typing import Any

import gymnasium
import pytest

from tapwright.core.actions import Finish, Tap
from tapwright.core.geometry import Point
from tapwright.devices.fake import FakeDevice
from tapwright.environment.environment import Environment
from tapwright.errors import UsageError
from tapwright.gym.environments import TapwrightEnv
from tapwright.gym.recording import RecordEpisodes
from tapwright.gym.spaces import ActionSpace
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task

TAP = Tap(at=Point(0.5, 0.4))


class FakeEnv(TapwrightEnv):
    """A task on a device without a browser."""

    def __init__(self) -> None:
        device = FakeDevice()
        device.reset()
        check = When(TreeShows("nothing"))
        task = Task(id="press", instruction="Press it", apps=(), check=check, max_steps=3)
        space = ActionSpace(("tap", "finish"), ("back",))
        super().__init__(
            Environment(device, task), device.observe().size, space, render_mode="rgb_array"
        )

    def reset(
        self, *, seed: int | None = None, options: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        super(TapwrightEnv, self).reset(seed=seed)
        return self._start(seed)


def recorded(store: EpisodeStore) -> list[tuple[str, int]]:
    return [(episode.outcome, len(episode.steps)) for episode in store]


def test_every_step_is_recorded_with_the_screen_before_it(tmp_path: Path) -> None:
    store, inner = EpisodeStore(tmp_path), FakeEnv()
    env = RecordEpisodes(inner, store, agent="mine")
    env.reset(seed=1)
    seen = [inner.latest[0]]
    for action in (TAP, env.action_space.sample() | {"kind": 0, "at": [0.5, 0.4]}, Finish()):
        env.step(action)
        seen.append(inner.latest[0])
    episode = store.read(env.episode_id)
    assert [step.observation for step in episode.steps] == seen[:3]
    assert episode.final == seen[3]
    assert [step.decision.action.type for step in episode.steps] == ["tap", "tap", "finish"]
    assert (episode.task_id, episode.instruction, episode.agent) == ("press", "Press it", "mine")
    assert episode.outcome == inner.latest[1]["outcome"]


def test_an_episode_that_is_cut_short_is_truncated_and_an_empty_one_leaves_nothing(
    tmp_path: Path,
) -> None:
    store = EpisodeStore(tmp_path)
    env = RecordEpisodes(FakeEnv(), store)
    env.reset()
    env.reset()
    env.step(TAP)
    env.reset()
    assert recorded(store) == [("truncated", 1)]
    env.step(TAP)
    env.step(TAP)
    env.close()
    assert recorded(store) == [("truncated", 1), ("truncated", 2)]


def test_a_step_is_on_disk_before_the_next(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    env = RecordEpisodes(FakeEnv(), store)
    env.reset()
    env.step(TAP)
    assert recorded(store) == [("interrupted", 1)]
    env.close()


def test_another_environment_has_no_screen_to_record(tmp_path: Path) -> None:
    other: Any = gymnasium.make("CartPole-v1")
    with pytest.raises(UsageError, match="not an environment of tapwright"):
        RecordEpisodes(other, EpisodeStore(tmp_path))
