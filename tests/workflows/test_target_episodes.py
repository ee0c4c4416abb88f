import json
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.conventions import conventions
from tapwright.conventions.convention import decides_size
from tapwright.conventions.family import Family
from tapwright.conventions.sent_pictures import resize_pictures
from tapwright.core.episode import Episode
from tapwright.core.messages import Message, Picture
from tapwright.errors import UsageError
from tapwright.evaluate.pipeline import ModelQueries
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.rule_choice import under_plan
from tapwright.formats import formats
from tapwright.formats.exporters.pictures import PictureEncoder
from tapwright.formats.exporters.preview import render_preview
from tapwright.formats.exporters.samples import make_samples
from tapwright.formats.exporters.stats import collect_sample_stats
from tapwright.formats.exporters.training_set import (
    DroppedStep,
    SftFormat,
    SftReport,
    TrainingSample,
)
from tapwright.models.scripted import ScriptedModel
from tapwright.workflows.sft import (
    SampleConfig,
    export_training_set,
    select_training_episodes,
)
from tapwright.workflows.target_episodes import list_target_episodes
from tests.benchmarks.dataset_samples import OSWORLD_ROW, REFUSAL_ROW, osworld_g

CONVERSATIONS = ("axolotl", "llamafactory", "ms-swift", "trl")
OWN = formats.get("llamafactory")


def can_be_taught(name: str, source: Path) -> bool:
    try:
        list_target_episodes("l2", [source], conventions.get(name))
    except UsageError:
        return False
    return True


def teachable(source: Path) -> set[str]:
    """The conventions in which the elements of a benchmark can be taught."""
    names = {name for name in conventions.names() if can_be_taught(name, source)}
    # Their words hold a mark that trainers read as a picture.
    names -= {"agentcpm-gui-vllm", "gui-r1", "ui-agile", "ui-r1"}
    # Other tests register conventions of their own.
    return {name for name in names if type(conventions.get(name)).__module__[:10] == "tapwright."}


def taught(source: Path, config: SampleConfig) -> list[TrainingSample | DroppedStep]:
    episodes, dropped = select_training_episodes([source], config)
    settings = config.read()
    with PictureEncoder(settings) as pictures:
        return [*dropped, *make_samples(episodes, frozenset(), pictures, settings)]


