import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tapwright.agents.model import ModelAgent
from tapwright.agents.tree import TreeAgent
from tapwright.benchmarks.automation import Automation
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.benchmarks.metrics import cell
from tapwright.benchmarks.understanding import UnderstandingBenchmark
from tapwright.conventions.json import JSON_CONVENTION
from tapwright.core.actions import Answer, Finish, OpenApp
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.devices.fake import FakeDevice
from tapwright.errors import DeviceLostError
from tapwright.evaluate.errors import RunLogError
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import RunProgress, evaluate, evaluate_tasks
from tapwright.evaluate.run_log import read_run
from tapwright.jobs.errors import LedgerError
from tapwright.models.errors import ModelUnavailableError
from tapwright.models.model import Completion
from tapwright.models.scripted import ScriptedModel
from tapwright.store.store import EpisodeStore
from tapwright.tasks.task import Signals, Task, Verdict


@pytest.fixture
def data(episodes: list[Episode], tmp_path: Path) -> Path:
    make_benchmarks(episodes, tmp_path / "own")
    return tmp_path / "own"


class Flaky(ScriptedModel):
    """Answers "A" until it has been asked `until` times, then fails `failures` times."""

    def __init__(self, until: int, failures: int) -> None:
        super().__init__(["A"])
        self.until = until
        self.failures = failures

    async def complete(self, messages: Sequence[Message]) -> Completion:
        if len(self.requests) >= self.until and self.failures:
            self.failures -= 1
            raise ModelUnavailableError("the server is busy")
        return await super().complete(messages)


class Interrupted(ScriptedModel):
    """Stands for a kill: its fifth answer never comes."""

    async def complete(self, messages: Sequence[Message]) -> Completion:
        if len(self.requests) >= 4:
            raise KeyboardInterrupt
        return await super().complete(messages)


def test_a_model_is_asked_each_sample_once_and_everything_is_kept(
    data: Path, tmp_path: Path
) -> None:
    benchmark, model = UnderstandingBenchmark(data), ScriptedModel(["B"])
    run = asyncio.run(evaluate(benchmark, model, tmp_path / "run"))
    assert run.complete
    assert len(model.requests) == len(benchmark.samples()) == len(run.rows)
    samples = {sample.id: sample for sample in benchmark.samples()}
    for row in run.rows:
        sample = samples.pop(row.id)
        assert (row.answer, row.parsed) == ("B", "B")
        assert row.score == float(sample.answer == "B")
        assert row.about.truth == sample.answer
        assert row.labels["difficulty"] in sample.id
    assert run.usage.output_tokens == len(run.rows)
    assert run.header.data_sha256 == benchmark.data_sha256
    assert len({row.prompt_sha256 for row in run.rows}) == len(run.rows)


def test_an_interrupted_run_goes_on_and_asks_nothing_twice(data: Path, tmp_path: Path) -> None:
    benchmark, first, second = (
        UnderstandingBenchmark(data),
        Interrupted(["A"]),
        ScriptedModel(["A"]),
    )
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(evaluate(benchmark, first, tmp_path / "run", concurrency=1))
    kept = len(read_run(tmp_path / "run").rows)
    seen: list[RunProgress] = []
    run = asyncio.run(
        evaluate(benchmark, second, tmp_path / "run", concurrency=1, on_progress=seen.append)
    )
    assert kept == 4
    assert len(second.requests) == len(benchmark.samples()) - kept
    assert run.complete
    assert [step.done for step in seen] == list(range(1, len(run.rows) + 1))
    assert sum(step.repeated for step in seen) == kept


def test_a_failed_request_is_no_answer_and_is_tried_again(data: Path, tmp_path: Path) -> None:
    benchmark = UnderstandingBenchmark(data)
    run = asyncio.run(evaluate(benchmark, Flaky(3, 2), tmp_path / "run", concurrency=1))
    failed = [row for row in run.rows if row.status == "failed"]
    assert [(row.answer, row.score, row.parsed) for row in failed] == [(None, 0.0, None)] * 2
    assert {row.error.code for row in failed if row.error} == {"TW402"}
    assert all(row.labels["platform"] == "os_android" for row in failed)
    assert cell(run.rows).failures == 2
    assert not run.complete
    again = ScriptedModel(["A"])
    assert asyncio.run(evaluate(benchmark, again, tmp_path / "run")).complete
    assert len(again.requests) == 2


def test_another_configuration_is_not_mixed_in(data: Path, tmp_path: Path) -> None:
    two = RunPlan(limit=2)
    asyncio.run(evaluate(UnderstandingBenchmark(data), ScriptedModel(["A"]), tmp_path / "run", two))
    with pytest.raises(LedgerError, match="belongs to other work"):
        asyncio.run(evaluate(GroundingBenchmark(data), ScriptedModel(["A"]), tmp_path / "run", two))


def test_an_agents_tap_is_scored_where_it_fell(data: Path, tmp_path: Path) -> None:
    benchmark = GroundingBenchmark(data)
    run = asyncio.run(evaluate(benchmark, TreeAgent(), tmp_path / "run"))
    basic = cell([row for row in run.rows if row.labels["grounding_type"] == "basic"])
    assert basic.value is not None
    assert basic.value > 0.7
    assert basic.format_errors == 0


