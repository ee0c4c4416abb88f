"""What became of a demonstration that another tool recorded, where nothing judged it.

A person who ends a recording says how it ended: complete, done, impossible. That is a claim, and
stands for the outcome until a task's check proves another one (`episodes rejudge`). What a model
says of its own run is none. A score that its source has is a claim, too: nothing here proved it.
"""

from collections.abc import Sequence
from dataclasses import replace

from tapwright.core.episode import Episode, EpisodeOutcome, Step

__all__ = ["claimed_outcome", "with_claim"]


def claimed_outcome(steps: Sequence[Step]) -> EpisodeOutcome:
    """What the last step claims; "unknown" where the recording stops without an end."""
    ending = steps[-1].decision.ending if steps else None
    return "unknown" if ending is None else ending.outcome


def with_claim(episode: Episode) -> Episode:
    """An imported episode, whose outcome its source claims unless a check has proved it."""
    if episode.evidence or episode.outcome in ("unknown", "interrupted"):
        return episode
    return replace(episode, evidence="claimed")
