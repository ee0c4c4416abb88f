"""Pools of processes end with the command that started them."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tapwright.processes import map_batches

_COMMAND = """
import os, signal
from functools import partial
from time import sleep
from tapwright.processes import map_batches, start_pool

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
