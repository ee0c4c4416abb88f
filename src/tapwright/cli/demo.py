"""`tapwright demo`: the whole loop on the built-in phone, thin but real."""

import asyncio
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.options import open_device
from tapwright.cli.output import stage
from tapwright.errors import TapwrightError, UsageError
from tapwright.jobs import Ended, Failed
from tapwright.store import EpisodeStore

if TYPE_CHECKING:
    from tapwright.evaluate.runlog import RunLog

_ENVS = 2
_SUBJECTS = ("random", "tree")
_SCREENS = 60
_README = """What `tapwright demo` wrote:

report.html   start here: tables with intervals, hits and misses drawn on the screens
report.json   every number of the report
episodes/     twenty-odd recorded demonstrations; annotations lie inside each
frames/       every step of every episode with its action marked
sheet.jpg     all of them on one page
sft/          training data made from them (LLaMA-Factory's sharegpt form)
bench/        an L1 and an L2 benchmark made from their screens (MMBench-GUI's layout)
runs/         two baselines measured on L1, L2 and L3, one line per sample
"""


@click.command(epilog="\b\nExample:\n  tapwright demo --out demo-out --open")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo-out"),
    show_default=True,
    help="The directory for everything that is written.",
)
@click.option("--open", "open_", is_flag=True, help="Show the report in the browser at the end.")
@click.option("--tasks", "limit", type=click.IntRange(1), help="Only the first tasks.")
def demo(out: Path, limit: int | None, *, open_: bool) -> None:
    """Run the whole loop on the built-in phone, and report.

    Records scripted demonstrations, draws them, reconstructs the reasoning by rules, writes
    training data, makes an L1 and an L2 benchmark out of the recorded screens, measures two
    baselines on L1, L2 and L3, and writes OUT/report.html. What an earlier demo left in OUT is
    used again.
    """
    begun = time.monotonic()
    if out.exists() and any(out.iterdir()) and not (out / "README.txt").exists():
        raise UsageError(f"{out} holds something else", hint="give --out another directory")
    out.mkdir(parents=True, exist_ok=True)
    (out / "README.txt").write_text(_README, encoding="utf-8")
    store = EpisodeStore(out / "episodes")
    failures = asyncio.run(_record(store, limit))
    failures += asyncio.run(annotate_all(store, "rules"))
    for failure in failures:
        click.echo(f"{failure.key}: {failure.message} [{failure.code}]", err=True)
    episodes = tuple(store)
    _draw(episodes, out)
    if not (out / "sft").exists():
        export_sft(
            store,
            out / "sft",
            format_name="llamafactory",
            convention="json",
            annotator="rules",
        )
    runs = [*_evaluate_stills(episodes, out), *_evaluate_tasks(out, limit)]
    report = _report(episodes, runs, out)
    click.echo(
        f"{len(episodes)} episodes, {sum(len(episode.steps) for episode in episodes)} steps, "
        f"{len(runs)} runs in {time.monotonic() - begun:.0f} s",
        err=True,
    )
    click.echo(report)
    if open_:
        click.launch(str(report.resolve()))
    sys.exit(1 if failures else 0)
