"""Rows of a benchmark's data that cannot be used: told before a run, and kept in its log.

Steps of recordings that are no targets (`core.fit`) are told, too; they are no defect of the data.

A published file of thousands of rows may have a few with no instruction, a box that is nowhere or a
picture that is missing. The others are measured, and the score states how many it is without.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.core.fit import FitKind, tell_unfit
from tapwright.files.names import without_folders

__all__ = ["describe_left_out", "left_out_config", "refuse_left_out"]

_SHOWN = 3


@runtime_checkable
class _LeavesOut(Protocol):
    """A benchmark that leaves out rows: why, each with its place."""

    left_out: Sequence[str]


@runtime_checkable
class _CountsSteps(Protocol):
    """A benchmark of recorded steps: how many are of each kind."""

    fit: Mapping[FitKind, int]


def _list_left_out(benchmark: object) -> Sequence[str]:
    """Why rows of a benchmark's data are left out, each with its place; none for other sources."""
    return benchmark.left_out if isinstance(benchmark, _LeavesOut) else ()


def describe_left_out(name: str, benchmark: object) -> Iterator[str]:
    """Lines that tell how many steps and rows are left out, and the first reasons."""
    if isinstance(benchmark, _CountsSteps) and (told := tell_unfit(benchmark.fit)):
        yield f"{name}: {told}"
    if rows := _list_left_out(benchmark):
        many = "row of the data is" if len(rows) == 1 else "rows of the data are"
        yield f"{name}: {len(rows)} {many} left out of the score (`--plan strict=true` refuses):"
        yield from (f"  {reason}" for reason in rows[:_SHOWN])
        if len(rows) > _SHOWN:
            yield f"  and {len(rows) - _SHOWN} more"


def left_out_config(benchmark: object) -> dict[str, JsonValue]:
    """What the header of a run says about them; nothing when there are none."""
    rows = _list_left_out(benchmark)
    first: list[JsonValue] = [without_folders(row) for row in rows[:_SHOWN]]
    return {"left_out": {"rows": len(rows), "first": first}} if rows else {}


def refuse_left_out(name: str, benchmark: object) -> None:
    """Refuse a benchmark that leaves out rows.

    Raises:
        BadBenchmarkError: it does; names the first row.
    """
    rows = _list_left_out(benchmark)
    if rows:
        raise BadBenchmarkError(
            f"{rows[0]} ({len(rows)} of {name}'s rows cannot be used)",
            hint="correct the data, or leave out strict: the other rows are then measured",
        )
