"""Errors of evaluation."""

from tapwright.errors import TapwrightError, UsageError

__all__ = ["AgentFailedError", "HookError", "PlanError", "RunLogError", "UnjudgedWarning"]


class RunLogError(TapwrightError, code="TW601"):
    """A run log is not one, or was written for another benchmark or model."""


class HookError(TapwrightError, code="TW610"):
    """A user's function for a stage of the pipeline is missing, or fails."""


class PlanError(UsageError, code="TW611"):
    """A plan or config of an evaluation is not one; the message names file and key."""


class AgentFailedError(TapwrightError, code="TW613"):
    """A user's agent raised an exception while it was to be made, or to act."""


class UnjudgedWarning(UserWarning):
    """A model that was asked about a milestone gave no verdict."""
