"""MobiAgent's training sets: collect/construct_sft.py of https://github.com/IPADS-SAI/MobiAgent.

    mobimind_decider_train.json, …   the next action, with several histories and with none
    mobimind_grounder_train.json, …  the place of a target: its point, and its box where known
    mobimind_e2e_train.json, …       both at once
    dataset_info.json                the sets, as LLaMA-Factory reads them (its alpaca form)

As at fd5aa728, but: each entry is written once with its number of repetitions as weight (twice in
the second half of an episode but for the last step, times the rule's); boxes are always scaled with
the picture; coordinates are rounded once; pictures are named by their content, paths are relative,
and the seed decides every choice. MobiAgent halves its pictures: `--scale 0.5 --jpeg 75`. The
canned samples that end on an unexpected picture, and the canned last step, are not made.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.conventions.mobimind import MOBIMIND_DECIDER, MOBIMIND_E2E, MOBIMIND_GROUNDER
from tapwright.core.actions import Finish, Swipe, Tap, TypeText
from tapwright.core.episode import Step
from tapwright.core.geometry import to_pixel
from tapwright.core.messages import Message
from tapwright.errors import UsageError
from tapwright.formats.exporters.ground_truth import find_target_box
from tapwright.formats.exporters.llamafactory import LLAMAFACTORY, alpaca_entry
from tapwright.formats.exporters.pictures import image_path
from tapwright.formats.exporters.training_set import SftSettings, SftWriter, Split, TrainingSample
from tapwright.formats.exporters.turns import PLACEHOLDER, JsonObject
from tapwright.formats.exporters.writers import JsonListWriter, Trainer, encode_row, write_json

_Set: TypeAlias = Literal["decider", "grounder", "e2e"]
_Entry: TypeAlias = tuple[_Set, str, str, float]
_SPAN = 2  # shorter histories beside the full one

# prompts/decider_nohistory_v2.md at c808a8587bad8c0feb8694e6b2673b02d93348a6, without its picture.
_NO_HISTORY = """\
You are a phone-use AI agent. Now your task is "{task}".\x20
Please provide the next action based on the screenshot. You should do careful reasoning before \
providing the action.
Your action space includes:
- Name: click, Parameters: target_element (a high-level description of the UI element to click).
- Name: swipe, Parameters: direction (one of UP, DOWN, LEFT, RIGHT).
- Name: input, Parameters: text (the text to input).
- Name: wait, Parameters: (no parameters, will wait for 1 second).
- Name: done, Parameters: status (the completion status of the current task, one of `success', \
`suspended` and `failed`).
Your output should be a JSON object with the following format:
{{"reasoning": "Your reasoning here", "action": "The next action (one of click, input, swipe, \
wait, done)", "parameters": {{"param1": "value1", ...}}}}"""

# prompts/grounder_bbox.md, as its runners quote it.
_BOX = """\
Based on the screenshot, user's intent and the description of the target UI element, provide the \
bounding box of the element using **absolute coordinates**.
User's intent: {reasoning}
Target element's description: {description}
Your output should be a JSON object with the following format:
{{"bbox": [x1, y1, x2, y2]}}"""


def _write(directory: Path, settings: SftSettings) -> SftWriter:
    if settings.convention.name != MOBIMIND_DECIDER.name:
        raise UsageError(
            f"MobiAgent's sets are not written in {settings.convention.name}",
            hint=f"--convention {MOBIMIND_DECIDER.name}; the grounder and e2e come with it",
        )
    return _Writer(directory, settings.seed)


# The sets are checked by the rules of LLaMA-Factory.
MOBIAGENT_SFT = Trainer("mobiagent-sft", _write, LLAMAFACTORY.check, writes_image_files=True)


class _Writer:
    def __init__(self, directory: Path, seed: int) -> None:
        self._directory = directory
        self._seed = seed
        self._sets: dict[str, JsonListWriter] = {}

    def add(self, sample: TrainingSample) -> None:
        for name, request, answer, weight in list(_entries(sample, self._seed)):
            row: JsonObject = {
                "instruction": f"{PLACEHOLDER}\n{request}",
                "input": "",
                "output": answer,
                "images": [image_path(sample.picture)],
                "weight": weight,
                "episode": sample.episode.id,
                "step": sample.number,
            }
            self._set(name, sample.split).add(encode_row(row))

    def _set(self, name: _Set, split: Split) -> JsonListWriter:
        stem = f"mobimind_{name}_{split}"
        if stem not in self._sets:
            self._sets[stem] = JsonListWriter(self._directory / f"{stem}.json")
        return self._sets[stem]

    def close(self) -> None:
        for rows in self._sets.values():
            rows.close()
        info: JsonObject = {stem: alpaca_entry(f"{stem}.json") for stem in sorted(self._sets)}
        write_json(self._directory / "dataset_info.json", info)


def _entries(sample: TrainingSample, seed: int) -> Iterator[_Entry]:
    step, task = sample.step, sample.instruction
    decision, seen = step.decision, step.observation
    box = find_target_box(step)
    decider = _weight(sample, "decider") * _position(sample)
    for history in _histories(sample, seed):
        request = MOBIMIND_DECIDER.prompt(task, history, seen)
        yield "decider", _join_texts(request), sample.answer, decider
        request = MOBIMIND_E2E.prompt(task, history, seen)
        yield "e2e", _join_texts(request), _e2e(sample), decider
    if not isinstance(decision.first, TypeText | Finish):
        weight = _weight(sample, "decider_no_history") * _position(sample)
        yield "decider", _NO_HISTORY.format(task=task), sample.answer, weight
    if isinstance(decision.first, Tap):
        weight = _weight(sample, "grounder")
        request = MOBIMIND_GROUNDER.grounding_prompt(decision.target, seen, decision.reasoning)
        yield (
            "grounder",
            _join_texts(request),
            MOBIMIND_GROUNDER.render(decision, seen.size),
            weight,
        )
        if box is not None:
            words = _BOX.format(reasoning=decision.reasoning, description=decision.target)
            answer = json.dumps({"bbox": list(box.to_pixels(seen.size))})
            yield "grounder", words, answer, weight


def _join_texts(request: list[Message]) -> str:
    return "".join(message.text for message in request)


def _e2e(sample: TrainingSample) -> str:
    """The answer with its places in pixels, as construct_sft.py writes them for every model."""
    step = sample.step
    action, size = step.decision.action, step.observation.size
    found: dict[str, dict[str, JsonValue]] = json.loads(MOBIMIND_E2E.render(step.decision, size))
    match action:
        case Tap():
            box = find_target_box(step)
            if box is None:  # as there, which only warns of it
                del found["parameters"]["bbox"]
            else:
                found["parameters"]["bbox"] = [*box.to_pixels(size)]
        case Swipe(start=start, end=end):
            found["parameters"]["start_coords"] = [*to_pixel(start, size)]
            found["parameters"]["end_coords"] = [*to_pixel(end, size)]
        case _:
            pass
    return json.dumps(found, ensure_ascii=False)


def _histories(sample: TrainingSample, seed: int) -> list[tuple[Step, ...]]:
    """Returns all earlier steps, and up to two shorter histories that end with the same step.

    Typed text and the end of an episode need the three steps before to be understood.
    """
    before = tuple(step for step in sample.before if step.decision.reasoning.strip())
    needed = min(3, len(before)) if isinstance(sample.step.decision.first, TypeText | Finish) else 0
    shorter = [before[first:] for first in range(1, len(before) + 1 - needed)]
    chance = random.Random(f"{seed}\n{sample.number}\n{sample.episode.id}")
    return [before, *chance.sample(shorter, min(_SPAN, len(shorter)))]


def _weight(sample: TrainingSample, kind: str) -> float:
    return sample.weights.get(kind, sample.weight)


def _position(sample: TrainingSample) -> int:
    total = len(sample.episode.steps)
    late = 2 * (sample.number + 1) > total and sample.number + 1 < total
    return 2 if late and sample.split == "train" else 1
