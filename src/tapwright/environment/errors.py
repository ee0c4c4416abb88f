"""Errors of environments."""

from tapwright.errors import TapwrightError, TaskError

__all__ = ["AttemptGoneError", "AttemptHeldError", "EnvironmentOrderError", "SetupFailedError"]


class SetupFailedError(TaskError):
    """A step of a task's set-up was tried as often as it may be and did not work."""

    code = "TW518"


class EnvironmentOrderError(TapwrightError):
    """An environment was stepped before `reset`, or after its episode had ended."""

    code = "TW502"


class AttemptGoneError(TapwrightError):
    """An attempt is not played any more, so it cannot be held."""

    code = "TW519"


class AttemptHeldError(TapwrightError):
    """An attempt that is played is held by somebody else."""

    code = "TW520"

    def __init__(self, who: str) -> None:
        super().__init__(f"{who} holds it", hint="wait until it is given back", values={"by": who})
