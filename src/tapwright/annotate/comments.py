"""Comments of reviewers on annotated steps, beside the annotations and never in them.

`<episode>/annotations/<annotator>.comments.jsonl` is only ever appended to. A comment decides
nothing: a step's reviews are those of `annotate.review`.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

from tapwright.annotate.errors import ReviewError
from tapwright.files.atomic import refuse_link
from tapwright.files.jsonl import JsonlWriter, parse_lines, read_lines, to_json
from tapwright.store.changes import noting_change
from tapwright.store.ids import directory_name

__all__ = ["StepComment", "read_comments", "write_comment"]


class StepComment(BaseModel):
    """One line: what `who` wrote about the annotation of a step.

    `frame` is the hash of the step's screenshot. `time` is an ISO 8601 time in UTC.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int
    frame: str
    text: str
    who: str
    time: str


_LINE = TypeAdapter(StepComment)


def read_comments(directory: Path, annotator: str) -> list[StepComment]:
    """Every comment on an annotator's steps of the episode in `directory`, oldest first.

    Raises:
        ReviewError: the file cannot be read, or a line of it is broken.
    """
    path = _path(directory, annotator)
    lines = read_lines(path, ReviewError)
    return list(parse_lines(lines, _LINE, path, error=ReviewError, expected="a comment"))


def write_comment(directory: Path, annotator: str, comment: StepComment) -> None:
    """Append one comment; it is on disk then.

    Raises:
        DiskError: the disk is full or not writable; then the file is as it was.
    """
    path = _path(directory, annotator)
    refuse_link(path.parent)
    with noting_change(directory), JsonlWriter(path) as file:
        file.recover()
        file.append(to_json(comment))


def _path(directory: Path, annotator: str) -> Path:
    return directory / "annotations" / f"{directory_name(annotator)}.comments.jsonl"
