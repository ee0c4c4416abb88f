import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.devices.errors import BROWSER_MISSING
from tapwright.errors import DeviceError
from tapwright.jobs.errors import LedgerError
from tapwright.jobs.job import ItemDone, ItemFailed, ItemResult, Job, Ledger


def square_job(seen: list[int], *, broken: Sequence[int] = (), **config: JsonValue) -> Job[int]:
    async def work(item: int) -> JsonValue:
        seen.append(item)
        if item in broken:
            raise DeviceError(f"item {item} is broken")
        return item * item

    return Job("square", key=str, work=work, config=config)


def run(job: Job[int], items: Sequence[int], ledger: Path) -> list[ItemResult]:
    async def collect() -> list[ItemResult]:
        return [ended async for ended in job.run(items, ledger)]

    return asyncio.run(collect())


def test_every_item_is_done_once_and_written_down(tmp_path: Path) -> None:
    seen: list[int] = []
    ended = run(square_job(seen), [1, 2, 3], tmp_path / "ledger.jsonl")
    assert ended == [ItemDone("1", 1), ItemDone("2", 4), ItemDone("3", 9)]
    assert seen == [1, 2, 3]


def test_a_second_run_repeats_nothing_and_still_tells_the_results(tmp_path: Path) -> None:
    run(square_job([]), [1, 2], tmp_path / "ledger.jsonl")
    seen: list[int] = []
    ended = run(square_job(seen), [1, 2, 3], tmp_path / "ledger.jsonl")
    assert seen == [3]
    assert ended == [
        ItemDone("1", 1, repeated=True),
        ItemDone("2", 4, repeated=True),
        ItemDone("3", 9),
    ]


def test_a_failed_item_is_counted_and_tried_again_next_time(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    assert run(square_job([], broken=[2]), [1, 2], ledger) == [
        ItemDone("1", 1),
        ItemFailed("2", "TW300", "item 2 is broken"),
    ]
    seen: list[int] = []
    assert run(square_job(seen), [1, 2], ledger)[1] == ItemDone("2", 4)
    assert seen == [2]


def test_a_torn_last_line_is_done_again(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    run(square_job([]), [1, 2], ledger)
    ledger.write_bytes(ledger.read_bytes()[:-10])
    seen: list[int] = []
    run(square_job(seen), [1, 2], ledger)
    assert seen == [2]
    assert all(json.loads(line) for line in ledger.read_text().splitlines())


def test_a_bad_line_in_the_middle_is_an_error_that_names_it(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    run(square_job([]), [1, 2], ledger)
    lines = ledger.read_text().splitlines()
    lines[1] = "garbage"
    ledger.write_text("\n".join(lines) + "\n")
    with pytest.raises(LedgerError, match=r"ledger\.jsonl, line 2"):
        run(square_job([]), [1], ledger)


def test_a_ledger_of_other_work_is_refused(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    run(square_job([], model="a"), [1], ledger)
    with pytest.raises(LedgerError, match="belongs to other work"):
        run(square_job([], model="b"), [1], ledger)


def test_two_items_of_one_key_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="share the key '1'"):
        run(square_job([]), [1, 1], tmp_path / "ledger.jsonl")


def test_no_more_than_the_given_number_run_at_once_and_that_many_do(tmp_path: Path) -> None:
    running = most = 0

    async def work(item: int) -> JsonValue:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(5):
            await asyncio.sleep(0)
        running -= 1
        return item

    job = Job("busy", key=str, work=work, config={}, concurrency=3)
    run(job, range(10), tmp_path / "ledger.jsonl")
    assert most == 3


def test_an_error_that_is_not_ours_ends_the_job_and_keeps_what_was_done(tmp_path: Path) -> None:
    async def work(item: int) -> JsonValue:
        return 1 // item

    ledger = tmp_path / "ledger.jsonl"
    job = Job("divide", key=str, work=work, config={})
    with pytest.raises(ZeroDivisionError):
        run(job, [1, 0, 2], ledger)
    assert [json.loads(line).get("key") for line in ledger.read_text().splitlines()] == [None, "1"]


def test_a_job_that_is_left_early_cancels_what_runs(tmp_path: Path) -> None:
    cancelled: list[int] = []

    async def work(item: int) -> JsonValue:
        try:
            await asyncio.Event().wait() if item else None
        except asyncio.CancelledError:
            cancelled.append(item)
            raise
        return item

    async def leave() -> None:
        stream = Job("early", key=str, work=work, config={}, concurrency=2).run(
            [0, 1], tmp_path / "ledger.jsonl"
        )
        async for _ in stream:
            break
        await stream.aclose()  # type: ignore[attr-defined]

    asyncio.run(leave())
    assert cancelled == [1]


def test_results_that_end_together_with_a_foreign_error_are_kept(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def work(item: int) -> JsonValue:
        if item == 5:
            gate.set()
        await gate.wait()
        return 1 // item

    ledger = tmp_path / "ledger.jsonl"
    with pytest.raises(ZeroDivisionError):
        run(Job("at once", key=str, work=work, config={}, concurrency=6), range(6), ledger)
    lines = [json.loads(line) for line in ledger.read_text().splitlines()[1:]]
    assert sorted(line["key"] for line in lines) == ["1", "2", "3", "4", "5"]


def test_results_that_nobody_waited_for_are_kept(tmp_path: Path) -> None:
    async def work(item: int) -> JsonValue:
        return item

    ledger = tmp_path / "ledger.jsonl"

    async def leave() -> None:
        job = Job("left", key=str, work=work, config={}, concurrency=8)
        stream = job.run(range(8), ledger)
        async for _ in stream:
            break
        await stream.aclose()  # type: ignore[attr-defined]

    asyncio.run(leave())
    assert len(ledger.read_text().splitlines()) == 1 + 8


def test_two_processes_cannot_do_one_job(tmp_path: Path) -> None:
    with (
        Ledger(tmp_path / "ledger.jsonl", "square", {}),
        pytest.raises(LedgerError, match="another process is running"),
    ):
        run(square_job([]), [1], tmp_path / "ledger.jsonl")


def test_half_an_emoji_in_a_result_is_written_and_read(tmp_path: Path) -> None:
    async def work(item: int) -> JsonValue:
        return "cut \ud83d"

    ledger = tmp_path / "ledger.jsonl"
    job = Job("cut", key=str, work=work, config={})
    run(job, [1], ledger)
    assert run(job, [1], ledger) == [ItemDone("1", "cut \ud83d", repeated=True)]


def test_a_ledger_of_other_work_says_what_differs(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    run(square_job([], model="a", seed=1), [1], ledger)
    with pytest.raises(LedgerError, match=r"other work: model was 'a' and is 'b'$"):
        run(square_job([], model="b", seed=1), [1], ledger)


def test_an_error_that_every_item_would_meet_ends_the_job(tmp_path: Path) -> None:
    seen: list[int] = []

    async def work(item: int) -> JsonValue:
        seen.append(item)
        raise BROWSER_MISSING("no browser")

    job = Job("fatal", key=str, work=work, config={})
    with pytest.raises(DeviceError):
        run(job, range(5), tmp_path / "ledger.jsonl")
    assert seen == [0]


def test_an_item_whose_product_has_gone_is_done_again(tmp_path: Path) -> None:
    run(square_job([]), [1, 2, 3], tmp_path / "ledger.jsonl")
    seen: list[int] = []
    job = replace(square_job(seen), kept=lambda value: value != 4)
    run(job, [1, 2, 3], tmp_path / "ledger.jsonl")
    assert seen == [2]
