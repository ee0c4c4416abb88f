import asyncio
import json
import shutil
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from tapwright.conventions.android_tools import (
    ANDROID_TOOLS_CONVENTION,
    chat_messages,
    render_chat,
    serving_template,
)
from tapwright.conventions.function_calls import TOOLS
from tapwright.core.messages import Message, Picture, Text, ToolCall
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import FakeDevice
from tapwright.errors import BadImageError, ModelError
from tapwright.models.errors import ModelRefusedError
from tapwright.models.model import Completion

if TYPE_CHECKING:
    from tapwright.models.transformers import TransformersModel

IMAGE_TOKENS = 4


def picture(color: str, size: tuple[int, int] = (20, 40)) -> Picture:
    buffer = BytesIO()
    Image.new("RGB", size, color).save(buffer, "PNG")
    return Picture(Screenshot(buffer.getvalue()))


QUESTIONS = [
    [Message("system", (Text("You see."),)), Message("user", (Text("What?"), picture("red")))],
    [Message("user", (picture("blue", (64, 16)), Text("And this, which is longer?")))],
    [Message("user", (Text("No picture here."),))],
    [Message("user", (picture("red"), picture("green"), Text("What changed?")))],
]


def opened(directory: Path, **given: Any) -> "TransformersModel":
    from tapwright.models.transformers import TransformersModel  # seconds of torch, when it is used

    return TransformersModel(str(directory), **given)


def ask(directory: Path, questions: Sequence[Sequence[Message]], **given: Any) -> list[Completion]:
    async def main() -> list[Completion]:
        model = opened(directory, **{"max_tokens": 6, **given})
        try:
            return await asyncio.gather(*(model.complete(question) for question in questions))
        finally:
            await model.close()

    return asyncio.run(main())


def changed(
    directory: Path, copy: Path, file: str, change: Callable[[dict[str, Any]], object]
) -> Path:
    shutil.copytree(directory, copy)
    content = json.loads((copy / file).read_text(encoding="utf-8"))
    change(content)
    (copy / file).write_text(json.dumps(content), encoding="utf-8")
    return copy


@pytest.mark.slow
def test_questions_asked_together_have_the_answers_that_they_have_alone(tiny_model: Path) -> None:
    together = ask(tiny_model, QUESTIONS)
    alone = [ask(tiny_model, [question])[0] for question in QUESTIONS]
    assert [answer.text for answer in together] == [answer.text for answer in alone]
    assert [answer.usage for answer in together] == [answer.usage for answer in alone]
    assert len({answer.text for answer in alone}) == len(QUESTIONS)
    assert len({answer.latency_s for answer in together}) == 2  # with pictures, and without


@pytest.mark.slow
def test_the_answer_is_what_the_model_writes_after_the_prompt(tiny_model: Path) -> None:
    import torch
    import transformers

    processor: Any = transformers.AutoProcessor.from_pretrained(tiny_model)
    model: Any = transformers.AutoModelForImageTextToText.from_pretrained(tiny_model)
    shown = picture("red").screenshot.image()
    inputs = processor(text="<s>user: Hello<image>\nassistant: ", images=shown, return_tensors="pt",
                       add_special_tokens=False)  # fmt: skip
    with torch.inference_mode():
        ids = model.generate(**inputs, do_sample=False, max_new_tokens=6)
    new = ids[0, inputs["input_ids"].shape[1] :]
    (answer,) = ask(tiny_model, [[Message("user", (Text("Hello"), picture("red")))]])
    assert answer.text == processor.tokenizer.decode(new, skip_special_tokens=True)


@pytest.mark.slow
def test_tokens_are_counted_and_the_first_one_comes_once(tiny_model: Path) -> None:
    (answer,) = ask(tiny_model, [[Message("user", (Text("Hello"), picture("red")))]])
    letters = len("user: Hello\nassistant: ")
    assert answer.usage.input_tokens == 1 + letters + IMAGE_TOKENS
    assert answer.usage.output_tokens == 6
    assert answer.finish == "length"


def test_an_answer_that_ends_says_so(tiny_model: Path, tmp_path: Path) -> None:
    every = changed(
        tiny_model, tmp_path / "m", "generation_config.json",
        lambda content: content.update(eos_token_id=list(range(4, 400))),
    )  # fmt: skip
    (answer,) = ask(every, QUESTIONS[:1])
    assert (answer.finish, answer.usage.output_tokens) == ("stop", 1)


def test_earlier_turns_and_calls_are_part_of_the_question(tiny_model: Path) -> None:
    earlier = [Message("assistant", (Text("A"), ToolCall("tap", {"x": 1})))]
    first, second = ask(tiny_model, [QUESTIONS[0], [*earlier, *QUESTIONS[0]]])
    assert second.usage.input_tokens > first.usage.input_tokens


