import os
import signal
from pathlib import Path

from tapwright.files.atomic import atomic_directory
from tapwright.files.lock import try_lock


def test_a_process_that_is_just_starting_does_not_keep_a_lock(tmp_path: Path) -> None:
    made = tmp_path / "made"
    with atomic_directory(made):
        child = os.fork()
        if not child:
            signal.pause()
    try:
        handle = os.open(made, os.O_RDONLY)
        assert try_lock(handle)
        os.close(handle)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
