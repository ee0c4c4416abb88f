"""A trainer's tokens are those of `eval run`: prompt, picture, mask and answer, id by id."""

import asyncio
import hashlib
import json
import os
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.core.episode import Episode
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate
from tapwright.workflows.sft import SampleConfig, export_training_set

pytestmark = pytest.mark.filterwarnings("ignore")  # TRL's own
PIXELS = 20_000
CONFIG = SampleConfig("mmbench-gui", targets="l2", max_pixels=PIXELS, val_share=0)
READERS = Path(__file__).parent / "readers"
NOT_TAUGHT = -100
IMAGE = 4  # the token of a picture in the tiny model

# What the family "llava" is taught in, as each trainer writes it.
LLAMAFACTORY_TEMPLATE = """\
{%- for message in messages %}
{%- if message.role == 'user' %}USER: {% endif %}{% for part in message.content -%}
{{ '<image>' if part.type == 'image' else part.text }}
{%- endfor %}{% if message.role == 'user' %} {% endif %}
{%- endfor %}
{%- if add_generation_prompt %}ASSISTANT:{% endif %}"""
MS_SWIFT_TEMPLATE = """\
{{- bos_token }}
{%- for message in messages %}
{%- if message.role == 'user' %}USER: {% endif %}{% for part in message.content -%}
{{ '<image>\\n' if part.type == 'image' else part.text }}
{%- endfor %}{{ '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}ASSISTANT:{% endif %}"""

Prompt: TypeAlias = tuple[tuple[int, ...], str]
"""The tokens of a prompt, and the hash of what the model sees of its picture."""


@pytest.fixture
def own(episodes: list[Episode], tmp_path: Path) -> Path:
    make_benchmarks(episodes, tmp_path / "own", by_heart=1, per_screen=4)
    return tmp_path / "own"


def pixel_hash(pixels: Any) -> str:
    return hashlib.sha256(pixels.numpy().tobytes()).hexdigest()