def test_a_conversation_that_the_template_refuses_is_refused(tiny_model: Path) -> None:
    with pytest.raises(ModelRefusedError, match=r"does not take this conversation: No tools here"):
        ask(tiny_model, [[Message("tool", (Text("x"),))]])


@pytest.mark.slow
def test_a_broken_picture_is_told_to_who_sent_it_alone(tiny_model: Path) -> None:
    broken = [Message("user", (Picture(Screenshot(b"no picture")),))]

    async def main() -> list[Completion | BaseException]:
        model = opened(tiny_model, max_tokens=2)
        return await asyncio.gather(
            *(model.complete(question) for question in (broken, QUESTIONS[0])),
            return_exceptions=True,
        )

    bad, good = asyncio.run(main())
    assert isinstance(bad, BadImageError)
    assert isinstance(good, Completion)


def test_what_is_no_model_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"not the directory of a model") as caught:
        opened(tmp_path)
    assert "hf download" in caught.value.hint


@pytest.mark.parametrize(
    "kind", ["cut", "missing", "pickled", "unknown", "list", "field", "no tokenizer"]
)
def test_a_model_that_cannot_be_loaded_is_told(tiny_model: Path, tmp_path: Path, kind: str) -> None:
    copy = shutil.copytree(tiny_model, tmp_path / "m")
    weights = copy / "model.safetensors"
    match kind:
        case "cut":
            weights.write_bytes(weights.read_bytes()[:1000])
        case "missing":
            weights.unlink()
        case "pickled":
            weights.unlink()
            import torch

            torch.save({}, copy / "pytorch_model.bin")
        case "unknown":
            (copy / "config.json").write_text('{"model_type": "nothing"}', encoding="utf-8")
        case "list":
            (copy / "config.json").write_text("[]", encoding="utf-8")
        case "field":
            config = json.loads((copy / "config.json").read_text(encoding="utf-8"))
            config["image_seq_length"] = "many"
            (copy / "config.json").write_text(json.dumps(config), encoding="utf-8")
        case "no tokenizer":
            (copy / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"cannot be loaded") as caught:
        ask(copy, QUESTIONS[:1])
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600
    assert caught.value.hint


def test_a_question_of_more_tokens_than_positions_is_refused_alone(
    tiny_model: Path, tmp_path: Path
) -> None:
    small = changed(
        tiny_model, tmp_path / "m", "config.json",
        lambda content: content["text_config"].update(max_position_embeddings=60),
    )  # fmt: skip
    long = [Message("user", (Text("x" * 100), picture("red")))]

    async def main() -> Sequence[Completion | BaseException]:
        model = opened(small)
        return await asyncio.gather(
            model.complete(long), model.complete(QUESTIONS[0]), return_exceptions=True
        )

    bad, good = asyncio.run(main())
    assert isinstance(bad, ModelRefusedError)
    assert "the model has 60 positions" in str(bad)
    assert isinstance(good, Completion)
    # It stops at the last position, however many tokens it may write.
    assert good.usage.input_tokens + good.usage.output_tokens <= 60


def test_a_tokenizer_without_the_token_of_a_picture_is_told(
    tiny_model: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(tiny_model, tmp_path / "m")
    template = (copy / "chat_template.jinja").read_text(encoding="utf-8")
    (copy / "chat_template.jinja").write_text(template.replace("<image>", ""), encoding="utf-8")
    with pytest.raises(ModelError, match=r"failed on a question"):
        ask(copy, QUESTIONS[:1])


def test_a_gpu_that_is_not_there_is_told(tiny_model: Path) -> None:
    with pytest.raises(
        ModelError, match=r"cuda:17: this machine, or its torch, has no such device"
    ):
        ask(tiny_model, QUESTIONS[:1], device="cuda:17")


def test_settings_say_what_makes_answers_differ(tiny_model: Path) -> None:
    model = opened(tiny_model, device="cpu")
    assert model.name == f"transformers/{tiny_model}"
    assert set(model.settings) == {"max_tokens", "batch", "device", "transformers", "torch"}


@pytest.mark.slow
def test_a_model_with_the_serving_template_is_asked_as_it_was_taught(
    tiny_model: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(tiny_model, tmp_path / "m")
    (copy / "chat_template.jinja").write_text(serving_template(), encoding="utf-8")
    seen = FakeDevice().observe()
    (answer,) = ask(copy, [ANDROID_TOOLS_CONVENTION.prompt("Go", [], seen)])
    taught = render_chat(chat_messages("Go", [], seen), TOOLS, add_generation_prompt=True)
    tokens = 1 + len(taught.replace("<image>", "").encode()) + IMAGE_TOKENS
    assert answer.usage.input_tokens == tokens
