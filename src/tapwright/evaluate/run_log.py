"""The log of a run as a file: a header with its configuration, then one JSON line per sample.

It is the ledger of the job that measures, so an interrupted run is a run log, too.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from tapwright.benchmarks.answers import AnswerStatus
from tapwright.benchmarks.score_rules import SUITES
from tapwright.errors import first_problem
from tapwright.evaluate.errors import RunLogError
from tapwright.files.atomic import atomic_file
from tapwright.files.jsonl import finite_json, from_json, has_huge_number, whole_lines
from tapwright.files.regular import open_regular
from tapwright.jobs.job import ItemDone, ItemFailed, ItemResult
from tapwright.models.model import Usage
from tapwright.models.pricing import Price
from tapwright.models.query_endings import ENDINGS, QueryEnding, failed_ending, query_ending

__all__ = [
    "EPISODES", "FILE", "JOB", "RowError", "RunHeader", "RunLog", "SampleInfo", "SampleRow",
    "has_begun", "read_run", "row_key", "row_of_result", "write_run",
]  # fmt: skip

FILE = "run.jsonl"
EPISODES = "episodes"
ANSWERS = "answers.jsonl"
JOB = "evaluate"


@dataclass(frozen=True, slots=True)
class SampleInfo:
    """A sample as known before its query, with all that scoring its answer needs.

    `epoch` counts from 1. `options` are those of a question, as the prompt had them; `size` is that
    of the picture whose places are answered, in pixels.
    """

    labels: dict[str, str]
    cluster: str
    truth: JsonValue = None
    instruction: str = ""
    epoch: int = 1
    options: dict[str, str] = field(default_factory=dict)
    size: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class RowError:
    """Why a sample has no answer: the error's code and message."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class SampleRow:
    """One sample's result.

    `answer` is what came back, unchanged, or, where it is `postprocessed`, what the user's own
    function made of a local model's ids; `parsed` what it was read as. A row whose request
    failed has neither, nor a score; one that has an answer and an `error` was answered, but a
    function of the user's own failed to read it. `sent` is the size of the picture when it was
    scaled. `attempts`, `finish`, `reasoning`, `changed` and `odd` are the completion's. `started`
    and `ended` are seconds since 1970.
    """

    id: str
    about: SampleInfo
    status: AnswerStatus | Literal["failed"]
    prompt_sha256: str = ""
    sent: tuple[int, int] | None = None
    answer: str | None = None
    postprocessed: bool = False
    parsed: JsonValue = None
    score: float | None = None
    detail: dict[str, JsonValue] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    latency_s: float = 0.0
    attempts: int = 1
    finish: str = ""
    reasoning: str = ""
    changed: dict[str, JsonValue] = field(default_factory=dict)
    odd: int = 0
    started: float = 0.0
    ended: float = 0.0
    error: RowError | None = None

    @property
    def ending(self) -> QueryEnding:
        """How its query ended, also by what an older log has."""
        if self.status == "failed":
            return failed_ending(self.error.code if self.error else "")
        declines = self.detail.get("refused") is True
        return query_ending(
            self.answer, self.finish, is_read=self.status == "ok", declines=declines
        )

    @property
    def labels(self) -> Mapping[str, str]:
        """Where the sample belongs."""
        return self.about.labels

    @property
    def cluster(self) -> str:
        """What dependent samples share, such as their screenshot."""
        return self.about.cluster

    @property
    def key(self) -> str:
        """The key of the row: the sample's id, and from the second epoch on the epoch."""
        return row_key(self.id, self.about.epoch)


_ABOUT = TypeAdapter(SampleInfo)
_ROW = TypeAdapter(SampleRow)


def info_json(info: SampleInfo) -> JsonValue:
    """A sample's info as JSON."""
    found: JsonValue = _ABOUT.dump_python(info, mode="json")
    return found


