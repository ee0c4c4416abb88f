"""Errors of model clients."""

from tapwright.errors import ErrorCode, ModelError, TapwrightError, UsageError

__all__ = [
    "BUDGET", "LOCAL_MODEL", "MISSING_KEY", "PRICES", "BudgetWarning", "ModelFailedError",
    "ModelRefusedError", "ModelSettingWarning", "ModelUnavailableError", "ModelWaitWarning",
    "RepeatedRefusalError", "ServerDownError", "UnreadableResponseError",
]  # fmt: skip


class UnreadableResponseError(ValueError):
    """A response with status 200 that is no completion; the message says what is missing."""


class ModelRefusedError(ModelError, code="TW401"):
    """The model's server refused the request, and asking again would not help."""


class RepeatedRefusalError(ModelRefusedError, code="TW405", fatal=True):
    """The model's server has refused in the same words several times, so that no more is sent."""


class ModelUnavailableError(ModelError, code="TW402"):
    """The model's server was not there, was too busy, or timed out, and retries did not help."""


class ModelFailedError(ModelUnavailableError, code="TW406"):
    """The model's server told an error each time, and retries did not help."""


class ServerDownError(ModelUnavailableError, code="TW407", fatal=True):
    """No server of the model answers any more, whatever is asked, so that no more is sent."""


class ModelSettingWarning(UserWarning):
    """A setting that the server refuses is left out of the requests."""


class ModelWaitWarning(UserWarning):
    """A server fails, so that one request at a time tries whether it is there again."""


class BudgetWarning(UserWarning):
    """A limit on the cost cannot be kept."""


# fmt: off
MISSING_KEY = ErrorCode("TW403", ModelError,
    "A hosted model needs an API key and the environment has none.", fatal=True)
LOCAL_MODEL = ErrorCode("TW440", ModelError,
    "A model on this machine cannot be loaded, or failed while it was writing.", fatal=True)
BUDGET = ErrorCode("TW184", TapwrightError,
    "Queries have cost what they may, or the next one would cost more; answers are "
    "kept.", fatal=True)
PRICES = ErrorCode("TW187", UsageError,
    "A table of prices is not one, or does not have the model.")
