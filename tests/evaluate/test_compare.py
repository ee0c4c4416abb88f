import asyncio
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.understanding import UnderstandingBenchmark
from tapwright.core.episode import Episode
from tapwright.evaluate.compare import compare, compare_all, describe_data, holm, mcnemar
from tapwright.evaluate.errors import RunLogError
from tapwright.evaluate.run import evaluate
from tapwright.evaluate.run_log import RunLog, SampleInfo, SampleRow
from tapwright.harnesses.protocol import Hello
from tapwright.models.scripted import ScriptedModel
from tests.run_logs import run_log

SCORES = st.lists(st.sampled_from([0.0, 1.0, None]), min_size=8, max_size=8)


def run(scores: list[float | None]) -> RunLog:
    rows = tuple(
        SampleRow(
            id=str(number),
            about=SampleInfo(labels={}, cluster=str(number // 2)),
            status="ok" if score is not None else "failed",
            score=score,
        )
        for number, score in enumerate(scores)
    )
    return run_log(rows, benchmark="l1", data_sha256="0", samples=8)


@given(before=SCORES, after=SCORES)
def test_to_exchange_two_runs_exchanges_gain_and_loss(
    before: list[float | None], after: list[float | None]
) -> None:
    if not any(None not in pair for pair in zip(before, after, strict=True)):
        return
    there, back = compare(run(before), run(after)), compare(run(after), run(before))
    assert there.difference == pytest.approx(-back.difference)
    assert [flip.key for flip in there.gained] == [flip.key for flip in back.lost]
    assert there.p_value == back.p_value
    assert there.n + there.unpaired <= 8
    if there.interval is not None and back.interval is not None:
        assert there.interval.low == pytest.approx(-back.interval.high)
        assert there.interval.low <= there.difference + 1e-9
        assert there.difference <= there.interval.high + 1e-9


@given(before=SCORES, after=SCORES)
def test_the_interval_agrees_with_the_exact_test(
    before: list[float | None], after: list[float | None]
) -> None:
    if not any(None not in pair for pair in zip(before, after, strict=True)):
        return
    found = compare(run(before), run(after))
    if found.interval is not None and found.p_value >= 0.05:
        assert found.interval.low <= 0 <= found.interval.high


def test_no_hit_of_either_run_still_leaves_room() -> None:
    # Newcombe's of two shares of 0 of 24: Wilson's upper end either way.
    none: list[float | None] = [0.0] * 24
    found = compare(run(none), run(none))
    assert found.difference == 0
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((-0.138, 0.138), abs=1e-3)


def test_how_many_samples_tell_three_points_apart() -> None:
    halves: list[float | None] = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    found = compare(run(halves), run([1.0, 0.0] * 4))
    # Half of the samples differ: (1.96 sqrt(.5) + 0.84 sqrt(.5 - .0009))^2 / .0009
    assert found.samples_for(0.03) == 4359


def test_the_interval_is_the_same_in_whatever_order_each_run_was_answered() -> None:
    drawn = Random(0)
    before, after = (run([drawn.random() for _ in range(120)]) for _ in "ab")
    later = replace(after, rows=after.rows[::-1])
    there, back = compare(before, later).interval, compare(later, before).interval
    assert there is not None
    assert back is not None
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-12)


@pytest.mark.parametrize(
    ("gained", "lost", "p_value"),
    [(0, 0, 1.0), (5, 5, 1.0), (1, 9, 0.021484375), (10, 0, 0.001953125), (0, 1, 1.0)],
)
def test_mcnemar_is_the_exact_binomial_test(gained: int, lost: int, p_value: float) -> None:
    assert mcnemar(gained, lost) == pytest.approx(p_value)


def test_so_many_flips_as_no_float_can_count_have_a_p_value() -> None:
    assert mcnemar(1000, 4000) < 1e-300
    assert mcnemar(2500, 2500) == 1.0


def test_runs_on_different_data_are_not_compared() -> None:
    other = replace(run([1.0]), header=run([]).header.model_copy(update={"data_sha256": "1"}))
    with pytest.raises(RunLogError, match="run is on l1 0, run on l1 1"):
        compare(run([1.0]), other)
    with pytest.raises(RunLogError, match="no scored sample in common"):
        compare(run([None]), run([1.0]))


def test_two_changes_of_a_suite_s_checkout_have_two_names() -> None:
    def named(commit: str) -> str:
        facts: dict[str, JsonValue] = {"suite": "Sums", "version": "1", "commit": commit}
        told = describe_data(run([]).header.model_copy(update={"config": {"suite": facts}}))
        hello = Hello(suite="Sums", version="1", commit=commit, protocol=1)
        assert str(hello) == told.replace("1 ", "1, commit ")
        return told

    commit = "0123456789abcdef" * 2 + "01234567"
    assert named(commit) == "Sums 1 0123456789ab"
    assert named(f"{commit}+aaaaaaaa") == "Sums 1 0123456789ab+aaaaaaaa"
    assert named(f"{commit}+bbbbbbbb") == "Sums 1 0123456789ab+bbbbbbbb"


def test_a_screenshot_alone_has_no_interval() -> None:
    found = compare(run([0.0, 1.0]), run([1.0, 1.0]))
    assert (found.interval, found.n, found.difference) == (None, 2, 0.5)


def test_flips_tell_what_was_answered(episodes: list[Episode], tmp_path: Path) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    benchmark = UnderstandingBenchmark(tmp_path / "own")
    runs = [
        asyncio.run(evaluate(benchmark, ScriptedModel([letter]), tmp_path / letter))
        for letter in "AB"
    ]
    found = compare(*runs)
    assert {flip.after.answer for flip in found.gained} == {"B"}
    assert {flip.before.about.truth for flip in found.lost} == {"A"}
    assert found.gained


@given(st.lists(st.floats(0, 1), max_size=8))
def test_a_corrected_p_value_is_never_smaller_and_keeps_the_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    assert all(0 <= old <= new <= 1 for old, new in zip(p_values, corrected, strict=True))
    ranked = [new for _, new in sorted(zip(p_values, corrected, strict=True))]
    assert ranked == sorted(ranked)


def test_holm_multiplies_the_smallest_by_all_and_the_next_by_one_less() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def test_of_several_runs_every_pair_is_compared() -> None:
    runs = [run([0.0] * 8), run([1.0] * 8), run([*[1.0] * 7, 0.0])]
    found = compare_all(runs)
    assert [one.comparison.difference for one in found] == [1.0, 7 / 8, -1 / 8]
    assert found[0].holm_p == pytest.approx(3 * found[0].comparison.p_value)
