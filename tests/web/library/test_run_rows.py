"""The rows of a run in SQLite: the answers of the log itself, and never in its place."""

import os
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.evaluate.error_analysis import diagnose
from tapwright.evaluate.errors import RunLogError
from tapwright.evaluate.run_log import (
    FILE,
    RowError,
    SampleInfo,
    SampleRow,
    read_run,
    write_run,
)
from tapwright.evaluate.run_tally import RunTally
from tapwright.evaluate.sample_gallery import row_verdict
from tapwright.models.model import Usage
from tapwright.store.catalog_file import CatalogFile, CatalogWarning
from tapwright.web.library.row_tables import SORT_KEYS, RowFilter, SelectedRows
from tapwright.web.library.run_rows import LAYOUT, RunRows, fill_file
from tapwright.web.library.run_views import figures_of
from tests.run_logs import run_log

LONG = 8_000
"""So many rows make a log whose rows are kept beside it."""


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
        score=None if number % 13 == 7 else float(hits),
        detail={"steps": number % 4} if number % 5 else {},
        usage=Usage(12, number % 9),
        latency_s=0.25 * (number % 8),
        started=float(number),
        ended=number + 0.5,
    )


def _write(directory: Path, rows: list[SampleRow]) -> Path:
    created = "2026-01-01T00:00:00+00:00"
    log = run_log(rows, path=directory / FILE, created=created, samples=len(rows) + 1)
    write_run(log, directory)
    os.utime(log.path, (1, 1))
    return directory


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [_row(number, epoch) for number in range(40) for epoch in (1, 2)]
    return _write(tmp_path_factory.mktemp("run"), rows)


FILTERS = st.builds(
    RowFilter,
    text=st.sampled_from(
        ["", "1", "ÖFFNE NR. 3", "0.15", "öffne nr. 6\x00\n(", "1#2\n", "\ud800\ud800"]
    ),
    verdict=st.sampled_from(["", "hit", "miss", "unscored", "failed", "other"]),
    mistake=st.sampled_from(["", "near miss", "elsewhere"]),
    labels=st.dictionaries(
        st.sampled_from(["app", "kind", "none"]), st.sampled_from(["app1", "Icon", ""])
    ),
    sort=st.sampled_from(["", *SORT_KEYS, *(f"-{name}" for name in SORT_KEYS), "app", "-kind"]),
)


@pytest.mark.parametrize("on_disk", [False, True])
@given(wanted=FILTERS)
def test_the_tables_answer_as_the_rows_themselves_do(
    run: Path, on_disk: bool, wanted: RowFilter
) -> None:
    found = RunRows(run, CatalogFile(run, LAYOUT, in_memory=not on_disk))
    rows = read_run(run).rows
    assert (found.select(wanted), found.order(wanted)) == _select(rows, wanted)
    assert found.order(wanted, 3, 5) == found.order(wanted)[3:8]


def test_as_many_rows_failed_as_queries_have_no_answer(run: Path) -> None:
    found = RunRows(run, CatalogFile(run, LAYOUT, in_memory=True))
    summary, verdicts = found.read().figures.summary, found.select(RowFilter()).verdicts
    assert verdicts["failed"] == summary.endings["failed"]
    assert verdicts["hit"] + verdicts["miss"] == summary.n
    assert verdicts["unscored"] > 0
    not_asked = summary.expected - sum(summary.endings.values())
    assert sum(verdicts.values()) + not_asked == summary.expected


def _select(rows: Sequence[SampleRow], wanted: RowFilter) -> tuple[SelectedRows, Sequence[int]]:
    """What the filter says, row by row."""
    sought = wanted.text.strip().casefold()
    verdicts, mistakes = [row_verdict(row) for row in rows], [diagnose(row) or "" for row in rows]
    names = list(dict.fromkeys(name for row in rows for name in row.labels))
    labels = {name: [row.labels.get(name, "") for row in rows] for name in names}
    texts = [f"{row.key}\n{row.about.instruction}\n{row.answer or ''}".casefold() for row in rows]
    parts = {
        "text": [sought in text for text in texts],
        "verdict": [wanted.verdict in ("", one) for one in verdicts],
        "mistake": [wanted.mistake in ("", one) for one in mistakes],
    }
    for name, value in (wanted.labels or {}).items():
        parts[f"label {name}"] = [value == one for one in labels.get(name, [None] * len(rows))]

    def fit(own: str) -> list[int]:
        others = [part for name, part in parts.items() if name != own]
        return [at for at in range(len(rows)) if all(part[at] for part in others)]

    def count(own: str, values: Sequence[str]) -> dict[str, int]:
        return dict(Counter(values[at] for at in fit(own) if values[at]))

    selected = SelectedRows(
        found=len(fit("")),
        verdicts=count("verdict", verdicts),
        mistakes=count("mistake", mistakes),
        labels={
            name: count(f"label {name}", values)
            for name, values in labels.items()
            if len(set(values)) > 1
        },
    )
    return selected, _sorted(rows, fit(""), wanted.sort)


