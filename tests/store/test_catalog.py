import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapwright.core.episode import Episode
from tapwright.curate.edit.save import edit_episodes
from tapwright.store.catalog import Catalog
from tapwright.store.catalog_entry import CatalogEntry, read_row
from tapwright.store.catalog_file import CatalogWarning
from tapwright.store.filters import Condition, equals, has_app, has_text
from tapwright.store.recording_reviews import RecordingReview, write_recording_review
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import write_tags
from tests.store.episodes import episode, step
from tests.strategies import EPISODES


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=st.lists(EPISODES, max_size=4, unique_by=lambda one: one.id))
@pytest.mark.slow
def test_an_entry_says_what_reading_the_episode_says(
    made: list[Episode], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = EpisodeStore(tmp_path_factory.mktemp("store"))
    for one in made:
        store.write(one)
    entries, unreadable = Catalog(store).read()
    assert not unreadable
    assert [entry.id for entry in entries] == store.ids()
    for entry in entries:
        episode = store.read(entry.id)
        shots = [step.observation.screenshot.sha256 for step in episode.steps]
        last = shots[-1:] if episode.final is None else [episode.final.screenshot.sha256]
        assert (entry.steps, entry.outcome) == (len(episode.steps), episode.outcome)
        assert (entry.task_id, entry.instruction) == (episode.task_id, episode.instruction)
        assert [entry.first, entry.last] == ["".join(shots[:1]), "".join(last)]
        assert set(entry.apps) == {step.observation.app for step in episode.steps} - {""}


def entries_of(catalog: Catalog) -> dict[str, CatalogEntry]:
    return {entry.id: entry for entry in catalog.read()[0]}


def scan(store: EpisodeStore) -> dict[str, CatalogEntry]:
    """The entries by reading every episode, without a catalog."""
    rows = [read_row(str(store.root), name) for name in os.listdir(store.root)]
    found = [row.found for row in rows if row is not None]
    return {one.id: one for one in found if isinstance(one, CatalogEntry)}


def settle(root: Path, count: int) -> None:
    """Let every file be as old as if it had changed at a time of its own, long ago."""
    for path in root.rglob("*"):
        if ".catalog" not in path.parts and path.stat().st_mtime > 1_000_000:
            os.utime(path, (count, count))


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(
            ["write", "append", "edit", "undo", "remove", "tag", "delete", "torn", "replace"]
        ),
        st.sampled_from(["a", "b", "c"]),
    ),
    max_size=14,
)


