"""One rule of what a step may be used for: all that count tell the same numbers."""

import io
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from tapwright.core.actions import Tap, Wait
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.fit import FitKind, count_unfit, find_fit, name_kind
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.curate.check.check import check_episode
from tapwright.devices.fake import painted_scene
from tapwright.formats.exporters.llamafactory import LLAMAFACTORY
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


def test_statistics_check_and_exports_count_the_same_steps(tmp_path: Path) -> None:
    store, episode = EpisodeStore(tmp_path / "store"), every_kind()
    store.write(episode)
    kinds: Counter[FitKind] = Counter(name_kind(find_fit(one).target) for one in episode.steps)
    kinds["target"], kinds["unlabelled"] = kinds["target"] - 1, 1  # a target of actions alone
    assert kinds == {"target": 2} | dict.fromkeys(UNFIT, 1) | {"unlabelled": 1}
    counted = {one.name: one.steps for one in collect_stats(store).of("fit")}
    assert counted == kinds
    entry = Catalog(store).select(EVERYTHING)[0]
    assert entry.fit == kinds
    assert entry.unfit == count_unfit(kinds) == len(UNFIT)
    for where in ("unfit == 6", 'fit("black")', 'fit == "stale" and not fit("cut")'):
        assert Catalog(store).ids(Selection(where=where)) == ["a"]
    view = Episodes(store).view("a")
    assert Counter(one.fit for one in view.steps) == kinds
    found = Counter(one.kind for one in check_episode(store, "a") if one.step is not None)
    assert found["stale"] == kinds["stale"]
    assert found["refused"] == kinds["refused"]
    assert found["picture"] == kinds["no picture"] + kinds["black"] + 1  # one is waited on
    report = export(LLAMAFACTORY, [episode], tmp_path / "sft")
    assert Counter(name_kind(one.reason) for one in report.dropped) == Counter(
        {kind: count for kind, count in kinds.items() if kind != "target"}
    )
    assert report.samples["train"] == kinds["target"]


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
