"""The faults that a check reports, and their severity."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["EpisodeFinding", "FindingKind", "Severity"]

Severity: TypeAlias = Literal["error", "warning"]
"""An error: recorded data is lost or false. A warning: it may be."""

FindingKind: TypeAlias = Literal[
    "header",  # the header or the log of versions cannot be read
    "line",  # a line is no step, as with a place off the screen; or half-written
    "order",  # a line after the end, or a step that is earlier than the one before
    "count",  # no steps, or not as many screens as touch events
    "end",  # never ended
    "finish",  # acted on after it was finished
    "missing",  # a file that a line names is not there
    "hash",  # a file is not the one that was recorded
    "image",  # a picture cannot be decoded
    "size",  # a picture is not as large as its line says
    "tree",  # a view hierarchy cannot be read
    "scale",  # a view hierarchy counts another screen than its picture's
    "state",  # a value of the apps' state cannot be read
    "orphan",  # a file that no version names
    "repeat",  # nearly the same action on nearly the same screen as the step before
    "picture",  # no picture was recorded, or it is black all over
    "refused",  # the device did not perform the action: it is not to be learned
    "stale",  # what was seen may be of another moment, or the tree of the step before
    "duplicate",  # a better episode has the same actions on nearly the same screens
    "contradicted",  # an older success did another thing at the same point of the same task
]


@dataclass(frozen=True, slots=True)
class EpisodeFinding:
    """One fault, in `file`; `step` counts from 0 and is None for a fault of no step."""

    episode: str
    step: int | None
    severity: Severity
    kind: FindingKind
    file: str
    message: str
