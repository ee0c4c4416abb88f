"""A local model's own functions get the model, its processor and ids; sounds pass through."""

import asyncio
import wave
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.core.episode import Episode
from tapwright.core.messages import Audio, Picture, Text
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate
from tapwright.evaluate.run_log import RunLog, SampleRow
from tapwright.evaluate.scoring import rescore
from tapwright.models.scripted import ScriptedModel

LOCAL = "tests.evaluate.own_local_hooks"
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "
SEED = {
    "build": f"{LOCAL}:Wrapper.build_prompt",
    "preprocess": f"{LOCAL}:Wrapper.default_preprocess_function",
    "postprocess": f"{LOCAL}.default_postprocess_function",
}


@pytest.fixture
def data(episodes: list[Episode], tmp_path: Path) -> Path:
    make_benchmarks(episodes, tmp_path / "bench")
    return tmp_path / "bench"


def run_local(data: Path, out: Path, tiny_model: Path, **plan: Any) -> RunLog:
    from tapwright.models.transformers import TransformersModel  # seconds of torch

    model = TransformersModel(str(tiny_model), max_tokens=6, device="cpu")
    return asyncio.run(evaluate(GroundingBenchmark(data), model, out, RunPlan(limit=2, **plan)))


def first(run: RunLog) -> SampleRow:
    """The first sample's, whose answer need not have come first."""
    return min(run.rows, key=lambda row: row.id)


@pytest.mark.slow
def test_functions_in_the_original_s_shapes_run_as_they_stand(
    data: Path, tmp_path: Path, tiny_model: Path
) -> None:
    plain = first(run_local(data, tmp_path / "plain", tiny_model, build=SEED["build"]))
    run = run_local(data, tmp_path / "own", tiny_model, **SEED)
    row = first(run)
    said = f"{row.about.instruction}?"
    assert row.error is None
    # Ids hold the prompt, too; the answer is that of the same model and words.
    assert row.answer is not None
    assert row.answer.startswith(f"GUIElementGrounding: user: {said}")
    assert row.answer.endswith(str(plain.answer))
    assert row.usage.output_tokens == plain.usage.output_tokens
    assert row.postprocessed


@pytest.mark.slow
def test_what_a_function_made_of_ids_is_not_made_again(
    data: Path, tmp_path: Path, tiny_model: Path
) -> None:
    run = run_local(data, tmp_path / "own", tiny_model, **SEED)
    again = rescore(run, RunPlan(limit=2))
    assert [row.answer for row in again.rows] == [row.answer for row in run.rows]
    assert [row.error for row in again.rows] == [None, None]


@pytest.mark.slow
def test_messages_from_a_local_function_are_asked_as_others_are(
    data: Path, tmp_path: Path, tiny_model: Path
) -> None:
    plain = first(run_local(data, tmp_path / "plain", tiny_model))
    row = first(run_local(data, tmp_path / "own", tiny_model, preprocess=f"{LOCAL}.change_words"))
    assert row.usage.input_tokens == plain.usage.input_tokens + len("llava")
    assert not row.postprocessed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ({**SEED, "max_side": 100}, "--max-side and --max-pixels cannot scale"),
        ({"preprocess": f"{LOCAL}.prepare_nothing"}, "the model has 16,384 positions"),
        ({"build": f"{LOCAL}.build_with_sound"}, "a sound is for the model's own processor"),
    ],
)
def test_what_cannot_be_asked_is_told_of_its_sample(
    data: Path, tmp_path: Path, tiny_model: Path, plan: Mapping[str, Any], told: str
) -> None:
    for picture in data.rglob("*.png"):
        Path(f"{picture}.wav").write_bytes(WAV)
    row = first(run_local(data, tmp_path / "run", tiny_model, **plan))
    assert row.error is not None
    assert told in row.error.message


@pytest.mark.slow
def test_a_sound_is_heard_by_the_processor_of_a_local_model(data: Path, tmp_path: Path) -> None:
    from tests.models.tiny import write_tiny_ears

    ears = write_tiny_ears(tmp_path / "ears")
    plan = {"build": f"{LOCAL}.build_with_sound", "preprocess": f"{LOCAL}.listen"}
    answers: set[str | None] = set()
    for said in (b"\x00", b"\x10\x40\x20"):
        for picture in data.rglob("*.png"):
            with wave.open(f"{picture}.wav", "wb") as file:
                file.setparams((1, 2, 16000, 0, "NONE", ""))
                file.writeframes((said * 32000)[:32000])
        row = first(run_local(data, tmp_path / f"run-{len(answers)}", ears, **plan))
        assert row.error is None
        words = len("user: What is said?\nassistant: ")
        assert row.usage.input_tokens == words + 28  # a second of sound, its two ends, and <s>
        answers.add(row.answer)
    assert len(answers) == 2


def test_the_shape_of_the_chat_api_is_read_from_a_function(data: Path, tmp_path: Path) -> None:
    model = ScriptedModel(["(1, 1)"])
    plan = RunPlan(limit=1, preprocess=f"{LOCAL}.preprocess_for_an_api")
    run = asyncio.run(evaluate(GroundingBenchmark(data), model, tmp_path / "run", plan))
    assert first(run).error is None
    system, user = model.requests[0]
    assert (system.role, system.text, user.text) == ("system", "You see.", "Where?")
    assert [type(part) for part in user.parts] == [Picture, Text]


def test_a_sound_goes_into_the_request(data: Path, tmp_path: Path) -> None:
    for picture in data.rglob("*.png"):
        Path(f"{picture}.wav").write_bytes(WAV)
    model = ScriptedModel(["(1, 1)"])
    plan = RunPlan(limit=1, build=f"{LOCAL}.build_with_sound")
    run = asyncio.run(evaluate(GroundingBenchmark(data), model, tmp_path / "run", plan))
    assert first(run).error is None
    ((message,),) = model.requests
    sound = message.parts[0]
    assert isinstance(sound, Audio)
    assert (sound.data, sound.kind) == (WAV, "wav")
