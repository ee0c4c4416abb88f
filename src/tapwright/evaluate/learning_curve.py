"""How a score grew with training: runs of the checkpoints that a trainer kept of one model.

The Trainer of transformers, and so TRL, LLaMA-Factory and ms-swift, keeps what a model was after N
steps in a directory `checkpoint-N`
(https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/trainer_utils.py,
`PREFIX_CHECKPOINT_DIR`).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tapwright.benchmarks.metrics import Cell, cell
from tapwright.evaluate.run_log import RunHeader, RunLog

__all__ = ["LearningCurve", "learning_curves"]

_CHECKPOINT = re.compile(r"(?P<model>.*)/checkpoint-(?P<steps>\d+)/?(?P<more>( .*)?)", re.ASCII)
_ANSWERING = ("temperature", "max_tokens")


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """The scores of one model by its steps of training, in their order; `samples` measured each."""

    model: str
    samples: int
    points: tuple[tuple[int, Cell], ...]


def learning_curves(runs: Sequence[RunLog]) -> list[LearningCurve]:
    """The curves in complete runs on one benchmark, of two checkpoints or more.

    Points of one curve are measured alike: on the same data, in the same words, and with the same
    plan, limits and temperature. Of two such runs of one checkpoint the later one counts.
    """
    found: dict[tuple[str, int, str], dict[int, RunLog]] = {}
    for run in sorted(runs, key=lambda run: run.created):
        match = _CHECKPOINT.fullmatch(run.header.subject)
        if match and run.complete:
            key = (match["model"] + match["more"], run.header.samples, _describe_how(run.header))
            found.setdefault(key, {})[int(match["steps"])] = run
    return [
        LearningCurve(model, samples, tuple((steps, cell(of[steps].rows)) for steps in sorted(of)))
        for (model, samples, _), of in sorted(found.items())
        if len(of) > 1
    ]


def _describe_how(header: RunHeader) -> str:
    """How a run was measured; not of which checkpoint, by which server, nor at what price."""
    how: dict[str, JsonValue] = {}
    for name, value in header.config.items():
        match name, value:
            case "spec", _:
                continue
            case "plan", dict():
                how[name] = {key: one for key, one in value.items() if key != "price"}
            case "model", dict():
                how[name] = {key: one for key, one in value.items() if key in _ANSWERING}
            case _:
                how[name] = value
    return json.dumps([header.data_sha256, header.prompt_sha256, how], sort_keys=True)
