"""Let an agent play tasks on a pool of devices, and keep what happens as episodes."""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from tapwright.agents.agent import AgentFactory
from tapwright.devices.pool import DevicePool
from tapwright.environment import Environment
from tapwright.jobs import Ended, Job
from tapwright.rollout import rollout
from tapwright.store import EpisodeStore
from tapwright.tasks.task import Task

__all__ = [
    "LEDGER",
    "record",
]

LEDGER = "record.jsonl"


async def record(
    tasks: Sequence[Task],
    make_agent: AgentFactory,
    pool: DevicePool,
    directory: Path,
    *,
    config: Mapping[str, JsonValue],
    seed: int = 0,
) -> AsyncIterator[Ended]:
    """Play every task once, as many at a time as the pool has devices.

    The episodes go to the store at `directory`, the job's ledger beside them, so that the same
    call goes on where a killed one stopped. An item's value has the `episode`, its `outcome` and
    its number of `steps`. `config` says who plays what where (agent, suite, device): what makes
    the recordings differ beside the seed.

    Raises:
        LedgerError: `directory` holds the recordings of another configuration or seed.
    """
    store = EpisodeStore(directory)

    async def work(task: Task) -> JsonValue:
        async with pool.lease() as device:
            environment = Environment(device, task)
            episode = await rollout(make_agent(task, seed), environment, store=store)
        return {"episode": episode.id, "outcome": episode.outcome, "steps": len(episode.steps)}

    def kept(value: JsonValue) -> bool:
        return isinstance(value, dict) and str(value["episode"]) in store

    job = Job(
        "record",
        key=lambda task: task.id,
        work=work,
        kept=kept,
        config={**config, "seed": seed},
        concurrency=pool.size,
    )
    async for ended in job.run(tasks, directory / LEDGER):
        yield ended
