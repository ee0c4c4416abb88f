"""Records the episodes of an agent that plays tasks on a pool of devices, as a job."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from pydantic import JsonValue

from tapwright.agents.agent import AgentFactory
from tapwright.devices.pool import DevicePool
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.environment.unclaimed import find_unclaimed
from tapwright.episode import Episode
from tapwright.jobs.cluster import RayWork
from tapwright.jobs.job import ItemDone, ItemResult, Job, read_ledger
from tapwright.store.store import EpisodeStore
from tapwright.tasks.task import Task

__all__ = [
    "LEDGER",
    "TaskRecorder",
    "record_episodes",
]

LEDGER = "record.jsonl"


class TaskRecorder:
    """Plays a task on a device of a pool, and records the episode in a store.

    `seed` is the agent's, 0 by default, and the device's in place of the task's own.
    """

    def __init__(
        self,
        make_agent: AgentFactory,
        pool: DevicePool,
        store: EpisodeStore,
        *,
        seed: int | None = None,
    ) -> None:
        self._make_agent = make_agent
        self._pool = pool
        self._store = store
        self._seed = seed

    async def __call__(self, task: Task) -> JsonValue:
        """The `episode`, its `outcome` and its number of `steps`.

        Raises:
            TapwrightError: the task could not be played.
        """
        async with self._pool.lease() as device:
            agent = self._make_agent(task, self._seed or 0)
            if self._seed is not None:
                task = replace(task, setup=replace(task.setup, seed=self._seed))
            episode = await rollout(agent, Environment(device, task), store=self._store)
        return _result(episode)


async def record_episodes(
    tasks: Sequence[Task],
    make_agent: AgentFactory,
    pool: DevicePool,
    directory: Path,
    *,
    config: Mapping[str, JsonValue],
    seed: int | None = None,
    workers: RayWork[str, JsonValue] | None = None,
) -> AsyncIterator[ItemResult]:
    """Play every task once, as many at a time as the pool has devices.

    The episodes go to the store at `directory`, the job's ledger beside them, so that the same
    call continues where a killed one stopped; an attempt that ended before the ledger had it is not
    played again. An item's value has the `episode`, its `outcome` and
    its number of `steps`. `config` names agent, suite and device: what makes the recordings differ
    beside the seed. With `workers`, those of a cluster play (`TaskRecorder`, by the task's id)
    on pools of their own.

    Raises:
        LedgerError: `directory` holds the recordings of another configuration or seed.
    """
    store = EpisodeStore(directory)
    play = TaskRecorder(make_agent, pool, store, seed=seed)

    @cache  # not before the job has locked its ledger
    def find_ended() -> dict[str, list[Episode]]:
        done = [one for one in read_ledger(directory / LEDGER).ended if isinstance(one, ItemDone)]
        return find_unclaimed(store, {str(_recorded(one.value).get("episode")) for one in done})

    async def work(task: Task) -> JsonValue:
        for episode in find_ended().get(task.id, ()):
            if episode.agent == make_agent(task, seed or 0).name:
                return _result(episode)
        return await (workers(task.id) if workers else play(task))

    def kept(value: JsonValue) -> bool:
        return isinstance(value, dict) and str(value["episode"]) in store

    job = Job(
        "record_episodes",
        key=lambda task: task.id,
        work=work,
        kept=kept,
        config={**config, "seed": seed or 0},
        concurrency=workers.concurrency if workers else pool.size,
    )
    async for ended in job.run(tasks, directory / LEDGER):
        yield ended


def _result(episode: Episode) -> JsonValue:
    return {"episode": episode.id, "outcome": episode.outcome, "steps": len(episode.steps)}


def _recorded(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}
