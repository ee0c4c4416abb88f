"""What became of a demonstration that another tool recorded, where nothing judged it.

A person who ends a recording says how it ended: complete, done, impossible. That is a claim, and
stands for the outcome until a task's check proves another one (`episodes rejudge`). What a model
says of its own run is none.
"""

from collections.abc import Sequence

from tapwright.core.episode import EpisodeOutcome, Step

__all__ = ["claimed_outcome"]


def claimed_outcome(steps: Sequence[Step]) -> EpisodeOutcome:
    """What the last step claims; "unknown" where the recording stops without an end."""
    ending = steps[-1].decision.ending if steps else None
    return "unknown" if ending is None else ending.outcome
