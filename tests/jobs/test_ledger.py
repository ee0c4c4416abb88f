import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.errors import StoreError
from tapwright.jobs.errors import LedgerError
from tapwright.jobs.job import ItemDone, ItemFailed, Job, Ledger, read_ledger


async def double(item: int) -> JsonValue:
    if item == 2:
        raise StoreError("two is not to be doubled")
    return 2 * item


def run(path: Path, items: Iterable[int], config: str = "a") -> None:
    async def all_of() -> None:
        job = Job("double", str, double, {"by": config}, about=lambda item: {"item": item})
        async for _ in job.run(items, path):
            pass

    asyncio.run(all_of())


def test_a_ledger_is_read_without_its_job(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    run(path, [1, 2])
    book = read_ledger(path)
    assert (book.job, book.config) == ("double", {"by": "a"})
    assert book.ended == (
        ItemDone("1", 2, repeated=True),
        ItemFailed("2", "TW200", "two is not to be doubled", {"item": 2}),
    )


def test_a_restart_keeps_the_day_of_the_first_start(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    run(path, [1])
    created = read_ledger(path).created
    run(path, [1, 3])
    assert read_ledger(path).created == created
    assert len(read_ledger(path).ended) == 2


def test_a_half_written_line_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    run(path, [1, 3])
    path.write_bytes(path.read_bytes()[:-5])
    assert [ended.key for ended in read_ledger(path).ended] == ["1"]


def test_another_configuration_is_refused(tmp_path: Path) -> None:
    run(tmp_path / "ledger.jsonl", [1])
    with pytest.raises(LedgerError, match="belongs to other work"):
        run(tmp_path / "ledger.jsonl", [1], config="b")


def test_a_refusal_names_only_what_differs_also_within_its_parts(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger(path, "play", {"suite": "phone", "agent": {"model": "a", "tries": 5}}):
        pass
    with pytest.raises(LedgerError) as refused:
        Ledger(path, "play", {"suite": "phone", "agent": {"model": "b", "tries": 5}, "seed": 1})
    assert str(refused.value) == (
        f"{path}: belongs to other work: agent.model was 'a' and is 'b'; seed was not set and is 1"
    )


@pytest.mark.parametrize("text", ["[]\n", "{}\n", '{"job": 1, "config": 2, "created": 3}\n'])
def test_another_file_is_no_ledger(text: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(LedgerError):
        read_ledger(tmp_path / "file")


def test_a_ledger_that_a_kill_left_without_a_line_has_no_items(tmp_path: Path) -> None:
    (tmp_path / "l.jsonl").write_text('{"job": "t')
    assert read_ledger(tmp_path / "l.jsonl").ended == ()
