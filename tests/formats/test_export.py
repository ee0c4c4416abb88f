import hashlib
import json
import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from tapwright.conventions import conventions
from tapwright.conventions.android_tools import ANDROID_TOOLS_CONVENTION
from tapwright.conventions.convention import Space
from tapwright.conventions.history import HistoryMode, HistoryPolicy
from tapwright.conventions.json import JSON_CONVENTION
from tapwright.conventions.sent_pictures import resize_pictures
from tapwright.core.actions import Action, Finish, Hotkey, Swipe, Tap, TypeText, Wait
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Picture
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.errors import (
    CorruptEpisodeError,
    DiskError,
    NothingFoundError,
    UnsupportedByConventionError,
    UsageError,
)
from tapwright.formats.exporters.job import export_sft
from tapwright.formats.exporters.llamafactory import LLAMAFACTORY
from tapwright.formats.exporters.samples import TrainingEpisode
from tapwright.formats.exporters.training_set import DroppedStep, SftSettings
from tapwright.formats.exporters.weights import WeightRule
from tests.formats.training_sets import SETTINGS, TAP, TWO, episode, export, files, rows, step


def samples(directory: Path, split: str = "train") -> list[dict[str, Any]]:
    return rows(directory / f"{split}.json")


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), seed=st.integers(0, 3))
@pytest.mark.slow
def test_episodes_in_any_order_give_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, seed: int
) -> None:
    episodes = [episode(f"e{number}", TAP, step(Wait(), number)) for number in range(4)]
    chosen = replace(SETTINGS, seed=seed, scale=0.5, jpeg_quality=80)
    base = tmp_path_factory.mktemp("sets")
    export(LLAMAFACTORY, episodes, base / "one", chosen)
    export(LLAMAFACTORY, data.draw(st.permutations(episodes)), base / "other", chosen)
    assert files(base / "one") == files(base / "other")


def test_a_step_becomes_a_sample_in_the_words_of_the_convention(tmp_path: Path) -> None:
    out = tmp_path / "sft"
    export(LLAMAFACTORY, [TWO[0]], out)
    first, second = samples(out)
    system, human, gpt = first["conversations"]
    assert [turn["from"] for turn in (system, human, gpt)] == ["system", "human", "gpt"]
    assert human["value"].endswith("The screen now:<image>")
    assert json.loads(gpt["value"]) == {
        "reasoning": "Because.",
        "target": "the button",
        "action": {"type": "tap", "at": [250, 750]},
    }
    told = second["conversations"][1]["value"]
    assert '- {"type": "tap", "at": [250, 750]} on the button' in told
    assert told.count("<image>") == 1


def test_a_picture_is_read_once_for_each_step_that_it_is_of(tmp_path: Path) -> None:
    read: list[str] = []

    def counted(number: int) -> Step:
        shot = Screenshot(painted_scene(number).picture)

        def load() -> bytes:
            read.append(shot.sha256)
            return shot.data

        lazy = Screenshot.lazy(load, sha256=shot.sha256, origin=f"picture {number}")
        return replace(TAP, observation=replace(TAP.observation, screenshot=lazy, size=shot.size))

    export(LLAMAFACTORY, [episode("a", *map(counted, range(5)))], tmp_path / "sft")
    assert len(read) == len(set(read)) == 5


def test_pictures_are_the_recorded_bytes_once_each(tmp_path: Path) -> None:
    out = tmp_path / "sft"
    report = export(LLAMAFACTORY, [episode("a", TAP, TAP)], out)
    (picture,) = (out / "images").iterdir()
    assert picture.read_bytes() == TAP.observation.screenshot.data
    assert report.images == 1
    assert [sample["images"] for sample in samples(out)] == [[f"images/{picture.name}"]] * 2


