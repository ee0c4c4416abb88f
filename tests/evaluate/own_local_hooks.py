"""Functions for a local model in the shapes of MMBench-GUI's DEFAULT_FUNCTIONS.md."""

import wave
from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL import Image

Line = dict[str, Any]


class Wrapper:
    """As the original has them: methods, whose `self` they do not need."""

    def build_prompt(
        self: Any, line: Line, use_system: bool = True, custom_system_prompt: str | None = None
    ) -> list[Line]:
        return [
            {"role": "user", "type": "image", "value": self.dump_image(line)},
            {"role": "user", "type": "text", "value": f"{line['instruction']}?"},
        ]

    def default_preprocess_function(
        self: Any, message: list[Line], model: Any, processor: Any, **kwargs: Any
    ) -> Any:
        content = [prepare(one) for one in message if one["role"] != "system"]
        text = processor.apply_chat_template(
            [[{"role": "user", "content": content}]], tokenize=False, add_generation_prompt=True
        )
        images = [Image.open(one["image"]) for one in content if one["type"] == "image"]
        inputs = processor(text=text, images=images, padding=True, return_tensors="pt")
        return inputs.to("cuda")


def prepare(part: Line) -> Line:
    key = {"image": "image", "text": "text", "audio": "audio"}[part["type"]]
    return {"type": key, key: part["value"]}


def default_postprocess_function(outputs: Any, model: Any, processor: Any, **kwargs: Any) -> str:
    ids = outputs.cpu().numpy()
    (text,) = processor.batch_decode(ids, skip_special_tokens=True)
    assert model.config.model_type == "llava"
    return f"{kwargs['dataset_name']}: {text}"


def change_words(message: list[Line], model: Any, processor: Any) -> list[Line]:
    return [*message, {"role": "user", "type": "text", "value": model.config.model_type}]


def prepare_nothing(message: list[Line], model: Any, processor: Any) -> Mapping[str, Any]:
    return {"input_ids": processor.tokenizer("x" * 20000, return_tensors="pt")["input_ids"]}


def build_with_sound(line: Line, dataset: str) -> list[Line]:
    return [
        {"role": "user", "type": "audio", "value": line["image_path"] + ".wav"},
        {"role": "user", "type": "image", "value": line["image_path"]},
        {"role": "user", "type": "text", "value": "What is said?"},
    ]


def listen(message: list[Line], model: Any, processor: Any) -> Any:
    """What a model without eyes gets: the sound, and the words."""
    content = [prepare(one) for one in message if one["type"] != "image"]
    (text,) = processor.apply_chat_template(
        [[{"role": "user", "content": content}]], tokenize=False, add_generation_prompt=True
    )
    (place,) = [one["audio"] for one in content if one["type"] == "audio"]
    with wave.open(place) as file:
        rate, data = file.getframerate(), file.readframes(file.getnframes())
    heard = np.frombuffer(data, np.int16).astype(np.float32) / 2**15
    inputs = processor(text=text, audio=[heard], sampling_rate=rate, return_tensors="pt")
    return inputs.to("cuda")


def preprocess_for_an_api(message: list[Line], model: None, processor: None) -> list[Line]:
    """In the chat API's shape, with a picture's address as a string, as the original writes it."""
    assert model is None
    place = next(one["value"] for one in message if one["type"] == "image")
    return [
        {"role": "system", "content": [{"type": "text", "text": "You see."}]},
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": f"file://{place}"},
                {"type": "text", "text": "Where?"},
            ],
        },
    ]
