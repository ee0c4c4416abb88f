"""`tapwright record`: an agent plays tasks, and episodes are kept."""

import asyncio
import sys
from collections import Counter
from pathlib import Path

import click

from tapwright.cli.options import device_option, open_device, out_option, select_tasks, task_options
from tapwright.cli.output import hint, stage
from tapwright.jobs import Done, Failed


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright record --agent script -o episodes\n"
    "  tapwright record --task wifi_off --agent tree -o episodes"
)
@task_options
@device_option
@click.option("--agent", default="script", show_default=True, help="Who plays.")
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
) -> None:
    """Let an agent play tasks, and record episodes.

    A task that is recorded already is not played again, so a run that was interrupted goes on
    with the same command. Ends with 1 when a task failed to be played.
    """
    tasks = select_tasks(suite, task_ids, limit)
    outcomes: Counter[str] = Counter()
    failures: list[Failed] = []

    async def play() -> None:
        from tapwright.agents import agents
        from tapwright.devices.pool import DevicePool
        from tapwright.record.play import record as record_tasks

        factory = agents.get(agent)
        with (
            stage(f"record ({agent})", len(tasks)) as advance,
            DevicePool(lambda: open_device(device), min(envs, len(tasks))) as pool,
        ):
            async for ended in record_tasks(tasks, factory, pool, out, agent=agent, seed=seed):
                advance(1)
                match ended:
                    case Done(value=dict(value)):
                        outcomes[str(value["outcome"])] += 1
                    case Failed():
                        failures.append(ended)

    asyncio.run(play())
    for failure in failures:
        click.echo(f"{failure.key}: {failure.message} [{failure.code}]", err=True)
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    click.echo(f"{sum(outcomes.values())} episodes in {out} ({told or 'none'})", err=True)
    hint(f"tapwright episodes ls {out}")
    sys.exit(1 if failures else 0)
