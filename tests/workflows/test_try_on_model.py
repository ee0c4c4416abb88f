"""A set is tried on a model's processor before anything is trained: one line, and the way out."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapwright.benchmarks.generated import make_benchmarks
from tapwright.core.episode import Episode
from tapwright.errors import BadImageError, ModelError, TapwrightError, UsageError
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters.check import read_manifest
from tapwright.models.errors import ModelRefusedError
from tapwright.workflows.sft import (
    SampleConfig,
    export_training_set,
    open_sft_format,
    try_on_model,
)

CONFIG = SampleConfig("mmbench-gui", targets="l2", max_pixels=20_000)


@pytest.fixture
def own(episodes: list[Episode], tmp_path: Path) -> Path:
    make_benchmarks(episodes, tmp_path / "own", by_heart=1, per_screen=2)
    return tmp_path / "own"


def exported(own: Path, name: str) -> tuple[Path, int]:
    out = own.parent / name
    report = export_training_set([own], out, CONFIG, format_name=name)
    return out, report.checked


def changed(model: Path, copy: Path, file: str, change: Callable[[str], str]) -> Path:
    shutil.copytree(model, copy)
    (copy / file).write_text(change((copy / file).read_text("utf-8")), "utf-8")
    return copy


@pytest.mark.slow
def test_every_form_of_turns_has_the_same_longest_sample(own: Path, tiny_model: Path) -> None:
    found = set()
    for name in ("trl", "llamafactory", "ms-swift"):
        directory, count = exported(own, name)
        found.add(try_on_model(directory, name, tiny_model, "cpu", count))
    ((longest, positions),) = found
    assert 200 < longest < positions == 16384


@pytest.mark.parametrize(
    ("file", "change", "kind", "words"),
    [
        (
            "tokenizer.json",
            lambda text: text.replace("<image>", "<imag>"),
            ModelError,
            "no token of a picture",
        ),
        (
            "config.json",
            lambda text: text.replace("16384", "200"),
            ModelRefusedError,
            "200 positions",
        ),
        (
            "chat_template.jinja",
            lambda text: "{{ raise_exception('no') }}",
            ModelRefusedError,
            "chat template does not take",
        ),
    ],
    ids=["no picture token", "short context", "template"],
)
def test_a_model_that_does_not_take_a_sample_is_told_with_the_sample(
    file: str,
    change: Callable[[str], str],
    kind: type[TapwrightError],
    words: str,
    own: Path,
    tiny_model: Path,
    tmp_path: Path,
) -> None:
    directory, count = exported(own, "trl")
    model = changed(tiny_model, tmp_path / "model", file, change)
    with pytest.raises(kind, match=words) as caught:
        try_on_model(directory, "trl", model, "", count)
    assert "sample 0" in str(caught.value)
    assert caught.value.hint
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("file", "text"),
    [("config.json", "[]"), ("config.json", '{"model_type": "x"}'), ("tokenizer.json", "{")],
)
def test_files_that_are_another_s_are_told_in_one_line(
    file: str, text: str, own: Path, tiny_model: Path, tmp_path: Path
) -> None:
    directory, count = exported(own, "trl")
    model = changed(tiny_model, tmp_path / "model", file, lambda _: text)
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        try_on_model(directory, "trl", model, "", count)
    assert "\n" not in str(caught.value)


def test_a_set_that_lost_a_file_or_a_picture_is_told_with_the_way_out(
    own: Path, tiny_model: Path
) -> None:
    directory, count = exported(own, "llamafactory")
    next((directory / "images").iterdir()).write_bytes(b"x")
    with pytest.raises(BadImageError, match="sample") as broken:
        try_on_model(directory, "llamafactory", tiny_model, "", count)
    assert "sft export" in broken.value.hint
    set_of_trl, _ = exported(own, "trl")
    assert read_manifest(set_of_trl)["format"] == "trl"
    (set_of_trl / "data/train-00000.parquet").unlink()
    with pytest.raises(BadTrainingSetError, match=r"lists data/train-0+\.parquet") as lost:
        read_manifest(set_of_trl)
    assert "sft export" in lost.value.hint
    with pytest.raises(BadTrainingSetError, match="no manifest") as none:
        read_manifest(own)
    assert "--format" in none.value.hint


def test_what_is_no_model_or_no_gpu_or_no_set_is_told(
    own: Path, tiny_model: Path, tmp_path: Path
) -> None:
    directory, count = exported(own, "llamafactory")
    with pytest.raises(ModelError, match="not the directory of a model"):
        try_on_model(directory, "llamafactory", tmp_path, "", count)
    with pytest.raises(ModelError, match="no such device") as caught:
        try_on_model(directory, "llamafactory", tiny_model, "cuda:99", count)
    assert "--device" in caught.value.hint
    with pytest.raises(UsageError, match="cannot be tried"):
        try_on_model(directory, "webdataset", tiny_model, "", count)
    next((directory / "images").iterdir()).unlink()
    with pytest.raises(BadTrainingSetError, match="is missing"):
        open_sft_format("llamafactory").check(directory)


def test_a_model_of_words_alone_is_told(own: Path, tiny_model: Path, tmp_path: Path) -> None:
    directory, count = exported(own, "trl")
    model = tmp_path / "model"
    shutil.copytree(tiny_model, model)
    for name in ("processor_config.json", "preprocessor_config.json"):
        (model / name).unlink(missing_ok=True)
    words: dict[str, Any] = json.loads((model / "tokenizer_config.json").read_text("utf-8"))
    words.pop("processor_class", None)
    (model / "tokenizer_config.json").write_text(json.dumps(words))
    config: dict[str, Any] = json.loads((model / "config.json").read_text("utf-8"))
    (model / "config.json").write_text(json.dumps({**config["text_config"], "model_type": "llama"}))
    with pytest.raises(ModelError, match="sees no pictures"):
        try_on_model(directory, "trl", model, "", count)
