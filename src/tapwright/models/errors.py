"""Errors of model clients."""

from tapwright.errors import ErrorCode, ModelError, TapwrightError, UsageError

__all__ = [
    "BUDGET",
    "MISSING_KEY",
    "MODEL_UNAVAILABLE",
    "PRICES",
    "LocalModelError",
    "ModelRefusedError",
    "ModelSettingWarning",
    "RepeatedRefusalError",
]


class ModelRefusedError(ModelError):
    """The model's server refused the request, and asking again would not help."""

    code = "TW401"


class RepeatedRefusalError(ModelRefusedError):
    """The model's server has refused in the same words several times, so that no more is sent."""

    code = "TW405"
    fatal = True


class LocalModelError(ModelError):
    """A model on this machine cannot be loaded, or failed while it was writing."""

    code = "TW440"
    fatal = True


class ModelSettingWarning(UserWarning):
    """A setting that the server refuses is left out of the requests."""


# fmt: off
MODEL_UNAVAILABLE = ErrorCode("TW402", ModelError,
    "The model's server failed, was too busy, or timed out, and retries did not help.")
MISSING_KEY = ErrorCode("TW403", ModelError,
    "A hosted model needs an API key and the environment has none.", fatal=True)
BUDGET = ErrorCode("TW184", TapwrightError,
    "Queries have cost what they may, or the next one would cost more; answers are "
    "kept.", fatal=True)
PRICES = ErrorCode("TW187", UsageError,
    "A table of prices is not one, or does not have the model.")
