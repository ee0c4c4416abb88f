"""Paraphrases of a task by a model, so that training does not depend on one wording.

Every answer is written down before it is looked at, with what it cost, and is not requested twice.
Half of the wordings name the app and half do not, as MobiAgent has them
(https://github.com/IPADS-SAI/MobiAgent/tree/fd5aa72/collect). What comes back is checked.
"""

import hashlib
import re
from collections.abc import Sequence

from tapwright.annotate.answer_book import AnswerBook
from tapwright.annotate.json_extraction import extract_json
from tapwright.core.actions import OpenApp
from tapwright.core.episode import Episode
from tapwright.core.language import language_of
from tapwright.core.messages import Message, Text
from tapwright.models.model import Model

__all__ = ["ask_paraphrases"]

_TRIES = 3
_NUMBER_OR_QUOTE = re.compile(r"\d+(?:[.:]\d+)*|[“「『\"]([^”」』\"]+)[”」』\"]")


async def ask_paraphrases(
    model: Model, episode: Episode, count: int, book: AnswerBook
) -> list[str] | None:
    """Asks for `count` other wordings of an episode's task; None if no answer was good.

    A good one has as many different texts as were requested, in the task's language, none of them
    the task itself, each with all numbers and quoted words of the task. What the `book` has is
    not requested again; at most three more answers are requested.

    Raises:
        ModelError: a request failed.
        DiskError: the answer could not be written down.
    """
    app = _app(episode)
    request = _request(episode.instruction, app, count)
    turn = fresh = 0
    while fresh < _TRIES:
        # Another prompt for each try, so that a model does not repeat its answer.
        again = f"\nYour answer number {turn} could not be used; keep to the form." if turn else ""
        key = hashlib.sha256(f"{model.name}\n{request}{again}".encode()).hexdigest()
        answered = book.get(key)
        if answered is None:
            answered = await book.ask(model, [Message("user", (Text(request + again),))], key)
            fresh += 1
        wordings = _read(answered.raw)
        if wordings is not None and _good(wordings, episode.instruction, count):
            return wordings
        turn += 1
    return None


def _request(instruction: str, app: str, count: int) -> str:
    language = "Chinese" if language_of(instruction) == "zh" else "English"
    named = f"the first {count - count // 2} name the app {app}, the others name no app"
    return (
        f"Somebody is request to do this on a device: {instruction}\n\n"
        f"Say the same in {count} other ways, in {language}, as different people would put it; "
        f"{named if app else 'all are natural requests'}. What is wanted stays exactly the same: "
        "keep every name, number and quoted text as it is, add nothing, leave nothing out.\n"
        f"Answer with a JSON list of {count} strings and nothing else."
    )


def _app(episode: Episode) -> str:
    for step in episode.steps:
        for action in step.decision.actions:
            if isinstance(action, OpenApp):
                return action.app
    return ""


def _read(raw: str) -> list[str] | None:
    for document in reversed(extract_json(raw, longest=20_000).documents):
        value = document.value
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            return [str(one).strip() for one in value]
    return None


def _good(wordings: Sequence[str], instruction: str, count: int) -> bool:
    folded = {"".join(one.split()).casefold() for one in (*wordings, instruction)}
    fixed = [found[1] or found[0] for found in _NUMBER_OR_QUOTE.finditer(instruction)]
    return (
        len(wordings) == count
        and len(folded) == count + 1
        and all(language_of(one) == language_of(instruction) for one in wordings)
        and all(part in one for one in wordings for part in fixed)
    )