def test_whole_episodes_are_kept_for_validation(tmp_path: Path) -> None:
    out = tmp_path / "sft"
    report = export(
        LLAMAFACTORY,
        [episode(str(number), TAP, TAP) for number in range(10)],
        out,
        replace(SETTINGS, val_share=0.3),
    )
    assert report.samples == {"train": 14, "val": 6}
    assert report.episodes == {"train": 7, "val": 3}
    assert (len(samples(out)), len(samples(out, "val"))) == (14, 6)
    assert report.checked == LLAMAFACTORY.check(out) == 20


def test_the_manifest_has_counts_hashes_and_what_was_left_out(tmp_path: Path) -> None:
    out = tmp_path / "sft"
    silent = step(Wait(), reasoning=" ")
    export(LLAMAFACTORY, [episode("a", TAP, silent)], out, replace(SETTINGS, seed=7))
    manifest = json.loads((out / "manifest.json").read_text())
    written = files(out)
    del written["manifest.json"]
    assert manifest.pop("files") == {
        name: hashlib.sha256(data).hexdigest()
        for name, data in written.items()
        if not name.startswith("images/")
    }
    assert manifest == {
        "format": "llamafactory",
        "convention": "json",
        "seed": 7,
        "val_share": 0.1,
        "history": "full",
        "scale": 1.0,
        "max_pixels": None,
        "max_side": None,
        "jpeg_quality": None,
        "per_picture": 1,
        "weights": [],
        "paraphrased_tasks": 0,
        "samples": {"train": 1, "val": 0},
        "episodes": {"train": 1, "val": 0},
        "images": 1,
        "checked": 1,
        "dropped": [{"episode": "a", "step": 1, "reason": "step has no annotation", "code": ""}],
    }


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ("none", [False, False, False, False]),
        ("last:2", [False, True, True, False]),
        ("full", [True, True, True, False]),
    ],
)
def test_as_many_steps_are_told_as_the_policy_says(
    tmp_path: Path, policy: str, told: list[bool]
) -> None:
    steps = [step(Wait(), target=f"t{number}") for number in range(4)]
    chosen = replace(SETTINGS, history=HistoryPolicy.from_text(policy))
    export(LLAMAFACTORY, [episode("a", *steps)], tmp_path / "sft", chosen)
    asked = samples(tmp_path / "sft")[3]["conversations"][1]["value"]
    assert [f"t{number}" in asked for number in range(4)] == told


def test_summaries_tell_the_older_steps_in_a_line_each(tmp_path: Path) -> None:
    steps = [TAP, step(Wait()), step(Wait(), target="t2"), step(Finish())]
    chosen = replace(SETTINGS, history=HistoryPolicy.from_text("summaries"))
    export(LLAMAFACTORY, [episode("a", *steps)], tmp_path / "sft", chosen)
    asked = samples(tmp_path / "sft")[3]["conversations"][1]["value"]
    assert "Task: Go\n\nSteps before that:\n1. tap: the button\n2. wait 1 s\n\nWhat you" in asked
    assert '- {"type": "wait"} on t2' in asked


@pytest.mark.parametrize("name", ["last", "last:-1", "some", "summaries:x", "full:2", ""])
def test_a_history_policy_that_there_is_not_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no history policy is called"):
        HistoryPolicy.from_text(name)


@given(st.integers(0, 99), st.sampled_from(get_args(HistoryMode)))
def test_a_history_policy_is_named_as_it_prints(last: int, by: HistoryMode) -> None:
    policy = HistoryPolicy(last, by)
    assert HistoryPolicy.from_text(str(policy)) == policy


