"""Rollouts of a Gymnasium environment as episodes of a store."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from tapwright.core.actions import Action, Finish
from tapwright.core.episode import Decision, EpisodeOutcome, OutcomeEvidence, Step
from tapwright.core.observation import Observation
from tapwright.devices.device import Device
from tapwright.devices.fake import FakeDevice
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.errors import DeviceLostError, UsageError
from tapwright.faces.session import Session
from tapwright.gym.environments import TapwrightEnv
from tapwright.gym.recording import RecordEpisodes
from tapwright.gym.spaces import ActionSpace
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tests.record.demos import TAP, WITHOUT_FINISH, event_task, logging_device

PRESS = Task("press", "Press it", apps=(), check=When(TreeShows("nothing")), max_steps=3)
ENDS: list[Finish | None] = [
    Finish(),
    Finish(outcome="failure"),
    Finish(outcome="infeasible"),
    None,
]
"""What follows the taps; None cuts them short."""
Ended = tuple[EpisodeOutcome | None, OutcomeEvidence]


class FakeEnv(TapwrightEnv):
    """A task on a device without a browser."""

    def __init__(self, device: Device | None = None, task: Task = PRESS) -> None:
        device = device or FakeDevice()
        device.reset()
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


class Listed:
    """An agent that does what is listed."""

    name = "listed"

    def __init__(self, actions: Sequence[Action]) -> None:
        self._actions = iter(actions)

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        return Decision(next(self._actions))


def by_environment(task: Task, actions: Sequence[Action]) -> Ended:
    with Environment(logging_device(), task) as environment:
        environment.reset()
        for action in actions:
            *_, terminated, truncated, info = environment.step(action)
            if terminated or truncated:
                return info["outcome"], environment.evidence
        return environment.truncate(), environment.evidence


def by_gymnasium(task: Task, actions: Sequence[Action], store: EpisodeStore) -> Ended:
    with RecordEpisodes(FakeEnv(logging_device(), task), store) as env:
        env.reset()
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                break
    return ended(store)


def by_session(task: Task, actions: Sequence[Action], store: EpisodeStore) -> Ended:
    with Session(logging_device(), agent="mine", store=store) as session:
        turn = session.reset(task)
        for action in actions:
            if not turn.ended:
                turn = session.act(Decision(action))
    return ended(store)


def by_rollout(task: Task, actions: Sequence[Action], store: EpisodeStore) -> Ended:
    environment = Environment(logging_device(), task)
    asyncio.run(rollout(Listed(actions), environment, store=store))
    return ended(store)


def ended(store: EpisodeStore) -> Ended:
    (episode,) = store
    return episode.outcome, episode.evidence


@pytest.mark.parametrize("taps", [1, 2, 4])
@pytest.mark.parametrize("name", sorted(WITHOUT_FINISH))
def test_whoever_calls_the_same_actions_end_alike(tmp_path: Path, name: str, taps: int) -> None:
    task = event_task(name)
    for number, end in enumerate(ENDS):
        actions: list[Action] = [*[TAP] * taps, *([end] if end else [])]
        expected = by_environment(task, actions)
        ways = [by_gymnasium, by_session, *([by_rollout] if end else [])]
        for way in ways:
            store = EpisodeStore(tmp_path / f"{number}-{way.__name__}")
            assert way(task, actions, store) == expected, way.__name__


def test_a_lost_device_leaves_the_recording_as_it_is(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    env = RecordEpisodes(FakeEnv(FakeDevice(lost_after=2)), store)
    env.reset()
    env.step(TAP)
    with pytest.raises(DeviceLostError):
        env.step(TAP)
    env.close()
    assert recorded(store) == [("interrupted", 1)]


def test_an_end_that_was_not_written_keeps_no_later_episode_from_it(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    with RecordEpisodes(FakeEnv(), store) as env:
        env.reset()
        env.step(TAP)
        env.unwrapped.step(Finish())  # as a step whose episode is on a full disk
        env.reset()
        env.step(Finish())
    assert recorded(store) == [("interrupted", 1), ("failure", 1)]


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