def _sorted(rows: Sequence[SampleRow], places: list[int], sort: str) -> Sequence[int]:
    name = sort.removeprefix("-")
    values: dict[int, Any] = {at: _value(rows[at], name) for at in places}
    having = [at for at in places if values[at] is not None]
    having.sort(key=lambda at: values[at], reverse=sort.startswith("-"))
    return having + [at for at in places if values[at] is None]


def _value(row: SampleRow, name: str) -> object:
    match name:
        case "key":
            return tuple(int(part) for part in row.key.split("#"))
        case "verdict":
            return row_verdict(row)
        case "mistake":
            return diagnose(row)
        case "score":
            return row.score
        case "latency":
            return None if row.status == "failed" else row.latency_s
        case "tokens":
            return row.usage.output_tokens or None
        case "steps":
            return row.detail.get("steps")
        case "answer":
            return row.answer or None
        case "instruction":
            return row.about.instruction or None
        case "":
            return 0
        case _:
            return row.labels.get(name) or None


def _check(found: RunRows, directory: Path) -> None:
    """Check that a run is as its log says."""
    read, log = found.read(), read_run(directory)
    assert replace(read.log, rows=tuple(read.log.rows)) == log
    assert read.figures == figures_of(log, RunTally.of(log.rows))
    assert found.places("key", log.rows[-1].key) == [len(log.rows) - 1]
    assert found.rows(found.places("sample", log.rows[0].id)) == [
        row for row in log.rows if row.id == log.rows[0].id
    ]
    wanted = RowFilter(text="1", labels={"kind": "Icon"}, sort="-key")
    assert (found.select(wanted), found.order(wanted)) == _select(log.rows, wanted)


def test_what_was_kept_is_what_the_log_says(run: Path) -> None:
    fill_file(str(run))
    found = RunRows(run, CatalogFile(run, LAYOUT))
    _check(found, run)
    log, rows = read_run(run), found.read().log.rows
    assert [rows[at] for at in (3, 0, -1)] == [log.rows[at] for at in (3, 0, -1)]
    assert rows[2:5] == log.rows[2:5]


@pytest.mark.parametrize("cut", [0, 10, 5000])
def test_a_torn_file_is_made_again(tmp_path: Path, cut: int) -> None:
    directory = _write(tmp_path, [_row(number) for number in range(20)])
    fill_file(str(directory))
    file = directory / LAYOUT.path
    file.write_bytes(file.read_bytes()[:cut] + b"torn" * 2000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CatalogWarning)
        _check(RunRows(directory, CatalogFile(directory, LAYOUT)), directory)


def test_the_rows_of_another_log_do_not_hold(tmp_path: Path) -> None:
    rows = [_row(number) for number in range(5)]
    one, other = _write(tmp_path / "one", rows), _write(tmp_path / "other", rows[::-1])
    fill_file(str(one))
    (one / LAYOUT.path).parent.rename((other / LAYOUT.path).parent)
    _check(RunRows(other, CatalogFile(other, LAYOUT)), other)


@pytest.mark.slow
def test_a_long_run_is_opened_by_rows_that_its_log_goes_on_from(tmp_path: Path) -> None:
    directory = _write(tmp_path / "run", [_row(number) for number in range(LONG)])
    log = directory / FILE
    *begun, one, other = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(begun))
    os.utime(log, (1, 1))
    found = RunRows(directory)
    assert found.read() is found.read()
    assert (directory / LAYOUT.path).exists()
    for came, count in ((one + other[:9], LONG - 1), (other[9:], LONG)):
        with log.open("ab") as file:
            file.write(came)
        read = found.read()
        assert len(read.log.rows) == count
        assert read.figures == figures_of(read_run(directory), _tally(directory))
    assert RunRows(directory).read().figures == read.figures


