"""Records the episodes of an agent that plays tasks on a pool of devices, as a job."""

import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pydantic import JsonValue

from tapwright.agents.agent import AgentFactory
from tapwright.core.episode import GROUP, Episode, EpisodeOutcome
from tapwright.devices.pool import DevicePool
from tapwright.environment.environment import Environment
from tapwright.environment.episode_recorder import find_unclaimed, hide_second
from tapwright.environment.rollout import rollout
from tapwright.jobs.cluster import RayWork
from tapwright.jobs.job import ItemDone, ItemResult, Job, name_run, read_ledger
from tapwright.store.catalog import Catalog
from tapwright.store.filters import Condition, is_task_of
from tapwright.store.selection import EVERYTHING
from tapwright.store.store import EpisodeStore
from tapwright.tasks.task import Task

__all__ = ["LEDGER", "Play", "TaskRecorder", "record_episodes"]

LEDGER = "record.jsonl"


@dataclass(frozen=True, slots=True)
class Play:
    """One play of a task; `number` counts those of a group from 1, and is 0 for one by itself."""

    task: Task
    number: int = 0

    @property
    def key(self) -> str:
        """Its name in the ledger, and for the workers of a cluster."""
        return f"{self.task.id} #{self.number}" if self.number else self.task.id

    @classmethod
    def of(cls, task: Task, plays: int) -> "list[Play]":
        """The plays of a group, or the one that is none."""
        return [cls(task, number) for number in range(1, plays + 1)] if plays > 1 else [cls(task)]

    def origin(self, run: str, seed: int | None) -> dict[str, str]:
        """What an episode's `extra` says of it.

        Of which `run` it is, and in a group which of the plays of the same task over the same data.
        """
        if not self.number:
            return {_RUN: run}
        data = self.task.setup.seed if seed is None else seed
        return {_RUN: run, GROUP: f"{self.task.id}@{data}", _PLAY: str(self.number)}

    def is_in(self, episode: Episode, run: str) -> bool:
        """Whether an episode is one of this play, in this run."""
        said = episode.task_id, episode.extra.get(_RUN), episode.extra.get(_PLAY, "0")
        return said == (self.task.id, run, str(self.number))


_RUN = "run"
_PLAY = "play"


class TaskRecorder:
    """Plays a task on a device of a pool, and records the episode in a store.

    `seed` is the agent's, 0 by default, and the device's in place of the task's own. In a group the
    device's is the same for all plays, and the agent's another for each. With `keep` an episode of
    another outcome is removed, as an edit that `undo` takes back. Each episode says of which `run`
    it is.
    """

    def __init__(
        self,
        make_agent: AgentFactory,
        pool: DevicePool,
        store: EpisodeStore,
        *,
        run: str,
        seed: int | None = None,
        keep: EpisodeOutcome | None = None,
    ) -> None:
        self._run = run
        self._make_agent = make_agent
        self._pool = pool
        self._store = store
        self._seed = seed
        self._keep = keep

    async def __call__(self, play: Play) -> JsonValue:
        """The `episode`, its `outcome`, its number of `steps`, and how long a device was `busy_s`.

        Raises:
            TapwrightError: the task could not be played.
        """
        task = play.task
        async with self._pool.lease() as device:
            began = time.monotonic()
            agent = self._make_agent(task, (self._seed or 0) + max(0, play.number - 1))
            if self._seed is not None:
                task = replace(task, setup=replace(task.setup, seed=self._seed))
            extra = play.origin(self._run, self._seed)
            episode = await rollout(
                agent, Environment(device, task), store=self._store, extra=extra
            )
            busy_s = time.monotonic() - began
        self.sift(episode)
        return {**_result(episode), "busy_s": round(busy_s, 3)}

    def sift(self, episode: Episode) -> None:
        """Remove an episode that is not to be kept; one that has no step was never stored."""
        if self._keep not in (None, episode.outcome) and episode.id in self._store:
            self._store.remove(self._store.read(episode.id), edit=f"record --keep {self._keep}")


