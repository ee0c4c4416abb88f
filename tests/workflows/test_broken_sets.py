"""What goes wrong between a set and its score is seen before a model learns it: break it and look.

A perfect pupil answers each question with what the set taught to it, word by word. Its score is
100 % of what was exported, and far less of a set whose answers were moved.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.benchmarks.metrics import cell
from tapwright.core.episode import Episode
from tapwright.core.messages import Message, Picture
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate
from tapwright.models.scripted import ScriptedModel
from tapwright.workflows.sft import SampleConfig, export_training_set

pytestmark = pytest.mark.filterwarnings("ignore")  # TRL's own
ROOT = Path(__file__).parents[2]
PIXELS = 57_000


@pytest.fixture
def breaks(monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Callable[[Any], Any]]:
    monkeypatch.syspath_prepend(ROOT / "bench")
    from teach_breaks import BREAKS

    return BREAKS


@pytest.fixture
def rows(episodes: list[Episode], tmp_path: Path) -> Any:
    datasets = pytest.importorskip("datasets")
    make_benchmarks(episodes, tmp_path / "own", by_heart=1, per_screen=8)
    config = SampleConfig("mmbench-gui", targets="l2", max_pixels=PIXELS, val_share=0)
    export_training_set([tmp_path / "own"], tmp_path / "set", config, format_name="trl")
    cache = str(tmp_path / "cache")
    return datasets.load_dataset(str(tmp_path / "set"), split="train", cache_dir=cache)


def perfect_pupil(rows: Any) -> ScriptedModel:
    def text(turns: Sequence[dict[str, Any]]) -> str:
        return "".join(part["text"] or "" for turn in turns for part in turn["content"])

    known = {
        (text(row["prompt"]), row["images"][0].convert("RGB").tobytes()): text(row["completion"])
        for row in rows
    }
    assert len(known) == len(rows)

    def answer(messages: Sequence[Message]) -> str:
        (picture,) = [part for one in messages for part in one.parts if isinstance(part, Picture)]
        asked = "".join(one.text for one in messages)
        return known[asked, picture.screenshot.image().convert("RGB").tobytes()]

    return ScriptedModel(answer)


def score_of(rows: Any, directory: Path) -> float:
    plan = RunPlan(convention="mmbench-gui", max_pixels=PIXELS)
    benchmark = GroundingBenchmark(directory / "own")
    run = asyncio.run(evaluate(benchmark, perfect_pupil(rows), directory / "run", plan))
    value = cell(run.rows).value
    assert value is not None
    return value


@pytest.mark.slow
def test_what_was_exported_is_right_in_full(rows: Any, tmp_path: Path) -> None:
    assert score_of(rows, tmp_path) == 1


@pytest.mark.parametrize(("name", "most"), [("half-a-cell", 0.5), ("swapped-axes", 0.1)])
def test_answers_that_were_moved_are_wrong(
    name: str, most: float, breaks: Mapping[str, Callable[[Any], Any]], rows: Any, tmp_path: Path
) -> None:
    assert score_of(breaks[name](rows), tmp_path) <= most


@pytest.mark.slow
def test_a_set_without_a_mask_counts_the_questions_in_the_loss(
    breaks: Mapping[str, Callable[[Any], Any]], rows: Any, tiny_model: Path
) -> None:
    pytest.importorskip("trl")
    import transformers
    from trl.trainer.sft_trainer import DataCollatorForVisionLanguageModeling

    processor = transformers.AutoProcessor.from_pretrained(tiny_model)

    def counted(rows: Any, **how: bool) -> float:
        collate: Callable[[Any], Any] = DataCollatorForVisionLanguageModeling(processor, **how)
        return float((collate([rows[0]])["labels"] != -100).float().mean())

    assert counted(rows, completion_only_loss=True) < 0.25
    assert counted(breaks["no-mask"](rows)) > 0.75
