"""Errors of the episode store."""

from tapwright.errors import ErrorCode, StoreError, UsageError

__all__ = [
    "BAD_FILTER", "NOTHING_TO_UNDO", "VERSION_MISSING", "AnnotationError", "BadIdError",
    "EditConflictError", "EpisodeExistsError", "EpisodeMissingError", "SchemaVersionError",
]  # fmt: skip


class AnnotationError(StoreError, code="TW220"):
    """An episode's annotations are missing, broken, or belong to other steps."""


class BadIdError(StoreError, ValueError, code="TW201"):
    """An id is empty, too long, or holds characters that no id may hold."""


class EpisodeExistsError(StoreError, code="TW202"):
    """An episode of this id is already in the store."""


class EpisodeMissingError(StoreError, code="TW203", exit_code=5):
    """The store has no episode of this id."""


class SchemaVersionError(StoreError, code="TW205"):
    """A file was written by another version of tapwright, whose schema this one cannot read."""


class EditConflictError(StoreError, code="TW821"):
    """Another edit came first, or is being made; nothing was changed and nothing was lost."""


# fmt: off
BAD_FILTER = ErrorCode("TW208", UsageError,
    "A filter of episodes cannot be understood: an unknown column, or not such an expression.")
NOTHING_TO_UNDO = ErrorCode("TW822", StoreError,
    "An episode has no edit to undo, or no undone one to redo.", exit_code=5)
VERSION_MISSING = ErrorCode("TW823", StoreError,
    "An episode has no version of this number.", exit_code=5)
