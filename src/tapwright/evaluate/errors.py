"""Errors of evaluation."""

from tapwright.errors import TapwrightError, UsageError

__all__ = [
    "AgentFailedError",
    "HookError",
    "PlanError",
    "RunLogError",
]


class RunLogError(TapwrightError):
    """A run log is not one, or was written for another benchmark or model."""

    code = "TW601"


class HookError(TapwrightError):
    """A user's function for a stage of the pipeline is missing, or fails."""

    code = "TW610"


class PlanError(UsageError):
    """A plan or config of an evaluation is not one; the message names file and key."""

    code = "TW611"


class AgentFailedError(TapwrightError):
    """A user's agent raised an exception while it was to be made, or to act."""

    code = "TW613"
