"""What works through a whole store keeps no more in memory for a store of more steps.

What is counted are the blocks that Python holds at their most, whatever their size: a name is one,
a step with its observation and decision some dozens. No machine's load or allocator changes that.
"""

import asyncio
import gc
import json
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tapwright.benchmarks.stepwise import Stepwise
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.formats import formats
from tapwright.formats.format import EpisodeImporter
from tapwright.formats.importers.job import import_sources
from tapwright.formats.importers.sources import find_sources
from tapwright.formats.pack.pack import pack_store
from tapwright.store.store import EpisodeStore
from tapwright.workflows.card import collect_card
from tapwright.workflows.sft import SampleConfig, export_training_set

SIZE = Size(40, 80)
STEPS = 40
FEW, MANY = 10, 30
ALLOWED = 10
"""Blocks for each further step: garbage that is not collected yet, and a share of its episode's."""

pytestmark = pytest.mark.slow


def test_exporting_keeps_nothing_of_each_step(tmp_path: Path) -> None:
    assert growth(tmp_path, partial(export, format_name="llamafactory")) < ALLOWED


def test_exporting_rows_with_pictures_keeps_nothing_of_each_step(tmp_path: Path) -> None:
    assert growth(tmp_path, partial(export, format_name="trl")) < ALLOWED


def test_packing_keeps_nothing_of_each_step(tmp_path: Path) -> None:
    assert growth(tmp_path, pack) < ALLOWED


def test_a_data_set_card_keeps_nothing_of_each_step(tmp_path: Path) -> None:
    assert growth(tmp_path, lambda store, _: collect_card(EpisodeStore(store))) < ALLOWED


def test_the_samples_of_recorded_steps_hold_none_of_them(tmp_path: Path) -> None:
    held = []

    def load(store: Path, _: Path) -> None:
        held.append(Stepwise.load(str(store), rules="qwen"))

    # An id, a file's name, what it is labelled with; a step with its observation has as many more.
    assert growth(tmp_path, load) < 40


def test_importing_keeps_nothing_of_each_step(tmp_path: Path) -> None:
    taken = {}
    for count in (1, FEW, MANY):  # one, so that what is imported and compiled is
        home = tmp_path / f"{count}"
        write_foreign(home, count)
        taken[count] = peak(partial(read_foreign, home, tmp_path / f"store-{count}"))
    assert (taken[MANY] - taken[FEW]) / STEPS / (MANY - FEW) < ALLOWED


def growth(directory: Path, work: Callable[[Path, Path], object]) -> float:
    """The blocks that `work` on a store and an output directory takes for each further step."""
    taken = {}
    for number in range(MANY):
        EpisodeStore(directory / f"{MANY}").write(make_episode(number))
    for count in (1, FEW, MANY):
        store = directory / f"{count}"
        if count < MANY:
            for number in range(count):
                shutil.copytree(directory / f"{MANY}" / f"e{number}", store / f"e{number}")
        taken[count] = peak(partial(work, store, directory / f"out-{count}"))
    return (taken[MANY] - taken[FEW]) / STEPS / (MANY - FEW)


def peak(work: Callable[[], object]) -> int:
    """The most blocks that there were after a collection of garbage; `work` causes many."""
    most = 0

    def count(phase: str, _: object) -> None:
        nonlocal most
        if phase == "stop":
            most = max(most, sys.getallocatedblocks())

    gc.collect()
    gc.callbacks.append(count)
    try:
        work()
    finally:
        gc.callbacks.remove(count)
    return most


def make_episode(number: int) -> Episode:
    """Every step has a picture and a tree of its own."""
    return Episode(f"e{number}", "t", "Go", tuple(make_step(number, n) for n in range(STEPS)),
                   outcome="success")  # fmt: skip


def make_step(episode: int, number: int) -> Step:
    scene = painted_scene(number, SIZE)
    name = f"{episode}-{number}"
    shot = Screenshot(scene.picture + name.encode())  # behind the picture's end
    tree = UiTree(scene.xml.replace("Button", name), SIZE)
    return Step(Observation(shot, SIZE, tree), Decision(Tap(at=Point(0.5, 0.4)), f"Because {name}"))


def export(store: Path, out: Path, *, format_name: str) -> None:
    export_training_set([store], out, SampleConfig("json"), format_name=format_name)


def pack(store: Path, out: Path) -> None:
    async def run() -> None:
        async for shard in pack_store(EpisodeStore(store), out):
            assert not shard.unreadable

    asyncio.run(run())


def write_foreign(home: Path, count: int) -> None:
    """AndroidControl's episodes as JSON lines."""
    home.mkdir()
    (home / "screen.png").write_bytes(painted_scene(1, SIZE).picture)
    tap = {"action": "click", "coordinate": [20.0, 30.0]}
    step = {"action_content": tap, "screenshot": "screen.png", "step_instruction": "Tap it"}
    lines = ({"episode_id": n, "goal": "Go", "steps": [step] * STEPS} for n in range(count))
    (home / "lines.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def read_foreign(home: Path, store: Path) -> None:
    importer = formats.get("android-control")
    assert isinstance(importer, EpisodeImporter)

    async def run() -> None:
        sources = find_sources([home / "lines.jsonl"], [importer])
        async for ended in import_sources(sources, EpisodeStore(store)):
            assert not ended.unreadable

    asyncio.run(run())
