"""Errors of environments."""

from tapwright.errors import TapwrightError, TaskError

__all__ = ["AttemptGoneError", "AttemptHeldError", "EnvironmentOrderError", "SetupFailedError"]


class SetupFailedError(TaskError, code="TW518"):
    """A step of a task's set-up was tried as often as it may be and did not work."""


class EnvironmentOrderError(TapwrightError, code="TW502"):
    """An environment was stepped before `reset`, or after its episode had ended."""


class AttemptGoneError(TapwrightError, code="TW519"):
    """An attempt is not played any more, so it cannot be held."""


class AttemptHeldError(TapwrightError, code="TW520"):
    """An attempt that is played is held by somebody else."""

    def __init__(self, who: str) -> None:
        super().__init__(f"{who} holds it", hint="wait until it is given back", values={"by": who})
