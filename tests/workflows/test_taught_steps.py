"""Recorded steps are asked in the words that `sft export` taught, and read in the same pixels."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.benchmarks.stepwise import Stepwise
from tapwright.conventions import conventions
from tapwright.conventions.convention import decides_size
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Text
from tapwright.evaluate.pipeline import ModelQueries
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.rule_choice import under_plan
from tapwright.evaluate.scoring import AnswerReader
from tapwright.formats.exporters.pictures import PictureEncoder
from tapwright.formats.exporters.samples import is_grounding_only, make_samples
from tapwright.formats.exporters.training_set import TrainingSample
from tapwright.models.scripted import ScriptedModel
from tapwright.store.store import EpisodeStore
from tapwright.workflows.sft import SampleConfig, select_training_episodes
from tests.formats.training_sets import TAP, episode, step

PIXELS = 1500  # of 3,200


@pytest.fixture
def store(tmp_path: Path) -> Path:
    played = episode("one", TAP, step(Tap(at=Point(0.25, 0.75)), 2), TAP)
    made: Episode = replace(played, outcome="success")
    EpisodeStore(tmp_path / "store").write(made)
    return tmp_path / "store"


def words(messages: Sequence[Message]) -> list[list[str]]:
    return [
        [part.text if isinstance(part, Text) else "picture" for part in one.parts]
        for one in messages
    ]


def asks_steps(name: str) -> bool:
    """Whether it plays, and leaves the size of pictures to the plan."""
    convention = conventions.get(name)
    sizing = decides_size(convention)
    return not sizing and not is_grounding_only(convention)


@pytest.mark.parametrize("history", ["full", "none", "last:1", "summaries:1", "pictures:1"])
@pytest.mark.parametrize("pixels", [None, PIXELS])
@pytest.mark.slow_but_one
def test_every_convention_asks_what_was_taught(
    history: str, pixels: int | None, store: Path
) -> None:
    compared = 0
    for name in filter(asks_steps, conventions.names()):
        config = SampleConfig(name, history=history, max_pixels=pixels)
        settings = config.read()
        episodes, _ = select_training_episodes([store], config)
        with PictureEncoder(settings) as pictures:
            made = list(make_samples(episodes, frozenset(), pictures, settings))
        taught = {one.number: words(one.prompt) for one in made if isinstance(one, TrainingSample)}
        plan = RunPlan(convention=name, max_pixels=pixels, step_history=history)
        benchmark = under_plan(Stepwise.load(str(store), rules="qwen"), plan)
        queries = ModelQueries(benchmark, ScriptedModel("?"), plan)
        asked = {one.number: words(queries.prompt(one)) for one in benchmark.samples()}
        assert taught == {number: asked[number] for number in taught}, name
        compared += len(taught)
    assert compared > 50


def test_an_answer_is_read_in_the_pixels_that_were_shown(store: Path) -> None:
    plan = RunPlan(convention="android-tools", max_pixels=PIXELS, rules="qwen")
    benchmark = under_plan(Stepwise.load(str(store), rules="qwen"), plan)
    first = benchmark.samples()[0]
    shown = Size(40, 80).shrink(max_pixels=PIXELS)
    answer = conventions.get("android-tools").render(Decision(TAP.decision.action, "a", "b"), shown)
    queries = ModelQueries(benchmark, ScriptedModel(lambda _: answer), plan)
    reply = asyncio.run(queries.ask(first))
    assert reply.sent == (shown.width, shown.height)
    score = AnswerReader(plan, benchmark).score(first, reply.completion.text, reply.sent)
    assert score.value == 1.0