@pytest.mark.filterwarnings("ignore::tapwright.store.records.EpisodeWarning")
@settings(max_examples=25, deadline=None)
@given(changes=CHANGES)
@pytest.mark.slow
def test_after_any_changes_the_catalog_says_what_a_scan_says(
    changes: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = EpisodeStore(tmp_path_factory.mktemp("store"))
    catalog = Catalog(store)
    for count, (change, id_) in enumerate(changes, start=1):
        apply(store, change, id_)
        settle(store.root, count)
        assert entries_of(catalog) == scan(store)
        assert entries_of(Catalog(store)) == scan(store)


def apply(store: EpisodeStore, change: str, id_: str) -> None:
    lines = store.root / id_ / "steps.jsonl"
    there = lines.exists() and id_ in store
    match change:
        case "write" if not lines.exists():
            store.write(episode(id_=id_))
        case "append" if not lines.exists():
            with store.create(
                task_id="t", instruction="i", agent="a", device="d", id=id_
            ) as writer:
                writer.append(step(1))
        case "edit" if there:
            before = store.read(id_)
            store.save(before, replace(before, steps=before.steps[1:]), edit="delete")
        case "undo" if store.root.joinpath(id_, "versions/log.jsonl").exists():
            if store.history(id_).current != 1:
                store.undo(id_)
        case "remove" if there:
            store.remove(store.read(id_))
        case "tag" if there:
            write_tags(store.root / id_, add=["bad"])
        case "delete":
            shutil.rmtree(store.root / id_, ignore_errors=True)
        case "torn" if lines.exists():
            lines.write_bytes(lines.read_bytes()[:-3])
        case "replace" if lines.exists():
            lines.write_bytes(b"")
        case _:
            pass


def test_what_changes_is_read_again_and_what_is_removed_goes(
    episodes: list[Episode], tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path)
    catalog = Catalog(store)
    assert catalog.read() == ([], {})
    for one in episodes:
        store.write(one)
    assert entries_of(catalog)["b"].steps == 3
    edit_episodes(store, ["b"], "delete:0:1")
    assert (entries_of(catalog)["b"].steps, entries_of(catalog)["b"].version) == (2, 2)
    store.undo("b")
    assert entries_of(catalog)["b"].steps == 3
    edit_episodes(store, ["a"], "remove")
    assert set(entries_of(catalog)) == {"b", "c", "d", "e"}
    with store.create(task_id="t", instruction="", agent="", device="", id="new") as writer:
        assert entries_of(catalog)["new"].steps == 0
        writer.append(episodes[0].steps[0])
        assert entries_of(catalog)["new"].steps == 1


def test_a_broken_episode_is_told_and_hides_no_other(
    episodes: list[Episode], tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path)
    for one in episodes:
        store.write(one)
    (tmp_path / "a" / "episode.json").write_text("{}")
    (tmp_path / "c" / "steps.jsonl").unlink()
    entries, unreadable = Catalog(store).read()
    assert [entry.id for entry in entries] == ["b", "d", "e"]
    assert list(unreadable) == ["a", "c"]


def test_a_file_beside_the_episodes_is_no_episode(tmp_path: Path) -> None:
    EpisodeStore(tmp_path).write(episode(id_="a"))
    (tmp_path / "record.jsonl").write_text("{}\n")
    (tmp_path / "notes").mkdir()
    entries, unreadable = Catalog(EpisodeStore(tmp_path)).read()
    assert ([entry.id for entry in entries], unreadable) == (["a"], {})


def make_torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def make_foreign(path: Path) -> None:
    path.write_bytes(b"no data base at all, but a text that is long enough to be read as one" * 9)


def make_older(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 77")
    connection.close()


@pytest.mark.parametrize("spoil", [make_torn, make_foreign, make_older])
def test_a_catalog_that_cannot_be_used_is_told_and_made_again(
    spoil: Callable[[Path], None], tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path)
    for number in range(40):
        store.write(episode(id_=f"e{number}"))
    expected = Catalog(store).read()
    file = tmp_path / ".catalog" / "catalog.sqlite"
    spoil(file)
    with pytest.warns(CatalogWarning, match="made again"):
        assert Catalog(store).read() == expected
    assert Catalog(store).read() == expected


def test_a_catalog_deleted_or_put_back_while_a_program_uses_it_gives_no_wrong_answer(
    tmp_path: Path,
) -> None:
    store = EpisodeStore(tmp_path / "store")
    store.write(episode(id_="a"))
    catalog = Catalog(store)
    assert set(entries_of(catalog)) == {"a"}
    shutil.copytree(tmp_path / "store" / ".catalog", tmp_path / "older")
    store.write(episode(id_="b"))
    assert set(entries_of(catalog)) == {"a", "b"}
    shutil.rmtree(tmp_path / "store" / ".catalog")
    assert set(entries_of(catalog)) == {"a", "b"}
    shutil.rmtree(tmp_path / "store" / ".catalog")
    shutil.copytree(tmp_path / "older", tmp_path / "store" / ".catalog")
    assert set(entries_of(catalog)) == {"a", "b"}


def test_a_store_where_no_catalog_can_be_written_has_one_in_memory(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(episode(id_="a"))
    (tmp_path / ".catalog").write_text("a file where the directory should be")
    assert [entry.id for entry in Catalog(store).read()[0]] == ["a"]


def test_several_threads_and_catalogs_write_at_once(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)

    def work(name: str) -> None:
        catalog = Catalog(store)
        for number in range(5):
            store.write(episode(id_=f"{name}{number}"))
            catalog.read()

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert entries_of(Catalog(store)) == scan(store)


def test_a_filter_narrows_by_every_field(episodes: list[Episode], tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    for one in (*episodes, replace(episodes[0], id="f", outcome="failure", agent="anna")):
        store.write(one)
    catalog = Catalog(store)

    def fit(*conditions: Condition) -> list[str]:
        also = Condition("1")
        for one in conditions:
            also = also & one
        return catalog.ids(Selection(), also)

    assert fit() == ["a", "b", "c", "d", "e", "f"]
    assert fit(has_text("MILK")) == ["b"]
    assert fit(has_text("世界")) == ["d"]
    assert fit(has_app("settings")) == fit(has_app("org.example.settings")) == ["a", "f"]
    assert fit(has_app("setting")) == []
    assert fit(has_app("settings"), equals("outcome", "failure")) == ["f"]
    assert fit(equals("agent", "anna")) == ["f"]
    assert fit(equals("task", "a")) == ["a", "f"]
    assert catalog.facets()["outcome"] == {"success": 5, "failure": 1}


def test_a_number_in_a_filter_is_one_in_the_catalog(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    for name in ("plain", "liked"):
        store.write(episode(1, name))
    review = RecordingReview(version=1, state="comment", text="good", rating=5)
    write_recording_review(tmp_path / "liked", review)
    catalog = Catalog(store)
    assert catalog.ids(Selection("rating > 3")) == ["liked"]
    assert {type(one.rating) for one in catalog.read()[0]} == {int}
