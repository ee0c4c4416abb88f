"""The core where POSIX's modules and calls are hidden: on the stand-in of Windows."""

import json
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.core.episode import Episode
from tapwright.store.store import EpisodeStore
from tests.cli.serving import ask, serving
from tests.running_on_windows import COMMAND, ROOT, environment, run_on_windows


def command(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """`tapwright` with these words on the stand-in."""
    return subprocess.run(
        [*COMMAND, *words],
        cwd=cwd, env=environment(), capture_output=True, encoding="utf-8",
        timeout=300, check=False,
    )  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, episodes: list[Episode]) -> Path:
    """A directory with a store that was written here, and so comes from another system."""
    store = EpisodeStore(tmp_path / "store")
    for one in episodes:
        store.write(replace(one, outcome="success"))
    return tmp_path


def test_version_and_a_round_trip_of_the_store_need_no_module_of_posix(home: Path) -> None:
    program = """
import sys
from dataclasses import replace
from pathlib import Path
from tapwright.store.store import EpisodeStore
store = EpisodeStore(Path("store"))
first = store.read(store.ids()[0])
store.write(replace(first, id="Again"))
assert store.read("Again") == replace(first, id="Again")
sys.argv[1:] = ["--version"]
from tapwright.cli.main import main
main()
"""
    told = run_on_windows(program, cwd=home)
    assert told.startswith("tapwright, version ")
    assert EpisodeStore(home / "store").read("Again").steps
    assert not list(home.rglob("*.lock"))


@pytest.mark.slow
def test_the_core_imports_edits_exports_measures_and_reports(home: Path) -> None:
    for words in (
        "--help",
        "doctor",
        f"episodes import {shlex.quote(str(ROOT / 'tests/golden/mobiagent/data'))} -o imported",
        "episodes ls imported",
        "episodes ls store --where 'steps > 0'",
        "episodes edit store --set instruction=again",
        "episodes edit imported --delete-steps 0",
        "episodes check imported",
        "episodes export imported --to mobile-env -o pickles",
        "episodes rm imported --where 'steps > 0' --reason try",
        "episodes restore imported",
        "episodes tag store --add good",
        "episodes copy store imported",
        "annotate run store",
        "sft export store --to llamafactory --convention json --annotator rules -o set",
        "eval make store -o own",
        "eval run l2 --data own -m random -o runs/random",
        "eval run l2 --data own -m random -o runs/random",
        "report runs/random -o report.html",
        "clean .",
    ):
        run = command(*shlex.split(words), cwd=home)
        assert "Traceback" not in run.stderr, (words, run.stderr)
        # A required check of `doctor` is a browser, which needs Linux.
        assert run.returncode == (words == "doctor"), (words, run.stderr)
    assert (home / "report.html").stat().st_size > 10_000
    assert not [*home.rglob("*.lock"), *home.rglob("*.part")]
    assert command("episodes", "ls", "imported", cwd=home).stdout


@pytest.mark.slow
def test_the_web_app_starts_answers_and_stops(home: Path) -> None:
    program = COMMAND[1:]
    with serving(
        "serve",
        "--episodes",
        "store",
        "--device",
        "fake",
        "--port",
        "0",
        cwd=home,
        program=program,
        **environment(),
    ) as web:
        answer, data = ask(web.host, "/api/episodes", headers=web.cookie)
        assert answer.status == 200
        assert json.loads(data)
        code, said = web.end()
    assert "Traceback" not in said
    assert code == 130


@pytest.mark.slow
def test_devices_are_lent_and_borrowed(tmp_path: Path) -> None:
    words = ("devices", "serve", "--device", "fake", "--port", "0")
    with serving(*words, cwd=tmp_path, program=COMMAND[1:], **environment()) as lending:
        run = command("devices", "info", "--device", lending.url, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout)
        _, said = lending.end()
    assert "Traceback" not in said


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "devices info --device phone",
        "devices info --device web:https://example.org/",
        "devices info --device desktop",
        "demo -o demo",
        "record --agent script -o recorded",
        "sites install trac --dir sites",
        "suites install osworld --dir suites",
    ],
)
def test_what_needs_linux_says_so_in_one_line(words: str, tmp_path: Path) -> None:
    run = command(*shlex.split(words), cwd=tmp_path)
    assert run.returncode == 2, run.stderr
    assert "[TW104]" in run.stderr, run.stderr
    assert "needs Linux, and this is Windows" in run.stderr
    assert "Traceback" not in run.stderr