def test_pictures_are_scaled_and_places_follow(tmp_path: Path) -> None:
    chosen = SftSettings(ANDROID_TOOLS_CONVENTION, scale=0.5, jpeg_quality=90)
    steps = [TAP, step(Swipe(start=Point(0.5, 0.9), end=Point(0.5, 0.1)), 2)]
    export(LLAMAFACTORY, [episode("a", *steps)], tmp_path / "sft", chosen)
    first, second = samples(tmp_path / "sft")
    with Image.open(tmp_path / "sft" / first["images"][0]) as picture:
        assert (picture.size, picture.format) == ((20, 40), "JPEG")
    assert "screen_width: 20\nscreen_height: 40" in first["conversations"][1]["value"]
    assert '"x_coordinate": 5, "y_coordinate": 30' in first["conversations"][2]["value"]
    assert '"x_coordinate": 5, "y_coordinate": 30' in second["conversations"][1]["value"]
    assert '"end_y_coordinate": 4' in second["conversations"][2]["value"]


@given(width=st.integers(1, 4096), height=st.integers(1, 4096), most=st.integers(1, 4_000_000))
def test_no_picture_has_more_pixels_than_asked_for(width: int, height: int, most: int) -> None:
    from tapwright.formats.exporters.pictures import PictureEncoder

    with PictureEncoder(replace(SETTINGS, max_pixels=most)) as pictures:
        size = pictures.output_size(Size(width, height))
    # A side has one pixel at least, so that a thread-thin picture may have a few more.
    assert size.width * size.height <= max(most, width, height)
    assert (size == Size(width, height)) == (width * height <= most)


@pytest.mark.parametrize(
    "bad",
    [{"scale": 0.0}, {"scale": 1.5}, {"max_pixels": 0}, {"max_side": 0}, {"jpeg_quality": 100}],
)
def test_pictures_that_cannot_be_are_refused(tmp_path: Path, bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="expected"):
        export(LLAMAFACTORY, TWO, tmp_path / "sft", replace(SETTINGS, **bad))
    assert list(tmp_path.iterdir()) == []


def test_weights_stand_in_the_samples_of_training_and_copy_nothing(tmp_path: Path) -> None:
    rules = (
        WeightRule("target", "but+on", {"weight": 5}),
        WeightRule("action.type", "^wait$", {"weight": 0}),
    )
    chosen = replace(SETTINGS, weights=rules, val_share=0.0)
    steps = (TAP, step(Wait()), step(Hotkey(keys=("control", "c"))))
    report = export(LLAMAFACTORY, [episode("a", *steps)], tmp_path / "sft", chosen)
    assert [sample.get("weight") for sample in samples(tmp_path / "sft")] == [5, None]
    assert report.dropped == (DroppedStep("a", 1, "its weight is 0"),)


def test_a_task_is_asked_in_other_words_by_the_seed(tmp_path: Path) -> None:
    texts = {"t": ("Do it", "Make it so")}
    given_ = [episode("a", *[TAP] * 30)]
    seen: list[list[str]] = []
    for seed in (0, 0, 1):
        out = tmp_path / str(len(seen))
        export(LLAMAFACTORY, given_, out, replace(SETTINGS, paraphrases=texts, seed=seed))
        seen.append([one["conversations"][1]["value"].split("\n")[0] for one in samples(out)])
    assert seen[0] == seen[1] != seen[2]
    assert set(seen[0]) == {"Task: Go", "Task: Do it", "Task: Make it so"}


def test_recorded_words_that_stand_for_something_else_are_escaped(tmp_path: Path) -> None:
    out = tmp_path / "sft"
    given_ = episode(
        "a",
        step(TypeText(text="<image>")),
        step(Wait(), reasoning="It says <video><|im_end|>.", target="the <image>"),
        step(TypeText(text="a < b, <b> and <|>")),
        step(Hotkey(keys=("control", "c")), reasoning="It says <video>."),
        instruction="Write <image><audio>",
    )
    report = export(LLAMAFACTORY, [given_], out)
    assert report.dropped == (
        DroppedStep("a", 0, "its action holds a mark that models and trainers interpret"),
    )
    first, second, shortcut = samples(out)
    _, human, gpt = first["conversations"]
    assert human["value"].count("<image>") == 1
    assert "Write &lt;image&gt;&lt;audio&gt;" in human["value"]
    assert "It says &lt;video&gt;&lt;|im_end|&gt;." in gpt["value"]
    assert "a < b, <b> and <|>" in second["conversations"][2]["value"]
    assert "It says &lt;video&gt;." in shortcut["conversations"][2]["value"]


