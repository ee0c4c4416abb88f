"""Every trainer's set is written, checked, broken, and read by the trainer's own reader."""

import io
import json
import shutil
import tarfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from PIL import Image

from tapwright.conventions.android_tools import ANDROID_TOOLS_CONVENTION
from tapwright.core.actions import ActionAdapter, Finish, TypeText
from tapwright.core.episode import Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.formats import formats
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters.parquet import ParquetFileWriter
from tapwright.formats.exporters.training_set import SftFormat, SftSettings
from tests.formats.training_sets import (
    SETTINGS,
    TAP,
    TWO,
    MultiTurn,
    episode,
    export,
    files,
    rows,
    step,
)

NAMES = [
    "axolotl", "easyr1", "hf", "lerobot", "llamafactory", "llamafactory-alpaca", "ms-swift",
    "rendered", "trl", "verl-rl", "verl-sft", "webdataset",
]  # fmt: skip
ONE_TURN = {"easyr1", "llamafactory-alpaca", "verl-sft"}
MIXED = [episode("a", TAP, step(TypeText(text="x"), 2), step(Finish(), 3)), *TWO[1:]]


def read_frame(path: Path) -> Any:
    import pandas as pd

    return pd.read_parquet(path)


def sft(name: str) -> SftFormat:
    format_ = formats.get(name)
    assert isinstance(format_, SftFormat)
    return format_