async def record_episodes(
    tasks: Sequence[Task],
    make_agent: AgentFactory,
    pool: DevicePool,
    directory: Path,
    *,
    config: Mapping[str, JsonValue],
    seed: int | None = None,
    plays: int = 1,
    keep: EpisodeOutcome | None = None,
    run: str = "",
    workers: RayWork[str, JsonValue] | None = None,
    refresh: Callable[[Iterable[str]], None] = lambda _: None,
    tell: Callable[[str], object] = lambda _: None,
) -> AsyncIterator[ItemResult]:
    """Play every task `plays` times, as many at a time as the pool has devices.

    The episodes go to the store at `directory`, the job's ledger beside them, so that the same
    call continues where a killed one stopped; an attempt that ended before the ledger had it is not
    played again. It is known by the name of the `run` in the episode's `extra`: whatever else is in
    the store, such as what others record there of the same tasks, is theirs. An item's value has
    the `episode`, its `outcome` and its number of `steps`. `config` names agent, suite and device:
    what makes the recordings differ beside the seed. Several plays of a task are a group. What has
    another outcome than `keep` is removed from the store and stays in the ledger. With `workers`,
    those of a cluster play (`TaskRecorder`, by the key of the play) on pools of their own; what one
    had ended when it died or could not say so is not played again, once `refresh` has brought here
    what is elsewhere of tasks. What comes later than that, as from a machine that was away, is
    hidden, and `tell` is told so: at the end, or when the same call is made again.

    Raises:
        LedgerError: `directory` holds the recordings of another configuration or seed.
    """
    store = EpisodeStore(directory)
    catalog = Catalog(store)
    run = run or name_run(directory / LEDGER)
    play_once = TaskRecorder(make_agent, pool, store, run=run, seed=seed, keep=keep)

    def find_left(*keys: str) -> dict[str, list[Episode]]:
        """What ended and is in no result, by its task: of all that is left, or of these plays."""
        ended = read_ledger(directory / LEDGER).ended
        done = [one for one in ended if isinstance(one, ItemDone)]
        left = keys or plays_by_key.keys() - {one.key for one in done}
        tasks = {plays_by_key[key].task.id for key in left}
        if ended or keys:
            refresh(tasks)
        claimed = {str(_recorded(one.value).get("episode")) for one in done}
        # What others have recorded of other tasks is not opened. The catalog of a shared store has
        # what is elsewhere, too.
        there = (id_ for id_ in catalog.ids(EVERYTHING, is_task_of(tasks)) if id_ in store)
        return find_unclaimed(store, there, claimed)

    unsure: list[Play] = []  # what may have been played twice
    find_before = cache(find_left)  # not before the job has locked its ledger

    def claim(play: Play, left: Mapping[str, Sequence[Episode]]) -> JsonValue | None:
        for episode in left.get(play.task.id, ()):
            if play.is_in(episode, run):
                play_once.sift(episode)
                unsure.append(play)
                return _result(episode)
        return None

    def recover(key: str) -> JsonValue | None:
        unsure.append(plays_by_key[key])
        return claim(plays_by_key[key], find_left(key))

    async def work(play: Play) -> JsonValue:
        if (found := claim(play, find_before())) is not None:
            return found
        return await (workers(play.key) if workers else play_once(play))

    def kept(value: JsonValue) -> bool:
        if not isinstance(value, dict):
            return False
        id_ = str(value["episode"])
        if keep not in (None, value["outcome"]) or id_ in store:
            return True
        # Of a shared store the catalog knows those that others have put, such as workers.
        return catalog.count(Condition("id = ?", (id_,))) > 0

    job = Job(
        "record_episodes",
        key=lambda play: play.key,
        work=work,
        kept=kept,
        config={**config, "seed": seed or 0, **({"keep": keep} if keep else {})},
        concurrency=workers.concurrency if workers else pool.size,
        run_name=run,
    )
    chosen = [play for task in tasks for play in Play.of(task, plays)]
    plays_by_key = {play.key: play for play in chosen}
    if workers is not None:
        workers.recover = recover
    done: dict[str, str] = {}  # the episode of each play
    async for ended in job.run(chosen, directory / LEDGER):
        if isinstance(ended, ItemDone):
            done[ended.key] = str(_recorded(ended.value).get("episode"))
            if ended.repeated:  # whoever was away when it ended may have come back since
                unsure.append(plays_by_key[ended.key])
        yield ended
    if again := [one for one in unsure if one.key in done]:
        left = find_left(*(one.key for one in again)).values()
        ours = [one for found in left for one in found if one.extra.get(_RUN) == run]
        twice = [
            one
            for one in ours
            for play in again
            if play.is_in(one, run) and not _is_part(one, done[play.key], store)
        ]
        hide_second(store, twice, tell)


def _is_part(episode: Episode, of: str, store: EpisodeStore) -> bool:
    """Whether an edit made it of another's steps, which is no attempt of its own."""
    return of in store and store.open(of).created == episode.created


def _result(episode: Episode) -> dict[str, JsonValue]:
    return {"episode": episode.id, "outcome": episode.outcome, "steps": len(episode.steps)}


def _recorded(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}
