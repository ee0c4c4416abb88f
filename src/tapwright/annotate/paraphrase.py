"""A task in other words, so that a model learns what is asked and not how it was put.

Every answer is written down before it is looked at, with what it cost, and is not asked for twice.
Half of the wordings name the app and half do not, as MobiAgent has them
(https://github.com/IPADS-SAI/MobiAgent/tree/fd5aa72/collect). What comes back is checked.
"""

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from tapwright.actions import OpenApp
from tapwright.annotate.answer_book import AnswerBook, Answered
from tapwright.annotate.json_extraction import unwrap
from tapwright.episode import Episode
from tapwright.errors import UsageError, first_problem
from tapwright.language import language_of
from tapwright.messages import Message, Text
from tapwright.models.model import Model

__all__ = ["paraphrases", "read_paraphrases"]

_FILE: TypeAdapter[dict[str, list[str]]] = TypeAdapter(dict[str, list[str]])
_TRIES = 3
_NUMBER_OR_QUOTE = re.compile(r"\d+(?:[.:]\d+)*|[“「『\"]([^”」』\"]+)[”」』\"]")


async def paraphrases(
    model: Model, episode: Episode, count: int, book: AnswerBook
) -> list[str] | None:
    """Other wordings of an episode's task, `count` of them; None when no answer was good.

    A good one has as many different texts as were asked for, in the task's language, none of them
    the task itself, each with all numbers and quoted words of the task. What the `book` has is
    not asked again; three answers more are asked for at most.

    Raises:
        ModelError: the model could not be asked.
        DiskError: the answer could not be written down.
    """
    app = _app(episode)
    asked = _request(episode.instruction, app, count)
    turn = fresh = 0
    while fresh < _TRIES:
        # A model that always says the same is told that this is not the first time.
        again = f"\nYour answer number {turn} could not be used; keep to the form." if turn else ""
        key = hashlib.sha256(f"{model.name}\n{asked}{again}".encode()).hexdigest()
        answered = book.get(key)
        if answered is None:
            answered = await _ask(model, asked + again, key)
            book.add(answered)
            fresh += 1
        said = _read(answered.raw)
        if said is not None and _good(said, episode.instruction, count):
            return said
        turn += 1
    return None


async def _ask(model: Model, text: str, key: str) -> Answered:
    completion = await model.complete([Message("user", (Text(text),))])
    return Answered(
        key=key,
        first=0,
        last=0,
        model=model.name,
        raw=completion.text,
        input_tokens=completion.usage.input_tokens,
        output_tokens=completion.usage.output_tokens,
        seconds=round(completion.latency_s, 3),
        attempts=completion.attempts,
        finish=completion.finish,
        time=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )


def read_paraphrases(path: Path) -> dict[str, list[str]]:
    """A file of wordings: JSON {"task id": ["words", ...]}.

    Raises:
        UsageError: the file cannot be read, or is not one.
    """
    try:
        return _FILE.validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise UsageError(f"{path}: not a file of wordings: {first_problem(error)}") from error


def _request(instruction: str, app: str, count: int) -> str:
    language = "Chinese" if language_of(instruction) == "zh" else "English"
    named = f"the first {count - count // 2} name the app {app}, the others name no app"
    return (
        f"Somebody is asked to do this on a device: {instruction}\n\n"
        f"Say the same in {count} other ways, in {language}, as different people would put it; "
        f"{named if app else 'all are natural requests'}. What is wanted stays exactly the same: "
        "keep every name, number and quoted text as it is, add nothing, leave nothing out.\n"
        f"Answer with a JSON list of {count} strings and nothing else."
    )


def _app(episode: Episode) -> str:
    for step in episode.steps:
        if isinstance(step.decision.action, OpenApp):
            return step.decision.action.app
    return ""


def _read(raw: str) -> list[str] | None:
    for document in reversed(unwrap(raw, longest=20_000).documents):
        value = document.value
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            return [str(one).strip() for one in value]
    return None


def _good(said: Sequence[str], instruction: str, count: int) -> bool:
    folded = {"".join(one.split()).casefold() for one in (*said, instruction)}
    fixed = [found[1] or found[0] for found in _NUMBER_OR_QUOTE.finditer(instruction)]
    return (
        len(said) == count
        and len(folded) == count + 1
        and all(language_of(one) == language_of(instruction) for one in said)
        and all(part in one for one in said for part in fixed)
    )
