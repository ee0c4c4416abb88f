"""Errors of annotation."""

from tapwright.errors import ModelError, StoreError, TapwrightError, UsageError

__all__ = [
    "AnswerLogError",
    "ModelDownError",
    "PromptTemplateError",
    "ReactJsonError",
    "ReviewError",
]


class PromptTemplateError(UsageError):
    """The template of an annotator's prompt is invalid, or uses an unknown slot."""

    code = "TW183"


class AnswerLogError(StoreError):
    """The record of what a model answered is broken, or cannot be read; names file and line."""

    code = "TW185"


class ReactJsonError(TapwrightError):
    """A react.json does not fit the recording; the message has the codes of the verdict."""

    code = "TW186"


class ModelDownError(ModelError):
    """A model's server fails one request after the other, so that no further ones are sent."""

    code = "TW404"
    fatal = True


class ReviewError(StoreError):
    """The review of an episode's annotations is broken, or belongs to other steps."""

    code = "TW640"