def _tally(directory: Path) -> RunTally:
    return RunTally.of(read_run(directory).rows)


@pytest.mark.slow
@pytest.mark.parametrize("on_disk", [False, True])
@given(cuts=st.tuples(st.integers(1, 40), st.integers(0, 20)))
@settings(max_examples=30)
def test_a_run_that_grew_answers_as_one_that_is_read_whole(
    run: Path, tmp_path_factory: pytest.TempPathFactory, on_disk: bool, cuts: tuple[int, int]
) -> None:
    directory = tmp_path_factory.mktemp("grows")
    lines = (run / FILE).read_bytes().splitlines(keepends=True)
    log = directory / FILE
    log.write_bytes(b"".join(lines[: 1 + cuts[0]]))
    found = RunRows(directory, CatalogFile(directory, LAYOUT, in_memory=not on_disk))
    for end in (1 + cuts[0], 1 + sum(cuts), len(lines)):
        log.write_bytes(b"".join(lines[:end]))
        _check(found, directory)
        if on_disk:  # another program goes on from the same file
            _check(RunRows(directory, CatalogFile(directory, LAYOUT)), directory)


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_log_that_does_not_go_on_as_it_began_is_read_anew(tmp_path: Path, on_disk: bool) -> None:
    directory = _write(tmp_path / "run", [_row(number) for number in range(20)])
    found = RunRows(directory, CatalogFile(directory, LAYOUT, in_memory=not on_disk))
    _check(found, directory)
    begun = (directory / FILE).read_bytes().splitlines(keepends=True)
    asked_again = begun[6].replace(b'"latency_s": ', b'"latency_s": 1')
    for lines in (
        [*begun, asked_again],
        begun[:-1],
        [*begun[:-1], begun[3]],
        [begun[0], *begun[:0:-1]],
        [*begun, b'{"half a line'],
        begun[:1],
        begun,
    ):
        (directory / FILE).write_bytes(b"".join(lines))
        if len(lines) > 1:
            _check(found, directory)
        else:
            assert len(found.read().log.rows) == 0
        assert found.read() is found.read()


def test_a_broken_line_is_told_with_its_number_and_read_again_when_mended(tmp_path: Path) -> None:
    directory = _write(tmp_path, [_row(number) for number in range(3)])
    found, file = RunRows(directory), tmp_path / FILE
    _check(found, directory)
    whole = file.read_bytes()
    file.write_bytes(whole + b"{}\n")
    with pytest.raises(RunLogError, match="line 5: not a run log"):
        found.read()
    file.write_bytes(whole)
    os.utime(file, (2, 2))
    _check(found, directory)


def test_a_line_that_is_another_ones_now_is_not_shown_for_it(tmp_path: Path) -> None:
    directory = _write(tmp_path, [_row(number) for number in range(9)])
    fill_file(str(directory))
    found = RunRows(directory, CatalogFile(directory, LAYOUT))
    found.read()
    file = directory / FILE
    before = file.stat()
    file.write_bytes(file.read_bytes().replace(b'"3"', b'"x"'))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(RunLogError, match="line 5: not a run log: another row"):
        found.rows([3])
    _check(found, directory)


@pytest.mark.slow
def test_a_short_run_and_one_that_grows_have_no_file(tmp_path: Path) -> None:
    short = _write(tmp_path / "short", [_row(0)])
    grows = _write(tmp_path / "grows", [_row(number) for number in range(LONG)])
    os.utime(grows / FILE)
    for directory in (short, grows):
        found = RunRows(directory)
        assert found.read().figures == figures_of(read_run(directory), _tally(directory))
        *_, last = (directory / FILE).read_bytes().splitlines(keepends=True)
        with (directory / FILE).open("ab") as file:
            file.write(last.replace(b'"key": "', b'"key": "a').replace(b'"id": "', b'"id": "a'))
        assert found.read().figures == figures_of(read_run(directory), _tally(directory))
        assert not (directory / LAYOUT.path).exists()