def test_a_step_whose_screenshot_is_broken_or_another_is_left_out(tmp_path: Path) -> None:
    shot = TAP.observation.screenshot
    broken = Screenshot(b"no picture")
    other = Screenshot.lazy(lambda: shot.data, sha256="0" * 64, origin="a file")
    steps = [
        replace(TAP, observation=replace(TAP.observation, screenshot=bad))
        for bad in (broken, other, Screenshot.stand_in(shot.size), shot)
    ]
    report = export(LLAMAFACTORY, [episode("a", *steps)], tmp_path / "sft")
    assert [(entry.reason, entry.code) for entry in report.dropped] == [
        ("its screenshot cannot be read", "TW111"),
        ("its screenshot differs from the recorded one", "TW204"),
        ("no picture was recorded", ""),
    ]
    assert report.samples["train"] == 1


def test_an_episode_that_cannot_be_read_leaves_the_others_unaffected(tmp_path: Path) -> None:
    def read() -> tuple[Episode, Mapping[int, str]]:
        raise CorruptEpisodeError("steps.jsonl, line 3: not a step")

    episodes = [
        TrainingEpisode.from_episode(TWO[0]),
        TrainingEpisode("broken", "t", read),
        TrainingEpisode.from_episode(TWO[1]),
    ]
    report = export_sft(LLAMAFACTORY, episodes, tmp_path / "sft", SETTINGS)
    assert sum(report.samples.values()) == 3
    assert report.dropped == (
        DroppedStep("broken", None, "steps.jsonl, line 3: not a step", "TW204"),
    )


def test_an_id_that_two_stores_have_is_taken_once(tmp_path: Path) -> None:
    report = export(LLAMAFACTORY, [TWO[0], TWO[0]], tmp_path / "sft")
    assert report.dropped == (
        DroppedStep("a", None, "another episode of this id is already in the set"),
    )


class TapsAndText:
    """The JSON convention, without words for anything but taps and text."""

    name = "taps"
    source = "tapwright"
    space: Space = "permille"

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        return JSON_CONVENTION.prompt(instruction, history, observation)

    def render(self, decision: Decision, size: Size) -> str:
        if not isinstance(decision.action, Tap | TypeText):
            raise UnsupportedByConventionError(f"no word for {decision.action.type}")
        return JSON_CONVENTION.render(decision, size)

    def parse(self, text: str, size: Size) -> Decision:
        return JSON_CONVENTION.parse(text, size)


def test_what_the_convention_cannot_say_is_left_out_with_its_picture(tmp_path: Path) -> None:
    report = export(LLAMAFACTORY, TWO, tmp_path / "sft", SftSettings(TapsAndText()))
    assert {entry.reason for entry in report.dropped} == {
        "taps cannot express its action: no word for finish",
        "taps cannot express its action: no word for wait",
    }
    assert len(list((tmp_path / "sft" / "images").iterdir())) == report.images == 1


class HearsOtherwise(TapsAndText):
    """The same, which reads other texts, places and keys than it wrote."""

    def render(self, decision: Decision, size: Size) -> str:
        return JSON_CONVENTION.render(decision, size)

    def parse(self, text: str, size: Size) -> Decision:
        read = JSON_CONVENTION.parse(text, size)
        match read.action:
            case Tap():
                return replace(read, actions=(Tap(at=Point(0.9, 0.1)),))
            case TypeText():
                return replace(read, actions=(TypeText(text="cut"),))
            case Hotkey():
                return replace(read, actions=(Hotkey(keys=("control",)),))
        return read


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (Tap(at=Point(0.25, 0.75)), "at back as Point(x=0.9, y=0.1)"),
        (TypeText(text="cut off"), "text back as 'cut'"),
        (Hotkey(keys=("control", "+")), "keys back as ('control',)"),
    ],
)
def test_an_answer_that_is_read_as_something_else_is_not_taught(
    tmp_path: Path, action: Action, told: str
) -> None:
    given = episode("a", step(action), step(Wait(), 3))
    report = export(LLAMAFACTORY, [given], tmp_path / "sft", SftSettings(HearsOtherwise()))
    assert [one.reason for one in report.dropped] == [f"taps parses its {told}"]
    assert sum(report.samples.values()) == 1


