"""What should be known before the scores of runs are believed or compared, in sentences."""

from collections.abc import Iterable, Sequence

from tapwright.evaluate.compare import describe_data
from tapwright.evaluate.rule_choice import rule_of_header
from tapwright.evaluate.run_log import RunLog
from tapwright.evaluate.run_tally import RunTally
from tapwright.evaluate.run_warnings import run_warnings

__all__ = ["data_warnings", "log_warnings"]


def log_warnings(runs: Sequence[RunLog], tallies: Sequence[RunTally] = ()) -> Iterable[str]:
    """What should be known before the scores of these runs are believed or compared.

    Without `tallies` their rows are counted here.
    """
    counted = tallies or [RunTally.of(run.rows) for run in runs]
    for run, tally in zip(runs, counted, strict=True):
        header = run.header
        match header.config.get("left_out"):
            case {"rows": int(rows), "first": [str(first), *_]}:
                yield (
                    f"{header.subject} on {header.benchmark}: the score is without {rows} rows of "
                    f"the data that cannot be used, the first: {first}"
                )
            case _:
                pass
        if tally.has_answer != header.samples:
            what = "attempts were judged" if header.is_played else "samples have an answer"
            yield (
                f"{header.subject} on {header.benchmark}: {tally.has_answer} of {header.samples} "
                f"{what}; {_scored(run)}"
            )
        for line in run_warnings(run, tally):
            yield f"{header.subject} on {header.benchmark}: {line}"
    versions = sorted({run.header.tapwright for run in runs})
    if len(versions) > 1:
        yield f"the runs were made with different versions of tapwright: {', '.join(versions)}"
    for name in sorted({run.header.benchmark for run in runs}):
        used = {rule.name for run in runs if run.header.benchmark == name
                and (rule := rule_of_header(run.header))}  # fmt: skip
        if len(used) > 1:
            yield (
                f"the runs on {name} are scored by different rules: {', '.join(sorted(used))}; "
                "tapwright eval score --rules scores them alike"
            )
    yield from data_warnings(runs)


def _scored(run: RunLog) -> str:
    """What the score of a run is of, when queries have no answer."""
    rule = rule_of_header(run.header)
    if rule is not None and rule.counts_failures:
        return f"by the rule {rule.name} a request that failed is a wrong answer"
    return "the score is of those"


def data_warnings(runs: Sequence[RunLog]) -> Iterable[str]:
    """Which of these runs are on one benchmark and not on the same tasks."""
    for name in sorted({run.header.benchmark for run in runs}):
        same = [run.header for run in runs if run.header.benchmark == name]
        if len({header.data_sha256 for header in same}) > 1:
            on = ", ".join(sorted({describe_data(header) for header in same}))
            yield f"the runs on {name} have different data ({on}); their scores cannot be compared"
        elif len({header.samples for header in same}) > 1:
            yield f"the runs on {name} have different numbers of samples"
