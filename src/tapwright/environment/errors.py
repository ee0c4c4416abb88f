"""Errors of environments."""

from tapwright.errors import TapwrightError, TaskError

__all__ = ["EnvironmentOrderError", "SetupFailedError"]


class SetupFailedError(TaskError):
    """A step of a task's set-up was tried as often as it may be and did not work."""

    code = "TW518"


class EnvironmentOrderError(TapwrightError):
    """An environment was stepped before `reset`, or after its episode had ended."""

    code = "TW502"
