"""Conversations with a model that acts: messages with pictures, and what it decided on each.

Messages are OpenAI's (role, content, tool_calls), as trainers keep them. A step is what the model
said at once: its calls of tools (`tool_calls`), or else its words as a `convention` reads them, on
the last picture before. Pictures are parts of messages, or addresses of `data:` in the text that a
tool answered. Words without a call, of a model whose convention is not known, are its answer to the
user where it says nothing after them, and else a refused step.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pydantic import JsonValue, TypeAdapter, ValidationError

from tapwright.conventions import conventions
from tapwright.conventions.convention import Convention
from tapwright.core.actions import Action, Answer
from tapwright.core.episode import Decision, Step
from tapwright.core.observation import Observation
from tapwright.errors import first_problem
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.answers import split_answer
from tapwright.formats.importers.foreign_record import ForeignRecord, find_screen
from tapwright.formats.importers.keeping import DESKTOP, keep_steps, see_screens
from tapwright.formats.importers.tool_calls import CallReader

__all__ = [
    "Call", "Message", "Said", "build_play", "hear_answer", "listen", "pictures_in", "words_of",
]  # fmt: skip

_PICTURE = re.compile(r"data:image/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}", re.ASCII)


class Message(ForeignRecord):
    """One message; `content` is a text or parts, a call of a tool may be written as JSON."""

    UNUSED = frozenset(
        {"tool_call_id", "name", "provider_state", "thinking_blocks", "images", "refusal"}
    )

    role: str
    content: str | list[JsonValue] | None = None
    reasoning_content: str | None = None
    tool_calls: list[JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool; `fault` is why its arguments cannot be read."""

    name: str
    arguments: dict[str, JsonValue]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said at once on the picture that it saw last; "" for none.

    `between` are the pictures after each of its calls but the last; `reward` is in the task's own
    units.
    """

    picture: str
    calls: tuple[Call, ...] = ()
    words: str = ""
    reasoning: str = ""
    reward: float = 0.0
    refused: str = ""
    between: tuple[str, ...] = ()


def listen(messages: Iterable[Message]) -> tuple[list[Said], str]:
    """What a model said in a conversation, and the picture after the last of it; "" for none."""
    said: list[Said] = []
    picture = ""
    is_after = False
    for message in messages:
        if message.role == "assistant":
            said.append(hear_answer(message, picture))
            is_after = False
        elif found := pictures_in(message.content):
            picture, is_after = found[-1], True
    return said, picture if is_after and said else ""


def hear_answer(message: Message, picture: str) -> Said:
    """What a model said in a message after it had seen a picture."""
    calls = tuple(map(_read_call, message.tool_calls or []))
    return Said(picture, calls, words_of(message.content), message.reasoning_content or "")


def build_play(
    said: Sequence[Said], last: str, folder: Path, where: str, *, convention: str = ""
) -> tuple[tuple[Step, ...], Observation | None]:
    """The steps of a play, and the screen after it.

    Raises:
        ForeignDataError: nothing was said.
    """
    if not said:
        raise ForeignDataError(f"{where}: the model said nothing")
    looks = ((f"{where}, step {n}", partial(_look, folder, one)) for n, one in enumerate(said))
    reader, speech = CallReader(), _find_convention(convention)
    steps: list[Step] = []
    for number, (seen, one) in enumerate(zip(see_screens(looks, DESKTOP), said, strict=True)):
        is_last = number == len(said) - 1
        make = partial(_decide, one, reader, speech, folder, is_last=is_last)
        recorded: JsonValue = [[call.name, call.arguments] for call in one.calls] or one.words
        made = keep_steps(seen, make, recorded=recorded, reasoning=one.reasoning)
        steps += [replace(step, refused=step.refused or one.refused) for step in made]
    if not steps:
        raise ForeignDataError(f"{where}: its calls only look at the screen")
    return tuple(steps), find_screen([folder], last) if last else None


def words_of(content: str | Sequence[JsonValue] | None) -> str:
    """The words of a message, without its pictures."""
    if content is None or isinstance(content, str):
        return (content or "").strip()
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n".join(text.strip() for text in texts if isinstance(text, str)).strip()


def pictures_in(content: JsonValue | Sequence[JsonValue]) -> list[str]:
    """The pictures of a message in their order: addresses of `data:`, or what else it names."""
    match content:
        case str():
            return _PICTURE.findall(content)
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            return [url]
        case {"type": "image_url" | "input_image", "image_url": str(url)}:
            return [url]
        case {"type": "image", "image": str(name)}:
            return [name]
        case dict():
            return [one for value in content.values() for one in pictures_in(value)]
        case list():
            return [one for value in content for one in pictures_in(value)]
    return []


def _look(folder: Path, one: Said) -> Observation:
    if not one.picture:
        raise ForeignDataError("no picture was recorded before it")
    return find_screen([folder], one.picture)


def _find_convention(name: str) -> Convention | None:
    return conventions.get(name) if name and name in conventions.names() else None


def _decide(
    one: Said,
    reader: CallReader,
    speech: Convention | None,
    folder: Path,
    screen: Observation,
    *,
    is_last: bool,
) -> list[Step]:
    """The step of what was said on a screen; none for calls that only look."""
    if not one.calls and speech is not None:
        decision = speech.parse(one.words, screen.size)
        return [Step(screen, decision, reward=one.reward)]
    if not one.calls:
        if not is_last or not one.words:
            raise ForeignDataError("it calls no tool, and no convention of its words is known")
        return [Step(screen, Decision(Answer(text=one.words)), reward=one.reward)]
    actions: list[Action] = []
    for call in one.calls:
        if call.fault:
            raise ForeignDataError(call.fault)
        actions += reader.read(call.name, call.arguments, screen.size)
    if not actions:
        return []
    reasoning = one.reasoning or split_answer(one.words).thought or one.words
    known = len(one.between) == len(actions) - 1 and all(one.between)
    between = tuple(find_screen([folder], name) for name in one.between) if known else ()
    return [Step(screen, Decision(actions, reasoning), reward=one.reward, between=between)]


class _Function(ForeignRecord):
    name: str
    arguments: str | dict[str, JsonValue] | None = None


_FUNCTION, _ARGUMENTS = TypeAdapter(_Function), TypeAdapter(dict[str, JsonValue])


def _read_call(told: JsonValue) -> Call:
    """A call in one of the forms that it is kept in; a text is JSON again."""
    try:
        value = json.loads(told) if isinstance(told, str) else told
        inner = value.get("function") if isinstance(value, dict) else None
        found = _FUNCTION.validate_python(inner if isinstance(inner, dict) else value)
        given = found.arguments or {}
        return Call(
            found.name, _ARGUMENTS.validate_json(given) if isinstance(given, str) else given
        )
    except ValidationError as error:
        return Call("", {}, f"a call of a tool cannot be read: {first_problem(error)}")
    except (ValueError, RecursionError) as error:
        return Call("", {}, f"a call of a tool is no JSON: {error}")
