"""Functions of a user's own, as tests name them by their dotted paths."""

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
    size = meta["image_size"]
    assert isinstance(size, list)
    return float(str(size[0])) / 2, float(str(size[1])) / 2


def parse_badly(text: str, meta: Line) -> str:
    raise KeyError("no such field")


def parse_oddly(text: str, meta: Line) -> object:
    return {"x": 1}
