"""`tapwright eval score`: score a run's answers again, without the model."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.directories import RUN
from tapwright.cli.eval.summary import describe_score, rules_in_words
from tapwright.cli.options import FOLDER, admit_by, hook_option, out_option
from tapwright.cli.output import Cell, Format, format_option, print_rows
from tapwright.errors import UsageError
from tapwright.workflows.own_names import admit_convention

if TYPE_CHECKING:
    from tapwright.benchmarks.answers import Parser
    from tapwright.evaluate.hooks import ReadingHooks
    from tapwright.evaluate.plan import RunPlan
    from tapwright.evaluate.run_log import RunLog


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval score runs/l1-tree\n"
    "  tapwright eval score runs/l2-qwen --parser seed --space permille -o runs/l2-qwen-seed"
)
@click.argument("directories", nargs=-1, required=True, metavar="RUN...", type=RUN)
@click.option("--parser", type=click.Choice(["robust", "seed"]), help="Only this parser.")
@click.option(
    "--rules",
    metavar="NAME",
    help="Another rule of the suite than the run's; a wrong name lists the right ones.",
)
@click.option(
    "--space",
    metavar="UNIT|CONVENTION",
    callback=admit_by(admit_convention),
    help="Another unit than the run's: pixel, fraction, permille, percent, or a convention that "
    "declares it.",
)
@click.option(
    "--convention",
    callback=admit_by(admit_convention),
    help="Read the answers in this convention, as `tapwright conventions ls` lists them.  "
    "[default: the run's]",
)
@hook_option
@click.option(
    "--data",
    type=FOLDER,
    help="The benchmark's data, for samples whose log lacks what scoring needs.",
)
@out_option("Write the result as a new run; RUN stays as it is.")
@format_option
def score(
    directories: tuple[Path, ...],
    parser: "Parser | None",
    rules: str | None,
    space: str | None,
    convention: str | None,
    hooks: dict[str, str],
    data: Path | None,
    out: Path | None,
    format_: Format,
) -> None:
    """Score the answers of each RUN again, by both parsers or its convention; no model is queried.

    Each keeps its rule unless --rules names another one of its suite.

    `changed` counts rows whose score differs from the log's. A run whose answers were parsed by
    functions of its author keeps its scores, unless you name them with --hook;
    `--hook parse=` parses without one.
    """
    from tapwright.benchmarks.score_rules import find_rule
    from tapwright.conventions import conventions
    from tapwright.evaluate.hooks import READING_STAGES, ReadingHooks
    from tapwright.evaluate.run_log import read_run, write_run
    from tapwright.evaluate.scoring import plan_of

    if unused := sorted(hooks.keys() - {*READING_STAGES}):
        raise UsageError(f"--hook {unused[0]}: no model is queried; expected postprocess or parse")
    if convention and (parser or space):
        raise UsageError(
            f"{'--parser' if parser else '--space'} has no effect: the convention {convention} "
            "decides it"
        )
    if out is not None and (not (parser or rules or convention) or len(directories) > 1):
        raise UsageError("-o takes one RUN and one --parser, or --rules, or --convention")
    if any(hooks.values()):
        sys.path.append("")  # at the end: no file here replaces an installed module
    functions = ReadingHooks.load(hooks.get("postprocess", ""), hooks.get("parse", ""))
    rows: list[dict[str, Cell]] = []
    for directory in directories:
        log = read_run(directory)
        recorded = plan_of(log)
        # Another unit or parser is instead of the run's convention.
        own = convention or ("" if parser or space else recorded.convention)
        missing = any(getattr(recorded, stage) and stage not in hooks for stage in READING_STAGES)
        missing |= own not in ("", *conventions.names())
        if missing and not (parser or rules or space or out):
            rows.append(_row(directory, log, log))
            continue
        if rules:
            find_rule(log.header.benchmark, rules)
        for name in _parsers(log, parser or (recorded.parser if rules or own else None)):
            changes = {**hooks, "parser": name, "space": space or recorded.space, "convention": own}
            if rules:
                changes["rules"] = rules
            scored = _score_again(log, recorded.model_copy(update=changes), data, functions)
            if out is not None:
                write_run(scored, out)
            rows.append(_row(directory, log, scored))
    print_rows(rows, format_, key="run")


def _parsers(log: "RunLog", chosen: "Parser | None") -> "Sequence[Parser]":
    """The chosen parser; else both, of which the seed's reads letters and places only."""
    if chosen:
        return (chosen,)
    return ("robust", "seed") if all(row.about.size for row in log.rows) else ("robust",)


def _row(directory: Path, log: "RunLog", scored: "RunLog") -> dict[str, Cell]:
    """A line about a run as it was scored again, or as it stands."""
    from tapwright.benchmarks.metrics import cell
    from tapwright.evaluate.scoring import plan_of

    whole, plan = cell(scored.rows), plan_of(scored)
    before = {row.key: row.score for row in log.rows}
    return {
        "run": str(directory),
        "parser": "as recorded" if scored is log else plan.convention or plan.parser,
        "rules": rules_in_words(scored),
        "score": describe_score(scored),
        "answered": f"{whole.answered} of {scored.header.samples}",
        "format_errors": whole.format_errors,
        "refusals": whole.refusals,
        "changed": sum(before.get(row.key) != row.score for row in scored.rows),
    }


def _score_again(
    log: "RunLog", plan: "RunPlan", data: Path | None, functions: "ReadingHooks"
) -> "RunLog":
    from tapwright.benchmarks import benchmarks
    from tapwright.benchmarks.benchmark import Benchmark
    from tapwright.evaluate.scoring import rescore

    if data is None and all(row.about.size is not None for row in log.rows):
        return rescore(log, plan, hooks=functions)
    benchmark = benchmarks.get(log.header.benchmark)(str(data or log.header.source))
    if not isinstance(benchmark, Benchmark):
        raise UsageError(f"{log.header.benchmark} is played: it has no answers to score again")
    return rescore(log, plan, benchmark, hooks=functions)
