"""A trainer's tokens are those of `eval run`: prompt, picture, mask and answer, id by id."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.episode import Episode
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate
from tapwright.workflows.training_set import SampleConfig, export_training_set

pytestmark = pytest.mark.filterwarnings("ignore")  # TRL's own
PIXELS = 20_000


def test_trl_teaches_the_tokens_that_are_measured_and_counts_the_answer_alone(
    episodes: list[Episode], tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("trl")
    import transformers
    from trl.trainer.sft_trainer import DataCollatorForVisionLanguageModeling

    import datasets
    from tapwright.models.transformers import TransformersModel

    make_benchmarks(episodes, tmp_path / "own", by_heart=1, per_screen=4)
    config = SampleConfig("mmbench-gui", targets="l2", max_pixels=PIXELS, val_share=0)
    export_training_set([tmp_path / "own"], tmp_path / "set", config, format_name="trl")
    processor = transformers.AutoProcessor.from_pretrained(tiny_model)
    collate = DataCollatorForVisionLanguageModeling(processor, completion_only_loss=True)
    rows = datasets.load_dataset(
        str(tmp_path / "set"), split="train", cache_dir=str(tmp_path / "c")
    )
    taught = set()
    for row in rows:
        answer = row["completion"][0]["content"][0]["text"]
        batch = collate([row])
        ids, labels = batch["input_ids"][0].tolist(), batch["labels"][0].tolist()
        start = next(at for at, label in enumerate(labels) if label != -100)
        assert labels == [-100] * start + ids[start:]
        assert answer in processor.decode(ids[start:])
        taught.add((tuple(ids[:start]), batch["pixel_values"].numpy().tobytes()))

    asked = set()
    generate = transformers.LlavaForConditionalGeneration.generate

    def watched(self: Any, **inputs: Any) -> Any:
        ids, pixels = inputs["input_ids"][0].tolist(), inputs["pixel_values"]
        asked.add((tuple(ids), pixels.numpy().tobytes()))
        return generate(self, **inputs)

    monkeypatch.setattr(transformers.LlavaForConditionalGeneration, "generate", watched)
    model = TransformersModel(str(tiny_model), max_tokens=1, batch=1)
    plan = RunPlan(convention="mmbench-gui", max_pixels=PIXELS)
    asyncio.run(evaluate(GroundingBenchmark(tmp_path / "own"), model, tmp_path / "run", plan))
    assert len(asked) > 20
    assert asked == taught
