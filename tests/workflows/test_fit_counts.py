"""One rule of what a step may be used for: all that count tell the same numbers."""

import asyncio
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from PIL import Image

from tapwright.annotate.answer_book import AnswerBook
from tapwright.annotate.run import annotate_store
from tapwright.annotate.vlm import ModelAnnotator
from tapwright.benchmarks.stepwise import Stepwise
from tapwright.core.actions import Action, PressKey, Tap, Wait
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.fit import find_kind, name_kind
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Picture, Text
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.curate.check.check import check_episode
from tapwright.curate.check.store import compare_episodes
from tapwright.curate.duplicates import FindDuplicates
from tapwright.devices.fake import painted_scene
from tapwright.formats.exporters.llamafactory import LLAMAFACTORY
from tapwright.formats.loading.steps import StoreSteps
from tapwright.jobs.job import ItemDone
from tapwright.models.scripted import ScriptedModel
from tapwright.store.annotations import (
    NOT_ASKED,
    Annotation,
    read_annotations,
    replace_annotations,
)
from tapwright.store.catalog import Catalog
from tapwright.store.selection import EVERYTHING, Selection
from tapwright.store.store import EpisodeStore
from tapwright.visualize.stats import collect_stats
from tapwright.web.library.episodes import Episodes
from tests.cli.running import tapwright
from tests.formats.training_sets import export

SIZE = Size(240, 320)
UNFIT = ("refused", "cut off", "stale", "no picture", "black", "by another")
TOLD = f"6 of 9 steps unfit as targets: {', '.join(f'1 {kind}' for kind in UNFIT)}\n"


def black() -> Screenshot:
    data = io.BytesIO()
    Image.new("RGB", (SIZE.width, SIZE.height)).save(data, "PNG")
    return Screenshot(data.getvalue())


def every_kind() -> Episode:
    """Steps of every kind; the waits are such that a black screen may be waited on."""
    tap, wait = Decision(Tap(at=Point(0.5, 0.5)), "why"), Decision(Wait(), "why")
    scene = painted_scene(1, SIZE)
    good = Observation(Screenshot(scene.picture), SIZE, ui_tree=UiTree(scene.xml, SIZE))
    dark = Observation(black(), SIZE)
    return Episode(
        id="a",
        task_id="t",
        instruction="Go",
        steps=(
            Step(good, tap),
            Step(replace(good, stale=True), tap),
            Step(good, tap, refused="no such app"),
            Step(replace(good, screenshot=Screenshot.stand_in(SIZE)), tap),
            Step(dark, tap),
            Step(dark, wait),
            Step(good, Decision(Tap(at=Point(0.5, 0.5)))),
            Step(good, tap, by="human/anna"),
            Step(good, Decision([tap.first, tap.first], "why"), state={"actions done": 1}),
        ),
    )


FLAWS = ("by", "refused", "cut off", "stale", "no picture", "black", "unlabelled")
"""In the order in which they are told: of a step with two of them the first is the reason."""


def flawed(flaws: Iterable[str], number: int) -> Step:
    """A step with these flaws."""
    scene = painted_scene(number, SIZE)
    step = Step(
        Observation(Screenshot(scene.picture), SIZE, ui_tree=UiTree(scene.xml, SIZE)),
        Decision(Tap(at=Point(0.5, 0.5)), "why"),
    )
    for flaw in flaws:
        seen, done = step.observation, step.decision
        match flaw:
            case "by":
                step = replace(step, by="human/anna")
            case "refused":
                step = replace(step, refused="no such app")
            case "cut off":
                more = Decision([done.first, done.first], done.reasoning)
                step = replace(step, decision=more, state={"actions done": 1})
            case "stale":
                step = replace(step, observation=replace(seen, stale=True))
            case "no picture":
                shot = Screenshot.stand_in(SIZE)
                step = replace(step, observation=replace(seen, screenshot=shot))
            case "black":
                step = replace(step, observation=replace(seen, screenshot=black()))
            case _:
                step = replace(step, decision=Decision(done.actions))
    return step


def with_every_two() -> tuple[Episode, Counter[str]]:
    """An episode with each flaw and each two that a step can have, and what is to be told."""
    either = {("no picture", "black")}
    pairs = [one for one in combinations(FLAWS, 2) if one not in either]
    every: list[tuple[str, ...]] = [(), *((one,) for one in FLAWS), *pairs]
    steps = tuple(flawed(flaws, number) for number, flaws in enumerate(every))
    told = Counter("by another" if one[0] == "by" else one[0] for one in every[1:])
    return Episode("a", "t", "Go", steps), told + Counter(target=1)