LARGE = Size(1300, 2600)


@pytest.mark.parametrize(
    "name", ["agentcpm-gui", "anthropic-computer", "glm-4.5v-computer", "ui-venus-1.5"]
)
def test_pictures_have_the_size_in_which_the_model_is_measured(tmp_path: Path, name: str) -> None:
    convention = conventions.get(name)
    seen = [
        Observation(Screenshot(painted_scene(number, LARGE).picture), LARGE) for number in (1, 2)
    ]
    taps = [Decision(Tap(at=Point(0.25, 0.75)), "Because.", "the button")] * 2
    steps = [Step(*one) for one in zip(seen, taps, strict=True)]
    shown = replace(episode("a", *steps), device="web" if "computer" in name else "phone")
    export(LLAMAFACTORY, [shown], tmp_path / "sft", SftSettings(convention))
    measured = {
        part.screenshot.sha256
        for number, step in enumerate(steps)
        for message in resize_pictures(
            convention, HistoryPolicy().prompt(convention, "Go", steps[:number], step.observation)
        )
        for part in message.parts
        if isinstance(part, Picture)
    }
    assert {path.stem for path in (tmp_path / "sft" / "images").iterdir()} == measured
    for sample in samples(tmp_path / "sft"):
        assert sample["conversations"][-1]["value"] == convention.render(taps[0], LARGE)


@pytest.mark.parametrize("name", ["holo", "mobimind-grounder", "mmbench-gui"])
def test_a_grounding_model_is_prompted_with_the_element(tmp_path: Path, name: str) -> None:
    unnamed = step(Tap(at=Point(0.5, 0.5)))
    given_ = episode("a", TAP, unnamed, step(Finish(), target="it"), instruction="Do all of it")
    report = export(LLAMAFACTORY, [given_], tmp_path / "sft", SftSettings(conventions.get(name)))
    (sample,) = samples(tmp_path / "sft")
    prompt = "".join(turn["value"] for turn in sample["conversations"][:-1])
    assert "the button" in prompt
    assert "Do all of it" not in prompt
    assert [one.reason.partition(":")[0] for one in report.dropped] == [
        "it has no target element",
        f"{name} cannot express its action",
    ]


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("ui-r1", "<image>In this UI screenshot, I want"),
        ("ui-agile", "<image>\nIn this UI screenshot, I want"),
        (
            "gui-r1",
            "You are GUI-R1, a reasoning GUI Agent Assistant. In this UI screenshot <image>, ",
        ),
        (
            "gui-r1-odyssey",
            "You are GUI-R1, a reasoning GUI Agent Assistant. In this UI screenshot <",
        ),
    ],
)
def test_a_model_is_taught_in_the_words_of_its_training_data(
    tmp_path: Path, name: str, before: str
) -> None:
    export(LLAMAFACTORY, [episode("a", TAP)], tmp_path / "sft", SftSettings(conventions.get(name)))
    (sample,) = samples(tmp_path / "sft")
    assert sample["conversations"][0]["value"].startswith(before)
    assert sample["conversations"][0]["value"].count("<image>") == 1 == len(sample["images"])


