"""One task with one seed is the same through every face: screens, rewards, ends, recordings."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from tapwright.core.actions import Action, Finish, OpenApp, PressKey, Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point
from tapwright.devices.phone.device import Phone
from tapwright.faces.session import Session
from tapwright.faces.task_set import TaskSet
from tapwright.faces.trl import environment
from tapwright.gym.recording import RecordEpisodes
from tapwright.store.store import EpisodeStore
from tests.faces.environments import face_python
from tests.faces.test_mcp import play as play_by_mcp
from tests.faces.test_openenv import client, server
from tests.faces.test_verifiers import evaluate, render

TASK, SEED = "wifi_off", 5
ACTIONS: list[Action] = [
    OpenApp(app="Settings"),
    Tap(at=Point(0.5, 0.25)),
    Tap(at=Point(0.5, 0.2)),
    PressKey(key="back"),
    Finish(),
]


def play_session(store: EpisodeStore) -> None:
    with Session(Phone.named("jpeg"), agent="session", store=store) as session:
        session.reset(TaskSet.read("phone").find(TASK), seed=SEED)
        for action in ACTIONS:
            session.act(Decision(action))


def play_gymnasium(store: EpisodeStore) -> None:
    env = RecordEpisodes(gymnasium.make("tapwright.gym:tapwright/Phone-v0", task=TASK), store)
    env.reset(seed=SEED)
    for action in ACTIONS:
        env.step(action)
    env.close()


def play_trl(store: EpisodeStore) -> None:
    with environment("phone", envs=1, store=store) as factory:
        rollout: Any = factory()
        rollout.reset(task=TASK, seed=SEED)
        for action in ACTIONS:
            given = action.model_dump(exclude={"type"}, exclude_defaults=True)
            getattr(rollout, action.type)(**{**given, **given.pop("at", {})})
        assert rollout.get_reward() == 0


def play_openenv(store: EpisodeStore) -> None:
    told = {
        "reset": {"task": TASK, "seed": SEED},
        "actions": [action.model_dump(mode="json") for action in ACTIONS],
    }
    with server("phone", "--envs", "1", "--record", str(store.root)) as url:
        turns = client(url, "script", json.dumps(told))
    (episode,) = store
    assert [one["sha256"] for one in turns] == screens(store)
    assert [one["reward"] for one in turns[1:]] == [step.reward for step in episode.steps]
    assert (turns[-1]["done"], turns[-1]["outcome"]) == (True, episode.outcome)


def play_mcp(store: EpisodeStore) -> None:
    python = face_python("mcp")
    words = [python, "-m", "tapwright", "mcp", "phone:jpeg", "--task", TASK, "--unit", "fraction"]
    calls: list[tuple[str, dict[str, object]]] = [("start_over", {"seed": SEED})]
    calls += [
        (action.type, action.model_dump(mode="json", exclude={"type"}, exclude_defaults=True))
        for action in ACTIONS
    ]
    play_by_mcp(python, "sdk", shlex.join([*words, "--record", str(store.root)]), calls)


def play_verifiers(store: EpisodeStore) -> None:
    of_one = ("--select.include.ids", TASK, "--env.taskset.seeds", f"[{SEED}]")
    recorded = ("--env.record", str(store.root))
    (episode,), *_ = evaluate(render(ACTIONS), store.root / "runs", *of_one, *recorded)
    assert episode["traces"][0]["rewards"]["success"]["score"] == 0


def screens(store: EpisodeStore) -> list[str]:
    (episode,) = store
    assert episode.final is not None
    seen = [*(step.observation for step in episode.steps), episode.final]
    return [one.screenshot.sha256 for one in seen]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> EpisodeStore:
    """The recording of the same play without a face."""
    store = EpisodeStore(tmp_path_factory.mktemp("alone"))
    play_session(store)
    return store


@pytest.mark.slow
@pytest.mark.parametrize("play", [play_gymnasium, play_trl, play_openenv, play_mcp, play_verifiers])
def test_every_face_plays_the_same_episode(
    play: Callable[[EpisodeStore], None], alone: EpisodeStore, tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path)
    play(store)
    assert screens(store) == screens(alone)
    (theirs,), (ours,) = store, alone
    assert [step.decision.action for step in theirs.steps] == ACTIONS
    assert [step.reward for step in theirs.steps] == [step.reward for step in ours.steps]
    assert [step.state for step in theirs.steps] == [step.state for step in ours.steps]
    assert (theirs.outcome, theirs.task_id, theirs.instruction, theirs.device) == (
        ours.outcome, ours.task_id, ours.instruction, ours.device,
    )  # fmt: skip
