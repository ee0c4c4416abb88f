"""Splits: no key and no duplicate in two parts, the same parts each time."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.curate.splitting import SplitBy, find_key, read_ratio, split_entries
from tapwright.errors import UsageError
from tapwright.store.catalog_entry import CatalogEntry

RATIO = {"train": 0.6, "test": 0.4}


def entry(number: int, task: str = "t", apps: tuple[str, ...] = ()) -> CatalogEntry:
    return CatalogEntry(
        id=f"e{number}",
        task_id=task,
        suite="",
        instruction="",
        agent="",
        device="",
        language="en",
        created=f"2026-11-{number:04}",
        version=1,
        steps=1,
        duration_s=0,
        outcome="success",
        apps=apps,
        tags=(),
        annotators=(),
        reviewed=0,
        review="open",
        ended=True,
        screens="",
        first="",
        last="",
    )


TASKS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=30)


@given(TASKS, st.integers(0, 9), st.data())
def test_what_belongs_together_stays_together(tasks: str, seed: int, data: st.DataObject) -> None:
    entries = [entry(number, task) for number, task in enumerate(tasks)]
    ids = st.sampled_from([one.id for one in entries])
    groups = data.draw(st.lists(st.lists(ids, min_size=2, max_size=4), max_size=4))
    parts = split_entries(entries, groups, RATIO, by="task", seed=seed)
    assert parts.keys() == {one.id for one in entries}
    assert len({(one.task_id, parts[one.id]) for one in entries}) == len(set(tasks))
    assert all(len({parts[id_] for id_ in group}) == 1 for group in groups)


@given(TASKS, TASKS)
def test_episodes_that_are_added_move_none(tasks: str, added: str) -> None:
    entries = [entry(number, task) for number, task in enumerate(tasks)]
    more = [entry(len(tasks) + number, task) for number, task in enumerate(added)]
    before = split_entries(entries, [("e0", "e0")], RATIO, by="task")
    after = split_entries([*more, *entries], [("e0", "e0")], RATIO, by="task")
    assert before.items() <= after.items()


def test_a_duplicate_goes_where_the_oldest_goes() -> None:
    entries = [entry(number, f"task {number}") for number in range(40)]
    alone = split_entries(entries, [], RATIO, by="task")
    joined = split_entries(entries, [("e7", "e30"), ("e30", "e39")], RATIO, by="task")
    assert joined == alone | {"e30": alone["e7"], "e39": alone["e7"]}


def test_shares_are_met_on_average_and_seeds_differ() -> None:
    entries = [entry(number) for number in range(2000)]
    parts = split_entries(entries, [], RATIO, by="episode")
    assert 0.55 < sum(part == "train" for part in parts.values()) / 2000 < 0.65
    assert parts != split_entries(entries, [], RATIO, by="episode", seed=1)


@pytest.mark.parametrize(
    ("by", "apps", "key"),
    [
        ("app", ("com.android.launcher3", "org.notes", "org.mail"), "app org.notes"),
        ("app", ("org.tapwright.home",), "app org.tapwright.home"),
        ("app", (), "episode e1"),
        ("task", (), "task t"),
        ("agent", (), "episode e1"),
        ("episode", (), "episode e1"),
    ],
)
def test_an_episode_is_kept_together_by_its_key(
    by: SplitBy, apps: tuple[str, ...], key: str
) -> None:
    assert find_key(replace(entry(1), apps=apps), by) == key


def test_shares_add_up_to_1() -> None:
    assert read_ratio("8,1,1") == {"train": 0.8, "val": 0.1, "test": 0.1}
    assert read_ratio("3,1") == {"train": 0.75, "test": 0.25}
    assert list(read_ratio("1,1,1,1")) == ["part-1", "part-2", "part-3", "part-4"]
    assert read_ratio("1,1", "a,b") == {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize("ratio", ["", "1", "0.8,x", "0.8,-1", "1,0", "nan,1", "inf,1"])
def test_what_is_no_ratio_is_refused(ratio: str) -> None:
    with pytest.raises(UsageError, match="--ratio"):
        read_ratio(ratio)


@pytest.mark.parametrize("names", ["a", "a,a", "a,"])
def test_names_are_one_for_each_part(names: str) -> None:
    with pytest.raises(UsageError, match="--names"):
        read_ratio("1,1", names)
