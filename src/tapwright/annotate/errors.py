"""Errors of annotation."""

from tapwright.errors import ErrorCode, StoreError, TapwrightError, UsageError

__all__ = ["REACT_JSON", "AnswerLogError", "PromptTemplateError", "ReviewError"]


class PromptTemplateError(UsageError):
    """The template of an annotator's prompt is invalid, or uses an unknown slot."""

    code = "TW183"


class AnswerLogError(StoreError):
    """The record of what a model answered is broken, or cannot be read; names file and line."""

    code = "TW185"


class ReviewError(StoreError):
    """The review of an episode's annotations is broken, or belongs to other steps."""

    code = "TW640"


# fmt: off
REACT_JSON = ErrorCode("TW186", TapwrightError,
    "A react.json does not fit the recording; the message has the codes of the verdict.")
