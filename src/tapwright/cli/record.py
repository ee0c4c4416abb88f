"""`tapwright record`: an agent plays tasks, and episodes are kept."""

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import JsonValue

from tapwright.cli.casting import Cast, Company, cast_options, gathered
from tapwright.cli.options import (
    device_option,
    open_device,
    out_option,
    select_tasks,
    task_options,
)
from tapwright.cli.output import hint, stage
from tapwright.jobs import Done, Ended, Failed
from tapwright.tasks.task import Task


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright record --agent script -o episodes\n"
    "  tapwright record --task wifi_off --agent openai/qwen2.5-vl-7b -o by-a-model\n"
    "  tapwright record --agent tree --replay episodes -o again"
)
@task_options
@device_option
@click.option(
    "--agent",
    default="script",
    show_default=True,
    metavar="AGENT|CLIENT/MODEL",
    help="Who plays: script, tree, random, …, or a model such as openai/NAME.",
)
@cast_options
@click.option("--seed", default=0, show_default=True, help="For whatever the agent leaves open.")
@click.option(
    "--envs", type=click.IntRange(1, 64), default=2, show_default=True, help="Devices at once."
)
@out_option("episodes")
def record(
    suite: str,
    task_ids: tuple[str, ...],
    limit: int | None,
    device: str,
    agent: str,
    seed: int,
    envs: int,
    out: Path,
    **cast: Any,
) -> None:
    """Let an agent play tasks, and record episodes.

    A task that is recorded already is not played again, so a run that was interrupted goes on
    with the same command. Ends with 1 when a task failed to be played.
    """
    tasks = select_tasks(suite, task_ids, limit)
    ended = asyncio.run(
        record_all(
            tasks, out, suite=suite, agent=agent, cast=gathered(cast),
            device=device, envs=envs, seed=seed,
        )
    )  # fmt: skip
    failures = [one for one in ended if isinstance(one, Failed)]
    for failure in failures:
        click.echo(f"{failure.key}: {failure.message} [{failure.code}]", err=True)
    episodes = len(ended) - len(failures)
    click.echo(f"{episodes} episodes in {out} ({told_outcomes(ended)})", err=True)
    hint(f"tapwright episodes ls {out}")
    sys.exit(1 if failures else 0)


async def record_all(
    tasks: Sequence[Task],
    out: Path,
    *,
    suite: str,
    agent: str,
    cast: Cast,
    device: str,
    envs: int,
    seed: int,
) -> list[Ended]:
    """Record under a progress bar; how each task ended."""
    from tapwright.devices.pool import DevicePool
    from tapwright.record.play import record as record_tasks

    company = Company(agent, cast)
    config: dict[str, JsonValue] = {"suite": suite, "agent": agent, "device": device}
    config |= company.config
    ended: list[Ended] = []
    try:
        with (
            stage(f"record ({agent})", len(tasks)) as advance,
            DevicePool(lambda: open_device(device), min(envs, len(tasks))) as pool,
        ):
            async for one in record_tasks(tasks, company.make, pool, out, config=config, seed=seed):
                advance(1)
                ended.append(one)
    finally:
        await company.close()
    return ended


def told_outcomes(ended: Sequence[Ended]) -> str:
    """How many ended how, as words: 20 success, 1 truncated."""
    outcomes = Counter(
        str(value["outcome"])
        for value in (one.value for one in ended if isinstance(one, Done))
        if isinstance(value, dict)
    )
    return ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) or "none"
