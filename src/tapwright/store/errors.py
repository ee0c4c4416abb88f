"""Errors of the episode store."""

from tapwright.errors import StoreError, UsageError

__all__ = [
    "AnnotationError",
    "BadFilterError",
    "BadIdError",
    "EditConflictError",
    "EpisodeExistsError",
    "EpisodeMissingError",
    "NothingToUndoError",
    "SchemaVersionError",
    "VersionMissingError",
]


class AnnotationError(StoreError):
    """An episode's annotations are missing, broken, or belong to other steps."""

    code = "TW220"


class BadFilterError(UsageError):
    """A filter of episodes cannot be understood: an unknown column, or not such an expression."""

    code = "TW208"


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


class NothingToUndoError(StoreError):
    """An episode has no edit to undo, or no undone one to redo."""

    code = "TW822"
    exit_code = 5


class VersionMissingError(StoreError):
    """An episode has no version of this number."""

    code = "TW823"
    exit_code = 5
