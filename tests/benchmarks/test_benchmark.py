import asyncio
from itertools import count
from pathlib import Path
from typing import cast

import pytest
from pydantic import JsonValue

from tapwright.benchmarks import benchmarks
from tapwright.benchmarks.answers import AnswerStatus
from tapwright.benchmarks.automation import Automation
from tapwright.benchmarks.benchmark import Benchmark, Score, StaticSample, TaskBenchmark
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.osworld_g import OSWorldG
from tapwright.benchmarks.pointing import Aimed
from tapwright.conventions.convention import Space
from tapwright.core.episode import Episode
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Picture, Text
from tapwright.evaluate.run import evaluate
from tapwright.evaluate.run_log import read_run
from tapwright.harnesses import harnesses
from tapwright.models.scripted import ScriptedModel
from tapwright.store.store import EpisodeStore
from tapwright.testing import check_benchmark
from tapwright.testing.errors import ConformanceError
from tests.benchmarks.dataset_samples import LAYOUTS, OSWORLD_ROW, osworld_g


# Those of suites are tested with the suites: their tasks are known in their own environments only.
@pytest.mark.parametrize("name", sorted(set(benchmarks.names()) - set(harnesses.names())))
def test_every_registered_benchmark_is_either_asked_or_played(
    name: str, episodes: list[Episode], tmp_path: Path
) -> None:
    loaded = benchmarks.get(name)(_source(name, episodes, tmp_path / "data"))
    assert isinstance(loaded, Benchmark) != isinstance(loaded, TaskBenchmark)
    assert loaded.name == name
    if isinstance(loaded, Benchmark):
        check_benchmark(loaded)


@pytest.mark.parametrize("name", benchmarks.names())
def test_every_registered_benchmark_stands_in_the_docs(name: str) -> None:
    page = Path(__file__).parents[2] / "docs" / "benchmarks.md"
    assert f"`{name}`" in page.read_text("utf-8")


def test_a_suite_of_tasks_is_played() -> None:
    played: TaskBenchmark = Automation([])  # the type checker compares the signatures
    assert isinstance(played, TaskBenchmark)


def _source(name: str, episodes: list[Episode], path: Path) -> str:
    if name in ("l3", "l4"):
        return "phone"
    if name == "miniwob":
        return "miniwob"
    if name.startswith("steps-"):
        store = EpisodeStore(path)
        store.write(episodes[0])
    elif name in LAYOUTS:
        write, row = LAYOUTS[name]
        write(path, row)
    else:
        make_benchmarks(episodes, path)
    return str(path)


COUNTER = count()


class Loose(OSWorldG):
    """Breaks one law at a time."""

    broken = ""

    def samples(self) -> list[Aimed]:
        every = super().samples()
        return {"none": [], "twice": every * 2}.get(self.broken, every)

    def text(self, sample: Aimed) -> str:
        return "" if self.broken == "wordless" else super().text(sample)

    def score(self, sample: Aimed, answer: str, *, space: Space | str) -> Score:
        if self.broken == "large":
            return Score(2.0, "ok")
        if self.broken == "parsed":
            return Score(0.0, cast(AnswerStatus, "parsed"))
        if self.broken == "detail":
            return Score(0.0, "ok", detail={"seen": cast(JsonValue, object())})
        if self.broken == "moody":
            return Score(0.0, "ok", next(COUNTER))
        return super().score(sample, answer, space=space)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("none", "it has no samples"),
        ("twice", "two samples have the id 'a-0'"),
        ("wordless", "the prompt does not end with the user's words"),
        ("large", "the score is 2.0; expected a number from 0 to 1"),
        ("moody", "scores differently each time"),
        ("parsed", "the status 'parsed'; expected ok, none, ambiguous, out_of_range"),
        ("detail", "is no JSON"),
    ],
)
def test_a_benchmark_that_breaks_a_law_is_told_which(
    broken: str, says: str, tmp_path: Path
) -> None:
    benchmark = Loose(osworld_g(tmp_path, OSWORLD_ROW))
    benchmark.broken = broken
    with pytest.raises(ConformanceError, match=says):
        check_benchmark(benchmark)


class Own:
    """A benchmark in a few lines, whose scores are `given`."""

    name, source, data_sha256 = "own", "", "0"

    def __init__(self, picture: Path, given: Score) -> None:
        self._samples = [StaticSample("a", "open it", {}, picture, Size(100, 200))]
        self._given = given

    def samples(self) -> list[StaticSample]:
        return self._samples

    def prompt(self, sample: StaticSample) -> list[Message]:
        return [Message("user", (Picture(sample.observe().screenshot), Text(sample.instruction)))]

    def score(self, sample: StaticSample, answer: str, *, space: Space | str) -> Score:
        return self._given


@pytest.mark.parametrize(
    "given",
    [
        Score(0.0, cast(AnswerStatus, "parsed")),
        Score(0.0, "ok", detail={"seen": cast(JsonValue, object())}),
        Score(cast(float, "1"), "ok"),
        Score(float("nan"), "ok"),
    ],
    ids=["no status", "no JSON", "no number", "not finite"],
)
def test_a_run_is_as_strict_and_keeps_the_answer(given: Score, tmp_path: Path) -> None:
    root = osworld_g(tmp_path / "data", OSWORLD_ROW)
    benchmark = Own(root / "benchmark/images/one.png", given)
    with pytest.raises(ConformanceError):
        check_benchmark(benchmark)
    run = asyncio.run(evaluate(benchmark, ScriptedModel(["(20, 30)"]), tmp_path / "run"))
    (row,) = read_run(tmp_path / "run").rows
    assert run.rows == (row,)
    assert (row.answer, row.ending, row.score) == ("(20, 30)", "failed", None)
    assert row.error is not None
    assert row.error.code == "TW600"


def test_samples_that_are_a_list_are_no_method(tmp_path: Path) -> None:
    benchmark = Loose(osworld_g(tmp_path / "data", OSWORLD_ROW))
    vars(benchmark)["samples"] = benchmark.samples()
    with pytest.raises(ConformanceError, match="a method `samples"):
        check_benchmark(benchmark)
    with pytest.raises(BadBenchmarkError, match="a method `samples"):
        asyncio.run(evaluate(benchmark, ScriptedModel(["x"]), tmp_path / "run"))
    assert not (tmp_path / "run").exists()
