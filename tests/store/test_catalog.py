from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapwright.edit.save import edit_episodes
from tapwright.episode import Episode
from tapwright.store.catalog import Catalog, CatalogEntry, CatalogQuery, count_facets
from tapwright.store.store import EpisodeStore
from tests.strategies import EPISODES


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=st.lists(EPISODES, max_size=4, unique_by=lambda one: one.id))
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


def test_a_filter_narrows_by_every_field(episodes: list[Episode], tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    for one in (*episodes, replace(episodes[0], id="f", outcome="failure", agent="anna")):
        store.write(one)
    entries, _ = Catalog(store).read()

    def fit(**wanted: str) -> list[str]:
        return [entry.id for entry in entries if CatalogQuery(**wanted).matches(entry)]

    assert fit() == ["a", "b", "c", "d", "e", "f"]
    assert fit(text="MILK") == ["b"]
    assert fit(text="世界") == ["d"]
    assert fit(app="settings") == fit(app="org.example.settings") == ["a", "f"]
    assert fit(app="setting") == []
    assert fit(app="settings", outcome="failure") == fit(agent="anna") == ["f"]
    assert fit(task="a") == ["a", "f"]
    assert count_facets(entries)["outcome"] == {"success": 5, "failure": 1}
