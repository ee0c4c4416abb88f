"""How a score grew with training: runs of the checkpoints that a trainer kept of one model.

The Trainer of transformers, and so TRL, LLaMA-Factory and ms-swift, keeps what a model was after N
steps in a directory `checkpoint-N`
(https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/trainer_utils.py,
`PREFIX_CHECKPOINT_DIR`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tapwright.benchmarks.metrics import Cell, cell
from tapwright.evaluate.run_log import RunLog

__all__ = [
    "LearningCurve",
    "learning_curves",
]

_CHECKPOINT = re.compile(r"(?P<model>.*)/checkpoint-(?P<steps>\d+)/?(?P<more>( .*)?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """The scores of one model by its steps of training, in their order; `samples` measured each."""

    model: str
    samples: int
    points: tuple[tuple[int, Cell], ...]


def learning_curves(runs: Sequence[RunLog]) -> list[LearningCurve]:
    """The curves in runs on one benchmark, of two checkpoints or more.

    Points of one curve are measured alike: on the same data, as many samples, with one control or
    none. Of two runs of one checkpoint the later one counts.
    """
    found: dict[tuple[str, str, int], dict[int, RunLog]] = {}
    for run in sorted(runs, key=lambda run: run.created):
        match = _CHECKPOINT.fullmatch(run.header.subject)
        if match:
            model = match["model"] + match["more"]
            key = (model, run.header.data_sha256, run.header.samples)
            found.setdefault(key, {})[int(match["steps"])] = run
    return [
        LearningCurve(model, samples, tuple((steps, cell(of[steps].rows)) for steps in sorted(of)))
        for (model, _, samples), of in sorted(found.items())
        if len(of) > 1
    ]
