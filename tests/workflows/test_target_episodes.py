from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import pytest

from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.conventions import conventions
from tapwright.conventions.sent_pictures import resize_pictures
from tapwright.episode import Episode
from tapwright.errors import UsageError
from tapwright.formats.exporters.pictures import PictureEncoder
from tapwright.formats.exporters.samples import make_samples
from tapwright.formats.exporters.training_set import DroppedStep, SftReport, TrainingSample
from tapwright.workflows.target_episodes import list_target_episodes
from tapwright.workflows.training_set import (
    SampleConfig,
    export_training_set,
    select_training_episodes,
)
from tests.benchmarks.dataset_samples import OSWORLD_ROW, REFUSAL_ROW, osworld_g


def can_be_taught(name: str, source: Path) -> bool:
    try:
        list_target_episodes("l2", [source], conventions.get(name))
    except UsageError:
        return False
    return True


def taught(source: Path, config: SampleConfig) -> list[TrainingSample | DroppedStep]:
    episodes, dropped = select_training_episodes([source], config)
    settings = config.read()
    with PictureEncoder(settings, None) as pictures:
        return [*dropped, *make_samples(episodes, frozenset(), pictures, settings)]


def test_what_is_taught_is_asked_for_in_the_same_words_and_scores_in_full(
    episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    benchmark = GroundingBenchmark(tmp_path / "own")
    names = {name for name in conventions.names() if can_be_taught(name, tmp_path / "own")}
    names -= {"agentcpm-gui-vllm"}  # its words hold a mark that trainers read as a picture
    # Other tests register conventions of their own.
    names = {name for name in names if type(conventions.get(name)).__module__[:10] == "tapwright."}
    assert {"mmbench-gui", "seeclick", "json"} <= names
    for name in sorted(names):
        convention = conventions.get(name)
        measured = benchmark.in_convention(convention)
        samples = {sample.instruction + sample.id: sample for sample in benchmark.samples()}
        unseen = {(one.picture, one.instruction): one for one in samples.values()}
        for one in taught(tmp_path / "own", SampleConfig(name, targets="l2")):
            assert isinstance(one, TrainingSample), (name, one)
            origin = Path(one.episode.steps[one.number].observation.screenshot.origin)
            sample = unseen.pop((origin, one.request))
            asked = resize_pictures(convention, measured.prompt(sample))
            for mine, theirs in zip_longest(one.prompt, asked):
                assert mine == theirs, name
            assert measured.score(sample, one.answer, space="pixel").value == 1, name
        assert not unseen, name


def test_the_elements_of_one_picture_are_on_one_side_of_the_split(
    episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    config = SampleConfig("mmbench-gui", targets="l2", val_share=0.5)
    report = export_training_set(
        [tmp_path / "own"], tmp_path / "set", config, format_name="llamafactory"
    )
    assert isinstance(report, SftReport)
    assert min(report.samples.values()) > 0
    assert sum(report.samples.values()) == len(GroundingBenchmark(tmp_path / "own").samples())
    ids = {one.id for one in select_training_episodes([tmp_path / "own"], config)[0]}
    assert len(ids) == len({one.picture for one in GroundingBenchmark(tmp_path / "own").samples()})


def test_what_is_not_on_the_screen_cannot_be_taught(tmp_path: Path) -> None:
    osworld_g(tmp_path, OSWORLD_ROW, REFUSAL_ROW)
    found = taught(tmp_path, SampleConfig("mmbench-gui", targets="osworld-g"))
    (dropped,) = [one for one in found if isinstance(one, DroppedStep)]
    assert dropped.reason == "the screen has no such element"
    assert len(found) == 2


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (SampleConfig("json", targets="l1"), "l1 has no elements"),
        (SampleConfig("qwen3-vl-computer", targets="l2"), "words of its own"),
        (SampleConfig("json", targets="l2", annotator="rules"), "--annotator has no effect"),
    ],
)
def test_what_cannot_be_taught_is_refused(
    config: SampleConfig, said: str, episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    with pytest.raises(UsageError, match=said):
        select_training_episodes([tmp_path / "own"], replace(config, seed=1))
