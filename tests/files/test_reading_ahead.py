import os
from pathlib import Path

from tapwright.files.regular import read_ahead


def test_what_is_missing_or_no_file_is_skipped_without_waiting(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    names = ("missing", "pipe", "folder", "file", "file/below")
    read_ahead(str(tmp_path / name) for name in names)
    assert (tmp_path / "file").read_bytes() == b"text"


def test_files_asked_for_are_closed_again(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    before = os.listdir("/proc/self/fd")
    read_ahead([str(tmp_path / "file")] * 100)
    assert os.listdir("/proc/self/fd") == before
