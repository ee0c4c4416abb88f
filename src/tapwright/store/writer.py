"""Records an episode step by step: a step is on disk before its `append` returns."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType

from tapwright.core.episode import EpisodeOutcome, OutcomeEvidence, Step, describe_actions
from tapwright.core.observation import Observation
from tapwright.errors import StoreError
from tapwright.files.closing import Closing
from tapwright.files.jsonl import JsonlWriter, to_json
from tapwright.store import packing
from tapwright.store.errors import NOTHING_TO_UNDO
from tapwright.store.lines import apply_revisions, read_header, read_line
from tapwright.store.records import (
    EndRecord,
    Files,
    NoteRecord,
    RedoRecord,
    RevisionRecord,
    StepRecord,
    UndoRecord,
)
from tapwright.store.versions import lock_episode


class EpisodeWriter(Closing):
    """Appends steps to one episode. A step is on disk when `append` returns.

    A step that is undone stays on disk and can be redone until the next one is appended.
    As a context manager it closes the file; it does not end the episode, `finish` does. While it is
    open, the episode is locked for other writers and editors. Lines have the header's `schema`.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        header = read_header(directory / "episode.json")
        self.id, self._schema = header.id, header.schema_
        with ExitStack() as opened:
            opened.enter_context(lock_episode(directory))
            self._file = opened.enter_context(JsonlWriter(directory / "steps.jsonl"))
            self._steps, self._undone, self._ended = self._recover()
            self._opened = opened.pop_all()

    @property
    def steps(self) -> int:
        """The number of steps, without those undone."""
        return self._steps

    @property
    def ended(self) -> bool:
        """Whether the episode has ended, and takes nothing more."""
        return self._ended

    @property
    def undone(self) -> int:
        """How many steps `redo` can restore."""
        return self._undone

    def prepare(self, step: Step) -> StepRecord:
        """Write the pictures, trees and states of a step before it is appended.

        Returns:
            The line that it would have as it is now.

        Raises:
            StoreError: the step holds what cannot be stored, such as a reward that is not a number.
            DiskError: the disk is full or not writable.
            BadImageError: the screenshot is not an image.
        """
        record, files = self._pack(step)
        packing.write_files(self.directory, files)
        return record

    def append(self, step: Step) -> None:
        """Write one step durably; when it fails, the steps before are as they were.

        Raises:
            StoreError: the step holds what cannot be stored, such as a reward that is not a number.
            DiskError: the disk is full or not writable.
            BadImageError: the screenshot is not an image.
        """
        record, files = self._pack(step)
        self._write((record,), files)
        self._steps += 1
        self._undone = 0

    def undo(self) -> None:
        """Undo the last step.

        Raises:
            StoreError: there is no step.
            DiskError: the disk is full or not writable; then the step is still there.
        """
        if not self._steps:
            raise NOTHING_TO_UNDO(f"{self.directory}: there is no step to undo")
        self._write((UndoRecord(),))
        self._steps, self._undone = self._steps - 1, self._undone + 1

    def replace_last(self, step: Step) -> None:
        """Write the last step anew, as its undo and another in its place; raises as `append`.

        Raises:
            StoreError: there is no step.
        """
        if not self._steps:
            raise NOTHING_TO_UNDO(f"{self.directory}: there is no step to replace")
        record, files = self._pack(step)
        self._write((UndoRecord(), record), files)
        self._undone = 0

    def redo(self) -> None:
        """Restore the step that was undone last.

        Raises:
            StoreError: none was undone since the last one was appended.
            DiskError: the disk is full or not writable; then it is still undone.
        """
        if not self._undone:
            raise NOTHING_TO_UNDO(f"{self.directory}: no step was undone")
        self._write((RedoRecord(),))
        self._steps, self._undone = self._steps + 1, self._undone - 1

    def note(self, step: int, note: str) -> None:
        """Set the note of a step, counted from 0 without those undone.

        Raises:
            StoreError: there is no such step.
            DiskError: the disk is full or not writable; then the note is as before.
        """
        if not 0 <= step < self._steps:
            raise StoreError(f"{self.directory}: no step {step}; there are {self._steps}")
        self._write((NoteRecord(step=step, note=note),))

    def finish(
        self,
        outcome: EpisodeOutcome,
        final: Observation | None = None,
        *,
        evidence: OutcomeEvidence = "",
    ) -> None:
        """End the episode with its outcome, and the screen that the last action led to.

        One that an older tapwright began has no place for `evidence`, which is then not told.
        """
        with packing.wrap_validation_errors(f"{self.id}, its end"):
            told = evidence if self._schema >= packing.EVIDENCE_SCHEMA else ""
            record, files = packing.pack_end(outcome, final, evidence=told)
        self._write((record,), files)
        self._ended = True

    def close(self) -> None:
        """Close the file; more than once is allowed."""
        self._opened.close()

    def _recover(self) -> tuple[int, int, bool]:
        """The number of steps, of undone ones, and whether the episode has ended."""
        path = self._file.path
        revised = apply_revisions(self._file.recover(), path)
        records = [read_line(line, path, number) for number, line in revised.kept]
        ended = any(isinstance(record, EndRecord) for record in records)
        return len(records) - ended, len(revised.undone), ended

    def _pack(self, step: Step) -> tuple[StepRecord, Files]:
        needed = packing.schema_of_step(step)
        if needed > self._schema:
            raise StoreError(
                f"{self.directory}: an older tapwright began it with schema {self._schema}, and "
                f"reads no {describe_actions(step.decision.actions)} with all that belongs to "
                f"this step, which takes schema {needed}; begin a new episode"
            )
        with packing.wrap_validation_errors(f"{self.id}, step {self._steps}"):
            return packing.pack_step(step, schema=self._schema)

    def _write(
        self,
        records: Sequence[StepRecord | EndRecord | RevisionRecord],
        files: Files = MappingProxyType({}),
    ) -> None:
        if self._ended:
            raise StoreError(f"{self.directory}: the episode has ended and takes no more steps")
        lines = [to_json(record) for record in records]
        packing.write_files(self.directory, files)
        self._file.append(*lines)
