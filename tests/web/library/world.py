"""A small library: painted episodes with reasoning, and runs on benchmarks made of them."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from tapwright.agents.agent import Agent
from tapwright.agents.random import RandomAgent
from tapwright.agents.tree import TreeAgent
from tapwright.annotate.annotator import Reasoning
from tapwright.annotate.run import write_annotations
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.core.actions import Swipe
from tapwright.core.episode import Episode
from tapwright.core.geometry import Point
from tapwright.evaluate.run import evaluate
from tapwright.models.model import Model
from tapwright.models.scripted import ScriptedModel
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore
from tests.conftest import MAIL, NOTES, SETTINGS, episode, touch

NASTY = "<img src=x onerror=alert(1)><script>alert(2)</script> \"'&"
STRANGE = "a/b 中文 #1?x=%2F"
"""An id with all that an address may trip over."""


@dataclass(frozen=True)
class World:
    root: Path

    @property
    def store(self) -> EpisodeStore:
        return EpisodeStore(self.root / "episodes")

    @property
    def runs(self) -> Path:
        return self.root / "runs"


def make_world(root: Path, episodes: Sequence[Episode], *, runs: bool = True) -> World:
    world = World(root)
    for one in (*episodes, strange(), long()):
        world.store.write(one)
    if runs:
        make_benchmarks(episodes, root / "own", per_screen=9)
        benchmark = GroundingBenchmark(root / "own")
        subjects: dict[str, Agent | Model] = {
            "tree": TreeAgent(),
            "random": RandomAgent(1),
            "group/far": ScriptedModel(["(999, 999)", NASTY, "(0.5, 0.5)"]),
        }
        for name, subject in subjects.items():
            # In a thread, because a browser's driver may have its loop in this one.
            with ThreadPoolExecutor(1) as thread:
                # One at a time, so that each sample has the answer that its place in the list says.
                run = evaluate(benchmark, subject, world.runs / name, concurrency=1)
                thread.submit(asyncio.run, run).result()
    return world


def strange() -> Episode:
    """An episode whose id and words are meant to break pages."""
    moves = [(SETTINGS, touch(SETTINGS, "Sound")), (NOTES, touch(NOTES, "Ideas"))]
    return replace(episode(STRANGE, NASTY, moves), agent="human/anna", outcome="failure")


def long() -> Episode:
    """Six steps with reasoning, one of them a swipe."""
    screens = [SETTINGS, NOTES, MAIL, SETTINGS, NOTES, MAIL]
    labels = ["Sound", "Ideas", "Bank Your statement", "", "Old", "Shop Order sent"]
    swipe = Swipe(start=Point(0.5, 0.75), end=Point(0.25, 0.5))
    moves = [
        (screen, touch(screen, label) if label else swipe)
        for screen, label in zip(screens, labels, strict=True)
    ]
    made = episode("long", "Look around", moves)
    steps = tuple(
        replace(step, decision=replace(step.decision, reasoning=f"Because of {number}."))
        for number, step in enumerate(made.steps)
    )
    return replace(made, steps=steps)


def annotate(
    store: EpisodeStore,
    *,
    as_: str = "vlm",
    broken: Callable[[int], bool] = lambda _: False,
    words: Callable[[int], str] = "I tap thing {} of the list.".format,
) -> None:
    """Words of an annotator for each step of "long"; of a broken one nothing could stand."""
    recorded = store.read("long")
    said = [
        Reasoning(number, "", "", codes=("REASONING_EMPTY",))
        if broken(number)
        else Reasoning(number, words(number), f"thing {number}")
        for number in range(len(recorded.steps))
    ]
    directory = store.root / directory_name("long")
    write_annotations(directory, recorded, said, as_, "1", "2026-01-01T00:00:00+00:00")
