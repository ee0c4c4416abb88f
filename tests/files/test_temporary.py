"""What killed processes leave behind, and how it goes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tapwright.files.atomic import atomic_directory, atomic_file, atomic_files
from tapwright.files.temporary import (
    left_over_directories,
    left_over_parts,
    owned_directory,
    remove_part,
)

WRITERS = ("atomic_file", "atomic_directory", "atomic_files")
_KILLED = """
import signal, os, sys
from pathlib import Path
from tapwright.files.atomic import atomic_directory, atomic_file, atomic_files
with {writer}(Path(sys.argv[1]) / "whole") as part:
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("writer", WRITERS)
def test_what_a_killed_writer_leaves_is_found_and_removed(writer: str, tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir() if writer == "atomic_files" else None
    before = sorted(tmp_path.iterdir())
    ended = subprocess.run([sys.executable, "-c", _KILLED.format(writer=writer), str(tmp_path)])
    assert ended.returncode == -signal.SIGKILL
    (left,) = set(tmp_path.iterdir()) - set(before)
    old = time.time() - 60
    os.utime(left, (old, old))
    assert list(left_over_parts(tmp_path)) == [left]
    remove_part(left)
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_being_written_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "merged").mkdir()
    with (
        atomic_file(tmp_path / "file"),
        atomic_directory(tmp_path / "directory"),
        atomic_files(tmp_path / "merged"),
    ):
        old = time.time() - 60
        for path in tmp_path.glob(".*.part"):
            os.utime(path, (old, old))
        assert len(list(tmp_path.glob(".*.part"))) == 3
        assert list(left_over_parts(tmp_path)) == []


def test_a_users_own_file_of_such_a_name_is_not_ours(tmp_path: Path) -> None:
    for name in (".film.part", "film.0123abcd.part", ".film.0123ABCD.part"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / ".link.0123abcd.part").symlink_to(tmp_path / ".film.part")
    assert list(left_over_parts(tmp_path)) == []


def test_the_next_temporary_directory_sweeps_those_of_the_dead(tmp_path: Path) -> None:
    program = (
        "import os, signal\nfrom tapwright.files.temporary import owned_directory\n"
        "with owned_directory('tapwright-test-'): os.kill(os.getpid(), signal.SIGKILL)"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], env=environment)
    (left,) = tmp_path.iterdir()
    os.utime(left, (0, 0))
    alive = (
        "from tapwright.files.temporary import owned_directory\n"
        "with owned_directory('tapwright-test-') as path: print(path)"
    )
    subprocess.run([sys.executable, "-c", alive], env=environment, check=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(4))
def test_what_was_half_removed_when_it_died_is_swept_too(moment: int, tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\nfrom itertools import count\n"
        "from tapwright.files.temporary import OwnedDirectory\n"
        "owned, seen = OwnedDirectory('tapwright-test-'), count()\n"
        "for name in 'abc': (owned.path / name).mkdir(); (owned.path / name / 'file').touch()\n"
        "def watch(event, _):\n"
        f"    if event in ('os.remove', 'os.rmdir') and next(seen) == {2 * moment}:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "sys.addaudithook(watch)\nowned.remove()"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    assert subprocess.run([sys.executable, "-c", program], env=environment).returncode == -9
    (left,) = tmp_path.iterdir()
    assert (left / "owner.lock").exists()
    os.utime(left, (0, 0))
    assert list(left_over_directories(tmp_path, "tapwright-test-")) == [left]


def test_an_owned_directory_is_empty_and_goes_with_its_block() -> None:
    with owned_directory("tapwright-test-") as path:
        assert list(path.iterdir()) == []
        (path / "file").touch()
    assert not path.parent.exists()
