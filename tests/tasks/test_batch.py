from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.tasks.definitions.textproto import format_task, parse_task
from tapwright.tasks.task_pb2 import Task
from tapwright.tasks.templates import batch
from tapwright.tasks.templates.batch import (
    ExpansionFailure,
    ExpansionItem,
    ExpansionResult,
    drop_duplicates,
    expand_all,
    make_ids_unique,
    sample_items,
)
from tapwright.tasks.templates.expand import Expander

TEMPLATE = """\
id: "do_<v>"
max_num_steps: 5
event_sources { id: 1 log_event { pattern: "<regex_esc:v>" } }
event_slots { reward_listener { events { id: 1 } } }
command: "Do <v>"
"""
IDS = st.lists(st.sampled_from(["", "a", "a-2", "a-3", "b"]), max_size=8)


def expanded(id_: str, number: int = 0) -> ExpansionResult:
    text = format_task(Task(id=id_, name="n", command=[id_]))
    return ExpansionResult(str(number), id_, id_.encode(), text)


@given(IDS)
def test_unique_ids_differ_and_the_first_of_each_stays(ids: list[str]) -> None:
    made = list(make_ids_unique(map(expanded, ids)))
    assert len({one.id for one in made}) == len(ids)
    assert [parse_task(one.text).id for one in made] == [one.id for one in made]
    assert all(parse_task(one.text).name == "n" for one in made)
    assert all(one.id.startswith(id_) for one, id_ in zip(made, ids, strict=True))
    if ids:
        assert made[0].id == ids[0]


@given(IDS)
def test_distinct_keeps_the_first_of_what_is_told_and_every_failure(ids: list[str]) -> None:
    failed = ExpansionResult("f", failure=ExpansionFailure("it", "TW500"))
    kept = list(drop_duplicates([failed, *map(expanded, ids), failed]))
    assert [one.id for one in kept if one.failure is None] == list(dict.fromkeys(ids))
    assert sum(one.failure is not None for one in kept) == 2


@given(st.integers(1, 30), st.integers(1, 30), st.integers())
def test_as_many_by_chance_as_asked_for_in_order_and_the_same_for_a_seed(
    count: int, limit: int, seed: int
) -> None:
    items = [ExpansionItem(Path("x.task"), str(number)) for number in range(count)]
    chosen = list(sample_items(items, count, limit, seed))
    assert chosen == list(sample_items(iter(items), count, limit, seed))
    assert chosen == [item for item in items if item in chosen]
    assert len(chosen) == min(count, limit)
    assert list(sample_items(items, count, limit, None)) == items[:limit]


@pytest.mark.slow
def test_many_processes_make_what_one_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.textproto.template").write_text(TEMPLATE)
    items = []
    for number in range(250):
        (tmp_path / f"t-{number}.conf").write_text(f"v: {number}\nunused: x\n" if number else "v:1")
        (tmp_path / f"{number}.task").write_text(f"t-{number}\n")
        items.append(ExpansionItem(tmp_path / f"{number}.task", str(number)))
    make = partial(Expander, tmp_path)
    alone = list(expand_all(items, len(items), make))
    monkeypatch.setattr(batch, "_WORTH_A_PROCESS", 1)
    assert list(expand_all(iter(items), len(items), make)) == alone
    assert [one.failure is None for one in alone] == [False] + [True] * 249
    assert "t-0.conf, line 1" in str(alone[0].failure)
    assert alone[7].warnings == (
        f"{tmp_path}/t-7.conf, line 2: {tmp_path}/t.textproto.template has no slot for 'unused'",
    )
