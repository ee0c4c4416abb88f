"""The index that is kept beside a long run's log: the same answers, and never in its place."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.evaluate.report_data import log_warnings
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
from tapwright.models.model import Usage
from tapwright.web.library.kept_index import INDEX, keep_index, read_kept
from tapwright.web.library.open_run import OpenRun
from tapwright.web.library.row_entries import RowEntries
from tapwright.web.library.run_index import SORT_KEYS, RowFilter
from tapwright.web.library.run_views import summary_view, table_views

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
    assert kept.figures.summary == summary_view("", log)
    assert kept.figures.tables == table_views(log, index.labels)
    assert [*kept.figures.warnings] == [*log_warnings([log])]
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
def test_a_long_run_is_opened_by_an_index_that_follows_its_log(tmp_path: Path) -> None:
    directory = _write(tmp_path / "run", [_row(number) for number in range(LONG)])
    log = directory / FILE
    *begun, last = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(begun))
    os.utime(log, (1, 1))
    found = OpenRun(directory).read()
    assert read_kept(directory) is not None
    assert found.kept is not None
    again = OpenRun(directory)
    assert again.read() is again.read()
    assert again.read().summary == found.summary
    with log.open("ab") as file:
        file.write(last)
    grown = again.read()
    assert grown.kept is None
    assert grown.log == read_run(directory)
    assert OpenRun(directory).read().summary == grown.summary


@pytest.mark.slow
def test_a_short_run_and_one_that_grows_have_no_index(tmp_path: Path) -> None:
    short = _write(tmp_path / "short", [_row(0)])
    grows = _write(tmp_path / "grows", [_row(number) for number in range(LONG)])
    os.utime(grows / FILE)
    for directory in (short, grows):
        found = OpenRun(directory).read()
        assert found.kept is None
        assert found.summary == summary_view("", read_run(directory))
        assert not (directory / INDEX).exists()
