"""Pools of processes end with the command that started them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tapwright.jobs.processes import map_batches, run_apart

_COMMAND = """
import os, signal
from functools import partial
from time import sleep
from tapwright.jobs.processes import map_batches, start_pool

def work(seconds):
    sleep(seconds)
    return os.getpid()

if __name__ == "__main__":
    with start_pool(2, partial(print, "began", flush=True)) as pool:
        pool.submit(work, 0)
        print(pool.submit(work, 0).result())
        {last}
"""


def run(directory: Path, last: str) -> "subprocess.CompletedProcess[str]":
    """The command's output, which is whole once its workers have ended, as they write to it too."""
    script = directory / "command.py"
    script.write_text(_COMMAND.format(last=last))
    return subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_the_workers_of_a_killed_command_end(busy: bool, tmp_path: Path) -> None:
    work = "[pool.submit(work, 1e6) for _ in range(9)]; " if busy else ""
    ended = run(tmp_path, work + "os.kill(os.getpid(), signal.SIGKILL)")
    assert ended.returncode == -signal.SIGKILL
    assert "began" in ended.stdout


@pytest.mark.slow
def test_a_pool_that_is_done_ends_quietly(tmp_path: Path) -> None:
    ended = run(tmp_path, "pass")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("count", [0, 3, 30])
def test_batches_come_back_in_order(count: int) -> None:
    found = list(map_batches(sum, list(range(count)), 2))
    assert [number for batch, _ in found for number in batch] == list(range(count))
    assert all(result == sum(batch) for batch, result in found)


WITHOUT_GUARD = """
import sys
from pathlib import Path
from tests.jobs.test_processes import leave_a_mark
from tapwright.jobs.processes import run_apart

print("once")
run_apart(leave_a_mark, sys.argv[1])
"""


def leave_a_mark(path: str) -> None:
    Path(path).write_text(str(os.getpid()))


def test_what_runs_apart_runs_no_script_again(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    script = tmp_path / "script.py"
    script.write_text(WITHOUT_GUARD)
    root = Path(__file__).parents[2]
    path = os.pathsep.join([str(root), str(root / "src")])
    ended = subprocess.run(
        [sys.executable, str(script), str(mark)],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        check=True,
    )
    assert ended.stdout == b"once\n"
    assert mark.read_text() not in ("", str(os.getpid()))


@pytest.mark.slow
def test_what_fails_apart_ends_quietly(tmp_path: Path) -> None:
    run_apart(leave_a_mark, str(tmp_path / "no" / "folder"))
    assert not list(tmp_path.iterdir())


def tell_niceness(path: str) -> None:
    Path(path).write_text(str(os.getpriority(os.PRIO_PROCESS, 0)))


def test_what_runs_apart_steps_back_for_what_a_person_waits_for(tmp_path: Path) -> None:
    run_apart(tell_niceness, str(tmp_path / "niceness"))
    here = os.getpriority(os.PRIO_PROCESS, 0)
    assert int((tmp_path / "niceness").read_text()) == min(here + 5, 19)
