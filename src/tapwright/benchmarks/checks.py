"""What a run requires of a benchmark, also of one's own, found out before anything is written."""

from collections.abc import Sequence
from typing import Any, get_args

from pydantic import JsonValue, TypeAdapter

from tapwright.benchmarks.answers import AnswerStatus
from tapwright.benchmarks.benchmark import SampleSource, Score
from tapwright.benchmarks.errors import BadBenchmarkError

__all__ = ["check_samples", "check_score"]

_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


def check_score(score: object, sample: str) -> Score:
    """A score as a run may write it.

    Raises:
        BadBenchmarkError: it is none; the message names what is wrong.
    """
    if not isinstance(score, Score):
        raise BadBenchmarkError(f"{sample}: its score is {score!r}; expected a Score")
    known = get_args(AnswerStatus)
    if score.status not in known:
        raise BadBenchmarkError(
            f"{sample}: its score has the status {score.status!r}; expected {', '.join(known)}"
        )
    value: object = score.value
    if value is not None and not (isinstance(value, int | float) and 0 <= value <= 1):
        raise BadBenchmarkError(
            f"{sample}: the score is {value!r}; expected a number from 0 to 1, or None"
        )
    try:
        _JSON.validate_python([score.parsed, dict(score.detail)])
    except (TypeError, ValueError) as error:
        raise BadBenchmarkError(
            f"{sample}: what its score was parsed as, or its detail, is no JSON"
        ) from error
    return score


def check_samples(benchmark: SampleSource[Any]) -> None:
    """See that a benchmark gives its samples as a run takes them.

    Raises:
        BadBenchmarkError: its `samples` is no method that returns a list of samples.
    """
    given: object = benchmark.samples
    found = given() if callable(given) else None
    if not isinstance(found, Sequence):
        raise BadBenchmarkError(
            f"{benchmark.name}: its samples are {type(given).__name__} {given!r:.80}; expected a "
            "method `samples()` that returns a list"
        )
