"""A checker for benchmarks of samples: samples, prompts and scores keep their laws."""

from tapwright.benchmarks.benchmark import Benchmark, S
from tapwright.benchmarks.checks import check_samples, check_score
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.testing.errors import ConformanceError

_ANSWERS = ("", "B", "(0.5, 0.5)", "I cannot find it.", '{"a": ' * 50, "\0\ud83d (1e999, -1)")
_SPACES = ("pixel", "fraction", "permille", "percent", "json")


def check_benchmark(benchmark: Benchmark[S]) -> None:
    """Check what every benchmark of samples promises, on its first twenty samples.

    Samples are the same each time and have ids of their own; a prompt has words, and ends with the
    user; a score is from 0 to 1, pure, has one of the statuses, and is given to any answer of a
    model, in any unit. A run is as strict.

    Raises:
        ConformanceError: it breaks a law; the message names which.
    """
    try:
        check_samples(benchmark)
    except BadBenchmarkError as error:
        raise ConformanceError(str(error)) from error
    samples = list(benchmark.samples())
    if not samples:
        raise ConformanceError(f"{benchmark.name}: it has no samples")
    ids = [sample.id for sample in samples]
    if len(set(ids)) < len(ids):
        twice = next(id_ for id_ in ids if ids.count(id_) > 1)
        raise ConformanceError(f"{benchmark.name}: two samples have the id {twice!r}")
    if ids != [sample.id for sample in benchmark.samples()]:
        raise ConformanceError(f"{benchmark.name}: its samples come in another order each time")
    for sample in samples[:20]:
        _check_sample(benchmark, sample)


def _check_sample(benchmark: Benchmark[S], sample: S) -> None:
    where = f"{benchmark.name}, {sample.id}"
    prompt = benchmark.prompt(sample)
    if not prompt or prompt[-1].role != "user" or not prompt[-1].text.strip():
        raise ConformanceError(f"{where}: the prompt does not end with the user's words")
    for answer in _ANSWERS:
        for space in _SPACES:
            try:
                score = check_score(benchmark.score(sample, answer, space=space), where)
            except BadBenchmarkError as error:
                raise ConformanceError(f"{error}; the answer was {answer[:40]!r}") from error
            if score.value is not None and not 0 <= score.value <= 1:
                raise ConformanceError(
                    f"{where}: {answer[:40]!r} scores {score.value}; expected 0 to 1"
                )
            if benchmark.score(sample, answer, space=space) != score:
                raise ConformanceError(f"{where}: {answer[:40]!r} scores differently each time")
