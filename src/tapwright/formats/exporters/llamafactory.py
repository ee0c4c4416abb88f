"""LLaMA-Factory: https://github.com/hiyouga/LLaMA-Factory/blob/ff6d4d12e/data/README.md.

    dataset_info.json      the sets "tapwright_train" and "tapwright_val"
    train.json, val.json   lists, in one of two forms:
        sharegpt           {"conversations": [{"from", "value"}], "images": [path]}
        alpaca             {"instruction", "input", "output", "system", "images": [path]}

The rules of `check` are those of its `data/converter.py` and `data/mm_plugin.py`. A sample that
breaks them is skipped there with only a warning, or ends the training. In the alpaca form
earlier answers are trained on, so a prompt that holds some is refused here.
"""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from pydantic import JsonValue

from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters import check, training_set
from tapwright.formats.exporters.pictures import image_path
from tapwright.formats.exporters.turns import JsonObject, describe_origin, render_text, render_turns
from tapwright.formats.exporters.writers import JsonListWriter, JsonRows, Trainer, write_json

_SPEAKERS = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}
_TAGS = {
    "role_tag": "from",
    "content_tag": "value",
    "user_tag": "human",
    "assistant_tag": "gpt",
    "observation_tag": "observation",
    "function_tag": "function_call",
    "system_tag": "system",
}
_SHAREGPT: JsonObject = {
    "formatting": "sharegpt",
    "columns": {"messages": "conversations", "images": "images"},
}
_ALPACA: JsonObject = {
    "formatting": "alpaca",
    "columns": {
        "prompt": "instruction",
        "query": "input",
        "response": "output",
        "system": "system",
        "images": "images",
    },
}
_USUAL_COLUMNS: Mapping[bool, Mapping[str, str]] = {
    False: {"messages": "conversations"},
    True: {"prompt": "instruction", "query": "input", "response": "output"},
}


def _check(directory: Path) -> int:
    """Checks the sets that `dataset_info.json` names.

    Turns (human or observation, then gpt or function_call, in pairs), as many `<image>` as images,
    no other media, every image a file below the directory.
    """
    path = directory / "dataset_info.json"
    sets = check.read_json(path)
    if not isinstance(sets, dict) or not sets:
        raise BadTrainingSetError(f"{path}: names no data set")
    return sum(_check_set(directory, name, entry) for name, entry in sets.items())


LLAMAFACTORY = Trainer(
    "llamafactory",
    lambda directory, _: _write(directory, _SHAREGPT, _sharegpt),
    _check,
    writes_image_files=True,
    takes_follow_ups=True,
)
LLAMAFACTORY_ALPACA = Trainer(
    "llamafactory-alpaca",
    lambda directory, _: _write(directory, _ALPACA, _alpaca),
    _check,
    writes_image_files=True,
)


def alpaca_entry(file_name: str) -> JsonObject:
    """Returns the entry in `dataset_info.json` of a file in the alpaca form."""
    return {"file_name": file_name, **_ALPACA}


def _write(
    directory: Path, form: JsonObject, render: Callable[[training_set.TrainingSample], JsonObject]
) -> training_set.SftWriter:
    def row(sample: training_set.TrainingSample) -> JsonObject:
        images: list[JsonValue] = [image_path(picture) for picture in sample.pictures]
        return {**render(sample), "images": images, **describe_origin(sample)}

    def describe(splits: Collection[training_set.Split]) -> None:
        info: JsonObject = {
            f"tapwright_{split}": {"file_name": f"{split}.json", **form} for split in splits
        }
        write_json(directory / "dataset_info.json", info)

    return JsonRows(lambda split: JsonListWriter(directory / f"{split}.json"), row, describe)


