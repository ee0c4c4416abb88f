"""`tapwright demo`: the whole loop on the built-in phone, thin but real."""

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli import output
from tapwright.cli.directories import open_store
from tapwright.cli.host import read_host
from tapwright.cli.options import FOLDER, out_option
from tapwright.core.language import counted
from tapwright.errors import NothingFoundError, UsageError
from tapwright.files.atomic import write_atomically
from tapwright.store.ids import directory_name
from tapwright.workflows.host import HostConfig
from tapwright.workflows.selecting import select_tasks

if TYPE_CHECKING:
    from asyncio import Semaphore

    from tapwright.core.episode import Episode
    from tapwright.evaluate.run_log import RunLog
    from tapwright.jobs.job import ItemFailed, ItemResult
    from tapwright.store.store import EpisodeStore
    from tapwright.tasks.task import Task

_ENVS = 2
_AT_ONCE = max(1, (os.cpu_count() or 1) // _ENVS)
"""Of the demonstrations, the attempts on L3 and the desktop, how many have devices at a time."""
_SUBJECTS = ("random", "tree")
_SCREENS = 60
_README = """What `tapwright demo` wrote:

report.html   start here: tables with intervals, hits and misses drawn on the screens
report.json   every number of the report
tasks.jsonl   the tasks that were played
episodes/     recorded demonstrations of 25 tasks; annotations lie inside each
frames/       every step of every episode with its action marked
sheet.jpg     all of them on one page
platforms/    a recording on a web page, the report, and one on a Linux desktop, where there is one
platforms.jpg those two beside one of the phone
sft/          training data made from them (LLaMA-Factory's sharegpt form)
bench/        an L1 and an L2 benchmark made from their screens (MMBench-GUI's layout)
runs/         two baselines measured on L1, L2 and L3, one line per sample
"""


@click.command(epilog="\b\nExample:\n  tapwright demo -o demo-out --open")
@out_option("The output directory.", kind=FOLDER, default="demo-out")
@click.option("--open", "open_", is_flag=True, help="Open the report in the browser at the end.")
@click.option("--tasks", "limit", type=click.IntRange(1), help="Only the first tasks.")
def demo(out: Path, limit: int | None, *, open_: bool) -> None:
    """Run the whole loop on the built-in phone, and report.

    Records scripted demonstrations, draws them, reconstructs the reasoning by rules, writes
    training data, makes an L1 and an L2 benchmark out of the recorded screens, measures two
    baselines on L1, L2 and L3, and writes OUT/report.html. Then it records a task on that page in a
    browser, and one on a Linux desktop if the machine has one. What an earlier demo left in OUT is
    used again.
    """
    import asyncio

    begun = time.monotonic()
    if out.exists() and any(out.iterdir()) and not (out / "README.txt").exists():
        raise UsageError(f"{out} holds something else", hint="give -o another directory")
    write_atomically(out / "README.txt", _README.encode())
    host = read_host()
    tasks = select_tasks("phone", limit=limit)
    _expand(tasks, out / "tasks.jsonl")
    episodes, runs, failures = asyncio.run(_run_stages(tasks, limit, out, host))
    report = _report(runs, episodes, out)
    asyncio.run(_show_platforms(episodes[0], report, host))
    output.print_message(
        f"{counted(len(episodes), 'episode')}, "
        f"{counted(sum(len(episode.steps) for episode in episodes), 'step')}, "
        f"in {time.monotonic() - begun:.0f} s"
    )
    if failures:
        first = failures[0]
        for failure in failures:
            output.print_failure(failure.key, failure.message, failure.code)
        output.print_first_failure(len(failures), first.key, first.message, first.code)
    output.print_line(report)
    output.show_page(report, open_=open_)
    sys.exit(1 if failures else 0)


def _expand(tasks: "Sequence[Task]", path: Path) -> None:
    with output.show_progress("expand tasks", len(tasks)) as advance:
        lines = []
        for task in tasks:
            fields = {
                "id": task.id,
                "instruction": task.instruction,
                "apps": task.apps,
                "language": task.language,
                "max_steps": task.max_steps,
            }
            lines.append(json.dumps(fields, ensure_ascii=False) + "\n")
            advance(1)
    text = "".join(lines)
    if path.exists() and path.read_text(encoding="utf-8") != text:
        raise UsageError(
            f"{path.parent} holds a demo of other tasks", hint="give -o another directory"
        )
    write_atomically(path, text.encode())


async def _run_stages(
    tasks: "Sequence[Task]", limit: int | None, out: Path, host: HostConfig
) -> "tuple[Sequence[Episode], list[RunLog], list[ItemFailed]]":
    """What does not wait for each other at the same time: the episodes, the runs, what failed."""
    import asyncio

    from tapwright.jobs.job import ItemFailed
    from tapwright.workflows.demo_recordings import record_desktop

    devices = asyncio.Semaphore(_AT_ONCE)

    async def play() -> "list[RunLog]":
        async with devices:
            return await _evaluate("l3", "phone", limit, out, host)

    async def use_desktop() -> None:
        if (out / "platforms.jpg").exists():
            return
        where = out / "platforms" / "desktop"
        async with devices:
            ended = await record_desktop(where, host, show_progress=output.show_progress)
        _tell_left_out(ended)

    (episodes, runs, failures), played, _ = await asyncio.gather(
        _demonstrate(tasks, out, host, devices), play(), use_desktop()
    )
    runs += played
    failures += [
        ItemFailed(f"{log.header.benchmark} {row.key}", row.error.code, row.error.message)
        for log in runs
        for row in log.rows
        if row.error is not None
    ]
    return episodes, runs, failures


async def _demonstrate(
    tasks: "Sequence[Task]", out: Path, host: HostConfig, devices: "Semaphore"
) -> "tuple[Sequence[Episode], list[RunLog], list[ItemFailed]]":
    """Record demonstrations, and make of them what can be made: with the runs on what was made.

    They have their turn at `devices`, which ends when they are recorded.
    """
    import asyncio

    from tapwright.jobs.job import ItemFailed
    from tapwright.workflows.annotate import annotate_episodes
    from tapwright.workflows.annotators import AnnotatorConfig
    from tapwright.workflows.record import RecordSettings, record_tasks

    show, settings = output.show_progress, RecordSettings(envs=_ENVS)
    async with devices:
        ended = await record_tasks(tasks, out / "episodes", host, settings, show_progress=show)
    failures = [one for one in ended if isinstance(one, ItemFailed)]
    if failures and len(failures) == len(ended):
        first = failures[0]
        raise NothingFoundError(
            f"no episode was recorded; the first failure: {first.key}: {first.message} "
            f"[{first.code}]",
            hint=f"tapwright doctor, or tapwright explain {first.code}",
        )
    store = open_store(out / "episodes")
    failures += await annotate_episodes(store, AnnotatorConfig(), host, show_progress=show)
    # A demo that was killed in the middle of an attempt played that task again.
    episodes = tuple(episode for episode in store if episode.outcome != "unknown")

    async def ask() -> "list[RunLog]":
        await asyncio.to_thread(_make, episodes, out / "bench")
        return [
            log
            for level in ("l1", "l2")
            for log in await _evaluate(level, str(out / "bench"), None, out, host)
        ]

    _, _, runs = await asyncio.gather(
        asyncio.to_thread(_draw, episodes, out), asyncio.to_thread(_export, store, out), ask()
    )
    return episodes, runs, failures


def _draw(episodes: "Sequence[Episode]", out: Path) -> None:
    from tapwright.visualize.contact_sheet import draw_contact_sheet
    from tapwright.visualize.frames import draw_frames

    if (out / "sheet.jpg").exists():
        return
    with output.show_progress("draw", len(episodes) + 1) as advance:
        for episode in episodes:
            for _ in draw_frames(
                episode, out / "frames" / directory_name(f"{episode.task_id}-{episode.id}")
            ):
                pass
            advance(1)
        draw_contact_sheet(episodes, out / "sheet.jpg")
        advance(1)


def _export(store: "EpisodeStore", out: Path) -> None:
    from tapwright.workflows.sft import SampleConfig, export_training_set

    if not (out / "sft").exists():
        export_training_set(
            [store.root],
            out / "sft",
            SampleConfig("json", annotator="rules", val_share=0.1),
            format_name="llamafactory",
            show_progress=output.show_progress,
        )


def _make(episodes: "Sequence[Episode]", out: Path) -> None:
    from tapwright.benchmarks.generated import make_benchmarks

    if out.exists():
        return
    with output.show_progress("make benchmarks", 1) as advance:
        make_benchmarks(episodes, out, per_screen=2, limit=_SCREENS)
        advance(1)


async def _evaluate(
    level: str, source: str, limit: int | None, out: Path, host: HostConfig
) -> "list[RunLog]":
    from tapwright.evaluate.combination import RunCombination
    from tapwright.evaluate.plan import RunPlan
    from tapwright.workflows.evaluate import RunSettings, run_benchmark

    played = RunSettings(device="phone:jpeg", envs=_ENVS)
    return [
        await run_benchmark(
            RunCombination(level, subject, RunPlan(limit=limit), source),
            out / "runs" / f"{level}-{subject}",
            host,
            played if level == "l3" else RunSettings(),
            show_progress=output.show_progress,
        )
        for subject in _SUBJECTS
    ]


def _report(runs: "Sequence[RunLog]", episodes: "Sequence[Episode]", out: Path) -> Path:
    from tapwright.benchmarks import benchmarks
    from tapwright.evaluate.report import write_report

    with output.show_progress("report", 1) as advance:
        stills = [benchmarks.get(name)(str(out / "bench")) for name in ("l1", "l2")]
        write_report(runs, out / "report.html", benchmarks=stills, recorded=episodes)
        advance(1)
    return out / "report.html"


async def _show_platforms(phone: "Episode", report: Path, host: HostConfig) -> None:
    """Record on the report's page, once, and draw one recording of each platform."""
    from tapwright.visualize.contact_sheet import draw_contact_sheet
    from tapwright.workflows.demo_recordings import record_page

    out = report.with_name("platforms")
    sheet = out.with_suffix(".jpg")
    if sheet.exists():
        return
    numbers = json.loads(report.with_suffix(".json").read_text(encoding="utf-8"))
    section = next(level["title"] for level in numbers["levels"] if level["name"] == "l2")
    score = next(
        run["score"]["value"]
        for run in numbers["runs"]
        if (run["benchmark"], run["subject"]) == ("l2", "tree")
    )
    _tell_left_out(
        await record_page(
            report, section, f"{100 * score:.1f}", out / "web", host,
            show_progress=output.show_progress,
        )
    )  # fmt: skip
    others = [episode for name in ("web", "desktop") for episode in open_store(out / name)]
    draw_contact_sheet([phone, *others], sheet, width_px=300, columns=6)


def _tell_left_out(ended: "Sequence[ItemResult]") -> None:
    from tapwright.jobs.job import ItemFailed

    for one in ended:
        if isinstance(one, ItemFailed):
            output.print_message(f"left out: {one.key}: {one.message} [{one.code}]")