def chosen(name: str) -> SftSettings:
    return SftSettings(ANDROID_TOOLS_CONVENTION) if name == "rendered" else SETTINGS


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers leave caches and locks where they run."""
    monkeypatch.chdir(tmp_path)


def load(path: Path, *, split: str, kind: str | None = None, **given: Any) -> Any:
    from datasets import load_dataset

    cache = str(path.parent / "cache")
    if kind is None:
        return load_dataset(str(path), split=split, cache_dir=cache)
    return load_dataset(kind, split=split, cache_dir=cache, **given)


def load_here(path: Path) -> Any:
    """Reads a set with the cache of every other set of this test."""
    from datasets import load_dataset

    return load_dataset(str(path), split="train", cache_dir=str(Path.cwd() / "cache"))


def on_noise(one: Step, size: Size) -> Step:
    """The step on a picture of which there is no other."""
    buffer = io.BytesIO()
    Image.effect_noise((size.width, size.height), 90).save(buffer, "PNG")
    return replace(one, observation=Observation(Screenshot(buffer.getvalue()), size))


def test_every_trainer_is_in_the_table_and_here() -> None:
    found = [name for name in formats.names() if isinstance(formats.get(name), SftFormat)]
    # These have tests of their own.
    elsewhere = ["mobiagent-sft", "trl-dpo", "trl-grpo", "trl-kto", "trl-rollouts"]
    assert found == sorted([*NAMES, *elsewhere])


@pytest.mark.parametrize("name", NAMES)
def test_a_set_is_checked_and_the_same_again(name: str, tmp_path: Path) -> None:
    report = export(sft(name), MIXED, tmp_path / "one", chosen(name))
    assert report.checked == sum(report.samples.values()) == 4
    assert report.dropped == ()
    export(sft(name), MIXED[::-1], tmp_path / "other", chosen(name))
    assert files(tmp_path / "one") == files(tmp_path / "other")
    assert sft(name).writes_image_files == (tmp_path / "one" / "images").is_dir()


@pytest.mark.parametrize("name", NAMES)
def test_a_set_that_lost_a_file_or_is_none_is_refused(name: str, tmp_path: Path) -> None:
    export(sft(name), MIXED, tmp_path / "set", chosen(name))
    with pytest.raises(BadTrainingSetError):
        sft(name).check(tmp_path / "nowhere")
    if sft(name).writes_image_files:
        next((tmp_path / "set/images").iterdir()).unlink()
    else:
        victim = max((tmp_path / "set").rglob("*.*"), key=lambda path: path.stat().st_size)
        victim.write_bytes(victim.read_bytes()[: victim.stat().st_size // 2])
    with pytest.raises(BadTrainingSetError):
        sft(name).check(tmp_path / "set")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "rendered"])
def test_earlier_answers_are_not_taught_twice(name: str, tmp_path: Path) -> None:
    report = export(sft(name), MIXED, tmp_path / "set", SftSettings(MultiTurn()))
    refused = 2 if name in ONE_TURN else 0
    assert len(report.dropped) == refused
    assert report.checked == 4 - refused


def test_ms_swift_and_axolotl_mark_earlier_answers(tmp_path: Path) -> None:
    settings = replace(SftSettings(MultiTurn()), val_share=0.0)
    for name, key in (("ms-swift", "loss"), ("axolotl", "training")):
        export(sft(name), MIXED, tmp_path / name, settings)
        third = rows(tmp_path / name / "train.jsonl")[2]
        said = [turn.get(key) for turn in third["messages"] if turn["role"] == "assistant"]
        assert said[:-1] == [False, False]
        assert said[-1] in (None, True)


def test_axolotl_is_told_how_to_read_the_set(tmp_path: Path) -> None:
    export(sft("axolotl"), MIXED, tmp_path / "set")
    config = yaml.safe_load((tmp_path / "set/axolotl.yml").read_text())
    (data,) = config["datasets"]
    assert (data["path"], data["field_messages"], data["type"]) == (
        "train.jsonl", "messages", "chat_template",
    )  # fmt: skip
    assert not config["sample_packing"]


def test_what_hugging_face_loads_has_pictures_and_no_nulls_in_actions(tmp_path: Path) -> None:
    export(sft("hf"), MIXED, tmp_path / "set")
    data = load(tmp_path / "set", split="train")
    assert data.features["images"].feature.__class__.__name__ == "Image"
    for row in data:
        assert row["images"][0].size == (40, 80)
        action = json.loads(row["action"])
        assert None not in action.values()
        ActionAdapter.validate_json(row["action"])


def test_a_file_of_a_picture_s_name_in_the_current_directory_is_not_taken_for_it(
    tmp_path: Path,
) -> None:
    export(sft("hf"), MIXED, tmp_path / "set")
    table = pq.read_table(tmp_path / "set/data/train-00000.parquet")
    assert {one["path"] for row in table["images"].to_pylist() for one in row} == {None}


@pytest.mark.slow
def test_trl_prepares_what_is_written_for_it(tmp_path: Path) -> None:
    from trl.data_utils import is_conversational, prepare_multimodal_messages

    export(sft("trl"), MIXED, tmp_path / "set")
    data = load(tmp_path / "set", split="train")
    assert len(data) == 3
    for row in data:
        assert is_conversational(row)
        assert [one.size for one in row["images"]] == [(40, 80)]
        said = prepare_multimodal_messages(row["prompt"] + row["completion"], images=row["images"])
        kinds = [part["type"] for turn in said for part in turn["content"]]
        assert kinds.count("image") == 1
        assert said[-1]["role"] == "assistant"


@pytest.mark.parametrize("name", ["hf", "trl"])
def test_a_picture_of_many_samples_is_stored_once(name: str, tmp_path: Path) -> None:
    one = on_noise(TAP, Size(400, 800))
    given = [episode(f"e{number:02d}", one, one) for number in range(20)]
    export(sft(name), given, tmp_path / "set", replace(SETTINGS, val_share=0))
    (path,) = (tmp_path / "set/data").iterdir()
    data = one.observation.screenshot.data
    assert path.stat().st_size < 1.1 * len(data)
    rows = pq.read_table(path).to_pylist()
    assert [image["bytes"] for row in rows for image in row["images"]] == [data] * 40


@pytest.mark.parametrize("name", ["hf", "trl"])
def test_a_set_is_read_wherever_it_has_been_moved(name: str, tmp_path: Path) -> None:
    for place in ("here", "there"):
        export(sft(name), MIXED, tmp_path / place / "sft")
    for earlier, later in (("here", "there"), ("there", "elsewhere"), ("elsewhere", "end")):
        assert [row["images"][0].size for row in load_here(tmp_path / earlier / "sft")]
        if (tmp_path / later).exists():
            shutil.rmtree(tmp_path / earlier)
        else:
            (tmp_path / earlier).rename(tmp_path / later)
        assert [row["images"][0].size for row in load_here(tmp_path / later / "sft")]


@pytest.mark.parametrize("name", ["hf", "trl"])
def test_a_set_is_not_taken_for_another_of_its_name(name: str, tmp_path: Path) -> None:
    for place in ("one", "two"):
        export(sft(name), [episode(place, TAP)], tmp_path / place / "sft")
    assert [load_here(tmp_path / one / "sft")[0]["episode"] for one in ("one", "two")] \
        == ["one", "two"]  # fmt: skip


def test_a_set_of_two_splits_is_two_for_trl_with_the_pictures_of_each(tmp_path: Path) -> None:
    export(sft("trl"), MIXED, tmp_path / "set", replace(SETTINGS, val_share=0.5))
    for split in ("train", "validation"):
        rows = list(load(tmp_path / "set", split=split))
        assert rows
        assert all(row["images"][0].size == (40, 80) for row in rows)


def test_verl_reads_by_pandas_and_splits_at_the_placeholder(tmp_path: Path) -> None:
    export(sft("verl-sft"), MIXED, tmp_path / "sft")
    frame = read_frame(tmp_path / "sft/train-00000.parquet")
    for messages, images in zip(frame["messages"], frame["images"], strict=True):
        contents = [turn["content"] for turn in messages]
        assert all(isinstance(content, str) for content in contents)
        assert sum(content.count("<image>") for content in contents) == len(images)
    export(sft("verl-rl"), MIXED, tmp_path / "rl")
    frame = read_frame(tmp_path / "rl/train-00000.parquet")
    truth = json.loads(frame["reward_model"][0]["ground_truth"])
    assert truth == {
        "action": {"type": "tap", "at": {"x": 0.25, "y": 0.75}, "button": "left"},
        "box": [0.1, 0.5, 0.9, 0.9],
        "convention": "json",
        "size": [40, 80],
    }
    assert list(frame["extra_info"].map(lambda info: info["index"])) == list(range(len(frame)))
    assert [turn["role"] for turn in frame["prompt"][0]] == ["system", "user"]


def test_easyr1_asks_in_one_text(tmp_path: Path) -> None:
    export(sft("easyr1"), MIXED, tmp_path / "set")
    row = load(tmp_path, kind="parquet", split="train",
               data_files=str(tmp_path / "set/train-00000.parquet"))[0]  # fmt: skip
    assert row["problem"].count("<image>") == len(row["images"]) == 1
    assert json.loads(row["answer"])["action"]["type"] == "tap"


# A reader leaves the file to the garbage collector.
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
def test_both_readers_of_tar_files_see_the_same_samples(tmp_path: Path) -> None:
    import webdataset

    export(sft("webdataset"), MIXED, tmp_path / "set")
    shard = str(tmp_path / "set/train-000000.tar")
    with closing(webdataset.WebDataset(shard, shardshuffle=False)) as reader:
        theirs = list(reader.decode("pil"))
    ours = load(tmp_path, kind="webdataset", split="train", data_files=shard)
    assert [one["__key__"] for one in theirs] == [one["__key__"] for one in ours]
    for one, other in zip(theirs, ours, strict=True):
        assert one["json"] == other["json"]
        assert None not in json.loads(one["json"]["action"]).values()
        assert one["png"].size == other["png"].size == (40, 80)


def test_pictures_of_several_kinds_are_one_column_of_a_tar_file(tmp_path: Path) -> None:
    made = io.BytesIO()
    TAP.observation.screenshot.image().save(made, "JPEG")
    jpeg = replace(TAP.observation, screenshot=Screenshot(made.getvalue()))
    export(sft("webdataset"), [episode("a", TAP, replace(TAP, observation=jpeg))], tmp_path / "set")
    shard = str(tmp_path / "set/train-000000.tar")
    rows = load(tmp_path, kind="webdataset", split="train", data_files=shard)
    assert [row["png"].format for row in rows] == ["PNG", "JPEG"]


def test_a_key_holds_no_dot_and_the_files_of_a_sample_stand_together(tmp_path: Path) -> None:
    given = [episode("b.x", TAP, TAP)]
    export(sft("webdataset"), given, tmp_path / "set", SftSettings(MultiTurn()))
    with tarfile.open(tmp_path / "set/train-000000.tar") as tar:
        names = tar.getnames()
    assert names == [
        "b_x-00000.png", "b_x-00000.json", "b_x-00001.0.png", "b_x-00001.1.png", "b_x-00001.json",
    ]  # fmt: skip


def test_a_tar_file_has_the_bytes_of_pythons_own(tmp_path: Path) -> None:
    given = [episode("b.x", *[TAP] * 9), episode("ein Ü" + "x" * 90, TAP)]
    export(sft("webdataset"), given, tmp_path / "set")
    shard, again = tmp_path / "set/train-000000.tar", io.BytesIO()
    with (
        tarfile.open(shard) as tar,
        tarfile.open(fileobj=again, mode="w", format=tarfile.USTAR_FORMAT) as other,
    ):
        for entry in tar:
            plain = tarfile.TarInfo(entry.name)
            plain.size = entry.size
            other.addfile(plain, tar.extractfile(entry))
    assert shard.read_bytes() == again.getvalue()


def test_row_groups_are_small_and_pictures_not_compressed_again(tmp_path: Path) -> None:
    steps = [on_noise(TAP, Size(40, 80)) for _ in range(40)]
    export(sft("hf"), [episode("a", *steps)], tmp_path / "set")
    with pq.ParquetFile(tmp_path / "set/data/train-00000.parquet") as file:
        assert [file.metadata.row_group(n).num_rows for n in range(3)] == [16, 16, 8]
        group = file.metadata.row_group(0)
        columns = [group.column(number) for number in range(group.num_columns)]
        (pictures,) = [one for one in columns if one.path_in_schema.endswith("bytes")]
        assert pictures.compression == "UNCOMPRESSED"


def test_lerobot_s_tables_say_what_its_reader_asks_for(tmp_path: Path) -> None:
    export(sft("lerobot"), MIXED, tmp_path / "set", replace(SETTINGS, val_share=0.5))
    info = json.loads((tmp_path / "set/meta/info.json").read_text())
    assert (info["codebase_version"], info["fps"], info["total_frames"]) == ("v3.0", 1, 4)
    assert info["features"]["observation.images.screen"] == {
        "dtype": "image", "shape": [80, 40, 3], "names": ["height", "width", "channels"],
    }  # fmt: skip
    tasks = read_frame(tmp_path / "set/meta/tasks.parquet")
    assert tasks.loc["Go"].task_index == 0
    episodes = load(tmp_path, kind="parquet", split="train",
                    data_files=str(tmp_path / "set" / "meta/episodes/*/*.parquet"))  # fmt: skip
    assert [row["dataset_to_index"] - row["dataset_from_index"] for row in episodes] == [
        row["length"] for row in episodes
    ]
    frames = load(tmp_path, kind="parquet", split="train",
                  data_files=str(tmp_path / "set" / "data/*/*.parquet"))  # fmt: skip
    assert set(frames.features) == set(info["features"])
    assert frames[0]["observation.images.screen"].size == (40, 80)
    first = next(row for row in frames if json.loads(row["action_json"])["type"] == "tap")
    assert first["action"] == [0.0, 0.25, 0.75, 0.0, 0.0]
    stats = json.loads((tmp_path / "set/meta/stats.json").read_text())
    assert set(stats) >= {"action", "timestamp", "observation.images.screen"}
    mean = stats["observation.images.screen"]["mean"]
    assert [len(mean), len(mean[0]), len(mean[0][0])] == [3, 1, 1]
    split = int(info["splits"]["train"].partition(":")[2])
    assert info["splits"]["val"] == f"{split}:2"


def test_lerobot_wants_pictures_of_one_size(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, "PNG")
    from tapwright.core.screenshot import Screenshot

    seen = replace(TAP.observation, screenshot=Screenshot(buffer.getvalue()))
    given = episode("a", TAP, replace(TAP, observation=seen))
    report = export(sft("lerobot"), [given], tmp_path / "set")
    assert [one.reason for one in report.dropped] == [
        "its picture has 8x8 pixels; LeRobot needs one size, here 40x80"
    ]


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("ms-swift", '"role": "user"', '"role": "instruction"', "turn 1 is by 'instruction'"),
        ("ms-swift", '"role": "assistant"', '"role": "user"', "not the assistant's"),
        ("ms-swift", "now:<image>", "now:", "0 times <image>, and 1 images"),
        ("ms-swift", "The screen", "<bbox>", "names a box"),
        ("ms-swift", "images/", "../images/", "is not below the data set"),
        ("axolotl", '"type": "image"', '"type": "picture"', "neither text nor an image's path"),
        ("axolotl", '"path": "', '"path": "/', "is not below the data set"),
        ("axolotl", "{", "", "not JSON"),
    ],
)
def test_what_a_trainer_would_stumble_over_is_told(
    name: str, old: str, new: str, problem: str, tmp_path: Path
) -> None:
    export(sft(name), MIXED, tmp_path / "set")
    path = tmp_path / "set/train.jsonl"
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(BadTrainingSetError) as caught:
        sft(name).check(tmp_path / "set")
    assert problem in str(caught.value)
    assert "train.jsonl" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "column", "change", "problem"),
    [
        ("trl", "images", lambda images: [], "1 image parts, and 0 images"),
        ("trl", "completion", lambda turns: [], "the answer is by nobody"),
        ("trl", "completion", lambda turns: turns * 2, "by assistant, assistant; expected"),
        ("trl", "images", lambda images: [{**images[0], "path": "x.png"}], "names the file x.png"),
        ("hf", "images", lambda images: [{**images[0], "path": "x.png"}], "names the file x.png"),
        ("hf", "action", lambda action: "{}", "action"),
        ("verl-sft", "images", lambda images: [{"bytes": b"x", "path": None}], "is not PNG"),
        ("verl-sft", "messages", lambda turns: [*turns[1:], *turns[1:]], "before the last"),
        ("verl-rl", "reward_model", lambda one: {**one, "ground_truth": ""}, "no ground truth"),
        ("easyr1", "answer", lambda answer: "", "its problem or answer is empty"),
    ],
)
def test_a_row_that_breaks_a_rule_is_told(
    name: str, column: str, change: Any, problem: str, tmp_path: Path
) -> None:
    export(sft(name), MIXED, tmp_path / "set")
    path = next((tmp_path / "set").rglob("train-*.parquet"))
    table = pq.read_table(path)
    first, *others = table.to_pylist()
    rewritten = ParquetFileWriter(path, table.schema)
    for row in ({**first, column: change(first[column])}, *others):
        rewritten.add(row)
    rewritten.close()
    with pytest.raises(BadTrainingSetError, match=r"sample 0|Parquet|JSON") as caught:
        sft(name).check(tmp_path / "set")
    assert problem in str(caught.value)
