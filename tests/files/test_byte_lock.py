"""Locks where there is no `flock`, on a stand-in of Windows (`tests/as_on_windows.py`)."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.running_on_windows import run_on_windows, start_on_windows

HOLDING = """
import sys
from pathlib import Path
from tapwright.files.lock import DirectoryLock
lock = DirectoryLock(Path(sys.argv[1]))
print(lock.take(), flush=True)
sys.stdin.read()
"""


TAKING = """
import sys
from pathlib import Path
from tapwright.files.lock import DirectoryLock
print(DirectoryLock(Path(sys.argv[1])).take())
"""


def test_a_file_has_one_holder_until_it_is_closed(tmp_path: Path) -> None:
    program = """
import sys
from tapwright.files.lock import try_lock, unlock
one, other = (open(sys.argv[1], "ab") for _ in range(2))
print(try_lock(one), try_lock(other))
unlock(one)
print(try_lock(other), try_lock(one))
other.close()
print(try_lock(one))
unlock(one)
unlock(one)
"""
    told = run_on_windows(program, tmp_path / "file")
    assert told == "True False\nTrue False\nTrue\n"


def test_a_lock_leaves_place_and_content_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    program = """
import sys
from tapwright.files.lock import try_lock, unlock
with open(sys.argv[1], "r+b", buffering=0) as file:
    file.seek(2)
    try_lock(file)
    file.write(b"x")
    unlock(file)
    print(file.tell())
"""
    assert run_on_windows(program, tmp_path / "file") == "3\n"
    assert (tmp_path / "file").read_bytes() == b"12x45"


def test_a_directory_has_one_holder_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    program = """
import sys
from pathlib import Path
from tapwright.files.lock import DirectoryLock
path = Path(sys.argv[1])
one, other = DirectoryLock(path), DirectoryLock(path)
print(one.take(), other.take(), one.is_there())
path.rename(path.with_name("two"))
path.mkdir()
print(one.is_there())
one.release()
print(other.take())
other.release()
"""
    told = run_on_windows(program, tmp_path / "one")
    assert told == "True False True\nFalse\nTrue\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["one", "two"]


def test_a_killed_holder_leaves_a_free_lock_and_a_file_that_clean_removes(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    with start_on_windows(HOLDING, tmp_path / "one") as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert run_on_windows(TAKING, tmp_path / "one") == "False\n"
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert run_on_windows(TAKING, tmp_path / "one") == "True\n"
    (left,) = tmp_path.glob(".one.*.lock")
    old = time.time() - 60
    os.utime(left, (old, old))
    clean = """
import sys
from pathlib import Path
from tapwright.files.temporary import left_over_parts, remove_part
for part in left_over_parts(Path(sys.argv[1])):
    remove_part(part)
"""
    run_on_windows(clean, tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["one"]


def test_without_any_lock_a_writer_is_told_why(tmp_path: Path) -> None:
    program = """
import sys
sys.modules["fcntl"] = sys.modules["msvcrt"] = None
from pathlib import Path
from tapwright.errors import DiskError
from tapwright.files.atomic import write_atomically
try:
    write_atomically(Path(sys.argv[1]) / "file", b"")
except DiskError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "this Python can lock no file" in done.stdout
    assert list(tmp_path.iterdir()) == []
