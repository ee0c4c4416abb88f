"""Plays tasks in groups, and writes what each group teaches as soon as it is whole."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import JsonValue

from tapwright.jobs.job import ItemDone, ItemResult, Ledger
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore
from tapwright.tasks.task import Task
from tapwright.workflows.devices import count_devices
from tapwright.workflows.engine import Engine
from tapwright.workflows.host import HostConfig
from tapwright.workflows.progress import ShowProgress, no_progress
from tapwright.workflows.record import RecordSettings, record_tasks
from tapwright.workflows.sft import SampleConfig, open_sft_format

if TYPE_CHECKING:
    from tapwright.core.episode import Episode

__all__ = ["EPISODES", "RolloutReport", "play_rollouts"]

EPISODES = "episodes"
"""The store of the plays, in the directory of the rollouts."""

_LEDGER = "sets.jsonl"


@dataclass(slots=True)
class RolloutReport:
    """How each play ended, and what was written.

    `groups` are those that ended, `rows` counts what each set got of them, by format, and
    `left_out` why how much of them is not in it: steps, and whole plays that did not win where what
    won is imitated. Devices were busy for `busy_s` of the `taken_s` that there were `places` for: 1
    is the best share.
    """

    ended: list[ItemResult] = field(default_factory=list)
    groups: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, Counter[str]] = field(default_factory=dict)
    busy_s: float = 0.0
    taken_s: float = 0.0
    places: int = 1

    @property
    def busy_share(self) -> float:
        """The share of the time in which devices played, from 0 to 1; 0 for no play."""
        return self.busy_s / (self.taken_s * self.places) if self.taken_s else 0.0


async def play_rollouts(
    tasks: Sequence[Task],
    out: Path,
    host: HostConfig,
    settings: RecordSettings,
    formats: Sequence[str],
    *,
    engine: Engine | None = None,
    show_progress: ShowProgress = no_progress,
    on_notice: Callable[[str], object] = lambda _: None,
) -> RolloutReport:
    """Play each task `settings.plays` times, and add each group to a set of each format.

    The episodes are in `episodes` below `out`, the sets beside it by their names; the ledgers of
    both let the same call go on. A play that failed is tried again by it, and its group is then
    written again, in place of what is there. `on_notice` is called as by `record_tasks`.

    Raises:
        UsageError: as `record_tasks`; or there is no such history policy.
        LedgerError: `out` holds the rollouts of other settings.
        DiskError: the disk is full or not writable; what is there is whole.
    """
    engine, report = engine or Engine(), RolloutReport()
    total = len(tasks) * settings.plays
    envs = min(count_devices(settings.devices, settings.envs, host), total)
    report.places = min(total, envs * max(1, engine.workers))
    begun: list[float] = []

    with _GroupWriter(out, settings, formats, engine) as writer:

        def note(one: ItemResult) -> None:
            if isinstance(one, ItemDone) and isinstance(one.value, dict) and not one.repeated:
                busy_s = cast(float, one.value.get("busy_s", 0.0))
                begun.append(time.monotonic() - busy_s)
                begun[:] = [min(begun)]
                report.busy_s += busy_s
                report.taken_s = time.monotonic() - begun[0]
            writer.note(one)

        report.ended = await record_tasks(
            tasks, out / EPISODES, host, settings,
            engine=engine, show_progress=show_progress, on_ended=note, on_notice=on_notice,
        )  # fmt: skip
    report.groups, report.rows, report.left_out = writer.groups, writer.rows, writer.left_out
    return report


class _GroupWriter:
    """Collects the plays of groups, and writes each group, in a thread, when the last has ended."""

    def __init__(
        self, out: Path, settings: RecordSettings, formats: Sequence[str], engine: Engine
    ) -> None:
        agent = settings.agent_config
        config = SampleConfig(agent.convention, outcome="any", history=agent.history)
        self.groups = 0
        self.rows = dict.fromkeys(formats, 0)
        self.left_out = {name: Counter[str]() for name in formats}
        self._settings = config.read()
        self._formats = [open_sft_format(name) for name in formats]
        self._out, self._plays, self._engine = out, settings.plays, engine
        self._plays_of: defaultdict[str, list[ItemResult]] = defaultdict(list)
        self._ledger = Ledger(
            out / _LEDGER, "rollout_sets",
            {"convention": config.convention, "history": config.history, "to": list(formats)},
        )  # fmt: skip
        self._pool = ThreadPoolExecutor(1)
        self._written: list[Future[None]] = []

    def note(self, one: ItemResult) -> None:
        """Note that a play has ended; raises what went wrong in writing an earlier group."""
        for future in [future for future in self._written if future.done()]:
            future.result()
            self._written.remove(future)
        group = one.key.rpartition(" #")[0] or one.key
        plays = self._plays_of[group]
        plays.append(one)
        if len(plays) == self._plays:
            del self._plays_of[group]
            self._written.append(self._pool.submit(self._write, group, plays))

    def _write(self, group: str, plays: Sequence[ItemResult]) -> None:
        plays = sorted(plays, key=lambda one: int(one.key.rpartition("#")[2]))
        values = [one.value for one in plays if isinstance(one, ItemDone)]
        ended = {str(one["episode"]): one["outcome"] for one in values if isinstance(one, dict)}
        ids = list(ended)
        value = self._ledger.done.get(group)
        is_known = isinstance(value, dict) and value["episodes"] == ids
        there = all((self._out / one.name).is_dir() for one in self._formats)
        if not is_known or (any(_counts(value, "rows").values()) and not there):
            value = cast(JsonValue, {"episodes": ids, **self._teach(group, ended)})
            self._ledger.add(ItemDone(group, value))
        self.groups += 1
        for name, rows in _counts(value, "rows").items():
            self.rows[name] += rows
        for name, why in _counts(value, "left_out").items():
            self.left_out[name].update(why)

    def _teach(self, group: str, ended: Mapping[str, JsonValue]) -> Mapping[str, object]:
        """Add the plays that `ended` so to each set: the rows of each, and what is in none."""
        from tapwright.formats.exporters.growing import add_group
        from tapwright.formats.exporters.samples import TrainingEpisode

        names = [f"{EPISODES}/{directory_name(id_)}" for id_ in ended]
        self._engine.directories.fetch_again(self._out, names)
        store = EpisodeStore(self._out / EPISODES)
        rows, left_out = dict[str, int](), dict[str, Counter[str]]()
        for one in self._formats:
            # A set that knows no rewards is to be imitated.
            lost = [] if one.learns_from_play else [id_ for id_ in ended if ended[id_] != "success"]
            episodes = [
                TrainingEpisode(id_, "", partial(_read, store, id_), group)
                for id_ in ended
                if id_ not in lost
            ]
            place = self._out / one.name
            rows[one.name], why = add_group(one, place, self._settings, group, episodes)
            why.update(f"its play has the outcome {ended[id_]}, and did not win" for id_ in lost)
            left_out[one.name] = why
        return {"rows": rows, "left_out": left_out}

    def __enter__(self) -> "_GroupWriter":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            self._pool.shutdown(cancel_futures=kind is not None)
            if kind is None:
                for future in self._written:
                    future.result()
        finally:
            self._ledger.__exit__(None, None, None)


def _counts(value: JsonValue, name: str) -> Mapping[str, Any]:
    """What a group's entry in the ledger counts for each set; an older one may not."""
    return cast(Mapping[str, Any], value.get(name, {})) if isinstance(value, dict) else {}


def _read(store: EpisodeStore, id_: str) -> "tuple[Episode, Mapping[int, str]]":
    return store.read(id_), {}
