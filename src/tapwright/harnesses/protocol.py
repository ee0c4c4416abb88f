"""What a suite's process and tapwright say to each other: JSON lines, version 1.

Requests are `{"id", "method", "params"}`, answers `{"id", "result"}` or `{"id", "error": {"kind",
"message"}}`, one at a time. docs/own-suite.md describes them for those who write a program.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from tapwright.errors import TapwrightError, first_problem
from tapwright.harnesses import errors

__all__ = [
    "PROTOCOL", "Attempt", "Evaluation", "Hello", "Preparation", "SuiteTask", "read_evaluation",
    "read_hello", "read_preparation", "read_result", "read_tasks", "shorten_commit",
]  # fmt: skip

PROTOCOL = 1

T = TypeVar("T")

_HINT = "a suite's program prints nothing on stdout but answers, each one line of JSON"
_ErrorKind: TypeAlias = Literal["missing", "setup", "evaluator", "device", "protocol"]
_KINDS: Mapping[_ErrorKind, type[TapwrightError]] = {
    "missing": errors.SuiteMissingError,
    "setup": errors.SuiteSetupError,
    "evaluator": errors.SuiteEvaluatorError,
    "device": errors.SuiteDeviceError,
    "protocol": errors.SuiteProtocolError,
}


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Hello(_Message):
    """Who answers: the suite, its version and commit ("" where there is none), the protocol's.

    `notes` are what is missing of the suite, in sentences for the user.
    """

    suite: str
    version: str = ""
    commit: str = ""
    protocol: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        commit = f", commit {shorten_commit(self.commit)}" if self.commit else ""
        return f"{self.suite} {self.version}".rstrip() + commit


def shorten_commit(commit: str) -> str:
    """Its first 12 digits, and whole the "+" and digest of the changes in a checkout."""
    digits, plus, changes = commit.partition("+")
    return digits[:12] + plus + changes


class SuiteTask(_Message):
    """One task. `instruction` is "" where only its set-up knows; `needs` are servers and apps.

    `missing` are those of `needs` that the machine of the suite lacks, as far as it can tell; a
    device elsewhere may have them.
    """

    id: Annotated[str, Field(min_length=1)]
    instruction: str = ""
    apps: tuple[str, ...] = ()
    max_steps: Annotated[int, Field(ge=1)] | None = None
    needs: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    labels: dict[str, str] = Field(default_factory=dict)


class Preparation(_Message):
    """A task that is set up: what is asked, and the parameters that the seed gave it."""

    instruction: Annotated[str, Field(min_length=1)]
    params: dict[str, JsonValue] = Field(default_factory=dict)


class Evaluation(_Message):
    """The verdict of a suite on one attempt; 1 is success."""

    score: Annotated[float, Field(ge=0, le=1)]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What an evaluator is told of an attempt besides what the device holds.

    `answer` is the agent's last answer to the user, `claim` with what it finished, None for an
    attempt that reached a limit. `steps` counts its actions.
    """

    answer: str | None = None
    claim: str | None = None
    steps: int = 0

    def params(self) -> dict[str, JsonValue]:
        """As the request has it."""
        return {
            "answer": self.answer,
            "claim": self.claim,
            "ended": self.claim is not None,
            "steps": self.steps,
        }


class _ErrorBody(_Message):
    kind: _ErrorKind
    message: str


class _Answer(_Message):
    id: int
    result: JsonValue = None
    error: _ErrorBody | None = None


_TASKS = TypeAdapter(list[SuiteTask])


def read_result(line: bytes, number: int, who: str) -> JsonValue:
    """The result in an answer to request `number`.

    Raises:
        TapwrightError: the suite's own error, of the kind that the answer names.
        SuiteProtocolError: the line is no answer to this request.
    """
    try:
        answer = _Answer.model_validate_json(line)
    except ValidationError as error:
        raise errors.SuiteProtocolError(
            f"{who} answered {line[:80]!r}: {first_problem(error)}", hint=_HINT
        ) from error
    if answer.id != number:
        raise errors.SuiteProtocolError(
            f"{who} answered request {answer.id}; expected {number}", hint=_HINT
        )
    if answer.error is not None:
        raise _KINDS[answer.error.kind](f"{who}: {answer.error.message}")
    return answer.result


def read_hello(result: JsonValue, who: str) -> Hello:
    """Who answers.

    Raises:
        SuiteProtocolError: it does not say so, or speaks another version of the protocol.
    """
    hello = _read(Hello.model_validate, result, f"{who}, hello")
    if hello.protocol != PROTOCOL:
        raise errors.SuiteProtocolError(
            f"{who} speaks version {hello.protocol} of the protocol; expected {PROTOCOL}",
            hint="use the program of this version of tapwright",
        )
    return hello


def read_tasks(result: JsonValue, who: str) -> list[SuiteTask]:
    """The tasks of a suite.

    Raises:
        SuiteProtocolError: they are not what the protocol has, or two have the same id.
    """
    tasks = _read(_TASKS.validate_python, result, f"{who}, tasks")
    seen: set[str] = set()
    for task in tasks:
        if task.id in seen:
            raise errors.SuiteProtocolError(
                f"{who}, tasks: two have the id {task.id!r}", hint=_HINT
            )
        seen.add(task.id)
    return tasks


def read_preparation(result: JsonValue, who: str) -> Preparation:
    """A task that is set up.

    Raises:
        SuiteProtocolError: it is not what the protocol has.
    """
    return _read(Preparation.model_validate, result, f"{who}, set_up")


def read_evaluation(result: JsonValue, who: str) -> Evaluation:
    """A verdict.

    Raises:
        SuiteProtocolError: it is not what the protocol has, such as a score above 1.
    """
    return _read(Evaluation.model_validate, result, f"{who}, evaluate")


def _read(validate: Callable[[JsonValue], T], result: JsonValue, where: str) -> T:
    try:
        return validate(result)
    except ValidationError as error:
        raise errors.SuiteProtocolError(f"{where}: {first_problem(error)}", hint=_HINT) from error
