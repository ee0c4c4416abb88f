"""Directories at URLs: what is there is fetched, and what is written locally is kept there."""

import asyncio
import time
import warnings
from pathlib import Path

import pytest

from tapwright.core.episode import Episode
from tapwright.errors import TapwrightError
from tapwright.files.place import Place
from tapwright.formats.shared.log import make_shared
from tapwright.formats.shared.push import WorkingCopy
from tapwright.store.store import EpisodeStore
from tapwright.workflows.directories import Location, RemoteDirectories, open_location


def test_a_url_is_fetched_kept_and_its_local_copy_deleted(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    (there / "old.txt").write_text("old")
    with RemoteDirectories() as directories:
        local = directories.open(f"{there.as_uri()}/")
        assert (local / "old.txt").read_text() == "old"
        (local / "new").mkdir()
        (local / "new" / "one.txt").write_text("new")
        (local / "log.jsonl").write_text("{}\n")
        assert directories.location(local / "new") == Location(
            local / "new", f"{there.as_uri()}/new"
        )
        assert directories.display(f"see {local}/new") == f"see {there.as_uri()}/new"
    assert not local.exists()
    assert (there / "new" / "one.txt").read_text() == "new"
    assert (there / "log.jsonl").read_text() == "{}\n"


def test_a_local_directory_is_at_its_path_for_workers(tmp_path: Path) -> None:
    location = RemoteDirectories().location(tmp_path)
    assert location == Location(tmp_path)
    with open_location(location) as local:
        assert local.path == tmp_path
    with (
        pytest.raises(TapwrightError, match="does not see"),
        open_location(Location(tmp_path / "not-here")),
    ):
        pass


def test_a_worker_fetches_what_an_item_needs_and_keeps_what_it_wrote(tmp_path: Path) -> None:
    there = tmp_path / "there"
    (there / "a").mkdir(parents=True)
    (there / "a" / "in.txt").write_text("in")
    with open_location(Location(tmp_path / "elsewhere", there.as_uri())) as local:

        async def work(name: str) -> str:
            text = (local.path / name / "in.txt").read_text()
            (local.path / name / "out.txt").write_text(text.upper())
            return text

        done = local.synced(work, lambda name: [name])
        assert asyncio.run(done("a")) == "in"  # type: ignore[arg-type]
    assert (there / "a" / "out.txt").read_text() == "IN"


def test_what_workers_made_below_a_url_is_fetched(tmp_path: Path) -> None:
    there = tmp_path / "there"
    with RemoteDirectories() as directories:
        local = directories.open(there.as_uri())
        for name in ("episodes/one/a", "other/b"):
            (there / name).parent.mkdir(parents=True)
            (there / name).write_text("new")
        directories.fetch_new(local / "episodes", "", ["t"])
        found = [path.name for path in sorted(local.rglob("*")) if path.is_file()]
    assert found == ["a"]


def test_of_a_shared_store_only_episodes_of_the_tasks_are_fetched(tmp_path: Path) -> None:
    url = (tmp_path / "shared").as_uri()
    make_shared(Place(url))
    theirs = WorkingCopy(url, tmp_path / "theirs")
    for task in ("mine", "another"):
        EpisodeStore(theirs.directory).write(Episode(task, task, "Go", (), created="2026-02-02"))
    theirs.push()
    with RemoteDirectories(tmp_path / "home") as directories:
        local = directories.open(url, "none")
        directories.fetch_new(local, "2026-01-01", ["mine"])
        assert EpisodeStore(local).ids() == ["mine"]


@pytest.mark.slow
def test_what_cannot_be_kept_is_told_while_there_is_time(tmp_path: Path) -> None:
    there = tmp_path / "there"
    directories = RemoteDirectories()
    local = directories.open(there.as_uri())
    local.mkdir()
    (local / "new").touch()
    there.touch()  # is no directory
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        begun = time.monotonic()
        while not told and time.monotonic() < begun + 60:
            time.sleep(0.1)
    assert "cannot be written" in str(told[0].message)
    assert "tried again" in str(told[0].message)
    there.unlink()
    directories.close()
    assert (there / "new").exists()
