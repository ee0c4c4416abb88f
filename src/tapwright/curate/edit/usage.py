"""How each modifier is written, and what it does: what the help of `episodes edit` says."""

from collections.abc import Mapping
from typing import get_args

from tapwright.core.outcomes import EpisodeOutcome

__all__ = ["USAGE", "format_usage"]

USAGE: Mapping[str, tuple[str, str]] = {
    "delete": ("start:stop", "take out the steps from start to before stop; or [1,4]: these"),
    "crop": ("start:stop", "keep those alone"),
    "insert": ("step:ACTION", "do ACTION before that step, on the same screen"),
    "relabel": ("step:FIELD:value", "FIELD: action (JSON), reasoning, target, step_instruction"),
    "rewardize": ("step:delta", "add to the step's reward"),
    "instructionize": ("step:which", 'a number of the task\'s (--tasks), "words", or -1 for none'),
    "auto_instructionize": ("", "give each rewarded step but the last the task's next one"),
    "part": ("step", "make each of the step's several actions a step of its own"),
    "join": ("start:stop", "make those steps one step of several actions, on the first's screen"),
    "outcome": ("OUTCOME", ", ".join(get_args(EpisodeOutcome))),
    "instruction": ('"words"', "what the whole episode was to do"),
    "split": ("step[:id]", "begin another episode with that step"),
    "merge": ("", "append the next episode, which goes"),
    "remove": ("", "take the episode away"),
}
"""The modifiers: name -> (params, what it does)."""


def format_usage(name: str) -> str:
    """How a modifier is written, such as `delete:start:stop`."""
    params, _ = USAGE[name]
    return f"{name}:{params}" if params else name
