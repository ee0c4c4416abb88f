"""Errors of the episode store."""

from tapwright.errors import ErrorCode, StoreError, UsageError

__all__ = [
    "BAD_FILTER",
    "NOTHING_TO_UNDO",
    "VERSION_MISSING",
    "AnnotationError",
    "BadIdError",
    "EditConflictError",
    "EpisodeExistsError",
    "EpisodeMissingError",
    "SchemaVersionError",
]


class AnnotationError(StoreError):
    """An episode's annotations are missing, broken, or belong to other steps."""

    code = "TW220"


class BadIdError(StoreError, ValueError):
    """An id is empty, too long, or holds characters that no id may hold."""

    code = "TW201"


class EpisodeExistsError(StoreError):
    """An episode of this id is already in the store."""

    code = "TW202"


class EpisodeMissingError(StoreError):
    """The store has no episode of this id."""

    code = "TW203"
    exit_code = 5


class SchemaVersionError(StoreError):
    """A file was written by another version of tapwright, whose schema this one cannot read."""

    code = "TW205"


class EditConflictError(StoreError):
    """Another edit came first, or is being made; nothing was changed and nothing was lost."""

    code = "TW821"


# fmt: off
BAD_FILTER = ErrorCode("TW208", UsageError,
    "A filter of episodes cannot be understood: an unknown column, or not such an expression.")
NOTHING_TO_UNDO = ErrorCode("TW822", StoreError,
    "An episode has no edit to undo, or no undone one to redo.", exit_code=5)
VERSION_MISSING = ErrorCode("TW823", StoreError,
    "An episode has no version of this number.", exit_code=5)
