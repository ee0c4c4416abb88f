"""Errors of the episode store."""

from pathlib import Path

from tapwright.errors import ErrorCode, NothingFoundError, StoreError, UsageError, quote_path

__all__ = [
    "BAD_FILTER", "NOTHING_TO_UNDO", "VERSION_MISSING", "AnnotationError", "BadIdError",
    "EditConflictError", "EpisodeExistsError", "EpisodeMissingError", "SchemaVersionError",
    "no_episodes",
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


_LEDGERS = ("record.jsonl", "import.jsonl", "unreadable.jsonl")
"""What recording and importing leave in a store that got no episode."""


def no_episodes(root: Path | str) -> NothingFoundError:
    """The error that a store is empty; its hint asks for what lies there instead, if anything."""
    root = Path(root)
    hint = f"tapwright record --agent script -o {quote_path(root)}"
    if next(root.glob("episodes/*.parquet"), None) is not None:
        hint = f"a packed data set; restore it: tapwright episodes unpack {quote_path(root)}"
    elif (root / "episodes").is_dir():  # of a run, or of a project
        hint = f"did you mean {quote_path(root / 'episodes')}?"
    elif root.is_dir() and any(
        one.name not in _LEDGERS and not one.name.startswith(".") for one in root.iterdir()
    ):
        hint = f"tapwright episodes import {quote_path(root)}"
    return NothingFoundError(f"{root}: no episodes", hint=hint)
