"""`tapwright eval`: make benchmarks from recordings, run them, list what was run."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from pydantic import JsonValue

from tapwright.cli.options import convention_option, device_option, open_device, out_option, player
from tapwright.cli.output import Cell, Format, format_option, hint, print_rows, stage
from tapwright.errors import NothingFoundError, UsageError
from tapwright.store import EpisodeStore

if TYPE_CHECKING:
    from tapwright.conventions.convention import Space
    from tapwright.evaluate.run import Progress
    from tapwright.evaluate.runlog import RunLog


@click.group(name="eval")
def eval_() -> None:
    """Make benchmarks, and run them."""


@eval_.command()
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
    from tapwright.benchmarks.own import make_benchmarks

    counts = make_benchmarks(
        EpisodeStore(store), out, seed=seed, per_screen=per_screen, limit=limit
    )
    click.echo(
        f"{out}: {counts.questions} questions and {counts.targets} targets "
        f"on {counts.screens} screens",
        err=True,
    )
    hint(f"tapwright eval run l1 --data {out} -m tree")


@eval_.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval run l1 --data bench -m tree\n"
    "  tapwright eval run l2 --data bench -m openai/qwen2.5-vl-7b --space pixel\n"
    "  tapwright eval run l3 --data phone -m tree --envs 4"
)
@click.argument("benchmark")
@click.option(
    "-m",
    "--subject",
    required=True,
    metavar="AGENT|CLIENT/MODEL",
    help="Who is measured: an agent (random, tree, …) or a model (openai/NAME).",
)
@click.option("--data", "source", required=True, help="The benchmark's directory; for l3 a suite.")
@click.option("-o", "--out", type=click.Path(path_type=Path, file_okay=False), help="The run.")
@click.option("--limit", type=click.IntRange(1), help="Only the first samples.")
@click.option("--concurrency", type=click.IntRange(1), default=8, show_default=True)
@click.option(
    "--space",
    type=click.Choice(["pixel", "fraction", "permille", "percent"]),
    default="pixel",
    show_default=True,
    help="The unit of the places in a model's answers (l2).",
)
@convention_option
@device_option
@click.option("--envs", type=click.IntRange(1, 64), default=2, show_default=True, help="(l3)")
@click.option("--seed", default=0, show_default=True, help="For whatever an agent leaves open.")
def run(
    benchmark: str,
    subject: str,
    source: str,
    out: Path | None,
    limit: int | None,
    concurrency: int,
    space: "Space",
    convention: str,
    device: str,
    envs: int,
    seed: int,
) -> None:
    """Measure an agent or a model on BENCHMARK.

    A run that was interrupted goes on with the same command and asks nothing twice. Ends with 1
    when a sample could not be measured.
    """
    out = out or Path("runs") / f"{benchmark}-{subject.replace('/', '-')}"
    log = asyncio.run(
        run_benchmark(
            benchmark, subject, source, out,
            limit=limit, concurrency=concurrency, space=space,
            convention=convention, device=device, envs=envs, seed=seed,
        )
    )  # fmt: skip
    failed = [row for row in log.rows if row.error is not None]
    for row in failed:
        if row.error is not None:
            click.echo(f"{row.id}: {row.error.message} [{row.error.code}]", err=True)
    click.echo(f"{log.header.subject} on {benchmark}: {_told(log)}", err=True)
    click.echo(out)
    hint(f"tapwright report {out}")
    sys.exit(1 if failed else 0)


@eval_.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), default="runs")
@format_option
def ls(directory: Path, format_: Format) -> None:
    """List the runs below DIRECTORY."""
    from tapwright.evaluate.runlog import FILE, read_run

    rows: list[dict[str, Cell]] = []
    for path in sorted(directory.rglob(FILE)):
        log = read_run(path)
        rows.append(
            {
                "run": str(path.parent),
                "benchmark": log.header.benchmark,
                "subject": log.header.subject,
                "done": f"{sum(row.status != 'failed' for row in log.rows)}/{log.header.samples}",
                "score": _told(log),
                "begun": log.created,
            }
        )
    if not rows:
        raise NothingFoundError(f"{directory}: no runs", hint="tapwright eval run --help")
    print_rows(rows, format_, key="run")


def _told(log: "RunLog") -> str:
    from tapwright.benchmarks.metrics import cell

    whole = cell(log.rows)
    if whole.value is None or whole.interval is None:
        return "nothing scored"
    low, high = 100 * whole.interval.low, 100 * whole.interval.high
    return f"{100 * whole.value:.1f} % ({low:.0f} to {high:.0f}) of {whole.n}"


async def run_benchmark(
    name: str,
    subject: str,
    source: str,
    out: Path,
    *,
    limit: int | None,
    concurrency: int,
    space: "Space",
    convention: str,
    device: str,
    envs: int,
    seed: int,
) -> "RunLog":
    """Measure under a progress bar."""
    from tapwright.benchmarks import benchmarks
    from tapwright.benchmarks.benchmark import Benchmark, Played
    from tapwright.evaluate.run import evaluate, evaluate_tasks

    loaded = benchmarks.get(name)(source)
    factory, model = player(subject, convention)
    total = min(limit or sys.maxsize, len(loaded.samples()))
    try:
        with stage(f"{name} ({subject})", total) as advance:

            def tick(_: "Progress") -> None:
                advance(1)

            if isinstance(loaded, Played):
                config: dict[str, JsonValue] = {"device": device}
                if model is not None:
                    config |= {"convention": convention, "model": dict(model.settings)}
                return await evaluate_tasks(
                    loaded,
                    factory,
                    lambda: open_device(device),
                    out,
                    config=config,
                    envs=min(envs, total),
                    seed=seed,
                    limit=limit,
                    on_progress=tick,
                )
            if not isinstance(loaded, Benchmark):
                raise UsageError(f"{name} can neither be asked nor played")
            return await evaluate(
                loaded,
                model if model is not None else factory(None, seed),
                out,
                space=space,
                limit=limit,
                concurrency=concurrency,
                on_progress=tick,
            )
    finally:
        if model is not None:
            await model.close()
