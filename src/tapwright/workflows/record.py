"""Records demonstrations: an agent plays tasks on devices."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from tapwright.errors import UsageError
from tapwright.jobs.job import ItemResult, name_run, read_ledger
from tapwright.tasks.task import Task
from tapwright.workflows.agents import AgentBuilder, AgentConfig
from tapwright.workflows.devices import count_devices, device_pool
from tapwright.workflows.engine import Engine
from tapwright.workflows.host import HostConfig
from tapwright.workflows.progress import ShowProgress, no_progress
from tapwright.workflows.screen_fit import refuse_misfit
from tapwright.workflows.workers import open_recording

if TYPE_CHECKING:
    from tapwright.core.episode import EpisodeOutcome

__all__ = ["RecordSettings", "record_tasks"]


@dataclass(frozen=True, slots=True)
class RecordSettings:
    """Which agent plays, how, and on what.

    One device is opened `envs` times, by each worker of a cluster; of several each once, and so is
    a phone or a browser with a profile. `suite` is the name or path of the tasks' suite. `seed` is
    the agent's, and the phone's in place of the tasks' own. Each task is played `plays` times, as a
    group; with `keep` only episodes of that outcome stay.
    """

    suite: str = "phone"
    agent: str = "script"
    agent_config: AgentConfig = field(default_factory=AgentConfig)
    devices: Sequence[str] = ("phone",)
    envs: int | None = None
    seed: int | None = None
    plays: int = 1
    keep: "EpisodeOutcome | None" = None


async def record_tasks(
    tasks: Sequence[Task],
    out: Path,
    host: HostConfig,
    settings: RecordSettings | None = None,
    *,
    engine: Engine | None = None,
    show_progress: ShowProgress = no_progress,
    on_ended: Callable[[ItemResult], None] = lambda _: None,
    on_notice: Callable[[str], object] = lambda _: None,
) -> list[ItemResult]:
    """Record tasks into the store `out`; how each ended. Recorded tasks are not played again.

    `on_ended` is called with each as it ends, `on_notice` with what was played twice.

    Raises:
        UsageError: the workers of a cluster were given several devices, or several a profile.
        UsageError: the convention is for another kind of screen than a device's.
        LedgerError: `out` holds recordings of other settings.
    """
    from tapwright.record.job import LEDGER, record_episodes

    settings, engine = settings or RecordSettings(), engine or Engine()
    devices = settings.devices
    if engine.is_remote and len(devices) > 1:
        raise UsageError(
            "the workers of a cluster open one --device each",
            hint="serve them all from one server: tapwright devices serve",
        )
    refuse_misfit(settings.agent, settings.agent_config, devices)
    builder = AgentBuilder(settings.agent, settings.agent_config, host)
    config: dict[str, JsonValue] = {
        "suite": settings.suite,
        "agent": settings.agent,
        "device": ", ".join(devices),
        **builder.log_config,
    }
    total, run = len(tasks) * settings.plays, name_run(out / LEDGER)
    envs = min(count_devices(devices, settings.envs, host), total)
    open_work = partial(
        open_recording, settings.suite, settings.agent, settings.agent_config, devices[0], envs,
        settings.seed, settings.plays, settings.keep, run, engine.directories.location(out),
        host.shared_models, engine.read_host,
    )  # fmt: skip
    ended: list[ItemResult] = []
    try:
        with (
            show_progress(f"record ({settings.agent})", total) as advance,
            device_pool(devices, envs, host) as pool,
        ):
            async with engine.start(open_work, items=total, each=envs) as players:
                async for one in record_episodes(
                    tasks, builder.build, pool, out,
                    config=config, seed=settings.seed, plays=settings.plays, keep=settings.keep,
                    run=run, workers=players,
                    refresh=partial(engine.directories.fetch_new, out, _begun(out / LEDGER)),
                    tell=on_notice,
                ):  # fmt: skip
                    advance(1)
                    on_ended(one)
                    ended.append(one)
    finally:
        await builder.close()
    return ended


def _begun(ledger: Path) -> str:
    """When a recording began, and two hours before, as the clocks of workers may be off."""
    said = read_ledger(ledger).created if ledger.exists() else ""
    begun = datetime.fromisoformat(said) if said else datetime.now(UTC)
    return (begun - timedelta(hours=2)).isoformat(timespec="milliseconds")
