"""scripts/ask_again.py: what forgives a failure, and what refuses it."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.scripts import ROOT, load_script

pytestmark = pytest.mark.slow  # each starts pytest several times

RACE = """
from pathlib import Path

def test_race():
    seen = Path(__file__).with_suffix(".seen")
    with seen.open("a") as file:
        file.write("x")
    assert seen.stat().st_size > {failures}, "came too early"
"""


def run(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The script on the tests in a directory, which has settings of its own."""
    (directory / "pytest.ini").write_text("[pytest]\naddopts = -q\n")
    return subprocess.run(
        [sys.executable, ROOT / "scripts/ask_again.py", "--kept", directory / "kept", *words],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_test_that_passes_twice_alone_is_told_and_forgiven(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(RACE.format(failures=1))
    (tmp_path / "test_other.py").write_text("def test_steady(): pass\n")
    ran = run(tmp_path)
    assert ran.returncode == 0, ran.stdout
    assert "asking again, 2 times alone: test_it.py::test_race" in ran.stdout
    table = run(tmp_path, "--table").stdout
    assert table.startswith("unsteady, passed twice when asked again (1):")
    assert "test_it.py::test_race" in table
    assert "came too early" in table
    assert run(tmp_path, "--table").stdout == "no test was unsteady\n"


@pytest.mark.parametrize("failures", [2, 99])
def test_a_test_that_fails_again_refuses(tmp_path: Path, failures: int) -> None:
    (tmp_path / "test_it.py").write_text(RACE.format(failures=failures))
    ran = run(tmp_path)
    assert ran.returncode == 1
    assert (
        "refused: test_it.py::test_race failed again: AssertionError: came too early" in ran.stdout
    )
    assert run(tmp_path, "--table").stdout == "no test was unsteady\n"


def test_more_than_five_refuse_without_being_asked(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"test_it{number}.py").write_text(RACE.format(failures=1))
    ran = run(tmp_path)
    assert ran.returncode == 1
    assert "refused: 6 tests failed, 0 before; more than 5 are not asked again" in ran.stdout


def test_unsteady_tests_of_the_runs_before_count(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(RACE.format(failures=1))
    before = {"test": "test_before.py::test_it", "line": "", "seconds": 0.1, "load": 1.0}
    (tmp_path / "kept").write_text(f"{json.dumps(before)}\n" * 5)
    ran = run(tmp_path)
    assert ran.returncode == 1
    assert "refused: 1 tests failed, 5 before" in ran.stdout


@pytest.mark.parametrize(
    ("text", "code"),
    [("def test_it(): pass\n", 0), ("import nothing_of_that_name\n", 2), ("", 5)],
    ids=["passed", "cannot be imported", "no test"],
)
def test_what_is_no_failed_test_ends_as_pytest_does(tmp_path: Path, text: str, code: int) -> None:
    (tmp_path / "test_it.py").write_text(text)
    assert run(tmp_path).returncode == code


HANG = """
import threading
from pathlib import Path

def test_hang():
    seen = Path(__file__).with_suffix(".seen")
    with seen.open("a") as file:
        file.write("x")
    if seen.stat().st_size == 1:
        threading.Event().wait()
"""


def test_a_test_that_hangs_ends_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(HANG)
    (tmp_path / "test_other.py").write_text("def test_steady(): pass\n")
    ran = run(tmp_path, "-n", "2", "--dist", "worksteal", "-o", "faulthandler_timeout=2")
    assert ran.returncode == 0, ran.stdout
    assert "1 failed, 1 passed" in ran.stdout
    assert "in test_hang" in ran.stderr  # the stack of what hung
    assert "asking again, 2 times alone: test_it.py::test_hang" in ran.stdout
    assert "crashed while running 'test_it.py::test_hang'" in run(tmp_path, "--table").stdout


def test_files_lie_in_memory_where_there_is_room_until_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = load_script("ask_again")
    if not script.has_room(script.MEMORY):
        pytest.skip(f"no room in {script.MEMORY}")
    monkeypatch.delenv("TMPDIR", raising=False)
    told = tmp_path / "told"
    left = Path(tempfile.mkdtemp("", "tw", script.MEMORY))
    (left / "owner.lock").touch()  # of a run that was killed
    os.utime(left, (0, 0))
    (tmp_path / "test_it.py").write_text(
        f"def test_it(tmp_path): open({str(told)!r}, 'w').write(str(tmp_path))\n"
    )
    assert run(tmp_path, "--in-memory").returncode == 0
    place = Path(told.read_text())
    assert place.is_relative_to(script.MEMORY)
    assert not left.exists()
    assert not (script.MEMORY / place.relative_to(script.MEMORY).parts[0]).exists()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert run(tmp_path, "--in-memory").returncode == 0
    assert Path(told.read_text()).is_relative_to(tmp_path)


def test_a_place_where_nothing_can_be_written_has_no_room() -> None:
    assert not load_script("ask_again").has_room(Path("/proc"))


def test_a_test_of_the_change_is_never_forgiven(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
        subprocess.run(["git", "-C", clone, *who, *words], check=True, timeout=60)

    def asked() -> str:
        """What it prints of the race, when the change is what differs from HEAD."""
        race.with_suffix(".seen").unlink(missing_ok=True)
        ran = subprocess.run(
            [sys.executable, clone / "scripts/ask_again.py", "-p", "no:cacheprovider", test],
            cwd=clone,
            env=os.environ | {"BASE": "HEAD"},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return ran.stdout

    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--shared", ROOT, clone], check=True, timeout=60)
    test = "tests/store/test_race.py"
    race = clone / test
    race.write_text(RACE.format(failures=1))
    (clone / ".git/info/exclude").write_text("*.seen\n")
    refused = f"refused: {test}::test_race is unsteady, and the change wrote it or touches its room"
    assert refused in asked()
    git("add", test)
    git("commit", "-q", "-m", "a race")
    printed = asked()
    assert "refused" not in printed
    assert "unsteady, passed twice when asked again (1)" in printed
    with (clone / "src/tapwright/store/tags.py").open("a") as file:
        file.write("# another line\n")
    assert refused in asked()