@pytest.mark.slow
def test_what_is_taught_is_asked_for_in_the_same_words_and_scores_in_full(
    episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    benchmark = GroundingBenchmark(tmp_path / "own")
    names = teachable(tmp_path / "own")
    assert {"mmbench-gui", "seeclick", "json"} <= names
    for name in sorted(names):
        convention = conventions.get(name)
        if isinstance(convention, Family):  # some were trained in other words than they are asked
            convention = convention.as_trained()
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


@pytest.mark.slow
def test_a_scaled_picture_is_asked_about_in_the_words_that_were_taught(
    episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    compared = set[str]()
    for name in sorted(teachable(tmp_path / "own")):
        if decides_size(conventions.get(name)):
            continue  # `eval run` leaves the size of pictures to them
        config = SampleConfig(name, targets="l2", max_pixels=20_000)
        plan = RunPlan(convention=name, max_pixels=20_000)
        benchmark = under_plan(GroundingBenchmark(tmp_path / "own"), plan)
        queries = ModelQueries(benchmark, ScriptedModel("?"), plan)
        asked = [[turn.text for turn in queries.prompt(one)] for one in benchmark.samples()]
        for one in samples_of(tmp_path / "own", config):
            assert [turn.text for turn in one.prompt] in asked, name
            compared.add(name)
    assert {"mmbench-gui", "android-tools", "androidworld"} <= compared


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


@pytest.mark.slow
def test_questions_about_one_picture_are_one_conversation(
    episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own", by_heart=1, per_screen=8)
    for name in sorted(teachable(tmp_path / "own")):
        config = SampleConfig(name, targets="l2")
        alone = {(one.episode.id, one.number): one for one in samples_of(tmp_path / "own", config)}
        talks = samples_of(tmp_path / "own", replace(config, per_picture=3))
        assert max(len(talk.numbers) for talk in talks) == 3, name
        numbers = [(talk.episode.id, number) for talk in talks for number in talk.numbers]
        assert sorted(numbers) == sorted(alone), name
        for talk in talks:
            assert (talk.prompt, talk.answer) == taught_alone(alone[talk.episode.id, talk.number])
            for turn in talk.follow_ups:
                prompt, answer = taught_alone(alone[talk.episode.id, turn.number])
                assert (turn.question.text, turn.answer) == (prompt[-1].text, answer), name
                assert not any(isinstance(part, Picture) for part in turn.question.parts)
            answers = [turn.text for turn in talk.completion if turn.role == "assistant"]
            assert len(set(answers)) == len(answers) == len(talk.numbers)


def taught_alone(sample: TrainingSample) -> tuple[tuple[Message, ...], str]:
    return sample.prompt, sample.answer


def samples_of(source: Path, config: SampleConfig) -> list[TrainingSample]:
    found = taught(source, config)
    assert found
    samples = [one for one in found if isinstance(one, TrainingSample)]
    assert len(samples) == len(found)
    return samples


def test_which_questions_come_together_is_chance_by_the_seed(
    episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own", by_heart=1, per_screen=8)
    config = SampleConfig("mmbench-gui", targets="l2", per_picture=4)
    numbers = [
        [one.numbers for one in samples_of(tmp_path / "own", replace(config, seed=seed))]
        for seed in (0, 0, 1)
    ]
    assert numbers[0] == numbers[1] != numbers[2]


def test_every_format_of_conversations_teaches_all_answers_and_the_others_refuse_them(
    episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own", by_heart=1, per_screen=8)
    config = SampleConfig("mmbench-gui", targets="l2", per_picture=3, val_share=0)
    talks = samples_of(tmp_path / "own", config)
    for name in formats.names():
        format_ = formats.get(name)
        # Other tests register formats of their own.
        if not isinstance(format_, SftFormat) or not type(format_).__module__.startswith("tapw"):
            continue
        assert format_.takes_follow_ups == (name in CONVERSATIONS)
        out = tmp_path / name
        if not format_.takes_follow_ups:
            with pytest.raises(UsageError, match="has one question") as caught:
                export_training_set([tmp_path / "own"], out, config, format_name=name)
            assert set(CONVERSATIONS) <= set(caught.value.hint.removeprefix("--to ").split(", "))
            assert not out.exists()
            continue
        report = export_training_set([tmp_path / "own"], out, config, format_name=name)
        assert report.checked == len(talks)
        manifest = json.loads((out / "manifest.json").read_text("utf-8"))
        assert manifest["per_picture"] == 3
        assert manifest["taught"] == report.taught
        assert report.taught == {"train": sum(len(talk.numbers) for talk in talks), "val": 0}


def test_a_row_names_the_steps_of_all_its_questions(
    episodes: list[Episode], tmp_path: Path
) -> None:
    import pyarrow.parquet as pq

    make_benchmarks(episodes, tmp_path / "own", by_heart=1, per_screen=8)
    several = SampleConfig("mmbench-gui", targets="l2", per_picture=3, val_share=0)
    for config in (several, replace(several, per_picture=1)):
        talks = samples_of(tmp_path / "own", config)
        expected = sorted((talk.episode.id, talk.numbers) for talk in talks)
        for name in CONVERSATIONS:
            out = tmp_path / f"{name}-{config.per_picture}"
            export_training_set([tmp_path / "own"], out, config, format_name=name)
            if name == "trl":
                rows = pq.read_table(out / "data/train-00000.parquet").to_pylist()
            elif name == "llamafactory":
                rows = json.loads((out / "train.json").read_text("utf-8"))
            else:
                lines = (out / "train.jsonl").read_text("utf-8").splitlines()
                rows = [json.loads(line) for line in lines]
            named = [(row["episode"], row.get("steps", [row["step"]])) for row in rows]
            assert sorted(named) == expected, name
            assert any("steps" in row for row in rows) == (config is several), name


def test_a_format_of_your_own_is_in_the_hint(
    episodes: list[Episode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "_admitted", {})  # for this test alone
    formats.admit(f"{__name__}:OWN")
    make_benchmarks(episodes, tmp_path / "own")
    config = SampleConfig("mmbench-gui", targets="l2", per_picture=3)
    with pytest.raises(UsageError, match="has one question") as caught:
        export_training_set([tmp_path / "own"], tmp_path / "set", config, format_name="hf")
    assert f"{__name__}:OWN" in caught.value.hint


def test_no_answer_of_a_conversation_is_kept_from_the_loss(
    episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own", by_heart=1, per_screen=8)
    config = SampleConfig("mmbench-gui", targets="l2", per_picture=3, val_share=0)
    talks = samples_of(tmp_path / "own", config)
    answers = sorted([turn.text for turn in talk.completion[::2]] for talk in talks)
    for name, key in (("ms-swift", "loss"), ("axolotl", "training"), ("llamafactory", "")):
        export_training_set([tmp_path / "own"], tmp_path / name, config, format_name=name)
        said = [
            [turn for turn in turns if turn.get("role", turn.get("from")) in ("assistant", "gpt")]
            for turns in conversations_in(tmp_path / name)
        ]
        if key:
            assert all(turn.get(key, True) for turns in said for turn in turns)
        texts = [[turn.get("value") or turn["content"] for turn in turns] for turns in said]
        if name == "axolotl":
            texts = [[parts[0]["text"] for parts in turns] for turns in texts]
        assert sorted(texts) == answers


def conversations_in(directory: Path) -> list[list[dict[str, Any]]]:
    if (directory / "train.json").exists():
        rows = json.loads((directory / "train.json").read_text("utf-8"))
        return [row["conversations"] for row in rows]
    lines = (directory / "train.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["messages"] for line in lines]


def test_a_preview_shows_every_question_and_marks_every_answer(
    episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own", by_heart=1, per_screen=8)
    config = SampleConfig("mmbench-gui", targets="l2", per_picture=3)
    talk = next(one for one in samples_of(tmp_path / "own", config) if len(one.numbers) == 3)
    segments = render_preview(talk, config.read())
    counted = [one.text for one in segments if one.kind == "loss"]
    assert counted == [turn.text for turn in talk.completion[::2]]
    told = [one.text for one in segments if one.kind == "text"]
    assert told[-2:] == [one.question.text for one in talk.follow_ups]
    stats = collect_sample_stats([talk])
    assert stats.answer == [sum(map(len, counted))]


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
        (SampleConfig("json", per_picture=2), "--per-picture has no effect"),
    ],
)
def test_what_cannot_be_taught_is_refused(
    config: SampleConfig, said: str, episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    with pytest.raises(UsageError, match=said):
        select_training_episodes([tmp_path / "own"], replace(config, seed=1))
