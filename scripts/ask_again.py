"""Runs pytest, and asks a test that failed again: alone, twice, each in a process of its own.

Run: python scripts/ask_again.py PYTEST-WORDS...; with --table, at the end of all runs.
A test that then passes both times is unsteady: it is told, kept in .make/unsteady.jsonl for the
table, and refuses nothing. What refuses: a test that fails again; more than five unsteady ones
since the last table; one that the change itself wrote, or that lies in a room that the change
touches (scripts/choose_tests.py says which those are).
With --in-memory the tests' files lie in /dev/shm, where it has room and runs programs and TMPDIR
says no other place: tests write thousands of small files durably, and a disk is what they wait for.
What a run that was killed left there goes when the next one begins.
A test that hangs ends, after ten minutes, with the stacks of its process: it is asked again as one
that failed, and the others go on.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

import pytest

from choose_tests import Change, Tests, changed_paths, read_base
from tapwright.files.temporary import OwnedDirectory

ROOT = Path(__file__).parents[1]
KEPT = ROOT / ".make/unsteady.jsonl"
MOST = 5
MEMORY = Path("/dev/shm")  # noqa: S108 - what is made there is the own user's
# For what is there at one time, a part of it; as much stays free for the tests themselves.
_ROOM = 4 << 30
_TIMES = 2
# At rest none takes two minutes; a run ends whatever a test waits for.
_HANGING_S = 600
_FILE = "TAPWRIGHT_FAILURES"
# What a run of pytest sets for what it starts, and another must not take for its own.
_INNER = (
    "PYTEST_XDIST_WORKER",
    "PYTEST_XDIST_TESTRUNUID",
    "PYTEST_XDIST_WORKER_COUNT",
    "PYTEST_CURRENT_TEST",
    _FILE,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that failed: the last line of its report, how long it took, the machine's load."""

    test: str
    line: str
    seconds: float
    load: float


def pytest_configure(config: pytest.Config) -> None:
    """Where this file is a plugin: write each failure to the file that the environment names."""
    name = os.environ.get(_FILE)
    if name and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Writer(Path(name)))


class _Writer:
    """Writes failures as they come, so that a run that is ended has told them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._told: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.failed or report.nodeid in self._told:
            return
        self._told.add(report.nodeid)
        failure = Failure(report.nodeid, _last_line(report), report.duration, os.getloadavg()[0])
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(failure)) + "\n")


def _last_line(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0] if crash is not None and lines else lines[-1] if lines else "")[:300]


def read_failures(path: Path) -> tuple[Failure, ...]:
    """The failures that a file has, in the order in which they came; none if there is no file."""
    if not path.exists():
        return ()
    return tuple(Failure(**json.loads(line)) for line in path.read_text("utf-8").splitlines())


def run_pytest(
    words: Sequence[str], failures: Path | None = None, out: TextIO | None = None
) -> int:
    """Run pytest in a process of its own; what it prints goes to `out`, or where ours does."""
    environment = {name: value for name, value in os.environ.items() if name not in _INNER}
    if failures is not None:
        environment[_FILE] = str(failures)
    path = [str(ROOT / "scripts"), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    plugins = ["-p", "choose_tests", "-p", "ask_again"]
    # The process ends, which holds for what no signal interrupts, too; another takes its place.
    hanging = [
        "-o",
        f"faulthandler_timeout={_HANGING_S}",
        "-o",
        "faulthandler_exit_on_timeout=true",
    ]
    command = [sys.executable, "-m", "pytest", *plugins, *hanging, *words]
    return subprocess.run(command, env=environment, stdout=out, stderr=out, check=False).returncode


def has_room(place: Path) -> bool:
    """Whether files of tests can lie in memory here: it is writable, runs programs, has room."""
    if not os.access(place, os.W_OK | os.X_OK):
        return False
    found = os.statvfs(place)
    free = re.search(r"^MemAvailable: *(\d+) kB", Path("/proc/meminfo").read_text("utf-8"), re.M)
    return bool(
        not found.f_flag & os.ST_NOEXEC
        and found.f_bavail * found.f_frsize >= _ROOM
        and free is not None
        and int(free[1]) << 10 >= 2 * _ROOM
    )


def ask_again(failure: Failure) -> str:
    """What it printed when it failed again; "" if it passed each time."""
    for _ in range(_TIMES):
        with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
            code = run_pytest(["-p", "no:cacheprovider", failure.test], out=out)
            if code:
                out.seek(0)
                return out.read()
    return ""


def is_of_the_change(test: str) -> bool:
    """Whether the change wrote the test, or touches its room."""
    path, tests = test.split("::")[0], Tests()
    if path not in tests.paths:
        return False
    return Change(changed_paths(read_base(os.environ.get("BASE", "")))).is_touched(path, tests)


def judge(failures: Sequence[Failure], kept: Path) -> Iterator[str]:
    """Ask each again; yields why the run is refused, and keeps those that were unsteady."""
    known = len(read_failures(kept))
    if known + len(failures) > MOST:
        yield f"{len(failures)} tests failed, {known} before; more than {MOST} are not asked again"
        return
    for failure in failures:
        _say(f"asking again, {_TIMES} times alone: {failure.test}")
        again = ask_again(failure)
        if again:
            _say(again)
            yield f"{failure.test} failed again: {failure.line}"
            continue
        kept.parent.mkdir(exist_ok=True)
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(failure)) + "\n")
        if is_of_the_change(failure.test):
            yield f"{failure.test} is unsteady, and the change wrote it or touches its room"


def table(failures: Sequence[Failure]) -> str:
    """The unsteady tests, for people."""
    if not failures:
        return "no test was unsteady"
    rows = [
        f"  {one.test}\n      {one.line}\n      after {one.seconds:.1f} s, load {one.load:.1f}"
        for one in failures
    ]
    return "\n".join([f"unsteady, passed twice when asked again ({len(failures)}):", *rows])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, or print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", action="store_true", help="print what was unsteady, forget it")
    parser.add_argument("--kept", type=Path, default=KEPT, help="the file of the unsteady tests")
    parser.add_argument("--in-memory", action="store_true", help="where there is room in memory")
    options, words = parser.parse_known_args(arguments)
    if options.table:
        _say(table(read_failures(options.kept)))
        options.kept.unlink(missing_ok=True)
        return 0
    with ExitStack() as at_end:
        if options.in_memory and "TMPDIR" not in os.environ and has_room(MEMORY):
            tempfile.tempdir = str(MEMORY)
            made = OwnedDirectory("tw")
            at_end.callback(made.remove)
            os.environ["TMPDIR"] = place = tempfile.tempdir = str(made.path)
            os.chmod(place, 0o1777)  # noqa: S103 - as /tmp: databases and strangers are other users
            # No longer than below /tmp: a socket's path has 107 letters.
            words += ["--basetemp", f"{place}/t", "-o", "tmp_path_retention_policy=failed"]
        return run(words, options.kept)


def run(words: Sequence[str], kept: Path) -> int:
    """Run pytest, and ask what failed again; the code to end with."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "failures.jsonl")
        code = run_pytest(words, file)
        failures = read_failures(file)
    if code != pytest.ExitCode.TESTS_FAILED or not failures:
        return code
    reasons = list(judge(failures, kept))
    for reason in reasons:
        _say(f"refused: {reason}")
    if not reasons:
        _say(table(failures))
    return 1 if reasons else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
