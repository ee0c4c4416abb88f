"""How an episode ended, and what tells so: words that a command's help knows, too, at no cost."""

from typing import Literal, TypeAlias

__all__ = ["EpisodeOutcome", "InstructionLevel", "OutcomeEvidence"]

EpisodeOutcome: TypeAlias = Literal[
    "success", "failure", "infeasible", "truncated", "asked", "interrupted", "unknown"
]
"""How an attempt ended: "asked" is one that asked the user something that nobody
answered; "interrupted" is one that did not end, as it is still being played, its process was killed
or its device was lost; "unknown" is one that ended and was not judged."""

InstructionLevel: TypeAlias = Literal["high", "low"]
"""Whether a model is given the task's instruction, or that of the step."""

OutcomeEvidence: TypeAlias = Literal["", "claimed", "proved"]
"""What an outcome rests on: "proved" by the check of a task, or "claimed" by who acted, by the
source of an import or by an edit; "" where there is none, or it is not known, as in older stores.
"""
