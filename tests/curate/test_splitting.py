"""Splits: no key and no duplicate in two parts, the same parts each time."""

from collections.abc import Mapping
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
        evidence="",
        apps=apps,
        tags=(),
        annotators=(),
        reviewed=0,
        review="open",
        comments=0,
        comment="",
        rating=0,
        ended=True,
        screens="",
        first="",
        last="",
    )


TASKS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=30)


@given(TASKS, st.integers(0, 9), st.booleans(), st.data())
def test_what_belongs_together_stays_together(
    tasks: str, seed: int, stable: bool, data: st.DataObject
) -> None:
    entries = [entry(number, task) for number, task in enumerate(tasks)]
    ids = st.sampled_from([one.id for one in entries])
    groups = data.draw(st.lists(st.lists(ids, min_size=2, max_size=4), max_size=4))
    parts = split_entries(entries, groups, RATIO, by="task", seed=seed, stable=stable)
    assert parts.keys() == {one.id for one in entries}
    assert len({(one.task_id, parts[one.id]) for one in entries}) == len(set(tasks))
    assert all(len({parts[id_] for id_ in group}) == 1 for group in groups)


@given(TASKS, TASKS)
def test_episodes_that_are_added_move_none_in_a_stable_split(tasks: str, added: str) -> None:
    entries = [entry(number, task) for number, task in enumerate(tasks)]
    more = [entry(len(tasks) + number, task) for number, task in enumerate(added)]
    before = split_entries(entries, [("e0", "e0")], RATIO, by="task", stable=True)
    after = split_entries([*more, *entries], [("e0", "e0")], RATIO, by="task", stable=True)
    assert before.items() <= after.items()


def test_a_duplicate_goes_where_the_oldest_goes_in_a_stable_split() -> None:
    entries = [entry(number, f"task {number}") for number in range(40)]
    alone = split_entries(entries, [], RATIO, by="task", stable=True)
    groups = [("e7", "e30"), ("e30", "e39")]
    joined = split_entries(entries, groups, RATIO, by="task", stable=True)
    assert joined == alone | {"e30": alone["e7"], "e39": alone["e7"]}


def test_a_stable_split_meets_shares_on_average_and_seeds_differ() -> None:
    entries = [entry(number) for number in range(2000)]
    parts = split_entries(entries, [], RATIO, by="episode", stable=True)
    assert 0.55 < share(parts, "train") < 0.65
    assert parts != split_entries(entries, [], RATIO, by="episode", seed=1, stable=True)


@pytest.mark.slow
@given(st.integers(0, 99))
def test_shares_are_met_where_a_few_tasks_have_most_episodes(seed: int) -> None:
    sizes = [2000 // rank for rank in range(1, 60)]  # as words in a text
    tasks = [f"task {rank}" for rank, size in enumerate(sizes) for _ in range(size)]
    entries = [entry(number, task) for number, task in enumerate(tasks)]
    ratio = {"train": 0.8, "val": 0.1, "test": 0.1}
    parts = split_entries(entries, [], ratio, by="task", seed=seed)
    for name, asked in ratio.items():
        assert abs(share(parts, name) - asked) < 0.01


@given(TASKS, st.integers(0, 9))
def test_no_part_is_empty_where_there_are_enough_tasks(tasks: str, seed: int) -> None:
    entries = [entry(number, task) for number, task in enumerate(tasks)]
    ratio = {"train": 0.98, "val": 0.01, "test": 0.01}
    parts = split_entries(entries, [], ratio, by="task", seed=seed)
    assert len(set(parts.values())) == min(3, len(set(tasks)))


@given(st.permutations(range(12)), st.integers(0, 9))
def test_the_order_of_episodes_changes_no_part(order: list[int], seed: int) -> None:
    entries = [entry(number, "abcd"[number % 4]) for number in range(12)]
    groups = [("e0", "e1"), ("e5", "e9")]
    parts = split_entries([entries[n] for n in order], groups, RATIO, by="task", seed=seed)
    assert parts == split_entries(entries, groups, RATIO, by="task", seed=seed)


def test_another_seed_is_another_split() -> None:
    entries = [entry(number, f"task {number % 20}") for number in range(200)]
    splits = [split_entries(entries, [], RATIO, by="task", seed=seed) for seed in range(5)]
    assert len({tuple(sorted(parts.items())) for parts in splits}) == 5


def share(parts: Mapping[str, str], name: str) -> float:
    return sum(part == name for part in parts.values()) / len(parts)


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


@pytest.mark.parametrize("names", ["a", "a,a", "a,", "a,A", "a,aux", "a,b:c"])
def test_names_are_one_for_each_part(names: str) -> None:
    with pytest.raises(UsageError, match="--names"):
        read_ratio("1,1", names)
