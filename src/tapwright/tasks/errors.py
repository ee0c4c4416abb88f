"""Errors of tasks, templates, events and milestones."""

from tapwright.errors import ErrorCode, TaskError

__all__ = [
    "BAD_EXPANSION", "EVENT_GRAPH", "SLOT_VALUE", "SOLUTION_MISSING", "STEP_MERGE", "BadConfError",
    "BadDefinitionError", "BadExpressionError", "BadMilestonesError", "BadPatternError",
    "BadSelectorError", "BadTableError", "BadTaskFileError", "BadTemplateError",
    "EventSourceUnavailableError", "EventValueError", "NotRecordedError", "UpstreamFailureError",
]  # fmt: skip


class BadDefinitionError(TaskError, code="TW510"):
    """A task definition breaks its format; the message names file, line and column."""


class BadSelectorError(BadDefinitionError, code="TW511"):
    """A view-hierarchy selector is not in the subset of CSS, or too long or deep."""


class BadPatternError(BadDefinitionError, code="TW512"):
    """A regular expression of a definition is malformed, or takes too long on a text."""


class BadExpressionError(BadDefinitionError, code="TW513"):
    """A transformation of a definition is no expression over `x`."""


class EventValueError(TaskError, code="TW515"):
    """What an event gave cannot be a reward, an instruction or an extra, or its making failed."""


class NotRecordedError(TaskError, code="TW516"):
    """A recorded episode does not hold what its task judges by."""


class EventSourceUnavailableError(TaskError, code="TW517"):
    """An event source needs a reader, a file or a screen that is not there."""


class BadTemplateError(TaskError, code="TW530"):
    """A task template is missing, is not one, or has a slot that means nothing."""


class BadConfError(TaskError, code="TW531"):
    """A conf file is missing, or a line of it is not `identifier: value`."""


class BadTaskFileError(TaskError, code="TW533"):
    """A task file is missing, names no steps, or names one that it may not."""


class BadTableError(TaskError, code="TW535"):
    """A table of parameters cannot be read; the message names file and row."""


class BadMilestonesError(TaskError, code="TW540"):
    """A graph of milestones names what is not there, goes in a ring, or asks for no known check."""


class UpstreamFailureError(TaskError, code="TW538"):
    """Mobile-Env's own tool fails on these files, and its behaviour was requested.

    The message ends with the line that its traceback would end with; `kind` is its exception.
    """

    def __init__(self, kind: str, what: str, place: str) -> None:
        super().__init__(f"{place}: Mobile-Env's own tool fails here:\n{kind}: {what}")
        self.kind = kind


# fmt: off
SOLUTION_MISSING = ErrorCode("TW501", TaskError,
    "A task has no scripted solution, or it does not fit the screen.")
EVENT_GRAPH = ErrorCode("TW514", BadDefinitionError,
    "The events of a definition name one that is not there, one twice, or each other in a ring.")
SLOT_VALUE = ErrorCode("TW532", TaskError,
    "A slot of a template has no value, or one that nobody filled in.")
STEP_MERGE = ErrorCode("TW534", TaskError,
    "Steps cannot be made into one task; the message names the step and what it lacks.")
BAD_EXPANSION = ErrorCode("TW536", TaskError,
    "A task came out of its templates broken: it could not run.")
