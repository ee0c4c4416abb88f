"""One rule of what a step may be used for: all that count tell the same numbers."""

import io
from collections import Counter
from dataclasses import replace
from pathlib import Path

from PIL import Image

from tapwright.core.actions import Finish, Tap, Wait
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.fit import FitKind, find_fit, name_kind
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.curate.check.check import check_episode
from tapwright.devices.fake import painted_scene
from tapwright.formats.exporters.llamafactory import LLAMAFACTORY
from tapwright.store.store import EpisodeStore
from tapwright.visualize.stats import collect_stats
from tests.formats.training_sets import export

SIZE = Size(240, 320)


def black() -> Screenshot:
    data = io.BytesIO()
    Image.new("RGB", (SIZE.width, SIZE.height)).save(data, "PNG")
    return Screenshot(data.getvalue())


def every_kind() -> Episode:
    """Steps of every kind; the waits are such that a black screen may be waited on."""
    tap, wait = Decision(Tap(at=Point(0.5, 0.5)), "why"), Decision(Wait(), "why")
    good = Observation(Screenshot(painted_scene(1, SIZE).picture), SIZE)
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
            Step(good, Decision(Finish(), "why")),
        ),
    )


def test_statistics_check_and_exports_count_the_same_steps(tmp_path: Path) -> None:
    store, episode = EpisodeStore(tmp_path / "store"), every_kind()
    store.write(episode)
    kinds: Counter[FitKind] = Counter(name_kind(find_fit(one).target) for one in episode.steps)
    assert kinds == {"target": 4, "stale": 1, "refused": 1, "no picture": 1, "black": 1}
    kinds["target"], kinds["unlabelled"] = 3, 1  # a target of actions alone
    counted = {one.name: one.steps for one in collect_stats(store).of("fit")}
    assert counted == kinds
    found = Counter(one.kind for one in check_episode(store, "a") if one.step is not None)
    assert found["stale"] == kinds["stale"]
    assert found["refused"] == kinds["refused"]
    assert found["picture"] == kinds["no picture"] + kinds["black"] + 1  # one is waited on
    report = export(LLAMAFACTORY, [episode], tmp_path / "sft")
    assert Counter(name_kind(one.reason) for one in report.dropped) == Counter(
        {kind: count for kind, count in kinds.items() if kind != "target"}
    )
    assert report.samples["train"] == kinds["target"]
