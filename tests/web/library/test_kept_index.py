"""The index that is kept beside a long run's log: the same answers, and never in its place."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.evaluate.run_log import (
    FILE,
    RowError,
    RunHeader,
    RunLog,
    SampleInfo,
    SampleRow,
    read_run,
    write_run,
)
from tapwright.evaluate.run_tally import RunTally
from tapwright.models.model import Usage
from tapwright.web.library.growing_run import GrowingRun
from tapwright.web.library.kept_index import INDEX, keep_index, read_kept
from tapwright.web.library.open_run import OpenRun
from tapwright.web.library.row_entries import RowEntries
from tapwright.web.library.run_index import SORT_KEYS, RowFilter
from tapwright.web.library.run_views import figures_of

LONG = 8_000
"""So many rows make a log that is opened by its kept index."""


def _row(number: int, epoch: int = 1) -> SampleRow:
    hits, fails = number % 3 != 0, number % 11 == 5
    about = SampleInfo(
        labels={"app": f"app{number % 4}", **({"kind": "Icon"} if number % 2 else {})},
        cluster=f"screen {number // 5}",
        truth=[0.1, 0.1, 0.3, 0.2],
        instruction=f"Öffne Nr. {number % 7}\x00",
        epoch=epoch,
        size=(1080, 2400),
    )
    if fails:
        return SampleRow(str(number), about, "failed", error=RowError("TW901", "no answer"))
    at = [0.2, 0.15] if hits else [0.15 + 0.1 * (number % 5), 0.9]
    return SampleRow(
        id=str(number),
        about=about,
        status="ok",
        prompt_sha256="0" * 64,
        answer=f"({at[0]}, {at[1]}) \ud800",
        parsed=[*at],
        score=float(hits),
        detail={"steps": number % 4} if number % 5 else {},
        usage=Usage(12, number % 9),
        latency_s=0.25 * (number % 8),
        started=float(number),
        ended=number + 0.5,
    )


def _write(directory: Path, rows: list[SampleRow]) -> Path:
    header = RunHeader(
        tapwright="1",
        benchmark="l2",
        source="",
        data_sha256="0" * 64,
        subject="somebody",
        prompt_sha256="0" * 64,
        samples=len(rows) + 1,
        config={},
    )
    log = RunLog(directory / FILE, header, "2026-01-01T00:00:00+00:00", rows)
    write_run(log, directory)
    os.utime(log.path, (1, 1))
    return directory


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [_row(number, epoch) for number in range(40) for epoch in (1, 2)]
    directory = _write(tmp_path_factory.mktemp("run"), rows)
    keep_index(str(directory))
    return directory


FILTERS = st.builds(
    RowFilter,
    text=st.sampled_from(
        ["", "1", "ÖFFNE NR. 3", "0.15", "öffne nr. 6\x00\n(", "1#2\n", "\ud800\ud800"]
    ),
    verdict=st.sampled_from(["", "hit", "miss", "failed", "other"]),
    mistake=st.sampled_from(["", "near miss", "elsewhere"]),
    labels=st.dictionaries(
        st.sampled_from(["app", "kind", "none"]), st.sampled_from(["app1", "Icon", ""])
    ),
    sort=st.sampled_from(["", *SORT_KEYS, *(f"-{name}" for name in SORT_KEYS), "app", "-kind"]),
)


@given(wanted=FILTERS)
def test_a_kept_index_answers_as_the_rows_themselves_do(run: Path, wanted: RowFilter) -> None:
    kept, log = read_kept(run), read_run(run)
    assert kept is not None
    assert kept.index.select(wanted) == RowEntries(log.rows).index().select(wanted)


def test_what_was_kept_is_what_the_log_says(run: Path) -> None:
    kept, log = read_kept(run), read_run(run)
    assert kept is not None
    assert [kept.log.rows[at] for at in (3, 0, -1)] == [log.rows[at] for at in (3, 0, -1)]
    assert kept.log.rows[2:5] == log.rows[2:5]
    assert replace(kept.log, rows=tuple(kept.log.rows)) == log
    index = RowEntries(log.rows).index()
    assert figures_of(kept.log, kept.tally) == figures_of(log, RunTally.of(log.rows))
    assert kept.index.attempts == index.attempts
    assert kept.index.places == index.places


@settings(max_examples=40)
@given(cut=st.integers(0, 10**9), flip=st.booleans())
def test_a_torn_or_changed_index_is_none(run: Path, cut: int, flip: bool) -> None:
    whole = (run / INDEX).read_bytes()
    at = cut % len(whole)
    try:
        rest = bytes([whole[at] ^ 1]) + whole[at + 1 :] if flip else b""
        (run / INDEX).write_bytes(whole[:at] + rest)
        assert read_kept(run) is None
    finally:
        (run / INDEX).write_bytes(whole)
    assert read_kept(run) is not None


def test_an_index_of_another_log_is_none(tmp_path: Path) -> None:
    rows = [_row(number) for number in range(5)]
    one, other = _write(tmp_path / "one", rows), _write(tmp_path / "other", rows[::-1])
    keep_index(str(one))
    (one / INDEX).rename(other / INDEX)
    assert read_kept(other) is None
    assert read_kept(one) is None


@pytest.mark.slow
def test_a_long_run_is_opened_by_an_index_that_its_log_goes_on_from(tmp_path: Path) -> None:
    directory = _write(tmp_path / "run", [_row(number) for number in range(LONG)])
    log = directory / FILE
    *begun, one, other = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(begun))
    os.utime(log, (1, 1))
    found = OpenRun(directory)
    assert found.read() is found.read()
    assert read_kept(directory) is not None
    for came, count in ((one + other[:9], LONG - 1), (other[9:], LONG)):
        with log.open("ab") as file:
            file.write(came)
        before = _bytes_read()
        grown = found.read()
        assert _bytes_read() - before < 1_000_000  # a thousand rows for the warnings, not the log
        assert len(grown.log.rows) == count
        assert grown.figures == figures_of(read_run(directory), _tally(directory))
    assert OpenRun(directory).read().figures == grown.figures


def _bytes_read() -> int:
    return int(Path("/proc/self/io").read_text().split()[1])


def _tally(directory: Path) -> RunTally:
    return RunTally.of(read_run(directory).rows)


@pytest.mark.slow
@given(wanted=FILTERS, cuts=st.tuples(st.integers(1, 40), st.integers(0, 20)))
@settings(max_examples=60)
def test_a_run_that_grew_answers_as_one_that_is_read_whole(
    run: Path, tmp_path_factory: pytest.TempPathFactory, wanted: RowFilter, cuts: tuple[int, int]
) -> None:
    directory = tmp_path_factory.mktemp("grows")
    lines = (run / FILE).read_bytes().splitlines(keepends=True)
    log = directory / FILE
    log.write_bytes(b"".join(lines[: 1 + cuts[0]]))
    keep_index(str(directory))
    kept = read_kept(directory)
    assert kept is not None
    growing = GrowingRun(kept)
    found = growing.read()
    for end in (1 + sum(cuts), len(lines)):
        log.write_bytes(b"".join(lines[:end]))
        found = growing.read()
    assert found is not None
    whole = read_run(directory)
    assert found.index.select(wanted) == RowEntries(whole.rows).index().select(wanted)
    assert tuple(found.log.rows) == whole.rows
    assert figures_of(found.log, found.tally) == figures_of(whole, RunTally.of(whole.rows))


def test_a_log_that_does_not_go_on_from_its_index_is_read_anew(tmp_path: Path) -> None:
    rows = [_row(number) for number in range(20)]
    directory = _write(tmp_path / "run", rows)
    keep_index(str(directory))
    for lines in (
        lambda old: [*old, old[6]],  # a row is asked again
        lambda old: old[:-1],
        lambda old: [*old[:-1], old[3]],
    ):
        kept = read_kept(directory)
        assert kept is not None
        begun = (directory / FILE).read_bytes()
        (directory / FILE).write_bytes(b"".join(lines(begun.splitlines(keepends=True))))
        assert GrowingRun(kept).read() is None
        (directory / FILE).write_bytes(begun)


@pytest.mark.slow
def test_a_short_run_and_one_that_grows_have_no_index(tmp_path: Path) -> None:
    short = _write(tmp_path / "short", [_row(0)])
    grows = _write(tmp_path / "grows", [_row(number) for number in range(LONG)])
    os.utime(grows / FILE)
    for directory in (short, grows):
        found = OpenRun(directory)
        assert found.read().figures == figures_of(read_run(directory), _tally(directory))
        *_, last = (directory / FILE).read_bytes().splitlines(keepends=True)
        with (directory / FILE).open("ab") as file:
            file.write(last.replace(b'"key": "', b'"key": "a').replace(b'"id": "', b'"id": "a'))
        assert found.read().figures == figures_of(read_run(directory), _tally(directory))
        assert not (directory / INDEX).exists()
