"""Errors of environments."""

from tapwright.errors import ErrorCode, TapwrightError, TaskError, UsageError

__all__ = [
    "BAD_GYM_ACTION", "AttemptGoneError", "AttemptHeldError", "EnvironmentOrderError",
    "SetupFailedError",
]  # fmt: skip

# Here, as to import `tapwright.gym` is to import Gymnasium.
# fmt: off
BAD_GYM_ACTION = ErrorCode("TW340", UsageError,
    "A Gymnasium environment received an action that is not in its action space.")
# fmt: on


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
