from pathlib import Path

import pytest

from tapwright.benchmarks import benchmarks
from tapwright.benchmarks.automation import Automation
from tapwright.benchmarks.benchmark import Benchmark, Played
from tapwright.benchmarks.own import make_benchmarks
from tapwright.episode import Episode


@pytest.mark.parametrize("name", benchmarks.names())
def test_every_registered_benchmark_is_either_asked_or_played(
    name: str, episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    loaded = benchmarks.get(name)("phone" if name == "l3" else str(tmp_path / "own"))
    assert isinstance(loaded, Benchmark) != isinstance(loaded, Played)
    assert loaded.name == name


def test_a_suite_of_tasks_is_played() -> None:
    played: Played = Automation([])  # the type checker compares the signatures
    assert isinstance(played, Played)
