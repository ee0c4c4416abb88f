"""`tapwright eval`: make benchmarks from recordings, run them, read, compare and list the runs."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import hook_option, out_option
from tapwright.cli.output import (
    Cell,
    Format,
    format_option,
    hint,
    print_record,
    print_rows,
)
from tapwright.errors import NothingFoundError, UsageError
from tapwright.evaluate.errors import RunLogError
from tapwright.store.store import EpisodeStore

if TYPE_CHECKING:
    from tapwright.benchmarks.answers import Parser
    from tapwright.benchmarks.metrics import Interval
    from tapwright.evaluate.hooks import ReadingHooks
    from tapwright.evaluate.plan import RunPlan
    from tapwright.evaluate.run_log import RunLog

_COMMANDS = {
    "make": ("tapwright.cli.eval:make", "Make benchmarks out of recordings"),
    "run": ("tapwright.cli.measure:run", "Measure agents and models on benchmarks"),
    "resume": ("tapwright.cli.measure:resume", "Go on with a run that was interrupted"),
    "score": ("tapwright.cli.eval:score", "Read a run's answers again, without the model"),
    "compare": ("tapwright.cli.eval:compare", "Say whether one run is better than another"),
    "ls": ("tapwright.cli.eval:ls", "List runs"),
    "view": ("tapwright.cli.bundle:view", "Write runs as a static site to look at"),
}


@click.group(name="eval", cls=LazyGroup, table=_COMMANDS)
def eval_() -> None:
    """Make benchmarks, run them, and compare what was measured."""


@click.command(epilog="\b\nExample:\n  tapwright eval make store -o bench")
@click.argument("store", type=click.Path(path_type=Path, file_okay=False))
@out_option("bench")
@click.option("--per-screen", default=3, show_default=True, help="At most so many targets each.")
@click.option("--limit", type=click.IntRange(1), help="At most so many screens.")
@click.option("--seed", default=0, show_default=True, help="For what is left to chance.")
def make(store: Path, out: Path, per_screen: int, limit: int | None, seed: int) -> None:
    """Make an L1 and an L2 benchmark out of the screens and trees recorded in STORE.

    They are written in MMBench-GUI's layout: L1_annotations.json, L2_annotations.json and
    offline_images/.
    """
    from tapwright.benchmarks.generated import make_benchmarks

    counts = make_benchmarks(
        EpisodeStore(store), out, seed=seed, per_screen=per_screen, limit=limit
    )
    click.echo(
        f"{out}: {counts.questions} questions and {counts.targets} targets "
        f"on {counts.screens} screens",
        err=True,
    )
    hint(f"tapwright eval run l1 --data {out} -m tree")


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval score runs/l1-tree\n"
    "  tapwright eval score runs/l2-qwen --parser seed --space permille -o runs/l2-qwen-seed"
)
@click.argument(
    "directories",
    nargs=-1,
    required=True,
    metavar="RUN...",
    type=click.Path(path_type=Path, exists=True),
)
@click.option("--parser", type=click.Choice(["robust", "seed"]), help="Only this one.")
@click.option("--space", metavar="UNIT|CONVENTION", help="Another unit than the run's.")
@hook_option
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="The benchmark's data, for samples whose log does not hold all they need.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write what was read as a run of its own; the RUN stays as it is.",
)
@format_option
def score(
    directories: tuple[Path, ...],
    parser: "Parser | None",
    space: str | None,
    hooks: dict[str, str],
    data: Path | None,
    out: Path | None,
    format_: Format,
) -> None:
    """Read and score the answers of each RUN again, by both parsers; no model is asked.

    `changed` is how many rows count differently than in the log. A run whose answers were read by
    functions of a user's own is shown as it was scored, unless they are given with --hook;
    `--hook parse=` reads without one.
    """
    from tapwright.evaluate.config import make_plan
    from tapwright.evaluate.hooks import READING_STAGES, ReadingHooks
    from tapwright.evaluate.run_log import read_run, write_run
    from tapwright.evaluate.scoring import plan_of

    if strange := sorted(hooks.keys() - {*READING_STAGES}):
        raise UsageError(f"--hook {strange[0]}: no model is asked; expected postprocess or parse")
    if any(hooks.values()):
        sys.path.append("")  # at the end: no file here takes the place of an installed module
    loaded = ReadingHooks.load(hooks.get("postprocess", ""), hooks.get("parse", ""))
    if out is not None and (parser is None or len(directories) > 1):
        raise click.UsageError("-o takes one RUN and one --parser")
    rows: list[dict[str, Cell]] = []
    for directory in directories:
        log = read_run(directory)
        keys = plan_of(log).model_dump(mode="json")
        if not (parser or space or out) and any(
            keys[stage] and stage not in hooks for stage in READING_STAGES
        ):
            rows.append(_row(directory, log, log))
            continue
        keys |= {"space": space} if space else {}
        for name in (parser,) if parser else ("robust", "seed"):
            plan = make_plan(str(directory), {**keys, **hooks, "parser": name})
            again = _again(log, plan, data, loaded)
            if out is not None:
                write_run(again, out)
            rows.append(_row(directory, log, again))
    print_rows(rows, format_, key="run")


def _row(directory: Path, log: "RunLog", again: "RunLog") -> dict[str, Cell]:
    """A line about a run as it was scored again, or as it stands."""
    from tapwright.benchmarks.metrics import cell
    from tapwright.evaluate.scoring import plan_of

    counted = cell(again.rows)
    return {
        "run": str(directory),
        "parser": "as recorded" if again is log else plan_of(again).parser,
        "score": told(again),
        "format_errors": counted.format_errors,
        "refusals": counted.refusals,
        "changed": sum(
            old.score != new.score for old, new in zip(log.rows, again.rows, strict=True)
        ),
    }


def _again(log: "RunLog", plan: "RunPlan", data: Path | None, hooks: "ReadingHooks") -> "RunLog":
    from tapwright.benchmarks import benchmarks
    from tapwright.benchmarks.benchmark import Benchmark
    from tapwright.evaluate.scoring import rescore

    if data is None and all(row.about.size is not None for row in log.rows):
        return rescore(log, plan, hooks=hooks)
    loaded = benchmarks.get(log.header.benchmark)(str(data or log.header.source))
    if not isinstance(loaded, Benchmark):
        raise click.UsageError(f"{log.header.benchmark} is played: its answers are not read again")
    return rescore(log, plan, loaded, hooks=hooks)


@click.command(epilog="\b\nExample:\n  tapwright eval compare runs/l2-small runs/l2-large")
@click.argument("before", type=click.Path(path_type=Path, exists=True))
@click.argument("after", type=click.Path(path_type=Path, exists=True))
@click.option("--flips", is_flag=True, help="List the samples that only one of them has right.")
@format_option
def compare(before: Path, after: Path, *, flips: bool, format_: Format) -> None:
    """Say whether the run AFTER is better than BEFORE, sample by sample.

    The interval is a paired bootstrap's by screenshot, the p-value McNemar's exact one.
    """
    from tapwright.evaluate import compare as comparing
    from tapwright.evaluate.run_log import read_run

    found = comparing.compare(read_run(before), read_run(after))
    if flips:
        rows: list[dict[str, Cell]] = [
            {
                "sample": flip.key,
                "change": change,
                "instruction": flip.instruction,
                "before": flip.before.answer or "",
                "after": flip.after.answer or "",
            }
            for change, some in (("gained", found.gained), ("lost", found.lost))
            for flip in some
        ]
        print_rows(rows, format_, key="sample")
        return
    print_record(
        {
            "before_percent": round(100 * found.before, 2),
            "after_percent": round(100 * found.after, 2),
            "difference_points": round(100 * found.difference, 2),
            "interval_points": _interval(found.interval),
            "p_value": float(f"{found.p_value:.2g}"),
            "gained": len(found.gained),
            "lost": len(found.lost),
            "paired": found.n,
            "unpaired": found.unpaired,
        },
        format_,
        key="difference_points",
    )


@click.command(epilog="\b\nExample:\n  tapwright eval ls runs")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), default="runs")
@format_option
def ls(directory: Path, format_: Format) -> None:
    """List the runs below DIRECTORY."""
    from tapwright.evaluate.run_log import FILE, read_run

    rows: list[dict[str, Cell]] = []
    broken = False
    for path in sorted(directory.rglob(FILE)):
        try:
            log = read_run(path)
        except RunLogError as error:
            click.echo(f"{error} [{error.code}]", err=True)
            broken = True
            continue
        rows.append(
            {
                "run": str(path.parent),
                "benchmark": log.header.benchmark,
                "subject": log.header.subject,
                "done": f"{sum(row.status != 'failed' for row in log.rows)}/{log.header.samples}",
                "score": told(log),
                "begun": log.created,
            }
        )
    if not rows and not broken:
        raise NothingFoundError(f"{directory}: no runs", hint="tapwright eval run --help")
    print_rows(rows, format_, key="run")
    sys.exit(1 if broken else 0)


def told(log: "RunLog") -> str:
    """The score of a run in words."""
    from tapwright.benchmarks.metrics import cell

    whole = cell(log.rows)
    if whole.value is None or whole.interval is None:
        return "nothing scored"
    low, high = 100 * whole.interval.low, 100 * whole.interval.high
    return f"{100 * whole.value:.1f} % ({low:.0f} to {high:.0f}) of {whole.n}"


def told_of_attempts(log: "RunLog") -> list[str]:
    """How the attempts of a run of tasks ended and what they took, in words; nothing for others."""
    from tapwright.evaluate.attempt_causes import count_carried, count_causes, sum_counts
    from tapwright.evaluate.step_efficiency import measure_step_efficiency

    lines = []
    found = measure_step_efficiency(log)
    if found is not None:
        area = found.eqa
        lines.append(
            f"EQA {area.exact:.3f} in the suite's order (101 points {area.sampled:.3f}, any order "
            f"{area.permutation_mean:.3f}, per task {area.per_task:.3f}), of {found.max_steps} "
            "steps a task"
        )
        if found.ratio is not None:
            lines.append(
                f"{found.ratio:.2f} steps for each of the script's, over {found.compared} successes"
            )
    if ended := {name: count for name, count in count_causes(log.rows).items() if name}:
        lines.append(_counted(ended))
    if carried_over := count_carried(log.rows):
        lines.append(f"carried from app to app: {_counted(carried_over)}")
    lines += _told_of_agents(sum_counts(log.rows))
    usage = log.usage
    if found is not None and usage.input_tokens:
        cost = "" if log.cost is None else f", cost {log.cost:.4g}"
        lines.append(f"{usage.input_tokens} tokens read, {usage.output_tokens} written{cost}")
    return lines


def _told_of_agents(counts: Mapping[str, int]) -> list[str]:
    lines = []
    if calls := counts.get("model_calls", 0):
        lines.append(f"{calls} model calls")
    replayed, asked = counts.get("replayed", 0), counts.get("asked", 0)
    if replayed + asked:
        share = replayed / (replayed + asked)
        lines.append(f"{replayed} of {replayed + asked} decisions replayed ({share:.0%}) unasked")
    if loops := counts.get("loops", 0):
        lines.append(f"going round in circles was noticed {loops} times")
    return lines


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _interval(found: "Interval | None") -> list[float] | None:
    return [round(100 * end, 2) for end in (found.low, found.high)] if found else None
