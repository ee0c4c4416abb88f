"""The files of a site are put back, whatever the site made of its folder."""

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tapwright.sites

Restore = Callable[[Path, Path], None]


@pytest.fixture
def restore(monkeypatch: pytest.MonkeyPatch) -> Iterator[Restore]:
    """`serving._restore`, which finds its library beside itself."""
    monkeypatch.syspath_prepend(str(Path(tapwright.sites.__path__[0], "programs")))
    yield importlib.import_module("serving")._restore
    for name in ("serving", "clock"):
        sys.modules.pop(name, None)


def template(tmp_path: Path) -> Path:
    folder = tmp_path / "template"
    (folder / "inner").mkdir(parents=True)
    (folder / "first.txt").write_text("first")
    (folder / "inner/second.txt").write_text("second")
    return folder


def content(folder: Path) -> dict[str, str]:
    assert not [one for one in folder.rglob("*") if one.is_symlink()]
    files = [one for one in folder.rglob("*") if one.is_file()]
    return {str(one.relative_to(folder)): one.read_text() for one in files}


@pytest.mark.parametrize("place", ["", "extra", "inner", "first.txt", "inner/second.txt"])
@pytest.mark.parametrize("to", ["folder", "file", "nothing"])
def test_a_link_goes_and_what_it_points_at_stays(
    place: str, to: str, restore: Restore, tmp_path: Path
) -> None:
    source, target = template(tmp_path), tmp_path / "site"
    outside = {"folder": "outside", "file": "outside/kept.txt", "nothing": "no"}[to]
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/kept.txt").write_text("kept")
    restore(source, target)
    if (target / place).is_dir():
        (target / place).rename(tmp_path / "moved")
    (target / place).unlink(missing_ok=True)
    (target / place).symlink_to(tmp_path / outside)
    restore(source, target)
    assert content(target) == content(source)
    assert content(tmp_path / "outside") == {"kept.txt": "kept"}


def test_a_link_in_a_folder_that_goes_is_not_followed(restore: Restore, tmp_path: Path) -> None:
    source, target = template(tmp_path), tmp_path / "site"
    restore(source, target)
    (target / "extra/deep").mkdir(parents=True)
    (target / "extra/deep/link").symlink_to(source)
    restore(source, target)
    assert content(target) == content(source) == {
        "first.txt": "first", "inner/second.txt": "second",
    }  # fmt: skip


@pytest.mark.parametrize("gone", ["first.txt", "extra.txt"])
def test_a_file_that_goes_while_it_is_looked_at_stops_nothing(
    gone: str, restore: Restore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = template(tmp_path), tmp_path / "site"
    restore(source, target)
    (target / "extra.txt").write_text("extra")
    scandir = os.scandir

    def scan_and_lose(folder: Path) -> list[os.DirEntry[str]]:
        found = list(scandir(folder))
        if folder == target:
            (target / gone).unlink()
        return found

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", scan_and_lose)
        restore(source, target)
    assert content(target) == content(source)
