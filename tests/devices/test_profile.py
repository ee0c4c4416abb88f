import os
import tempfile
from pathlib import Path

import pytest

from tapwright.devices.profile import Profile


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def age(path: Path) -> None:
    os.utime(path, (0, 0))


def test_a_profile_is_removed_with_all_that_is_in_it(tmp_path: Path) -> None:
    profile = Profile()
    (profile.path / "Default").mkdir()
    profile.remove()
    assert list(tmp_path.iterdir()) == []


def test_the_profile_of_an_owner_that_was_killed_is_removed_by_the_next(tmp_path: Path) -> None:
    left = Profile()
    os.close(left._lock)  # as the kernel does
    age(left.path)
    alive = Profile()
    age(alive.path)
    newest = Profile()
    assert {path.name for path in tmp_path.iterdir()} == {alive.path.name, newest.path.name}
    alive.remove()
    newest.remove()


def test_a_folder_that_may_still_be_in_the_making_stays(tmp_path: Path) -> None:
    young = Profile()
    os.close(young._lock)
    Profile().remove()
    assert young.path.is_dir()


def test_a_folder_of_that_name_that_is_no_profile_stays(tmp_path: Path) -> None:
    other = tmp_path / "tapwright-chromium-notes"
    other.mkdir()
    age(other)
    Profile().remove()
    assert other.is_dir()