def prompts_asked(own: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> set[Prompt]:
    """What `eval run` asks the model."""
    import transformers

    from tapwright.models.transformers import TransformersModel

    asked = set[Prompt]()
    generate = transformers.LlavaForConditionalGeneration.generate

    def watched(self: Any, **inputs: Any) -> Any:
        asked.add((tuple(inputs["input_ids"][0].tolist()), pixel_hash(inputs["pixel_values"])))
        return generate(self, **inputs)

    monkeypatch.setattr(transformers.LlavaForConditionalGeneration, "generate", watched)
    plan = RunPlan(convention="mmbench-gui", max_pixels=PIXELS)
    asking = TransformersModel(str(model), max_tokens=1, batch=1)
    asyncio.run(evaluate(GroundingBenchmark(own), asking, own / "run", plan))
    return asked


def prompts_taught(
    samples: Iterable[dict[str, Any]], answers: Iterable[str], processor: Any
) -> set[Prompt]:
    """The prompts of samples whose labels are exactly the answer and the token that ends it."""
    taught = set[Prompt]()
    for sample, answer in zip(samples, answers, strict=True):
        ids, labels = sample["ids"], sample["labels"]
        start = next(at for at, label in enumerate(labels) if label != NOT_TAUGHT)
        assert labels == [NOT_TAUGHT] * start + ids[start:]
        counted = processor.decode(ids[start:])
        assert counted.removesuffix("\n").removesuffix("</s>").removeprefix("assistant: ") == answer
        taught.add((tuple(ids[:start]), sample["pixels"]))
    return taught


@pytest.mark.slow
def test_trl_teaches_the_tokens_that_are_measured_and_counts_the_answer_alone(
    own: Path, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("trl")
    import transformers

    processor = transformers.AutoProcessor.from_pretrained(tiny_model)
    rows, samples = collated(own, tmp_path, CONFIG, processor)
    answers = [row["completion"][0]["content"][0]["text"] for row in rows]
    taught = prompts_taught(samples, answers, processor)
    asked = prompts_asked(own, tiny_model, monkeypatch)
    assert len(asked) > 20
    assert asked == taught


@pytest.mark.slow
def test_trl_counts_further_questions_in_the_tokens_that_are_measured(
    own: Path, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("trl")
    import transformers

    processor = transformers.AutoProcessor.from_pretrained(tiny_model)
    rows, samples = collated(own, tmp_path, replace(CONFIG, per_picture=3), processor)
    asked = prompts_asked(own, tiny_model, monkeypatch)
    speaks = processor.tokenizer.encode("user: ", add_special_tokens=False)
    for row, sample in zip(rows, samples, strict=True):
        ids, at = sample["ids"], _start(sample)
        assert sample["labels"] == [NOT_TAUGHT] * at + ids[at:]
        assert (tuple(ids[:at]), sample["pixels"]) in asked
        for turn in row["completion"]:
            words = processor.tokenizer.encode(
                turn["content"][0]["text"] + "\n", add_special_tokens=False
            )
            if turn["role"] == "user":
                # The question as it is measured, from behind its picture on.
                (measured,) = {
                    behind
                    for prompt, pixels in asked
                    for behind in [prompt[_last(prompt, IMAGE) + 1 :]]
                    if pixels == sample["pixels"] and list(behind[: len(words)]) == words
                }
                words = [*speaks, *measured]
            assert ids[at : at + len(words)] == words
            at += len(words)
        assert at == len(ids)
    assert max(len(row["completion"]) for row in rows) == 5


def collated(
    own: Path, directory: Path, config: SampleConfig, processor: Any
) -> tuple[Any, list[dict[str, Any]]]:
    """The rows of a set for TRL, and what its collator makes of each."""
    from trl.trainer.sft_trainer import DataCollatorForVisionLanguageModeling

    import datasets

    export_training_set([own], directory / "set", config, format_name="trl")
    collate = DataCollatorForVisionLanguageModeling(processor, completion_only_loss=True)
    cache = str(directory / "c")
    rows = datasets.load_dataset(str(directory / "set"), split="train", cache_dir=cache)
    samples = [
        {
            "ids": batch["input_ids"][0].tolist(),
            "labels": batch["labels"][0].tolist(),
            "pixels": pixel_hash(batch["pixel_values"]),
        }
        for batch in (collate([row]) for row in rows)
    ]
    return rows, samples


def _start(sample: dict[str, Any]) -> int:
    """Where the first token stands that the loss counts."""
    return next(at for at, label in enumerate(sample["labels"]) if label != NOT_TAUGHT)


def _last(ids: tuple[int, ...], token: int) -> int:
    return len(ids) - 1 - ids[::-1].index(token)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "template"),
    [("llamafactory", LLAMAFACTORY_TEMPLATE), ("ms-swift", MS_SWIFT_TEMPLATE)],
)
def test_other_trainers_readers_see_what_is_measured(
    name: str, template: str, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = f"TAPWRIGHT_{name.replace('-', '_').upper()}"
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"{variable} names no Python that has it; docs/teach.md says which version")
    import transformers

    from tests.models.tiny import write_tiny_model

    model = write_tiny_model(tmp_path / "model", template)
    export_training_set([own], tmp_path / "set", CONFIG, format_name=name)
    out, program = tmp_path / "read.jsonl", READERS / f"{name.replace('-', '_')}_reader.py"
    words = [python, str(program), str(model), str(tmp_path / "set"), str(out)]
    read = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert read.returncode == 0, read.stderr[-2000:]
    samples = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    processor = transformers.AutoProcessor.from_pretrained(model)
    taught = prompts_taught(samples, _answers(tmp_path / "set", name), processor)
    asked = prompts_asked(own, model, monkeypatch)
    assert len(asked) > 20
    assert asked == taught


def _answers(directory: Path, name: str) -> list[str]:
    if name == "llamafactory":
        rows = json.loads((directory / "train.json").read_text(encoding="utf-8"))
        return [row["conversations"][-1]["value"] for row in rows]
    lines = (directory / "train.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["messages"][-1]["content"] for line in lines]