def _sharegpt(sample: training_set.TrainingSample) -> JsonObject:
    # LLaMA-Factory's turns alternate: those of one speaker in a row, as UI-TARS has, become one.
    spoken: list[tuple[str, list[str]]] = []
    for turn in render_turns(sample):
        speaker, text = _SPEAKERS[str(turn["role"])], str(turn["content"])
        if spoken and spoken[-1][0] == speaker:
            spoken[-1][1].append(text)
        else:
            spoken.append((speaker, [text]))
    talk = [speaker for speaker, _ in spoken if speaker != "system"]
    if talk != ["human", "gpt"] * (len(talk) // 2):
        raise training_set.UnusableStepError(
            "its turns do not alternate between user and assistant"
        )
    return {
        "conversations": [{"from": speaker, "value": "\n".join(texts)} for speaker, texts in spoken]
    }


def _alpaca(sample: training_set.TrainingSample) -> JsonObject:
    texts: dict[str, list[str]] = {"system": [], "user": []}
    for message in sample.prompt:
        if message.role not in texts:
            raise training_set.UnusableStepError(
                f"its prompt has a turn by {message.role}, which alpaca trains on"
            )
        texts[message.role].append(render_text(message))
    return {
        "instruction": "\n\n".join(texts["user"]),
        "input": "",
        "output": sample.answer,
        "system": "\n\n".join(texts["system"]),
    }


def _check_set(directory: Path, name: str, entry: JsonValue) -> int:
    """Check one entry of `dataset_info.json`; returns the number of its samples."""
    if not isinstance(entry, dict) or entry.get("formatting", "alpaca") not in (
        "alpaca",
        "sharegpt",
    ):
        raise BadTrainingSetError(f'{name}: the form is neither "sharegpt" nor "alpaca"')
    path = directory / str(entry.get("file_name"))
    alpaca = entry.get("formatting", "alpaca") == "alpaca"
    columns, tags = entry.get("columns"), {**_TAGS, **_strings(entry.get("tags"))}
    # Once columns are named, LLaMA-Factory reads no others.
    named = _strings(columns) if columns is not None else _USUAL_COLUMNS[alpaca]
    count = 0
    for where, sample in check.read_json_list(path):
        if alpaca:
            words = _check_alpaca(sample, named, where)
        else:
            words = _check_turns(sample.get(named.get("messages", "")), tags, where)
        images = sample.get(named.get("images", ""), [])
        check.check_placeholders(words, len(images) if isinstance(images, list) else 0, where)
        check.check_image_files(images, directory, where)
        count += 1
    return count


def _strings(value: JsonValue) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {name: text for name, text in value.items() if isinstance(text, str)}


def _check_alpaca(sample: JsonObject, named: Mapping[str, str], where: str) -> str:
    """Check that a sample has a prompt and a response; returns its text without the system's."""
    request, more, answer = (
        sample.get(named.get(part, ""), "") for part in ("prompt", "query", "response")
    )
    if not isinstance(request, str) or not request:
        raise BadTrainingSetError(f"{where}: the prompt is empty")
    if not isinstance(answer, str) or not answer:
        raise BadTrainingSetError(f"{where}: the response is empty")
    check.check_boxes(answer, where)
    return f"{request}\n{more}\n{answer}"


def _check_turns(turns: JsonValue, tags: Mapping[str, str], where: str) -> str:
    """Check the order of the turns; returns their text without the system's."""
    checked = [_strings(turn) for turn in turns] if isinstance(turns, list) else []
    if checked and checked[0].get(tags["role_tag"]) == tags["system_tag"]:
        checked = checked[1:]
    if not checked or len(checked) % 2:
        raise BadTrainingSetError(f"{where}: {len(checked)} turns; expected an even number")
    user_tags = (tags["user_tag"], tags["observation_tag"])
    assistant_tags = (tags["assistant_tag"], tags["function_tag"])
    words = []
    for number, turn in enumerate(checked):
        speaker, text = turn.get(tags["role_tag"]), turn.get(tags["content_tag"], "")
        expected = assistant_tags if number % 2 else user_tags
        if speaker not in expected:
            raise BadTrainingSetError(
                f"{where}: turn {number} is by {speaker!r}; expected {' or '.join(expected)}"
            )
        if not text:
            raise BadTrainingSetError(f"{where}: turn {number} by {speaker!r} is empty")
        if number % 2:
            check.check_boxes(text, where)
        words.append(text)
    return "\n".join(words)
