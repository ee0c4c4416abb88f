import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tapwright.files import regular
from tapwright.files.regular import open_regular, open_regular_text, read_regular


def bind(path: Path) -> None:
    made = socket.socket(socket.AF_UNIX)
    made.bind(os.path.relpath(path))
    made.close()


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


MAKERS: dict[str, Callable[[Path], None]] = {
    "a named pipe, not a file": os.mkfifo,
    "a socket, not a file|No such device": bind,
    "a device, not a file": zero,
    "Is a directory": Path.mkdir,
    "Too many levels of symbolic links": loop,
}


@pytest.mark.parametrize("told", MAKERS)
def test_what_is_no_file_is_refused_by_what_it_is(tmp_path: Path, told: str) -> None:
    MAKERS[told](tmp_path / "x")
    for read in (read_regular, open_regular, lambda path: open_regular_text(path, "utf-8")):
        with pytest.raises(OSError, match=told):
            read(tmp_path / "x")


def test_a_file_and_a_link_to_it_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo")
    (tmp_path / "b").symlink_to("a")
    assert read_regular(tmp_path / "b") == b"one\ntwo"
    with open_regular_text(tmp_path / "b", "utf-8") as file:
        assert list(file) == ["one\n", "two"]


@pytest.mark.parametrize("above", [0, 1])
def test_a_file_too_large_to_be_read_at_once_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, above: int
) -> None:
    monkeypatch.setattr(regular, "MAX_FILE_BYTES", 5)
    (tmp_path / "a").write_bytes(b"x" * (5 + above))
    if above:
        with pytest.raises(OSError, match="6 bytes; at most 5 are read at once"):
            read_regular(tmp_path / "a")
    else:
        assert read_regular(tmp_path / "a") == b"xxxxx"