@pytest.mark.parametrize("name", ["holo", "mobimind-grounder", "mmbench-gui"])
def test_a_grounding_model_needs_reasons_only_where_its_prompt_has_them(
    tmp_path: Path, name: str
) -> None:
    unannotated = step(Tap(at=Point(0.25, 0.75)), reasoning="", target="the button")
    told = step(Tap(at=Point(0.25, 0.75)), reasoning="It saves.", target="the button")
    given_ = [episode("a", unannotated, told)]
    export(LLAMAFACTORY, given_, tmp_path / "sft", SftSettings(conventions.get(name)))
    asked = [sample["conversations"][-2]["value"] for sample in samples(tmp_path / "sft")]
    has_reason = ["It saves." in words for words in asked]
    assert has_reason == ([True] if name == "mobimind-grounder" else [False, False])


def test_a_directory_that_is_there_is_not_written_into(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="already exists"):
        export(LLAMAFACTORY, TWO, tmp_path)


def test_nothing_is_left_behind_when_no_step_can_be_a_sample(tmp_path: Path) -> None:
    silent = episode("a", step(Wait(), reasoning=""))
    with pytest.raises(NothingFoundError, match=r"no step .* step has no annotation") as caught:
        export(LLAMAFACTORY, [silent], tmp_path / "sft")
    assert "--annotator NAME; or --actions-only" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_behind_when_the_disk_refuses(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    with pytest.raises(DiskError, match="sft: cannot be written: "):
        export(LLAMAFACTORY, TWO, tmp_path / "file" / "sft")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_samples(tmp_path: Path) -> None:
    chosen = replace(SETTINGS, val_share=0.0, history=HistoryPolicy.from_text("last:1"))

    def peak(count: int) -> int:
        given_ = episode("a", *[step(Wait(), target="word " * 4000)] * count)
        tracemalloc.start()
        export(LLAMAFACTORY, [given_], tmp_path / str(count), chosen)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(10)
    few, many = peak(50), peak(300)
    assert (tmp_path / "300" / "train.json").stat().st_size > 10_000_000
    assert many < few + 2_000_000


def test_a_step_that_is_told_of_half_an_emoji_is_left_out(tmp_path: Path) -> None:
    given_ = episode("a", step(Wait(), target="ok \ud83d"), *[TAP] * 11)
    chosen = replace(SETTINGS, history=HistoryPolicy.from_text("last:10"))
    report = export(LLAMAFACTORY, [given_], tmp_path / "sft", chosen)
    assert [entry.step for entry in report.dropped] == list(range(11))
    assert {entry.reason for entry in report.dropped[1:]} == {
        "its text holds half an emoji, which UTF-8 cannot encode"
    }
    assert report.samples["train"] == 1


def test_a_low_level_sample_has_the_steps_own_instruction_and_needs_no_reasoning(
    tmp_path: Path,
) -> None:
    told = replace(
        Step(TAP.observation, Decision(TAP.decision.action)), step_instruction="tap the button"
    )
    given_ = episode("a", told, step(Finish()), instruction="Do all of it")
    settings = SftSettings(conventions.get("json"), level="low")
    report = export(LLAMAFACTORY, [given_], tmp_path / "sft", settings)
    (sample,) = samples(tmp_path / "sft")
    prompt = "".join(turn["value"] for turn in sample["conversations"][:-1])
    assert "tap the button" in prompt
    assert "Do all of it" not in prompt
    assert [one.reason for one in report.dropped] == ["step has no instruction of its own"]


SEVERAL = step(Tap(at=Point(0.25, 0.75)), 1, target="the button")
SEVERAL = replace(
    SEVERAL,
    decision=replace(SEVERAL.decision, actions=(Tap(at=Point(0.25, 0.75)), TypeText(text="a"))),
)


@pytest.mark.parametrize(
    ("name", "taught"),
    [("opencua", 2), ("openai-computer", 2), ("gui-owl-computer", 2), ("json", 1)],
)
def test_several_actions_are_taught_where_the_family_has_them(
    tmp_path: Path, name: str, taught: int
) -> None:
    plays = [episode("a", SEVERAL, step(Finish(), 2))]
    report = export(LLAMAFACTORY, plays, tmp_path / "set", SftSettings(conventions.get(name)))
    assert report.samples["train"] == taught
    if taught == 1:
        [why] = [one.reason for one in report.dropped]
        assert "json has one action in an answer; this decision has 2" in why


def test_a_grounding_model_learns_the_first_of_several(tmp_path: Path) -> None:
    settings = SftSettings(conventions.get("uground-v1"))
    report = export(LLAMAFACTORY, [episode("a", SEVERAL)], tmp_path / "set", settings)
    assert report.samples["train"] == 1


def test_steps_that_are_no_targets_are_left_out_with_the_reason_and_stay_in_the_history(
    tmp_path: Path,
) -> None:
    stale = replace(TAP, observation=replace(TAP.observation, stale=True))
    refused = replace(step(Wait(), 4), refused="no form")
    chosen = replace(SETTINGS, val_share=0)
    report = export(
        LLAMAFACTORY, [episode("a", stale, refused, step(Finish(), 2))], tmp_path / "set", chosen
    )
    assert [(one.step, one.reason) for one in report.dropped] == [
        (0, "its picture is of another moment (stale)"),
        (1, "it was refused: no form"),
    ]
    assert report.samples["train"] == 1


def test_steps_of_another_kind_of_screen_are_told(tmp_path: Path) -> None:
    chosen = replace(SETTINGS, convention=conventions.get("ui-tars-1.5"), val_share=0)
    desk = episode("desk", TAP, step(Hotkey(keys=("control", "c")), 4))
    report = export(LLAMAFACTORY, [episode("phone", TAP), desk], tmp_path / "set", chosen)
    assert {one.episode for one in report.dropped} == {"desk"}
    assert "of a computer, and ui-tars-1.5 is for another screen" in report.dropped[0].reason


END = Decision(Finish(), "Because.")


@pytest.mark.parametrize(
    ("device", "size", "told"),
    [
        ("", Size(1080, 2400), "phone"),
        ("adb emulator-5554", Size(2400, 1080), "phone"),
        ("osworld 1920x1080", Size(1920, 1080), ""),
        ("web", Size(1280, 5000), ""),
        ("", Size(1920, 1080), ""),
    ],
)
@pytest.mark.parametrize("name", ["qwen2.5-vl-computer", "json"])
def test_an_end_alone_is_told_by_its_screen(
    tmp_path: Path, device: str, size: Size, told: str, name: str
) -> None:
    seen = replace(TAP.observation, size=size, screenshot=Screenshot.stand_in(size))
    end = replace(episode("end", replace(TAP, observation=seen, decision=END)), device=device)
    chosen = replace(SETTINGS, convention=conventions.get(name), val_share=0)
    good = replace(episode("good", TAP), device="desktop 100x200")
    report = export(LLAMAFACTORY, [good, end], tmp_path / "set", chosen)
    dropped = [one.reason for one in report.dropped if one.episode == "end"]
    assert any("another screen" in why for why in dropped) == (bool(told) and name != "json")


@pytest.mark.parametrize(("name", "written"), [("qwen2.5-vl", 1), ("ui-tars-1.5", 0)])
def test_actions_alone_are_samples_where_an_answer_has_no_place_for_a_thought(
    tmp_path: Path, name: str, written: int
) -> None:
    chosen = replace(SETTINGS, convention=conventions.get(name), actions_only=True, val_share=0)
    bare, told = episode("bare", step(TAP.decision.action, 1, reasoning="")), episode("told", TAP)
    report = export(LLAMAFACTORY, [bare, told], tmp_path / "set", chosen)
    assert report.samples["train"] == 1 + written
    assert all("has a place for one" in one.reason for one in report.dropped)
