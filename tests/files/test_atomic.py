import os
from pathlib import Path

import pytest

from tapwright.errors import DiskError
from tapwright.files.atomic import atomic_directory, write_atomically, write_inside


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


def test_files_that_are_written_at_once_are_each_synced_with_their_names(
    tmp_path: Path, synced: list[int]
) -> None:
    files = {f"{folder}/{name}": name.encode() for folder in ("a", "b") for name in ("1", "2")}
    write_inside(tmp_path, files)
    assert {name: (tmp_path / name).read_bytes() for name in files} == files
    expected = [tmp_path, tmp_path / "a", tmp_path / "b", *(tmp_path / name for name in files)]
    assert {inode(one) for one in expected} <= set(synced)


def test_of_files_that_are_written_at_once_one_that_fails_is_told_when_all_have_ended(
    tmp_path: Path,
) -> None:
    (tmp_path / "a" / "full" / "inner").mkdir(parents=True)
    with pytest.raises(DiskError, match="full: cannot be written: "):
        write_inside(tmp_path, {"a/full": b"1", "a/2": b"2", "b/3": b"3"})
    assert [(tmp_path / name).read_bytes() for name in ("a/2", "b/3")] == [b"2", b"3"]
    assert list(tmp_path.rglob("*.part")) == []


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
