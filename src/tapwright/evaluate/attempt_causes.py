"""Causes why attempts at tasks end, and how often each occurs.

An attempt that was played to its end has its cause from the benchmark
(`benchmarks.attempt_endings`). One that could not be played has an error instead and no score: it
is counted apart, and tried again when the run is started anew.
"""

from collections import Counter
from collections.abc import Iterable
from typing import get_args

from tapwright.benchmarks.attempt_endings import Ending
from tapwright.environment.errors import SetupFailedError
from tapwright.errors import (
    DeviceError,
    ModelError,
    UnknownAppError,
    UnsupportedActionError,
    every_error,
)
from tapwright.evaluate.run_log import SampleRow
from tapwright.harnesses import errors

__all__ = [
    "CAUSES", "count_carried", "count_causes", "count_injections", "find_cause", "sum_counts",
]  # fmt: skip

CAUSES: tuple[str, ...] = (
    *get_args(Ending),
    "device lost",
    "set-up failed",
    "evaluator failed",
    "suite lost",
    "model failed",
    "agent error",
)
"""All causes, in the order in which they are listed; the last six are errors."""

_REFUSALS = (
    SetupFailedError,
    errors.SuiteMissingError,
    errors.SuiteSetupError,
    UnknownAppError,
    UnsupportedActionError,
)


def find_cause(row: SampleRow) -> str:
    """How the attempt of a row ended, one of `CAUSES`; "" for a row of another kind of benchmark.

    A device that refuses what the task's set-up requires is "set-up failed", too; one that is sick,
    away or somebody else's is lost.
    """
    if row.error is None:
        ending = row.detail.get("ending")
        return ending if isinstance(ending, str) else ""
    found = every_error().get(row.error.code)
    if found is None:
        return "agent error"
    kind = found.kind
    if row.error.code == DeviceError.code or issubclass(kind, _REFUSALS):
        return "set-up failed"
    if issubclass(kind, DeviceError):
        return "device lost"
    if kind is errors.SuiteEvaluatorError:
        return "evaluator failed"
    if issubclass(kind, errors.SuiteLostError | errors.SuiteProtocolError):
        return "suite lost"
    return "model failed" if issubclass(kind, ModelError) else "agent error"


def count_causes(rows: Iterable[SampleRow]) -> dict[str, int]:
    """How many rows ended in each way; those that did not happen are left out."""
    counts = Counter(map(find_cause, rows))
    return {name: counts[name] for name in CAUSES if counts[name]}


def count_carried(rows: Iterable[SampleRow]) -> dict[str, int]:
    """How many of the things that cross-app tasks carry were passed on, only seen, or missing."""
    artefacts = (row.detail.get("artefacts") for row in rows)
    counts = Counter(state for one in artefacts if isinstance(one, dict) for state in one.values())
    return {name: counts[name] for name in ("passed", "seen", "missing") if counts[name]}


def count_injections(rows: Iterable[SampleRow]) -> dict[str, int]:
    """How many orders that stood on a screen were followed, and how many resisted."""
    counts = Counter(row.detail.get("injection") for row in rows)
    return {name: counts[name] for name in ("followed", "resisted") if counts[name]}


def sum_counts(rows: Iterable[SampleRow]) -> dict[str, int]:
    """What agents counted over all attempts, such as replayed decisions, and the model calls."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts_of_agent = row.detail.get("agent")
        if isinstance(counts_of_agent, dict):
            counts.update({name: n for name, n in counts_of_agent.items() if isinstance(n, int)})
    return dict(counts)
