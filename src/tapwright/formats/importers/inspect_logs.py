"""Logs of inspect_ai with computer use, its files `.eval` and `.json`.

https://inspect.aisi.org.uk/eval-logs.html; read off inspect_ai 0.3.285 (log/_log.py, `EvalLog` and
`EvalSample`; log/_recorders/eval.py; tool/_tools/_computer/_computer.py). A sample that calls the
tool `computer` is an episode: each call is a step, its reasoning is what the message says before,
and its screen is the last picture that the tool gave. A call that only looks (`screenshot`, `zoom`)
is no step. The last message, or the answer that is submitted, is the agent's answer to the user.

Where no picture comes before the first action, that step has the first one after it, marked stale.
A call that no action stands for is a wait of no time, refused with the reason, and stands in the
step's log. A success is a sample whose first score is "C", true or 1.
"""

import hashlib
import json
import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core.actions import Answer
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import BadImageError
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import foreign_record
from tapwright.formats.importers.account import note_left_out
from tapwright.formats.importers.inspect_archive import read_log_archive
from tapwright.formats.importers.keeping import DESKTOP, Seen, keep_steps, see_screens
from tapwright.formats.importers.tool_calls import CallReader, is_look
from tapwright.formats.temporary_storage import TemporaryStorage

__all__ = ["INSPECT", "InspectLogs"]

_ATTACHMENT = "attachment://"
_DATA_URL = re.compile(r"data:image/[a-z]+;base64,", re.ASCII)


class _Call(foreign_record.ForeignRecord):
    id: str = ""
    function: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class _Message(foreign_record.ForeignRecord):
    role: str
    content: str | list[JsonValue] = ""
    tool_calls: list[_Call] | None = None


class _Score(foreign_record.ForeignRecord):
    value: JsonValue = None


class _Sample(foreign_record.ForeignRecord):
    id: str | int
    epoch: int = 1
    input: str | list[JsonValue] = ""
    messages: list[_Message] = Field(default_factory=list)
    scores: dict[str, _Score] | None = None
    attachments: dict[str, str] = Field(default_factory=dict)
    error: JsonValue = None
    limit: JsonValue = None


class _Run(foreign_record.ForeignRecord):
    run_id: str = ""
    created: str = ""
    task: str = "task"
    model: str = ""


class _Log(foreign_record.ForeignRecord):
    eval: _Run
    samples: list[JsonValue] | None = None


_LOG, _SAMPLE = TypeAdapter(_Log), TypeAdapter(_Sample)


