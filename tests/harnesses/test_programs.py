"""What the programs of suites say without their suites: of a commit, of tasks, of their needs."""

import importlib
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tapwright.harnesses.suites import BROWSERGYM
from tapwright.harnesses.suites import OSWORLD as SUITE
from tests.harnesses.pages import serve

DATA = Path(__file__).with_name("osworld")


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """OSWorld's program, which finds its library beside itself."""
    yield from load(SUITE.program, monkeypatch)


@pytest.fixture
def browsergym(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    yield from load(BROWSERGYM.program, monkeypatch)


def load(file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(file.parent))
    yield importlib.import_module(file.stem)
    for name in (file.stem, "tapwright_suite"):
        sys.modules.pop(name, None)


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", "-C", folder, *identity, *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_two_changes_of_a_checkout_have_two_names(program: ModuleType, tmp_path: Path) -> None:
    module = tmp_path / "suite.py"
    module.write_text("rules = 1\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    commit = git(tmp_path, "rev-parse", "HEAD")

    def told(text: str) -> str:
        module.write_text(text)
        return str(program.commit_of("no-such-distribution", str(module)))

    assert told("rules = 1\n") == commit
    two, three = told("rules = 2\n"), told("rules = 3\n")
    assert two != three
    assert two.startswith(f"{commit}+")
    assert three.startswith(f"{commit}+")
    assert told("rules = 2\n") == two


def test_tasks_that_have_no_commit_are_told_by_what_they_say(
    program: ModuleType, tmp_path: Path
) -> None:
    shutil.copytree(DATA, tmp_path / "tasks")

    def digest() -> str:
        found = program._find_tasks(str(tmp_path / "tasks"), "")
        return str(program._digest(found.values()))

    first = digest()
    file = next((tmp_path / "tasks").rglob("note-new.json"))
    task = json.loads(file.read_text())
    file.write_text(json.dumps(task, indent=7))
    assert digest() == first
    file.write_text(json.dumps({**task, "instruction": "Something else"}))
    assert digest() != first


@pytest.mark.parametrize(
    ("step", "needs"),
    [
        ({"type": "launch", "parameters": {"command": ["socat", "tcp-listen:9222,fork"]}}, "socat"),
        ({"type": "launch", "parameters": {"command": ["code", "/home/user/a.bib"]}}, "code"),
        ({"type": "execute", "parameters": {"command": "gio trash /home/user/a"}}, "gio"),
        ({"type": "execute", "parameters": {"command": ["/bin/bash", "-c", "unzip a"]}}, "unzip"),
        ({"type": "execute", "parameters": {"command": ["python", "-c", "decode('code')"]}}, ""),
    ],
)
def test_what_a_set_up_starts_is_needed(
    step: dict[str, object], needs: str, program: ModuleType
) -> None:
    found = program._needs({"config": [step], "evaluator": {"func": "infeasible"}})
    assert found == ([needs] if needs else [])


@pytest.mark.slow
def test_pages_of_miniwob_are_looked_for_and_not_served(
    browsergym: ModuleType, tmp_path: Path
) -> None:
    def is_ready(given: str) -> bool:
        suite = browsergym.BrowserGymSuite()
        suite._options = {"miniwob": given}
        return bool(suite._is_ready("miniwob"))

    threads = threading.active_count()
    assert not is_ready(str(tmp_path))
    (tmp_path / "click-test.html").write_text("<p>Click")
    assert is_ready(str(tmp_path))
    assert threading.active_count() == threads
    asked: list[str] = []

    def answer(path: str) -> tuple[str, bytes]:
        asked.append(path)
        return "text/html", b"<p>Click"

    with serve(answer) as address:
        assert is_ready(f"{address}/miniwob")
    assert asked == ["/miniwob/click-test.html"]
    assert not is_ready(f"{address}/miniwob")
    assert not is_ready("http://127.0.0.1:no/")
