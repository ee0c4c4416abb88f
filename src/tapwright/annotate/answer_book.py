"""A model's answers and their costs, recorded before they are used.

`<episode>/annotations/<annotator>.answers.jsonl` is only ever appended to: one line per answer, by
the key of its question. A query looks there first, so no answer is paid for twice, even after a
kill.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from tapwright.agents.asking import send_query
from tapwright.annotate.errors import AnswerLogError
from tapwright.core.messages import Message, Picture
from tapwright.files.atomic import refuse_link
from tapwright.files.jsonl import JsonlWriter, parse_lines, read_lines, to_json
from tapwright.models.model import Model
from tapwright.store.ids import directory_name

__all__ = ["AnswerBook", "AnswerRecord"]


class AnswerRecord(BaseModel):
    """One line: a raw answer of a model.

    `key` is the hash of the question, `first` and `last` are its steps, from 0; `images` counts the
    pictures that were sent, `seconds` is how long the answer took, `attempts` how often the request
    was sent until there was one, `finish` why the model stopped, `reasoning` what it gave apart
    from the answer, `changed` which settings the server refused and what was sent in their place,
    `time` an ISO 8601 time in UTC.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    first: int
    last: int
    model: str
    raw: str
    input_tokens: int = 0
    output_tokens: int = 0
    images: int = 0
    seconds: float = 0.0
    attempts: int = 1
    finish: str = ""
    reasoning: str = ""
    changed: Mapping[str, JsonValue] = {}
    time: str = ""


_LINE = TypeAdapter(AnswerRecord)


class AnswerBook:
    """The answers of one annotator about one episode, on disk."""

    def __init__(self, path: Path) -> None:
        """Read what is there; a half-written last line, which a killed writer leaves, is cut off.

        Raises:
            AnswerLogError: the file cannot be read, or a line of it is broken.
        """
        self._path = path
        self._found = {one.key: one for one in _read(path)}
        self._mended = False

    @classmethod
    def of(cls, directory: Path, annotator: str) -> "AnswerBook":
        """Opens the book of an annotator for the episode in `directory`.

        Raises:
            DiskError: the place of annotations is a link.
        """
        refuse_link(directory / "annotations")
        return cls(directory / "annotations" / f"{directory_name(annotator)}.answers.jsonl")

    def get(self, key: str) -> AnswerRecord | None:
        """Return the answer to the question of this key; None if there is none."""
        return self._found.get(key)

    def add(self, answered: AnswerRecord) -> None:
        """Write an answer down; it is on disk then.

        Raises:
            DiskError: the disk is full or not writable; then the file is as it was.
        """
        with JsonlWriter(self._path) as file:
            if not self._mended:
                file.recover()
                self._mended = True
            file.append(to_json(answered))
        self._found[answered.key] = answered

    async def ask(
        self, model: Model, messages: Sequence[Message], key: str, *, first: int = 0, last: int = 0
    ) -> AnswerRecord:
        """Ask a question about the steps `first` to `last`, and write its answer down.

        Raises:
            ModelError: the query failed.
            DiskError: the disk is full or not writable.
        """
        completion = await send_query(model, messages)
        answered = AnswerRecord(
            key=key,
            first=first,
            last=last,
            model=model.name,
            raw=completion.text,
            input_tokens=completion.usage.input_tokens,
            output_tokens=completion.usage.output_tokens,
            images=sum(isinstance(part, Picture) for one in messages for part in one.parts),
            seconds=round(completion.latency_s, 3),
            attempts=completion.attempts,
            finish=completion.finish,
            reasoning=completion.reasoning,
            changed=completion.changed,
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
        )
        self.add(answered)
        return answered

    def all(self) -> tuple[AnswerRecord, ...]:
        """Return every answer, in order."""
        return tuple(self._found.values())


def _read(path: Path) -> Iterator[AnswerRecord]:
    return parse_lines(
        read_lines(path, AnswerLogError),
        _LINE,
        path,
        error=AnswerLogError,
        expected="an answer",
        hint="move that line to another file; its question is then sent again",
    )
