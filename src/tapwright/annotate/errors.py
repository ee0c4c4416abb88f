"""Errors of annotation."""

from tapwright.errors import ErrorCode, StoreError, TapwrightError, UsageError

__all__ = ["REACT_JSON", "AnswerLogError", "PromptTemplateError", "ReviewError"]


class PromptTemplateError(UsageError, code="TW183"):
    """The template of an annotator's prompt is invalid, or uses an unknown slot."""


class AnswerLogError(StoreError, code="TW185"):
    """The record of what a model answered is broken, or cannot be read; names file and line."""


class ReviewError(StoreError, code="TW640"):
    """The review of an episode's annotations is broken, or belongs to other steps."""


# fmt: off
REACT_JSON = ErrorCode("TW186", TapwrightError,
    "A react.json does not fit the recording; the message has the codes of the verdict.")
