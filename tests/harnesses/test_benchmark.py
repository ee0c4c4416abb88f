import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tapwright.agents.agent import AgentFactory
from tapwright.benchmarks.suite import AndroidWorld
from tapwright.devices.fake import FakeDevice
from tapwright.evaluate.attempt_causes import find_cause
from tapwright.evaluate.compare import compare
from tapwright.evaluate.errors import RunLogError
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate_tasks
from tapwright.evaluate.run_log import EPISODES, RunLog
from tapwright.harnesses.errors import SuiteMissingError
from tapwright.harnesses.worker import SuiteLimits
from tapwright.jobs.errors import LedgerError
from tapwright.store.store import EpisodeStore
from tests.harnesses.sums import Adder, Sums, benchmark

ALL = (
    "small large half crash hang print import no-set-up no-verdict above-one no-tear-down "
    "device crash-at-end"
)


@pytest.fixture(scope="module")
def sums() -> Iterator[Sums]:
    made = benchmark()
    yield made
    made.workers.close()


def play(
    sums: Sums, out: Path, agents: AgentFactory = Adder.make, *, seed: int = 0, epochs: int = 1
) -> RunLog:
    plan = RunPlan(seed=seed, epochs=epochs)
    return asyncio.run(evaluate_tasks(sums, agents, FakeDevice, out, plan, envs=3))


def test_the_suite_judges_what_the_device_played(sums: Sums, tmp_path: Path) -> None:
    run = play(sums, tmp_path)
    rows = {row.id: row for row in run.rows}
    assert {name: row.score for name, row in rows.items()} == {"small": 1, "large": 1, "half": 0.5}
    assert run.header.config["suite"] == {
        "suite": "Sums", "version": "1.0", "commit": "c0ffee",
    }  # fmt: skip
    row = rows["small"]
    assert row.about.instruction.startswith("How much is ")
    assert row.detail["max_steps"] == 3
    assert rows["half"].detail["ending"] == "done wrong"
    episode = EpisodeStore(tmp_path / EPISODES).read(str(row.detail["episode"]))
    told = episode.state["suite"]
    assert isinstance(told, dict)
    assert set(told) == {"params", "suite", "version", "commit", "seed", "epoch"}
    assert (episode.outcome, len(episode.steps)) == ("success", 2)


def test_a_seed_and_an_epoch_decide_what_is_asked(sums: Sums, tmp_path: Path) -> None:
    def asked(run: RunLog) -> dict[str, str]:
        return {row.key: row.about.instruction for row in run.rows}

    first = asked(play(sums, tmp_path / "a", seed=4, epochs=2))
    assert asked(play(sums, tmp_path / "b", seed=4, epochs=2)) == first
    assert asked(play(sums, tmp_path / "c", seed=5))["large"] != first["large"]
    assert first["large"] != first["large#2"]


def test_an_agent_that_never_ends_is_judged_at_its_last_step(sums: Sums, tmp_path: Path) -> None:
    rows = play(sums, tmp_path, Adder.tireless).rows
    row = next(row for row in rows if row.id == "small")
    assert (row.detail["steps"], row.detail["ending"], row.score) == (3, "done right", 1)


@pytest.mark.slow
def test_what_the_suite_cannot_do_is_an_error_and_never_a_score(tmp_path: Path) -> None:
    sums = benchmark(SuiteLimits(set_up_s=2.0), tasks=ALL)
    run = play(sums, tmp_path)
    scores = {row.id: row.score for row in run.rows if row.status != "failed"}
    assert scores == {"small": 1, "large": 1, "half": 0.5, "print": 1, "no-tear-down": 1}
    causes = {row.id: find_cause(row) for row in run.rows if row.status == "failed"}
    assert causes == {
        "crash": "suite lost",
        "hang": "suite lost",
        "import": "set-up failed",
        "no-set-up": "set-up failed",
        "no-verdict": "evaluator failed",
        "above-one": "suite lost",
        "device": "device lost",
        "crash-at-end": "suite lost",
    }
    rows = {row.id: row for row in run.rows}
    assert "the tear-down failed" in str(rows["no-tear-down"].detail["tear_down"])
    kept = {
        episode.task_id: (episode.outcome, len(episode.steps))
        for episode in map(
            EpisodeStore(tmp_path / EPISODES).read, EpisodeStore(tmp_path / EPISODES).ids()
        )
    }
    # What was played stays, although nobody could judge it.
    assert kept["no-verdict"] == kept["crash-at-end"] == ("interrupted", 2)
    assert "no-set-up" not in kept
    sums.workers.close()


@pytest.mark.slow
def test_a_run_on_another_version_is_neither_continued_nor_compared(tmp_path: Path) -> None:
    version = tmp_path / "version"
    version.write_text("1.0")
    old = benchmark(version=str(version))
    first = play(old, tmp_path / "a")
    version.write_text("1.1")
    new = benchmark(version=str(version))
    with pytest.raises(LedgerError, match=r"version.*1\.0.*1\.1"):
        play(new, tmp_path / "a")
    with pytest.raises(RunLogError, match=r"Sums 1\.0 c0ffee.*Sums 1\.1 c0ffee"):
        compare(first, play(new, tmp_path / "b"))
    for one in (old, new):
        one.workers.close()


def test_a_device_that_is_lost_in_the_middle_is_no_score(sums: Sums, tmp_path: Path) -> None:
    run = asyncio.run(
        evaluate_tasks(sums, Adder.tireless, lambda: FakeDevice(lost_after=1), tmp_path)
    )
    assert {row.score for row in run.rows} == {None}
    assert {find_cause(row) for row in run.rows} == {"device lost"}
    whole = play(sums, tmp_path / "again", Adder.tireless)
    assert {row.status for row in whole.rows} == {"ok"}


def test_several_devices_play_at_a_time(sums: Sums, tmp_path: Path) -> None:
    devices = dict.fromkeys(("one", "two"), FakeDevice)
    run = asyncio.run(evaluate_tasks(sums, Adder.make, devices, tmp_path))
    assert sorted(row.score or 0 for row in run.rows) == [0.5, 1, 1]


def test_what_ended_is_not_played_again(sums: Sums, tmp_path: Path) -> None:
    first = play(sums, tmp_path)
    assert play(sums, tmp_path).rows == first.rows
    assert len(EpisodeStore(tmp_path / EPISODES).ids()) == 3


def test_a_python_that_only_a_log_names_is_not_started() -> None:
    with pytest.raises(SuiteMissingError, match=r"/somebody/else/python.* is named by a file"):
        AndroidWorld.load("/somebody/else/python")
