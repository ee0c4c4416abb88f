"""A training set is the same whether one process makes its rows or each core some."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tapwright.core.actions import Finish, Tap, Wait
from tapwright.core.geometry import Point
from tapwright.errors import BadImageError, BrokenPluginError
from tapwright.formats.exporters.job import export_sft
from tapwright.formats.exporters.training_set import SftReport
from tapwright.store.store import EpisodeStore
from tapwright.workflows.own_names import admit_convention
from tapwright.workflows.sft import (
    SampleConfig,
    export_training_set,
    open_sft_format,
    select_training_episodes,
)
from tapwright.workflows.training_rows import spread_rows
from tests.formats.training_sets import episode, files, step

NAMES = ("axolotl", "llamafactory", "llamafactory-alpaca", "ms-swift", "trl")
# Neither can be said of a phone in every family, and the second has no reasoning.
STEPS = (
    step(Tap(at=Point(0.25, 0.75)), 1, target="the button"),
    step(Wait(), 2, reasoning=""),
    step(Tap(at=Point(0.5, 0.5)), 3),
    step(Finish(), 4),
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Episodes that share pictures, one of which is damaged."""
    written = EpisodeStore(tmp_path / "store")
    for number in range(6):
        made = episode(f"e{number}", *STEPS[number % 2 :])
        written.write(replace(made, outcome="success"))
    frame = sorted((tmp_path / "store/e3").rglob("*.png"))[0]
    frame.write_bytes(frame.read_bytes()[:40])
    return tmp_path / "store"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("convention", ["json", "qwen2.5-vl"])
def test_rows_made_apart_are_those_that_are_made_here(
    name: str, convention: str, store: Path, tmp_path: Path
) -> None:
    config = SampleConfig(convention, val_share=0.3, scale=0.5)
    format_, settings = open_sft_format(name), config.read()
    reports, advanced = list[SftReport](), list[int]()
    for spread in (None, partial(spread_rows, config, name)):
        episodes, dropped = select_training_episodes([store], config)
        reports.append(
            export_sft(
                format_,
                episodes,
                tmp_path / f"set{len(reports)}",
                settings,
                dropped=dropped,
                advance=advanced.append,
                spread=spread,
            )
        )
    assert reports[0] == reports[1]
    assert {one.code for one in reports[0].dropped} == {"", BadImageError.code}
    assert files(tmp_path / "set0") == files(tmp_path / "set1")
    assert sum(advanced) == 2 * 6


@pytest.mark.slow
def test_many_episodes_are_made_by_every_core(tmp_path: Path) -> None:
    written, config = EpisodeStore(tmp_path / "store"), SampleConfig("json", val_share=0.1)
    for number in range(120):
        made = episode(f"e{number}", STEPS[0], STEPS[2])
        written.write(replace(made, outcome="success"))
    report = export_training_set(
        [tmp_path / "store"], tmp_path / "many", config, format_name="ms-swift"
    )
    episodes, _ = select_training_episodes([tmp_path / "store"], config)
    alone = export_sft(open_sft_format("ms-swift"), episodes, tmp_path / "alone", config.read())
    assert report == alone
    assert files(tmp_path / "many") == files(tmp_path / "alone")
    assert report.images == 2


_OWN = """
from multiprocessing import parent_process
from time import sleep

from tapwright.conventions.json import JsonConvention


class Own(JsonConvention):
    name = "own"

    def render(self, decision, size):
        if parent_process() is None:
            sleep(0.3)  # until the other process has its turn
            return super().render(decision, size)
        return {}["answer"]


OWN = Own()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.cpu_count() == 1, reason="one process makes all rows")
def test_a_mistake_of_ones_own_is_told_with_its_line_by_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_of_rows.py").write_text(_OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    admit_convention("own_of_rows:OWN")
    config, written = SampleConfig("own_of_rows:OWN"), EpisodeStore(tmp_path / "store")
    for number in range(30):
        written.write(replace(episode(f"e{number}", STEPS[0]), outcome="success"))
    episodes, _ = select_training_episodes([written.root], config)
    rows = spread_rows(config, "ms-swift", episodes, frozenset(), tmp_path)
    with pytest.raises(BrokenPluginError, match=r"own_of_rows\.py, line 15: KeyError: 'answer'"):
        list(rows)
