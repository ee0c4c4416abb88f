import os
from pathlib import Path

import pytest

from tapwright.errors import DiskError
from tapwright.files.atomic import atomic_directory, write_atomically


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The inodes that are synced from here on, in order."""
    found: list[int] = []
    sync = os.fsync

    def noting(handle: int) -> None:
        found.append(os.fstat(handle).st_ino)
        sync(handle)

    monkeypatch.setattr(os, "fsync", noting)
    return found


def inode(path: Path) -> int:
    return path.stat().st_ino


def test_a_file_is_written_and_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_synced_with_every_directory_that_is_new(
    tmp_path: Path, synced: list[int]
) -> None:
    path = tmp_path / "a" / "b" / "file"
    write_atomically(path, b"data")
    expected = [path, path.parent, path.parent.parent, tmp_path]
    assert {inode(one) for one in expected} <= set(synced)


def test_a_file_that_cannot_take_its_place_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "there"
    (path / "full").mkdir(parents=True)
    with pytest.raises(DiskError, match="there: cannot be written: ") as caught:
        write_atomically(path, b"data")
    assert "choose another directory" in caught.value.hint
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_of_any_length_that_the_disk_takes_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("演" * 85)
    write_atomically(path, b"data")
    assert path.read_bytes() == b"data"


def test_a_directory_appears_when_it_is_full_and_all_of_it_is_synced(
    tmp_path: Path, synced: list[int]
) -> None:
    path = tmp_path / "new" / "directory"
    with atomic_directory(path) as beside:
        (beside / "inner").mkdir()
        (beside / "inner" / "file").write_bytes(b"data")
        assert not path.exists()
    assert (path / "inner" / "file").read_bytes() == b"data"
    expected = [path / "inner" / "file", path / "inner", path, path.parent, tmp_path]
    assert {inode(one) for one in expected} <= set(synced)
    assert list(path.parent.iterdir()) == [path]


def test_a_directory_whose_filling_fails_leaves_nothing(tmp_path: Path) -> None:
    def fill() -> None:
        with atomic_directory(tmp_path / "new") as beside:
            (beside / "file").write_bytes(b"data")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fill()
    assert list(tmp_path.iterdir()) == []


def test_a_directory_does_not_take_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "there"

    def both() -> None:
        with atomic_directory(path):
            path.mkdir()
            (path / "file").write_bytes(b"data")

    with pytest.raises(DiskError, match="there: "):
        both()
    assert [one.name for one in tmp_path.rglob("*")] == ["there", "file"]
