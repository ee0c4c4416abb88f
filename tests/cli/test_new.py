"""What `tapwright new` writes passes the check of its kind as it is, and commands take it."""

import asyncio
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tapwright.core.episode import Episode
from tapwright.core.geometry import Size
from tapwright.devices.fake import FakeDevice, painted_scene
from tapwright.environment.environment import Environment
from tapwright.evaluate.run_log import read_run
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tapwright.testing import (
    check_agent,
    check_benchmark,
    check_convention,
    check_device,
    check_importer,
)
from tapwright.testing.errors import ConformanceError
from tests.cli.running import tapwright

KINDS = ("agent", "benchmark", "convention", "device", "importer", "suite")


def written(kind: str, folder: Path) -> ModuleType:
    """The module of what is written under the name `mine`."""
    made = tapwright("new", kind, "mine", cwd=folder)
    assert made.returncode == 0, made.stderr
    assert made.stdout == "mine.py\n"
    spec = importlib.util.spec_from_file_location("mine", folder / "mine.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def data(root: Path) -> Path:
    root.mkdir()
    (root / "1.png").write_bytes(painted_scene(1, Size(100, 200)).picture)
    row = {"id": "1", "picture": "1.png", "size": [100, 200], "question": "What?", "answer": "Red"}
    (root / "rows.json").write_text(json.dumps([row]))
    return root


def test_a_device_passes_its_check(tmp_path: Path) -> None:
    with written("device", tmp_path).open_device() as device:
        assert device.name == "mine 360x640"
        check_device(device)


def test_a_convention_passes_its_check(tmp_path: Path) -> None:
    check_convention(written("convention", tmp_path).CONVENTION)


def test_a_benchmark_passes_its_check_and_is_run(tmp_path: Path) -> None:
    check_benchmark(written("benchmark", tmp_path).load(str(data(tmp_path / "data"))))
    words = ("eval", "run", "mine:load", "--data", "data", "-m", "scripted/red", "-o", "run")
    ended = tapwright(*words, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert [row.score for row in read_run(tmp_path / "run").rows] == [1.0]
    missing = tapwright(
        "eval", "run", "mine:load", "--data", "none", "-m", "scripted/red", cwd=tmp_path
    )
    assert "mine:load: its data cannot be read" in missing.stderr
    assert "none/rows.json" in missing.stderr


def test_an_agent_passes_its_check_and_plays(tmp_path: Path) -> None:
    module = written("agent", tmp_path)
    shows = When(TreeShows("Button 2"))
    task = Task(id="t", instruction="do it", apps=("fake",), check=shows)
    asyncio.run(check_agent(module.make, Environment(FakeDevice(), task)))
    words = ("record", "--agent", "mine:make", "--limit", "1", "-o", "episodes")
    ended = tapwright(*words, cwd=tmp_path)
    assert ended.returncode in (0, 1), ended.stderr
    assert list((tmp_path / "episodes").rglob("*.png"))


def test_an_importer_passes_its_check_and_imports(tmp_path: Path) -> None:
    module = written("importer", tmp_path)
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "1.png").write_bytes(painted_scene(1, Size(100, 200)).picture)
    taps = [
        {"picture": "1.png", "x": 50, "y": 20, "why": "It is off"},
        {"picture": "1.png", "x": 5000, "y": 20},
        {"picture": "none.png", "x": 1, "y": 2},
    ]
    lines = {"id": "1", "goal": "Turn on Wi-Fi", "done": True, "taps": taps, "mood": "good"}
    (taken / "a.taps.json").write_text(json.dumps(lines))
    check_importer(module.READER, taken)
    words = ("episodes", "import", "taken", "--from", "mine:READER", "-o", "episodes")
    ended = tapwright(*words, cwd=tmp_path)
    assert "mood" in ended.stdout + ended.stderr  # a field that nobody reads is told
    words = ("episodes", "import", "none", "--from", "mine:READER", "-o", "others")
    assert "none: does not exist" in tapwright(*words, cwd=tmp_path).stderr
    assert "none.png" in ended.stdout + ended.stderr
    assert ended.returncode == 1  # as a picture is missing
    (episode,) = EpisodeStore(tmp_path / "episodes")
    assert [bool(step.refused) for step in episode.steps] == [False, True, False]
    assert episode.steps[0].decision.reasoning == "It is off"
    assert episode.id == "mine-1"


def test_an_importer_that_raises_or_hides_what_it_opens_fails_its_check(tmp_path: Path) -> None:
    class Careless:
        name = "careless"

        def recognizes(self, path: Path) -> bool:
            return path.suffix == ".rec"

        def read(self, path: Path) -> Iterator[Episode]:
            for file in [path] if path.is_file() else path.glob("*.rec"):
                file.read_text()
                yield Episode("one", "t", "Do it", ())

    (tmp_path / "a.rec").write_text("a")
    with pytest.raises(ConformanceError, match="opens files by"):
        check_importer(Careless(), tmp_path)


BENCHMARK = ("eval", "run", "mine:load", "--data", "data", "-m", "scripted/red", "-o", "run")
DEVICE = ("devices", "info", "--device", "mine:open_device")


@pytest.mark.parametrize(
    ("kind", "right", "wrong", "words", "said"),
    [
        ("benchmark", 'row["question"]', 'row["qestion"]', BENCHMARK,
         r"mine\.py, line \d+: KeyError"),
        ("benchmark", "return [Message(", "return [str(", BENCHMARK,
         r"mine\.py, line \d+: TypeError"),
        ("benchmark", "return self._samples", "return [1]", BENCHMARK,
         r"mine\.py, line \d+: AttributeError"),
        ("device", "return Own()", "return Ownn()", DEVICE, r"mine\.py, line \d+: NameError"),
        ("device", "return Observation(", "return None and Observation(", DEVICE,
         r"mine:open_device.*: something that it gave"),
        ("device", "def apps", "def aps", DEVICE, r"mine:open_device.*: something that it gave"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_member_of_ones_own_is_told_in_a_line(
    kind: str, right: str, wrong: str, words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    data(tmp_path / "data")
    assert tapwright("new", kind, "mine", cwd=tmp_path).returncode == 0
    file = tmp_path / "mine.py"
    file.write_text(file.read_text().replace(right, wrong))
    ended = tapwright(*words, cwd=tmp_path)
    assert ended.returncode == 2
    assert re.search(said, ended.stderr)
    assert f"tapwright.testing.check_{kind}" in ended.stderr


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("sample.answr.lower()", r"mine\.py, line \d+: AttributeError"),
        ("sample.answer.lower()) * 3", "from 0 to 1"),
    ],
)
def test_an_answer_that_ones_own_benchmark_fails_to_score_is_kept(
    wrong: str, said: str, tmp_path: Path
) -> None:
    data(tmp_path / "data")
    assert tapwright("new", "benchmark", "mine", cwd=tmp_path).returncode == 0
    file = tmp_path / "mine.py"
    right = "sample.answer.lower())" if "*" in wrong else "sample.answer.lower()"
    file.write_text(file.read_text().replace(right, wrong))
    assert tapwright(*BENCHMARK, cwd=tmp_path).returncode == 1
    (row,) = read_run(tmp_path / "run").rows
    assert (row.answer, row.score) == ("red", None)
    assert row.error is not None
    assert re.search(said, row.error.message)


def test_a_suite_is_played_by_its_own_program(tmp_path: Path) -> None:
    written("suite", tmp_path)
    words = ("eval", "run", "mine:Own.load", "--suite-python", sys.executable, "-m", "random")
    ended = tapwright(*words, "-o", "run", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert {row.id for row in read_run(tmp_path / "run").rows} == {"small", "large"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_speaks_of_its_own_name_and_nothing_is_overwritten(
    kind: str, tmp_path: Path
) -> None:
    written(kind, tmp_path)
    text = (tmp_path / "mine.py").read_text("utf-8")
    assert "of your own" in text.splitlines()[0]
    assert not re.search(r"\bown:\w", text)
    assert "mine:" in text
    again = tapwright("new", kind, "mine", cwd=tmp_path)
    assert again.returncode != 0
    assert "mine.py exists" in again.stderr
    assert (tmp_path / "mine.py").read_text("utf-8") == text


@pytest.mark.parametrize("name", ["../up", "a-b", "1", "own"])
def test_a_name_that_is_no_module_is_refused(name: str, tmp_path: Path) -> None:
    ended = tapwright("new", "agent", name, cwd=tmp_path)
    assert ended.returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["class", "json", "click", "__main__", "own", "a b", "x" * 300])
def test_a_name_that_another_module_has_or_none_can_have_is_refused(
    name: str, tmp_path: Path
) -> None:
    refused = tapwright("new", "agent", name, cwd=tmp_path)
    assert refused.returncode == 2
    assert "[TW100]" in refused.stderr
    assert not list(tmp_path.iterdir())
