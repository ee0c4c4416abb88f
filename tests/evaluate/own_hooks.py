"""Functions of a user's own, as tests name them by their dotted paths."""

import ast
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

Line = Mapping[str, JsonValue]


def build(line: Line, dataset: str) -> list[dict[str, JsonValue]]:
    return [
        {"role": "system", "type": "text", "value": f"for {dataset}"},
        {"role": "user", "type": "image", "value": line["image_path"]},
        {"role": "user", "type": "text", "value": f"mine: {line['instruction']}"},
    ]


def preprocess(
    message: list[dict[str, JsonValue]], model: None, processor: None
) -> list[dict[str, JsonValue]]:
    return [*message, {"role": "user", "type": "text", "value": "Be terse."}]


async def generate(messages: Sequence[Mapping[str, JsonValue]]) -> str:
    return f"{len(messages)} messages, so B"


def postprocess(outputs: str, model: None, processor: None) -> str:
    return outputs.rpartition(" ")[2]


def parse_last_letter(text: str, meta: Line) -> str:
    return text[-1]


def parse_middle(text: str, meta: Line) -> tuple[float, float]:
    width, height = ast.literal_eval(str(meta["image_size"]))
    return width / 2, height / 2


def parse_badly(text: str, meta: Line) -> str:
    raise KeyError("no such field")


def parse_strictly(text: str, meta: Line) -> str:
    assert text.isdigit()
    return text


class OwnError(Exception):
    """An error as a library of the user's defines it."""


def parse_with_a_library(text: str, meta: Line) -> str:
    raise OwnError("of a library")


def parse_tiny(text: str, meta: Line) -> tuple[float, float]:
    return 1e-07, 0.5


def postprocess_by_data(outputs: str, model: None, processor: None, **kwargs: JsonValue) -> str:
    return str(kwargs["dataset_name"])


def preprocess_with_arguments(
    message: object, model: None, processor: None, img_detail: str, **kwargs: JsonValue
) -> list[Line]:
    value = f"{img_detail} at {kwargs['dataset_name']}"
    return [{"role": "user", "type": "text", "value": value}]


def postprocess_by_size(outputs: str, model: None, processor: None, max_pixels: int) -> str:
    return str(max_pixels)


def parse_oddly(text: str, meta: Line) -> object:
    return {"x": 1}
