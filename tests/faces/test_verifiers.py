"""The runner of verifiers plays on our devices by a server of scripted answers."""

import asyncio
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tapwright.agents.script import ScriptAgent
from tapwright.conventions import conventions
from tapwright.core.actions import Action, Finish, OpenApp
from tapwright.core.episode import Decision
from tapwright.core.geometry import Size
from tapwright.devices.phone.device import Phone
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.faces.task_set import TaskSet
from tapwright.store.store import EpisodeStore
from tapwright.testing import FakeChatServer, Fault, HttpError, Slow
from tests.faces.environments import face_python, with_sources

pytestmark = [pytest.mark.slow, pytest.mark.long]  # it imports for ten seconds


def render(actions: Sequence[Action]) -> list[str]:
    """What a model says that decides on these."""
    return [conventions.get("json").render(Decision(one), Size(411, 914)) for one in actions]


def evaluate(
    answers: Sequence[str | Fault], folder: Path, *words: str
) -> tuple[list[dict[str, Any]], FakeChatServer, str]:
    """The episodes of `vf-eval`, what the model's server got, and what was logged."""
    program = Path(face_python("verifiers")).with_name("vf-eval")
    fixed = ["--model", "tiny", "--client.api-key-var", "NO_KEY", "--no-push", "--no-rich"]
    with FakeChatServer(answers) as server:
        run = subprocess.run(
            [program, "tapwright-verifiers", *fixed, "--client.base-url", server.base_url,
             "-o", folder, *words],
            env={**with_sources(), "HOME": str(folder)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )  # fmt: skip
    episodes = [
        json.loads(line)
        for path in folder.glob("*/traces.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return episodes, server, run.stdout + run.stderr


def test_its_runner_plays_a_group_and_reads_the_rewards(tmp_path: Path) -> None:
    task = TaskSet.read("phone").find("wifi_off")
    with Environment(Phone.named("jpeg"), task) as environment:
        solved = asyncio.run(rollout(ScriptAgent.for_task(task, 0), environment))
    right = render([step.decision.action for step in solved.steps])
    wrong = render([OpenApp(app="nothing"), Finish(outcome="failure")])
    episodes, server, _ = evaluate(
        [*right, wrong[0], "I would tap somewhere.", wrong[1]],
        tmp_path / "runs",
        "--env.taskset.suite", "phone", "--select.include.ids", "wifi_off", "-r", "2",
        "--env.record", str(tmp_path / "store"),
    )  # fmt: skip
    traces = [trace for episode in episodes for trace in episode["traces"]]
    assert [trace["rewards"]["success"]["score"] for trace in traces] == [1.0, 0.0]
    assert [trace["rewards"]["earned"]["weight"] for trace in traces] == [0.0, 0.0]
    assert [trace["metrics"] for trace in traces] == [
        {"steps": float(len(right)), "refused": 0.0}, {"steps": 2.0, "refused": 1.0},
    ]  # fmt: skip
    store = EpisodeStore(tmp_path / "store")
    told = [trace["info"]["tapwright"] for trace in traces]
    assert [store.read(one["episode"]).outcome for one in told] == ["success", "failure"]
    assert len(server.received) == len(right) + 3
    assert all("image_url" in json.dumps(one.body) for one in server.received)


def test_what_cannot_be_played_is_told_and_nothing_hangs(tmp_path: Path) -> None:
    one = ["--select.include.ids", "wifi_off"]
    broken, _, _ = evaluate([HttpError(400, "no such model")], tmp_path / "a", *one)
    (trace,) = broken[0]["traces"]
    assert "no such model" in trace["errors"][0]["message"]
    cut, _, _ = evaluate(
        [Slow(), *render([Finish()])], tmp_path / "c", *one, "-r", "2",
        "--env.agent.timeout.rollout", "15",
    )  # fmt: skip
    ended = [(episode["traces"][0]["is_timeout"], episode["ok"]) for episode in cut]
    assert sorted(ended) == [(False, True), (True, True)]  # the second has a device of its own
    wrong = ("--env.taskset.suite", "--env.agent.harness.convention", "--env.device")
    _, _, said = evaluate(
        ["{}"], tmp_path / "b", *one, *(word for name in wrong for word in (name, "nonsense"))
    )
    assert "Traceback" not in said
    assert "no task suite is called 'nonsense'" in " ".join(said.replace("│", " ").split())
