"""Two who record the same tasks with the same agent into one shared store, and are killed."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tapwright.core.actions import Finish
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.observation import Observation
from tapwright.devices.fake import FakeDevice
from tapwright.devices.pool import DevicePool
from tapwright.files.place import Place
from tapwright.formats.shared.log import make_shared
from tapwright.formats.shared.push import WorkingCopy
from tapwright.jobs.errors import LedgerError
from tapwright.jobs.job import ItemDone, name_run
from tapwright.record.job import LEDGER, record_episodes
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tapwright.workflows.directories import RemoteDirectories

TASKS = [
    Task(one, "Go", apps=("fake",), check=When(TreeShows("nothing of this")), max_steps=1)
    for one in ("one", "two")
]


class Killed(BaseException):
    """What ends a program at once."""


@dataclass
class Mortal:
    """An agent whose program is killed when an attempt at one of `deaths` has just ended."""

    deaths: set[str]
    name: str = "mortal"
    task: str = field(default="", kw_only=True)

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        return Decision(Finish())

    def ended(self, episode: Episode) -> None:
        if episode.task_id in self.deaths:
            raise Killed


class Person:
    """Somebody with a machine, who records into a shared store."""

    def __init__(self, url: str, home: Path) -> None:
        self._url, self._home = url, home
        self.told: list[str] = []

    def record(self, *deaths: str) -> list[str]:
        """The episodes that the ledger names; killed after an attempt at one of `deaths`."""

        async def play(out: Path, directories: RemoteDirectories) -> list[str]:
            with DevicePool(FakeDevice, 1) as pool:
                played = record_episodes(
                    TASKS, lambda *_: Mortal(set(deaths)), pool, out, config={},
                    refresh=lambda tasks: directories.fetch_new(out, "2020-01-01", tasks),
                    tell=self.told.append,
                )  # fmt: skip
                ended = [one async for one in played]
            values = [one.value for one in ended if isinstance(one, ItemDone)]
            return [str(one["episode"]) for one in values if isinstance(one, dict)]

        with RemoteDirectories(self._home) as directories:
            out = directories.open(self._url, "none")
            return asyncio.run(play(out, directories))


@pytest.fixture
def url(tmp_path: Path) -> str:
    made = (tmp_path / "shared").as_uri()
    make_shared(Place(made))
    return made


def in_store(url: str, tmp_path: Path) -> list[Episode]:
    copy = WorkingCopy(url, tmp_path / "reader")
    copy.fetch()
    return list(EpisodeStore(copy.directory))


@pytest.mark.parametrize("death", ["one", "two"])
@pytest.mark.parametrize("first_again", [True, False])
def test_nobody_takes_anothers_episode_for_his_own(
    death: str, first_again: bool, url: str, tmp_path: Path
) -> None:
    people = [Person(url, tmp_path / "a"), Person(url, tmp_path / "b")]
    for person in people:
        with pytest.raises(Killed):
            person.record(death)
    order = people if first_again else people[::-1]
    named = [id_ for person in order for id_ in person.record()]
    found = in_store(url, tmp_path)
    assert sorted(one.id for one in found) == sorted(named)
    plays = Counter((one.extra["run"], one.task_id) for one in found)
    assert (len(plays), set(plays.values())) == (4, {1})
    assert [person.told for person in people] == [[], []]


@pytest.mark.parametrize("has_ended", [False, True])
def test_the_same_play_that_comes_later_is_hidden_and_told(
    has_ended: bool, url: str, tmp_path: Path
) -> None:
    person = Person(url, tmp_path / "a")
    if has_ended:
        person.record()
    else:
        with pytest.raises(Killed):
            person.record("two")
    (store,) = (EpisodeStore(path) for path in (tmp_path / "a/out").iterdir())
    (ended,) = (one for one in store if one.task_id == "two")
    worker = WorkingCopy(url, tmp_path / "worker")  # away when the first was taken for the play
    EpisodeStore(worker.directory).write(
        Episode(
            "later", "two", "Go", ended.steps, ended.final, "success",
            agent="mortal", created=ended.created + "9", extra=ended.extra,
        )
    )  # fmt: skip
    worker.push()
    named = person.record()
    assert ended.id in named
    assert sorted(one.id for one in in_store(url, tmp_path)) == sorted(named)
    (told,) = person.told
    assert told.endswith("later")


def test_what_an_edit_made_of_a_play_is_no_second_attempt(url: str, tmp_path: Path) -> None:
    person = Person(url, tmp_path / "a")
    named = person.record()
    machine = WorkingCopy(url, tmp_path / "worker")
    machine.fetch()
    there = EpisodeStore(machine.directory)
    there.write(replace(there.open(named[0]), id="part"))  # as `split` does
    machine.push()
    assert person.record() == named
    assert sorted(one.id for one in in_store(url, tmp_path)) == sorted([*named, "part"])
    assert person.told == []


def test_a_ledger_of_before_has_a_run_of_its_own_and_no_two_have_one(tmp_path: Path) -> None:
    line = '{"job": "a", "config": {}, "created": "2026-01-01T00:00:00.000+00:00"}\n'
    for name, text in (("a", line), ("b", line.replace("00.000", "00.001"))):
        (tmp_path / name).write_text(text)
    names = [name_run(tmp_path / name) for name in ("a", "a", "b", "none", "none")]
    assert names[0] == names[1]
    assert len(set(names)) == 4


def test_a_run_that_another_process_began_first_is_not_gone_on_with(tmp_path: Path) -> None:
    async def play(run: str) -> None:
        with DevicePool(FakeDevice, 1) as pool:
            made = record_episodes(
                TASKS, lambda *_: Mortal(set()), pool, tmp_path, config={}, run=run
            )
            assert [one async for one in made]

    asyncio.run(play("mine"))
    assert name_run(tmp_path / LEDGER) == "mine"
    with pytest.raises(LedgerError, match="another process has begun"):
        asyncio.run(play("yours"))


@pytest.mark.long
@pytest.mark.slow
def test_two_commands_killed_at_random_lose_nothing_and_double_nothing(
    url: str, tmp_path: Path
) -> None:
    tasks, plays = ("ringtone", "alarm_new", "contact_company"), 4
    kills, chance = 8, random.Random(5)
    words = ["record", "--agent", "random", "--device", "fake", "--plays", str(plays), "-o", url]
    words += [word for task in tasks for word in ("--task", task)]

    def start(name: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "tapwright", *words],
            env={**os.environ, "TAPWRIGHT_STORES": str(tmp_path / name)},
            stdout=subprocess.DEVNULL,
        )

    running = {name: start(name) for name in ("a", "b")}
    while running:
        time.sleep(chance.uniform(0.5, 1.5))
        name = chance.choice(sorted(running))
        if kills:
            kills -= 1
            running[name].kill()
        if (ended := running[name].poll()) is not None:
            del running[name]
            assert ended in (0, -signal.SIGKILL)
            if ended:
                running[name] = start(name)
    whole = [one for one in in_store(url, tmp_path) if one.outcome != "interrupted"]
    found = Counter((one.extra["run"], one.task_id, one.extra["play"]) for one in whole)
    assert (len(found), set(found.values())) == (2 * len(tasks) * plays, {1})


def test_what_others_recorded_of_other_tasks_is_not_opened(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    store.write(Episode("other", "a task of others", "Go", ()))
    (tmp_path / "store/other/episode.json").write_text("damaged")

    async def play() -> list[str]:
        with DevicePool(FakeDevice, 1) as pool:
            played = record_episodes(TASKS, lambda *_: Mortal(set()), pool, store.root, config={})
            return [one.key async for one in played]

    assert sorted(asyncio.run(play())) == sorted(asyncio.run(play())) == ["one", "two"]
