"""`tapwright rollouts`: plays in groups, for reinforcement learning."""

import sys
from collections import Counter
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from tapwright.cli import options
from tapwright.cli.agent_options import AGENT_KEYS, agent_options
from tapwright.cli.directories import display
from tapwright.cli.grouped_help import GroupedCommand
from tapwright.cli.host import read_host
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.output import (
    hint,
    print_failure,
    print_line,
    print_message,
    print_reasons,
    show_progress,
)
from tapwright.core.language import counted
from tapwright.workflows.engine import Engine
from tapwright.workflows.own_names import admit_subject
from tapwright.workflows.selecting import select_tasks

if TYPE_CHECKING:
    from tapwright.workflows.agents import AgentConfig

_COMMANDS = {
    "run": "Play tasks in groups, and write what they teach",
}
_FORMATS = ("trl-rollouts", "trl-dpo", "trl-kto", "trl-grpo", "verl-rl", "verl-sft")


@click.group(cls=LazyGroup, table=_COMMANDS)
def rollouts() -> None:
    """Play tasks in groups, for reinforcement learning."""


@click.command(
    cls=GroupedCommand,
    first="model group to convention base-url device out limit",
    rare=AGENT_KEYS,
    epilog="\b\nExamples:\n"
    "  tapwright rollouts run phone-l3 -m openai/qwen2.5-vl-7b --convention qwen2.5-vl --group 8 "
    "--set temperature=1\n"
    "  tapwright rollouts run miniwob -m random --device miniwob --group 4 --envs 8\n"
    "  tapwright rollouts run phone-l3 -m openai/NAME --to trl-rollouts --to verl-rl "
    "--engine ray --workers 8 --envs 4 -o /shared/rollouts",
)
@click.argument("suite")
@click.option(
    "-m",
    "--model",
    "agent",
    required=True,
    metavar="AGENT|CLIENT/MODEL",
    callback=options.admit_by(admit_subject),
    help="Who plays: a model such as openai/NAME, or an agent (random, tree, …).",
)
@click.option(
    "--group",
    type=click.IntRange(2),
    default=8,
    show_default=True,
    help="Play each task N times over the same data; the agent's seeds differ.",
)
@click.option(
    "--to",
    "formats",
    multiple=True,
    type=click.Choice(_FORMATS),
    default=("trl-rollouts",),
    show_default=True,
    help="The sets that are written as groups end; repeatable. Those of verl get the plays that "
    "won.",
)
@options.devices_option
@agent_options
@click.option("--seed", type=int, help="Seed of the data, instead of the tasks' own, and of plays.")
@click.option("--limit", type=click.IntRange(1), help="Maximum number of tasks.")
@options.envs_option
@options.out_option(default="rollouts")
@options.engine_options
def run(
    suite: str,
    agent: str,
    group: int,
    formats: tuple[str, ...],
    devices: tuple[str, ...],
    agent_config: "AgentConfig",
    seed: int | None,
    limit: int | None,
    envs: int | None,
    out: Path,
    engine: Engine,
) -> None:
    """Play each task of SUITE in a group, and write what each group teaches as it ends.

    The plays are in `episodes` below the output directory, the sets beside it. Each group comes
    to a set in one move, so a trainer may read the set at any time, and a kill leaves it whole. The
    same command continues. Ends with 1 when a play failed.
    """
    import asyncio

    from tapwright.jobs.job import ItemDone, ItemFailed
    from tapwright.workflows.record import RecordSettings
    from tapwright.workflows.rollouts import play_rollouts

    tasks = select_tasks(suite, (), limit)
    settings = RecordSettings(suite, agent, agent_config, devices, envs, seed, group)
    report = asyncio.run(
        play_rollouts(
            tasks,
            out,
            read_host(),
            settings,
            formats,
            engine=engine,
            show_progress=show_progress,
            on_notice=print_message,
        )
    )
    failures = [one for one in report.ended if isinstance(one, ItemFailed)]
    for one in failures:
        print_failure(one.key, one.message, one.code)
    values = [one.value for one in report.ended if isinstance(one, ItemDone)]
    outcomes = Counter(str(value["outcome"]) for value in values if isinstance(value, dict))
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    played, groups = counted(len(values), "play"), counted(report.groups, "group")
    print_message(f"{played} in {groups} ({told or 'none'})")
    if report.taken_s:
        print_message(
            f"{counted(report.places, 'device')}, idle {1 - report.busy_share:.0%} of "
            f"{report.taken_s:.0f} s"
        )
    for name, rows in report.rows.items():
        left_out = report.left_out[name]
        print_message(f"{name}: {counted(rows, 'row')}, {left_out.total()} left out")
        print_reasons(left_out, f"{display(out)}/sets.jsonl")
    print_line(display(out))
    hint(f"tapwright episodes ls {quote(display(out / 'episodes'))}")
    sys.exit(1 if failures else 0)