def test_the_rule_based_agent_beats_chance_on_questions(data: Path, tmp_path: Path) -> None:
    run = asyncio.run(evaluate(UnderstandingBenchmark(data), TreeAgent(), tmp_path / "run"))
    value = cell(run.rows).value
    assert value is not None
    assert value > 0.6


@dataclass(frozen=True)
class AnswerIs:
    """Right when the agent has answered `text`."""

    text: str

    def start(self) -> "AnswerIs":
        return self

    def step(self, signals: Signals) -> Verdict:
        right = signals.answer == self.text
        return Verdict(score=float(right), reward=float(right), success=right)


class Clerk:
    """Answers "42", then finishes."""

    name = "clerk"

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        return Decision(Finish() if history else Answer(text="42"))


TASKS = [Task(f"t{n}", f"Say {n}", ("fake",), AnswerIs(str(n)), max_steps=3) for n in (41, 42, 43)]


def play(
    out: Path, device: Callable[[], FakeDevice], envs: int = 1, tasks: Sequence[Task] = TASKS
) -> None:
    asyncio.run(
        evaluate_tasks(Automation(tasks), lambda task, seed: Clerk(), device, out, envs=envs)
    )


def test_a_task_counts_as_its_check_says_and_its_episode_is_kept(tmp_path: Path) -> None:
    play(tmp_path / "run", FakeDevice, envs=2)
    run = read_run(tmp_path / "run")
    rows = {row.id: row for row in run.rows}
    assert {name: row.score for name, row in rows.items()} == {"t41": 0, "t42": 1, "t43": 0}
    assert rows["t42"].answer == "42"
    assert rows["t42"].detail["steps"] == 2
    store = EpisodeStore(tmp_path / "run" / "episodes")
    episode = store.read(str(rows["t42"].detail["episode"]))
    assert (episode.outcome, episode.task_id) == ("success", "t42")


def test_a_lost_device_fails_its_sample_and_is_replaced(tmp_path: Path) -> None:
    class Unplugged(FakeDevice):
        def log(self, since: int = 0) -> Sequence[str]:
            raise DeviceLostError("unplugged")

    made: list[FakeDevice] = []

    def device() -> FakeDevice:
        made.append(FakeDevice() if made else Unplugged())
        return made[-1]

    play(tmp_path / "run", device)
    run = read_run(tmp_path / "run")
    assert [row.status for row in run.rows] == ["failed", "ok", "ok"]
    assert run.rows[0].error is not None
    assert run.rows[0].error.code == "TW302"
    assert len(made) == 2


def test_a_file_that_is_no_run_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunLogError):
        read_run(tmp_path)
    (tmp_path / "run.jsonl").write_text(
        json.dumps({"job": "x", "config": {}, "created": ""}) + "\n"
    )
    with pytest.raises(RunLogError, match="not a run log"):
        read_run(tmp_path)


def test_what_a_model_says_while_playing_is_kept_and_counted(tmp_path: Path) -> None:
    finish = '{"reasoning": "", "target": "", "action": {"type": "finish", "outcome": "success"}}'
    model = ScriptedModel(["no idea", finish])

    def make(task: Task | None, seed: int) -> ModelAgent:
        return ModelAgent(model, JSON_CONVENTION)

    asyncio.run(evaluate_tasks(Automation(TASKS[:1]), make, FakeDevice, tmp_path / "run"))
    said = [json.loads(line) for line in (tmp_path / "run/answers.jsonl").read_text().splitlines()]
    assert [(one["sample"], one["status"]) for one in said] == [("t41", "bad"), ("t41", "ok")]
    assert said[0]["completion"]["text"] == "no idea"
    (row,) = read_run(tmp_path / "run").rows
    assert row.usage.input_tokens > 0


def test_a_run_on_another_device_or_check_is_not_continued(tmp_path: Path) -> None:
    def once(tasks: Sequence[Task], device: str) -> None:
        asyncio.run(
            evaluate_tasks(
                Automation(tasks),
                lambda task, seed: Clerk(),
                FakeDevice,
                tmp_path / "run",
                config={"device": device},
            )
        )

    once(TASKS[:1], "fake")
    with pytest.raises(LedgerError, match="config"):
        once(TASKS[:1], "phone")
    with pytest.raises(LedgerError, match="data_sha256"):
        once([replace(TASKS[0], check=AnswerIs("other"))], "fake")


def test_an_action_that_the_device_refuses_is_a_miss_and_no_failure(tmp_path: Path) -> None:
    class Wild:
        name = "wild"

        async def act(
            self, instruction: str, history: Sequence[Step], observation: Observation
        ) -> Decision:
            return Decision(OpenApp(app="Nowhere"))

    run = asyncio.run(
        evaluate_tasks(Automation(TASKS), lambda task, seed: Wild(), FakeDevice, tmp_path / "run")
    )
    assert [(row.status, row.score) for row in run.rows] == [("ok", 0.0)] * 3
