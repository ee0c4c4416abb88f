"""`tapwright record`: somebody records tasks in the browser, or an agent plays them."""

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import click
from click.core import ParameterSource
from pydantic import JsonValue

from tapwright.cli.casting import Cast, Company, cast_options, gathered
from tapwright.cli.engine import HERE, Engine, engine_options
from tapwright.cli.options import (
    device_openers,
    devices_option,
    open_device,
    out_option,
    select_tasks,
    task_options,
)
from tapwright.cli.output import hint, stage
from tapwright.cli.places import named, place_of
from tapwright.errors import UsageError
from tapwright.jobs.job import ItemDone, ItemFailed, ItemResult
from tapwright.tasks.task import Task

if TYPE_CHECKING:
    from tapwright.devices.pool import DevicePool


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright record --task wifi_off -o demos --open\n"
    "  tapwright record --agent script -o episodes\n"
    "  tapwright record --task wifi_off --agent openai/qwen2.5-vl-7b -o by-a-model\n"
    "  tapwright record --agent tree --replay episodes -o again\n"
    "  tapwright record --agent script --device remote:ws://lab:8790/a --device adb:pixel\n"
    "  tapwright record --agent script --engine ray --ray-address head:6379 -o s3://lab/e"
)
@task_options
@devices_option
@click.option(
    "--agent",
    metavar="AGENT|CLIENT/MODEL",
    help="Who plays: script, tree, random, …, or a model such as openai/NAME; you, without.",
)
@cast_options
@click.option("--seed", default=0, show_default=True, help="For whatever the agent leaves open.")
@click.option(
    "--envs",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    help="How often one --device is opened.",
)
@out_option("episodes")
@engine_options
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Where the browser finds it, without --agent."
)
@click.option("--open", "open_", is_flag=True, help="Show it in the browser, without --agent.")
@click.pass_context
def record(
    context: click.Context,
    /,
    suite: str,
    task_ids: tuple[str, ...],
    limit: int | None,
    devices: tuple[str, ...],
    agent: str | None,
    seed: int,
    envs: int,
    out: Path,
    engine: Engine,
    port: int | None,
    *,
    open_: bool,
    **cast: Any,
) -> None:
    """Record episodes: yourself in the browser, or with --agent an agent that plays tasks.

    An agent plays no task again that is recorded already, so a run that was interrupted goes on
    with the same command; it ends with 1 when a task failed to be played.
    """
    tasks = select_tasks(suite, task_ids, limit)
    if agent is None:
        _refuse_given(context, *cast, "seed", "envs", "engine")
        _record_in_browser(tasks, out, suite=suite, devices=devices, port=port, open_=open_)
        return
    ended = asyncio.run(
        record_all(
            tasks, out, suite=suite, agent=agent, cast=gathered(cast),
            devices=devices, envs=envs, seed=seed, engine=engine,
        )
    )  # fmt: skip
    failures = [one for one in ended if isinstance(one, ItemFailed)]
    for failure in failures:
        click.echo(f"{failure.key}: {failure.message} [{failure.code}]", err=True)
    episodes = len(ended) - len(failures)
    click.echo(f"{episodes} episodes in {named(out)} ({told_outcomes(ended)})", err=True)
    hint(f"tapwright episodes ls {out}")
    sys.exit(1 if failures else 0)


def _refuse_given(context: click.Context, *names: str) -> None:
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} is for an agent, and nobody plays", hint="--agent script")


def _record_in_browser(
    tasks: Sequence[Task],
    out: Path,
    *,
    suite: str,
    devices: Sequence[str],
    port: int | None,
    open_: bool,
) -> None:
    from tapwright.cli.serve import run_app
    from tapwright.web.config import WebConfig

    wanted = {"device": devices[0], "suite": suite}
    if len(tasks) == 1:
        wanted["task"] = tasks[0].id
    run_app(
        WebConfig(episodes=out, suites={suite: lambda: tasks}, devices=device_openers(devices)),
        "127.0.0.1",
        port,
        start=f"record?{urlencode(wanted)}",
        open_=open_,
    )


async def record_all(
    tasks: Sequence[Task],
    out: Path,
    *,
    suite: str,
    agent: str,
    cast: Cast,
    devices: Sequence[str],
    envs: int,
    seed: int,
    engine: Engine = HERE,
) -> list[ItemResult]:
    """Record under a progress bar; how each task ended.

    One device is opened `envs` times, by each worker of a cluster; of several each once.
    """
    from tapwright.cli.elsewhere import open_recording, server
    from tapwright.record.job import record_tasks

    if engine.far and len(devices) > 1:
        raise UsageError(
            "the workers of a cluster open one --device each",
            hint="offer them all by one server: tapwright devices serve",
        )
    company = Company(agent, cast)
    config: dict[str, JsonValue] = {"suite": suite, "agent": agent, "device": ", ".join(devices)}
    config |= company.config
    ended: list[ItemResult] = []
    envs = min(envs, len(tasks))
    open_work = partial(
        open_recording, suite, agent, cast, devices[0], envs, seed, place_of(out), server()
    )
    try:
        with stage(f"record ({agent})", len(tasks)) as advance, _pool(devices, envs) as pool:
            async with engine.work(open_work, items=len(tasks), each=envs) as players:
                async for one in record_tasks(
                    tasks, company.make, pool, out, config=config, seed=seed, elsewhere=players
                ):
                    advance(1)
                    ended.append(one)
    finally:
        await company.close()
    return ended


def _pool(devices: Sequence[str], envs: int) -> "DevicePool":
    from tapwright.devices.pool import DevicePool

    if len(devices) == 1:
        return DevicePool(partial(open_device, devices[0]), envs)
    return DevicePool.of(device_openers(devices))


def told_outcomes(ended: Sequence[ItemResult]) -> str:
    """How many ended how, as words: 20 success, 1 truncated."""
    outcomes = Counter(
        str(value["outcome"])
        for value in (one.value for one in ended if isinstance(one, ItemDone))
        if isinstance(value, dict)
    )
    return ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) or "none"
