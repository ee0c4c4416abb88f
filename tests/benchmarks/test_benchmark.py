from itertools import count
from pathlib import Path

import pytest

from tapwright.benchmarks import benchmarks
from tapwright.benchmarks.automation import Automation
from tapwright.benchmarks.benchmark import Benchmark, Score, TaskBenchmark
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.osworld_g import OSWorldG
from tapwright.benchmarks.pointing import Aimed
from tapwright.conventions.convention import Space
from tapwright.core.episode import Episode
from tapwright.harnesses import harnesses
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
        if self.broken == "moody":
            return Score(0.0, "ok", next(COUNTER))
        return super().score(sample, answer, space=space)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("none", "it has no samples"),
        ("twice", "two samples have the id 'a-0'"),
        ("wordless", "the prompt does not end with the user's words"),
        ("large", "scores 2.0; expected 0 to 1"),
        ("moody", "scores differently each time"),
    ],
)
def test_a_benchmark_that_breaks_a_law_is_told_which(
    broken: str, says: str, tmp_path: Path
) -> None:
    benchmark = Loose(osworld_g(tmp_path, OSWORLD_ROW))
    benchmark.broken = broken
    with pytest.raises(ConformanceError, match=says):
        check_benchmark(benchmark)