def row_json(row: SampleRow) -> JsonValue:
    """A row as JSON, with null for numbers that JSON does not have.

    Its ending stands there for who reads the log without tapwright; it is not read back.
    """
    found: dict[str, JsonValue] = _ROW.dump_python(row, mode="json")
    return finite_json({**found, "ending": row.ending})


class RunHeader(BaseModel):
    """The configuration of a run; a run is continued only under an equal one.

    `source` is where the data was, `samples` is how many rows a complete run has. `prompt_sha256`
    is that of the first sample's text: with equal data it changes when the wording does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tapwright: str
    benchmark: str
    source: Annotated[str, Field(pattern=r"^[^\x00]*$")]
    data_sha256: str
    subject: str
    prompt_sha256: str
    samples: int
    config: dict[str, JsonValue]

    @property
    def is_played(self) -> bool:
        """Whether its samples are tasks that are played on a device."""
        return "device" in self.config


@dataclass(frozen=True, slots=True)
class RunLog:
    """A run as it stands: header, when it began (ISO 8601, UTC), and the rows that ended."""

    path: Path
    header: RunHeader
    created: str
    rows: Sequence[SampleRow] = field(repr=False)

    @property
    def complete(self) -> bool:
        """Whether every sample has an answer."""
        return sum(ENDINGS[row.ending].has_answer for row in self.rows) == self.header.samples

    @property
    def wall_s(self) -> float:
        """Seconds in which at least one sample was at work; pauses between restarts not counted."""
        total, until = 0.0, 0.0
        for row in sorted(self.rows, key=lambda row: row.started):
            total += max(0.0, row.ended - max(row.started, until))
            until = max(until, row.ended)
        return total

    @property
    def usage(self) -> Usage:
        """All tokens together."""
        return sum((row.usage for row in self.rows), Usage())

    @property
    def cost(self) -> float | None:
        """The cost of the tokens in the currency of the plan's price; None when it has none."""
        return header_cost(self.header, self.usage)


def header_cost(header: RunHeader, usage: Usage) -> float | None:
    """The cost of tokens in the currency of the plan's price; None when it has none."""
    match header.config.get("plan"):
        case {
            "price": {
                "input": int() | float() as per_input,
                "output": int() | float() as per_output,
            }
        }:
            price = Price(input=per_input, output=per_output)
            return price.cost(usage.input_tokens, usage.output_tokens)
        case _:
            return None


def row_key(id_: str, epoch: int) -> str:
    """The key of a row in its ledger."""
    return id_ if epoch == 1 else f"{id_}#{epoch}"


def row_of_result(ended: ItemResult) -> SampleRow:
    """The row that a ledger's entry holds.

    Raises:
        ValidationError: the entry is another job's.
    """
    match ended:
        case ItemDone(value=value):
            return _ROW.validate_python(finite_json(value))
        case ItemFailed(key=key, code=code, message=message, about=about):
            return _failed_row(key, code, message, _ABOUT.validate_python(about))


@dataclass(frozen=True, slots=True)
class _DoneLine:
    key: str
    status: Literal["done"]
    value: SampleRow


@dataclass(frozen=True, slots=True)
class _FailedLine:
    key: str
    status: Literal["failed"]
    code: str
    message: str
    about: SampleInfo


_LINE: TypeAdapter[_DoneLine | _FailedLine] = TypeAdapter(
    Annotated[_DoneLine | _FailedLine, Field(discriminator="status")]
)


def rules_of_header(header: RunHeader) -> str:
    """The name of the rule that a run was scored under; "" in logs from before rules had names."""
    match header.config.get("plan"):
        case {"rules": str(name)}:
            return name
        case _:
            return ""


def count_failures(header: RunHeader, rows: Sequence[SampleRow]) -> tuple[SampleRow, ...]:
    """The rows, where the run's rule has it so with a score of 0 for a request that failed."""
    suite = SUITES.get(header.benchmark)
    rule = suite.by_name.get(rules_of_header(header)) if suite else None
    if rule is None:
        return tuple(rows)
    failed = 0.0 if rule.counts_failures else None
    return tuple(
        replace(row, score=failed) if row.status == "failed" and row.answer is None else row
        for row in rows
    )


