"""What annotators wrote about the steps of an episode, beside what was recorded, never in it.

One file for each annotator, `<episode>/annotations/<annotator>.jsonl`, one line per step.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from pydantic import BaseModel, ConfigDict, TypeAdapter

from tapwright.core.episode import Episode
from tapwright.errors import quote_path
from tapwright.files.atomic import write_inside
from tapwright.files.jsonl import parse_lines, to_json
from tapwright.files.regular import open_regular, read_regular
from tapwright.store.changes import noting_change
from tapwright.store.errors import AnnotationError
from tapwright.store.ids import directory_name

__all__ = [
    "NOT_ASKED", "NO_ANNOTATIONS",
    "Annotation", "apply_annotations", "belong_to", "list_annotators", "name_annotator",
    "name_annotators", "read_annotations", "replace_annotations",
]  # fmt: skip


NO_ANNOTATIONS = "no annotations by"
NOT_ASKED = "NOT_ASKED"
"""The code of a step that a model was not asked about: it is no target (`core.fit`)."""


class Annotation(BaseModel):
    """One line: the annotation of a step, its annotator and its time.

    `frame` is the hash of the step's screenshot. It differs when the steps have changed since.
    `time` is an ISO 8601 time in UTC. With `codes` the step is only listed, as every explanation
    of it was rejected, or none was asked for. The rest is as in `Reasoning`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int
    frame: str
    reasoning: str
    target: str
    annotator: str
    version: str
    time: str
    codes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    request: str = ""
    asked: int = 0
    match: float | None = None

    @property
    def is_rejected(self) -> bool:
        """Whether it was asked for, and nothing passed the checks."""
        return bool(self.codes) and self.codes != (NOT_ASKED,)


_LINE = TypeAdapter(Annotation)


def replace_annotations(directory: Path, annotator: str, lines: Sequence[Annotation]) -> None:
    """Writes the annotations of an episode in place of those that the annotator wrote before.

    Raises:
        DiskError: the disk is full or not writable; then what was there before is there still.
    """
    with noting_change(directory):
        name = str(_path(directory, annotator).relative_to(directory))
        write_inside(directory, {name: b"".join(to_json(line) + b"\n" for line in lines)})


def read_annotations(directory: Path, annotator: str) -> list[Annotation]:
    """Reads the annotations by `annotator` of the episode in `directory`, in order.

    Raises:
        AnnotationError: it has not annotated the episode, or a line of the file is broken.
    """
    path = _path(directory, annotator)
    if not path.exists():
        known = ", ".join(list_annotators(directory))
        raise AnnotationError(
            f"{directory.name}: {NO_ANNOTATIONS} {annotator!r}"
            + (f"; there are those by {known}" if known else ""),
            hint=f"tapwright annotate run {quote_path(directory.parent)} --with {quote(annotator)}",
        )
    return _read(path)


def list_annotators(directory: Path) -> list[str]:
    """Lists the annotators of the episode in `directory`, by name.

    Raises:
        AnnotationError: a file there is broken.
    """
    read = filter(None, map(_read, _list_files(directory)))
    return [lines[0].annotator for lines in read]


def name_annotators(directory: Path) -> list[str]:
    """As `list_annotators`, of the first lines alone; a broken file counts under its own name."""
    found = []
    for path in _list_files(directory):
        try:
            with open_regular(path) as file:
                line = next(file, b"")
        except OSError:
            continue
        found += [name_annotator(line) or path.stem] if line else []
    return found


def name_annotator(line: bytes) -> str:
    """Who wrote a line of annotations; "" for a broken one, which whoever reads all reports."""
    try:
        match json.loads(line):
            case {"annotator": str(name)}:
                return name
    except (ValueError, RecursionError):
        pass
    return ""


def apply_annotations(episode: Episode, annotations: Sequence[Annotation]) -> Episode:
    """Fills in `reasoning` and `target` of an episode's decisions; empty where only listed.

    Raises:
        AnnotationError: the annotations are those of other steps than the episode has.
    """
    if not belong_to(annotations, episode):
        raise AnnotationError(
            f"{episode.id}: the annotations belong to other steps than these {len(episode.steps)}; "
            "the episode was changed after it was annotated",
            hint="annotate it again",
        )
    steps = tuple(
        replace(
            step, decision=replace(step.decision, reasoning=entry.reasoning, target=entry.target)
        )
        for step, entry in zip(episode.steps, annotations, strict=True)
    )
    return replace(episode, steps=steps)


def belong_to(annotations: Sequence[Annotation], episode: Episode) -> bool:
    """Whether they are of the steps that the episode has now."""
    screens = [step.observation.screenshot.sha256 for step in episode.steps]
    return [(entry.step, entry.frame) for entry in annotations] == list(enumerate(screens))


def _list_files(directory: Path) -> list[Path]:
    others = (".answers.jsonl", ".reviews.jsonl", ".comments.jsonl")
    files = (directory / "annotations").glob("*.jsonl")
    return sorted(path for path in files if not path.name.endswith(others))


def _read(path: Path) -> list[Annotation]:
    try:
        lines = read_regular(path).splitlines()
    except OSError as error:
        raise AnnotationError(f"{path}: cannot be read: {error.strerror}") from error
    return list(parse_lines(lines, _LINE, path, error=AnnotationError, expected="an annotation"))


def _path(directory: Path, annotator: str) -> Path:
    return directory / "annotations" / f"{directory_name(annotator)}.jsonl"