@pytest.mark.parametrize("made", ["each", "two"])
def test_whoever_tells_of_steps_tells_the_same_of_each(made: str, tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    episode, told = with_every_two()
    if made == "each":
        episode = every_kind()
        told = Counter({"target": 2, "unlabelled": 1}) + Counter(UNFIT)
    store.write(episode)
    unfit = told.total() - told["target"] - told["unlabelled"]
    assert Counter(map(find_kind, episode.steps)) == told
    assert {one.name: one.steps for one in collect_stats(store).of("fit")} == told
    entry = Catalog(store).select(EVERYTHING)[0]
    assert (entry.fit, entry.unfit) == (told, unfit)
    for kind in told:
        assert bool(Catalog(store).ids(Selection(where=f'fit == "{kind}"'))) == (kind != "target")
    assert Catalog(store).ids(Selection(where=f"unfit == {unfit}")) == ["a"]
    listed = Episodes(store)
    assert [(one.fit, one.unfit) for one in listed.page().episodes] == [(told, unfit)]
    assert Counter(one.fit for one in listed.view("a").steps) == told
    steps = StoreSteps(store)
    assert Counter(steps.read(number).fit for number in range(len(steps))) == told
    benchmark = Stepwise(store, rules="aitw")
    assert benchmark.fit == told
    assert len(benchmark.samples()) == told.total() - unfit
    report = export(LLAMAFACTORY, [episode], tmp_path / "sft")
    dropped: Counter[str] = Counter(name_kind(one.reason) for one in report.dropped)
    assert dropped + Counter(target=report.samples["train"]) == told
    found = Counter(one.kind for one in check_episode(store, "a") if one.step is not None)
    assert found["refused"] == sum(bool(one.refused) for one in episode.steps)
    assert found["stale"] == sum(one.observation.stale for one in episode.steps)


def plays(*actions: Action, id_: str, outcome: EpisodeOutcome = "success") -> Episode:
    """A play of one task, whose screens are the same as those of any other."""
    steps = [
        replace(flawed((), number), decision=Decision(action, "why"))
        for number, action in enumerate(actions)
    ]
    return Episode(id_, "t", "Go", tuple(steps), outcome=outcome)


def test_what_episodes_say_of_each_other_is_found_by_the_check(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    tap, other, back = Tap(at=Point(0.5, 0.5)), Tap(at=Point(0.1, 0.1)), PressKey(key="back")
    near = Tap(at=Point(0.502, 0.5))
    store.write(plays(tap, tap, back, id_="a"))
    store.write(plays(tap, near, back, id_="near"))
    store.write(plays(tap, tap, back, id_="again"))
    store.write(plays(tap, other, tap, id_="parts"))
    store.write(plays(other, tap, back, id_="failed", outcome="failure"))
    ids = store.ids()
    found = sorted((one.episode, one.kind, one.step) for one in compare_episodes(store, ids))
    groups = FindDuplicates(Catalog(store)).run()
    assert sum(len(one.ids) - 1 for one in groups) == 1  # of which dedupe keeps one
    [duplicate] = [one for one in found if one[1] == "duplicate"]
    assert duplicate[0] in groups[0].ids
    assert [one for one in found if one[1] == "contradicted"] == [("parts", "contradicted", 1)]
    assert list(compare_episodes(store, ["a", "failed"])) == []
    for one in (plays(tap, tap, id_="untold"), plays(tap, other, id_="unknown")):
        store.write(replace(one, instruction=""))
    assert list(compare_episodes(store, ["untold", "unknown"])) == []


def answer(messages: Sequence[Message]) -> str:
    """A right answer about each step that is shown: all are taps."""
    texts = [part.text for part in messages[-1].parts if isinstance(part, Text)]
    numbers = [int(one.split()[1]) for one in texts if one.startswith("Step")]
    return json.dumps(
        [
            {
                "step": number,
                "reasoning": f"Part {number} of the task is next, so I go on with it.",
                "function": {"name": "click", "parameters": {"target_element": f"row {number}"}},
            }
            for number in numbers
        ]
    )


def annotated(store: EpisodeStore, model: ScriptedModel) -> list[Annotation]:
    """The annotations of the only episode, by a model that is asked what it was not yet."""
    directory = store.root / "a"
    by = ModelAnnotator(model, lambda _: AnswerBook(directory / "book.jsonl"))

    async def run() -> None:
        async for ended in annotate_store(store, by):
            assert isinstance(ended, ItemDone)

    asyncio.run(run())
    return read_annotations(directory, model.name)


def test_a_model_is_asked_about_targets_alone(tmp_path: Path) -> None:
    store, model = EpisodeStore(tmp_path / "store"), ScriptedModel(answer)
    episode, told = with_every_two()
    store.write(episode)
    fit = [find_kind(one) in ("target", "unlabelled") for one in episode.steps]
    found = annotated(store, model)
    assert [bool(one.reasoning) for one in found] == fit
    assert Counter(one.codes for one in found if not one.reasoning) == {
        (NOT_ASKED,): told.total() - told["target"] - told["unlabelled"]
    }
    assert not any(one.is_rejected for one in found)
    shown = [part for one in model.requests for part in one[-1].parts if isinstance(part, Picture)]
    assert not any(part.screenshot in (black(), Screenshot.stand_in(SIZE)) for part in shown)
    asked = len(model.requests)
    assert annotated(store, model) == found  # nothing is asked twice
    # What was no target then, and is one now, is asked about.
    lines = [one.model_copy(update={"codes": (NOT_ASKED,), "reasoning": ""}) for one in found]
    replace_annotations(store.root / "a", model.name, lines)
    assert [one.reasoning for one in annotated(store, model)] == [one.reasoning for one in found]
    assert len(model.requests) == asked  # its answers were on disk


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "episodes dedupe store",
        "episodes split store --by episode --dry-run",
        "eval make store -o bench",
        "eval run steps-aitw --data store -m random -o run",
        "annotate run store --with rules",
    ],
)
def test_every_command_tells_the_same_counts(words: str, tmp_path: Path) -> None:
    EpisodeStore(tmp_path / "store").write(every_kind())
    run = tapwright(*words.split(), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert TOLD in run.stderr