def has_begun(directory: Path) -> bool:
    """Whether a directory has a run log with its first line; a kill may leave it without."""
    try:
        with open_regular(directory / FILE) as file:
            return next(file, b"").endswith(b"\n")
    except OSError:
        return False


def read_run(path: Path) -> RunLog:
    """The run log at `path`: the file, or the directory that holds it.

    Requests that failed have a score of 0 where the run's rule counts them. Line by line, so that
    no more is in memory than the rows; a torn last line is left aside, and of a row's lines the
    last one holds, in the place of the first. A score that is not finite is none.

    Raises:
        RunLogError: there is none, or its lines are not a run log's; names file and line.
    """
    file = path / FILE if path.is_dir() else path
    rows: dict[str, SampleRow] = {}
    with wrap_log_errors(file) as place, open_regular(file) as lines:
        header, created = read_header(next(lines, b""))
        for at, line in whole_lines(lines, start=2):
            place.line = at
            key, row = read_line(line)
            rows[key] = row
    return RunLog(file, header, created, count_failures(header, tuple(rows.values())))


@dataclass(slots=True)
class LinePlace:
    """The line of a file that is being read, from 1."""

    line: int = 1


@contextmanager
def wrap_log_errors(file: Path) -> Iterator[LinePlace]:
    """Turn what is wrong with a log into a `RunLogError` that names the file and the line."""
    place = LinePlace()
    try:
        yield place
    except OSError as error:
        raise RunLogError(
            f"{file}: cannot be read: {error.strerror}", hint="give the directory of a run"
        ) from error
    except ValidationError as error:
        why = first_problem(error)
        raise RunLogError(f"{file}, line {place.line}: not a run log: {why}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise RunLogError(f"{file}, line {place.line}: not a run log: {error}") from error


def read_header(line: bytes) -> tuple[RunHeader, str]:
    """The header in a log's first line, and when the run began; ValueError, TypeError for none."""
    if not line.endswith(b"\n"):
        raise ValueError("it has no whole line: its run ended before it began; start that again")
    first = finite_json(json.loads(line))
    if not isinstance(first, dict):
        raise TypeError("its first line is no object")
    return RunHeader.model_validate(first["config"]), str(first["created"])


def read_line(line: bytes) -> tuple[str, SampleRow]:
    """The row in a line of a log, and its key."""
    if has_huge_number(line):
        entry = _LINE.validate_python(finite_json(json.loads(line)))
    else:
        entry = from_json(_LINE, line)
    match entry:
        case _DoneLine(key=key, value=row):
            return key, row
        case _FailedLine(key=key, code=code, message=message, about=info):
            return key, _failed_row(key, code, message, info)


def _failed_row(key: str, code: str, message: str, info: SampleInfo) -> SampleRow:
    return SampleRow(
        id=key.removesuffix(f"#{info.epoch}") if info.epoch > 1 else key,
        about=info,
        status="failed",
        error=RowError(code=code, message=message),
    )


def write_run(run: RunLog, directory: Path) -> None:
    """Write a run that was made from another one, whole or not at all.

    Raises:
        RunLogError: `directory` holds a run already.
        DiskError: the disk is full or not writable.
    """
    path = directory / FILE
    if path.exists():
        raise RunLogError(f"{path}: there is a run already", hint="give another directory")
    config = run.header.model_dump(mode="json")
    first: dict[str, JsonValue] = {"job": JOB, "config": config, "created": run.created}
    records: Iterator[dict[str, JsonValue]] = (
        {"key": row.key, "status": "done", "value": row_json(row)}
        if row.answer is not None or row.error is None
        else {
            "key": row.key,
            "status": "failed",
            "code": row.error.code,
            "message": row.error.message,
            "about": info_json(row.about),
        }
        for row in run.rows
    )
    with atomic_file(path) as file:
        for record in chain([first], records):
            file.write(json.dumps(record).encode() + b"\n")