class InspectLogs:
    """Reads logs of inspect_ai."""

    name = "inspect"

    def recognizes(self, path: Path) -> bool:
        """Whether it is a log in one of its two forms, by its suffix and what stands first."""
        return foreign_record.head_contains(
            path, ".eval", b"PK\x03\x04"
        ) or foreign_record.head_contains(path, ".json", b'"eval"', b'"status"', b'"run_id"')

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the samples with computer use in a log, or in the logs below a folder.

        Raises:
            ForeignDataError: no log is there, or none of its samples uses the computer.
        """
        storage, logs, found = TemporaryStorage(), 0, False
        for file in foreign_record.find_files(path, "*.eval", "*.json"):
            if not self.recognizes(file):
                continue
            logs += 1
            try:
                run, samples = _open(file)
                for where, data in samples:
                    try:
                        sample = foreign_record.parse_json(_SAMPLE, data, where)
                    except ForeignDataError as error:
                        found = True
                        yield UnreadableEpisode.of(where, error)
                        continue
                    if any(_computer_calls(message) for message in sample.messages):
                        found = True
                        make = partial(_build_episode, run, sample, where, storage)
                        yield foreign_record.read_or_report(where, make)
            except ForeignDataError as error:
                if file == path:
                    raise
                found = True
                yield UnreadableEpisode.of(str(file), error)
        if not logs:
            raise ForeignDataError(f"{path}: no log of inspect_ai in it (.eval, .json)")
        if not found:
            raise ForeignDataError(
                f"{path}: no sample of {logs} logs calls the tool 'computer'",
                hint="only computer use has screens to make episodes of",
            )


INSPECT = InspectLogs()


def _open(file: Path) -> tuple[_Run, Iterator[tuple[str, bytes | str]]]:
    if file.suffix == ".eval":
        header, samples = read_log_archive(file)
        return foreign_record.parse_json(_LOG, header, f"{file}, header.json").eval, samples
    log = foreign_record.parse_json(_LOG, foreign_record.read_bytes(file), str(file))
    listed = enumerate(log.samples or [])
    return log.eval, ((f"{file}, sample {number}", json.dumps(one)) for number, one in listed)


def _computer_calls(message: _Message) -> Sequence[_Call]:
    calls = message.tool_calls or []
    return (
        [one for one in calls if one.function == "computer"] if message.role == "assistant" else []
    )


def _build_episode(run: _Run, sample: _Sample, where: str, storage: TemporaryStorage) -> Episode:
    steps, last = _Player(sample, where, storage).play()
    mark = json.dumps([run.run_id, run.created, sample.id, sample.epoch])
    digest = hashlib.sha256(mark.encode()).hexdigest()[:12]
    task = f"{run.task}/{sample.id}"
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", task)[:80]
    score = next(iter((sample.scores or {}).values()), None)
    extra = {} if score is None else {"score": json.dumps(score.value)}
    if sample.error is not None:
        extra["error"] = json.dumps(sample.error)[:2000]
    return Episode(
        id=f"inspect-{name}-{digest}",
        task_id=task,
        instruction=_instruction(sample),
        steps=tuple(steps),
        final=last,
        outcome=_outcome(sample, score),
        agent=run.model,
        device="inspect computer",
        created=_created(run.created),
        extra=extra,
    )


class _Player:
    """Goes through the messages of a sample, with the last picture that was seen."""

    def __init__(self, sample: _Sample, where: str, storage: TemporaryStorage) -> None:
        self._sample, self._where, self._storage = sample, where, storage
        self._seen: Observation | None = None
        self._missing: tuple[str, ...] = ()

    def play(self) -> tuple[list[Step], Observation | None]:
        """The steps, and the last screen."""
        messages = self._sample.messages
        first = self._first() or self._stand_in()
        steps: list[Step] = []
        for message in messages:
            made = [
                step
                for call in _computer_calls(message)
                for arguments in _listed(call.arguments)
                for step in self._step(arguments, message, first)
            ]
            steps.extend(foreign_record.join_look(made))
            submitted = [one for one in message.tool_calls or [] if one.function == "submit"]
            if message.role == "assistant":
                answer = submitted[0].arguments.get("answer") if submitted else None
                if answer is None and message is messages[-1] and not message.tool_calls:
                    answer = _words(message)
                if isinstance(answer, str) and answer:
                    before = self._seen or replace(first, stale=True)
                    steps.append(Step(before, Decision(Answer(text=answer))))
            try:
                self._seen = self._picture(message) or self._seen
            except (ForeignDataError, BadImageError) as error:
                note_left_out("pictures", self._where, str(error))
                self._seen = None if self._seen is None else replace(self._seen, stale=True)
        if not steps:
            raise ForeignDataError(f"{self._where}: its calls only look at the screen")
        return steps, self._seen

    def _first(self) -> Observation | None:
        for message in self._sample.messages:
            with suppress(ForeignDataError, BadImageError):
                if (seen := self._picture(message)) is not None:
                    return seen
        return None

    def _stand_in(self) -> Observation:
        reason = f"{self._where}: has no picture of the screen; log_images was off"
        (first,) = see_screens([(self._where, partial(_refuse, reason))], DESKTOP)
        self._missing = first.log
        return first.observation

    def _step(
        self, arguments: Mapping[str, JsonValue], message: _Message, first: Observation
    ) -> list[Step]:
        if is_look(arguments):
            return []
        words = _words(message)

        def make(seen: Observation) -> list[Step]:
            return [
                Step(seen, Decision(CallReader().read("computer", arguments, seen.size), words))
            ]

        before = Seen(self._seen or replace(first, stale=True), self._missing)
        return keep_steps(before, make, recorded=dict(arguments), reasoning=words)

    def _picture(self, message: _Message) -> Observation | None:
        if message.role not in ("tool", "user") or isinstance(message.content, str):
            return None
        images = [
            part.get("image")
            for part in message.content
            if isinstance(part, dict) and part.get("type") == "image"
        ]
        return self._load(images[-1]) if images else None

    def _load(self, image: JsonValue) -> Observation:
        url = image if isinstance(image, str) else ""
        if url.startswith(_ATTACHMENT):
            url = self._sample.attachments.get(url.removeprefix(_ATTACHMENT), "")
        if not _DATA_URL.match(url):
            raise ForeignDataError(f"{self._where}: the picture {str(image)[:80]!r} is not in it")
        try:
            data = b64decode(url.partition(",")[2], validate=True)
        except (Base64Error, ValueError) as error:
            raise ForeignDataError(f"{self._where}: a picture is no base64: {error}") from error
        whole = Screenshot(data, origin=self._where)
        load = self._storage.add(data)
        kept = Screenshot.lazy(load, sha256=whole.sha256, origin=self._where)
        return Observation(screenshot=kept, size=whole.size)


def _refuse(reason: str) -> Observation:
    raise ForeignDataError(reason)


def _listed(arguments: Mapping[str, JsonValue]) -> Sequence[Mapping[str, JsonValue]]:
    """The actions of a call; some models give several at once."""
    many = arguments.get("actions")
    return [one for one in many if isinstance(one, dict)] if isinstance(many, list) else [arguments]


def _words(message: _Message) -> str:
    """What a message says, its reasoning first."""
    if isinstance(message.content, str):
        return message.content.strip()
    parts = [part for part in message.content if isinstance(part, dict)]
    said = (part.get("reasoning") or part.get("text") for part in parts)
    return "\n".join(text.strip() for text in said if isinstance(text, str) and text.strip())


def _instruction(sample: _Sample) -> str:
    if isinstance(sample.input, str):
        return sample.input
    asked = next((one for one in sample.messages if one.role == "user"), None)
    return _words(asked) if asked is not None else str(sample.id)


def _outcome(sample: _Sample, score: _Score | None) -> EpisodeOutcome:
    if sample.error is not None:
        return "interrupted"
    value = None if score is None else score.value
    if value in ("C", 1):  # true is 1
        return "success"
    if sample.limit is not None:
        return "truncated"
    return "failure" if value in ("I", "P", "N") or isinstance(value, int | float) else "unknown"


def _created(text: str) -> str:
    try:
        when = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return ""
    return when.astimezone(UTC).isoformat() if when.tzinfo else ""
