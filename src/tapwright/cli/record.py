"""`tapwright record`: record tasks in the browser, or let an agent play them."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, get_args
from urllib.parse import urlencode

import click
from click.core import ParameterSource

from tapwright.cli import options, output
from tapwright.cli.agent_options import AGENT_KEYS, agent_options
from tapwright.cli.directories import Directory, display
from tapwright.cli.grouped_help import GroupedCommand
from tapwright.cli.host import read_host
from tapwright.cli.plan_option import every_option, spell
from tapwright.core.language import counted
from tapwright.core.outcomes import EpisodeOutcome
from tapwright.errors import DeviceLostError, UsageError
from tapwright.workflows.engine import Engine
from tapwright.workflows.own_names import admit_subject
from tapwright.workflows.selecting import select_tasks

if TYPE_CHECKING:
    from tapwright.jobs.job import ItemFailed
    from tapwright.tasks.task import Task
    from tapwright.workflows.agents import AgentConfig


@click.command(
    cls=GroupedCommand,
    first="suite task agent device out limit open convention base-url plays",
    rare=AGENT_KEYS,
    epilog="\b\nExamples:\n"
    "  tapwright record --task wifi_off -o demos --open\n"
    "  tapwright record --agent script -o episodes\n"
    "  tapwright record --task wifi_off --agent openai/qwen2.5-vl-7b -o by-a-model\n"
    "  tapwright record --agent tree --plan replay=episodes -o again\n"
    "  tapwright record --agent openai/NAME --set temperature=1 --plays 8 --keep success -o won\n"
    "  tapwright record --agent script --device remote:ws://lab:8790/a --device adb:pixel\n"
    "  tapwright record --agent script --engine ray --ray-address head:6379 -o s3://lab/e",
)
@options.task_options
@options.devices_option
@options.option(
    "--agent",
    metavar="AGENT|CLIENT/MODEL",
    callback=options.admit_by(admit_subject),
    help="The agent that plays: script, tree, random, MODULE:NAME of yours, or a model such as "
    "openai/NAME; omit to record in the browser.",
)
@agent_options
@options.option(
    "--seed",
    type=int,
    help="Seed of the phone's data, instead of the tasks' own, and of the agent, 0 by default.",
)
@options.option(
    "--plays",
    type=click.IntRange(1),
    default=1,
    help="Play each task N times as a group: the same data on the phone, the agent's seeds differ.",
)
@options.option(
    "--keep",
    type=click.Choice(get_args(EpisodeOutcome)),
    help="Keep episodes of this outcome alone, such as success; the others are removed, and "
    "`tapwright episodes undo` brings one back.",
)
@options.envs_option
@options.out_option(kind=Directory("none"), default="episodes")
@options.engine_options
@options.option("--port", type=click.IntRange(0, 65535), help="Port to listen on, without --agent.")
@options.option("--open", "open_", is_flag=True, help="Open the browser, without --agent.")
@click.pass_context
def record(
    context: click.Context,
    /,
    suite: str,
    task_ids: tuple[str, ...],
    limit: int | None,
    devices: tuple[str, ...],
    agent: str | None,
    agent_config: "AgentConfig",
    seed: int | None,
    plays: int,
    keep: EpisodeOutcome | None,
    envs: int | None,
    out: Path,
    engine: Engine,
    port: int | None,
    *,
    open_: bool,
) -> None:
    """Record episodes: yourself in the browser, or with --agent an agent that plays tasks.

    An agent skips recorded tasks, so an interrupted command continues when repeated. Ends with 1
    when a task could not be played.
    """
    import asyncio

    from tapwright.jobs.job import ItemDone, ItemFailed
    from tapwright.workflows.record import RecordSettings, record_tasks

    tasks = select_tasks(suite, task_ids, limit)
    if agent is None:
        _refuse_agent_options(context)
        _record_in_browser(tasks, out, suite=suite, devices=devices, port=port, open_=open_)
        return
    settings = RecordSettings(suite, agent, agent_config, devices, envs, seed, plays, keep)
    ended = asyncio.run(
        record_tasks(
            tasks,
            out,
            read_host(),
            settings,
            engine=engine,
            show_progress=output.show_progress,
            on_notice=output.print_message,
        )
    )
    failures = [one for one in ended if isinstance(one, ItemFailed)]
    for failure in failures:
        output.print_failure(failure.key, failure.message, failure.code)
    done = [one.value for one in ended if isinstance(one, ItemDone)]
    outcomes = Counter(str(value["outcome"]) for value in done if isinstance(value, dict))
    episodes = outcomes[keep] if keep else len(done)
    if done:
        played = f"of {counted(len(done), 'play')}, " if keep else ""
        kept = f"{played}{counted(episodes, 'episode')}"
        output.print_message(f"{kept} in {display(out)} ({_count_outcomes(outcomes)})")
    else:
        output.print_message("no episode was recorded")
    if failures:
        first = failures[0]
        output.print_first_failure(len(failures), first.key, first.message, first.code)
    if episodes:
        output.hint(f"tapwright episodes ls {quote(display(out))}")
    elif failures:
        output.hint(_way_out(failures[0], devices))
    else:
        output.hint(
            f"no play ended with {keep}: play more (--plays), or without --keep into another -o"
        )
    sys.exit(1 if failures else 0)


def _way_out(failure: "ItemFailed", devices: Sequence[str]) -> str:
    """What to look at where nothing could be recorded."""
    from tapwright.devices.errors import UNHEALTHY_DEVICE

    if failure.code in (DeviceLostError.code, UNHEALTHY_DEVICE.code):
        return (
            "the same command tries again, once the device answers or the machine is less busy; "
            f"tapwright doctor; tapwright explain {failure.code}"
        )
    return (
        f"was {', '.join(devices)} the device of these tasks? "
        f"tapwright tasks show {quote(failure.key)}; tapwright explain {failure.code}"
    )


def _refuse_agent_options(context: click.Context) -> None:
    """Refuse options of agents where a person records."""
    others = {"suite", "task_ids", "limit", "devices", "agent", "out", "port", "open_"}
    for one in every_option(context.command):
        source = context.get_parameter_source(one.name or "")
        if one.name not in others and source is ParameterSource.COMMANDLINE:
            raise UsageError(
                f"{spell(context.command, one)} needs an --agent", hint="--agent script"
            )


def _record_in_browser(
    tasks: "Sequence[Task]",
    out: Path,
    *,
    suite: str,
    devices: Sequence[str],
    port: int | None,
    open_: bool,
) -> None:
    from tapwright.cli.serve import run_app
    from tapwright.web.config import WebConfig
    from tapwright.workflows.devices import device_openers

    query = {"device": devices[0], "suite": suite}
    if len(tasks) == 1:
        query["task"] = tasks[0].id
    openers = device_openers(devices, read_host())
    run_app(
        WebConfig(episodes=out, suites={suite: lambda: tasks}, devices=openers),
        "127.0.0.1",
        port,
        start=f"record?{urlencode(query)}",
        open_=open_,
    )


def _count_outcomes(outcomes: Mapping[str, int]) -> str:
    """How many ended how: 20 success, 1 truncated."""
    return ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) or "none"
