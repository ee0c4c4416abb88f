"""Parses answers of models: marks, objects, numbers, places; refuses the rest.

One rule for every convention. Drafts come first, so of several marks or objects the last that can
be read counts. An object that is no JSON is read in Python's notation, as models mix the two. One
answer is one decision: where the grammar gives a list of actions (a block of code, a batch), they
are its actions, up to a limit. Only the last `MAX_READ` characters are looked at, and the time is
linear in them, whatever a model repeats.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from tapwright.conventions.convention import Space, to_point
from tapwright.conventions.literals import NUMBER, Literals, parse_integer
from tapwright.conventions.thoughts import split_thoughts
from tapwright.core.actions import Action
from tapwright.core.episode import MAX_ACTIONS, Decision
from tapwright.core.geometry import Point, Size
from tapwright.errors import BadAnswerError, OffScreenError, first_problem

__all__ = [
    "MAX_READ", "SURROGATE", "JsonObject", "bad_answer", "build_action", "decode_json", "find_runs",
    "make_decision", "read_answer", "read_last_object", "read_number", "read_place", "read_text",
    "reasoning_before", "shorten", "split_at_last",
]  # fmt: skip

JsonObject: TypeAlias = dict[str, JsonValue]
A = TypeVar("A", bound=BaseModel)

MAX_READ = 65_536
"""How many characters of an answer are read, counted from its end: about 16,000 words."""

SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character that lies beyond the first 65,536, as broken emoji are."""

_MAX_FAILED = 1_000
_MAX_TRIED = 50
_MAX_LITERALS = 5_000
_DECODER = json.JSONDecoder(strict=False, parse_int=parse_integer)
_OBJECT = re.compile(r"(?=\{\s*+[\"'])")
_BETWEEN_CALLS = re.compile(r"\s++|</?tool_call>")
_OPENINGS = ("<tool_call>", "```json", "```")
_NUMBER = r"([-+]?+[\d.]++(?:[eE][-+]?+\d++)?+)"
_PAIR = re.compile(rf"[\s\[(]*+{_NUMBER}[\s,]++{_NUMBER}(?:[\s,]++{_NUMBER}[\s,]++{_NUMBER})?")
_TAG = re.compile(r"<\|?/?(?:box_start|box_end|point|bbox)\|?>|[\"'，]")


def bad_answer(problem: str) -> BadAnswerError:
    """An error for `problem`; what it quotes from the answer passes no half characters on."""
    return BadAnswerError(problem.encode("utf-8", "backslashreplace").decode())


def read_answer(text: str) -> tuple[str, str]:
    """The thoughts of an answer, and the part behind them, which alone is read.

    Raises:
        BadAnswerError: its thoughts do not end, so whatever stands in them is a draft.
    """
    thoughts, answer = split_thoughts(text)
    if answer is None:
        raise bad_answer("the thoughts do not end, so there is no answer behind them")
    return thoughts[-MAX_READ:], answer[-MAX_READ:]


def reasoning_before(before: str) -> str:
    """The reason in what stands before an action, without what opens the action.

    That is the space, a fence or a tag, and the part of an object that the action is in.
    """
    for opening in _OPENINGS:
        kept, found, rest = before.rpartition(opening)
        if found and (not rest.strip() or rest.lstrip()[0] in "{["):
            before = kept
    return before.strip()


def split_at_last(text: str, mark: re.Pattern[str]) -> tuple[str, str]:
    """What stands before the last `mark` and what stands after it; all and "" without one."""
    spans = [found.span() for found in mark.finditer(text)]
    return (text[: spans[-1][0]], text[spans[-1][1] :]) if spans else (text, "")


def make_decision(
    actions: Action | Sequence[Action], reasoning: str = "", target: str = ""
) -> Decision:
    """A decision with the fields that were read.

    Raises:
        BadAnswerError: its words cannot be written down, as half an emoji cannot, or it has no
            action or too many.
    """
    several = actions if isinstance(actions, Sequence) else (actions,)
    if not 0 < len(several) <= MAX_ACTIONS:
        raise bad_answer(f"{len(several)} actions in one answer; expected 1 to {MAX_ACTIONS}")
    words: list[object] = [reasoning, target]
    for action in several:
        words += vars(action).values()
    for value in words:
        for word in value if isinstance(value, tuple) else (value,):
            if isinstance(word, str) and SURROGATE.search(word):
                raise bad_answer("its words hold half a character, such as half an emoji")
    return Decision(several, reasoning, target)


def build_action(kind: type[A], /, **fields: object) -> A:
    """An action of `kind`.

    Raises:
        BadAnswerError: a field is missing, or out of its range.
    """
    try:
        return kind(**fields)
    except ValidationError as error:
        raise bad_answer(f"{kind.__name__} {first_problem(error)}") from error


def find_objects(
    text: str, start: re.Pattern[str] = _OBJECT
) -> Iterator[tuple[JsonObject, int, int]]:
    """Every object in `text` that is not inside another one, in order: its `start`, and its end.

    An object that is torn is looked into, as a new one may begin in it. Starts that fail may
    together cost no more than a few readings of the text.
    """
    literals = Literals(text, _MAX_LITERALS)
    failed = spent = 0
    found = start.search(text)
    while found is not None and failed < _MAX_FAILED and spent <= 4 * len(text):
        begin, end = found.end(), found.end() + 1
        value: JsonValue = None
        try:
            value, end = _DECODER.raw_decode(text, begin)
        except json.JSONDecodeError as error:
            failed += 1
            spent += error.pos - begin
            value, end = literals.value(begin) or (None, end)
        except RecursionError:
            return
        if isinstance(value, dict):
            yield value, found.start(), end
        found = start.search(text, end)


def read_last_object(
    text: str, read: Callable[[JsonObject, str], Decision], start: re.Pattern[str] = _OBJECT
) -> Decision:
    """The decision of the last object that `read` takes, which is given what stands before it.

    An object begins where a `start` ends, and what stands before it ends where the `start` begins.

    Raises:
        BadAnswerError: there is none; the message names what was wrong with the last one.
    """
    problem: BadAnswerError | None = None
    for value, begin, _ in list(find_objects(text, start))[: -_MAX_TRIED - 1 : -1]:
        try:
            return read(value, text[:begin])
        except BadAnswerError as error:
            problem = problem or error
    raise problem or bad_answer("no JSON object in the answer")


def find_runs(text: str) -> list[tuple[list[JsonObject], str]]:
    """The objects of an answer in runs, last first, and what stands before each run.

    In a run nothing but blanks and the tags of calls stands between one object and the next.
    """
    runs: list[tuple[list[JsonObject], str]] = []
    last = 0
    for value, begin, end in find_objects(text):
        if runs and not _BETWEEN_CALLS.sub("", text[last:begin]):
            runs[-1][0].append(value)
        else:
            runs.append(([value], text[:begin]))
        last = end
    return runs[: -_MAX_TRIED - 1 : -1]


def decode_json(value: JsonValue, name: str) -> JsonValue:
    """The value itself, or its content where it is JSON in a string.

    Servers that split tool calls off hand their arguments on so.

    Raises:
        BadAnswerError: it is a string that is no JSON.
    """
    if not isinstance(value, str):
        return value
    try:
        made: JsonValue = _DECODER.decode(value)
    except (json.JSONDecodeError, RecursionError) as error:
        raise bad_answer(f"{name} are {shorten(value)}, a string that is no JSON") from error
    return made


def read_number(value: JsonValue, name: str) -> float:
    """A number, or a string that is one.

    Raises:
        BadAnswerError: it is neither.
    """
    if isinstance(value, str) and NUMBER.fullmatch(value.strip()):
        return float(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise bad_answer(f"{name} is {shorten(value)}; expected a number")


def read_text(value: JsonValue, name: str) -> str:
    """A string.

    Raises:
        BadAnswerError: it is none.
    """
    if not isinstance(value, str):
        raise bad_answer(f"{name} is {shorten(value)}; expected a string")
    return value


def read_place(value: JsonValue, name: str, size: Size, space: Space) -> Point:
    """The place that two numbers mean on a picture of `size`, or the middle of a box of four.

    They may stand in a list, in a list in a list, or in a string with brackets, tags or
    quotation marks around them.

    Raises:
        BadAnswerError: it is no such thing, or off the screen.
    """
    numbers = _read_numbers(value)
    if numbers is None:
        raise bad_answer(f"{name} is {shorten(value)}; expected two numbers, x and y")
    x = numbers[0] if len(numbers) == 2 else (numbers[0] + numbers[2]) / 2
    y = numbers[1] if len(numbers) == 2 else (numbers[1] + numbers[3]) / 2
    try:
        return to_point(x, y, size, space)
    except OffScreenError as error:
        raise bad_answer(f"{name}: {error}") from error


def shorten(value: JsonValue) -> str:
    """A value for a message; what is inside lists and objects may be too deep to be written."""
    match value:
        case None:
            return "missing"
        case dict():
            return "an object"
        case list():
            plain = len(value) <= 4 and not any(isinstance(item, dict | list) for item in value)
            return f"[{', '.join(shorten(item) for item in value)}]" if plain else "a list"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _read_numbers(value: JsonValue) -> tuple[float, ...] | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, list):
        if len(value) not in (2, 4):
            return None
        try:
            return tuple(read_number(one, "a number") for one in value)
        except BadAnswerError:
            return None
    if isinstance(value, str) and len(value) <= 200:
        found = _PAIR.match(_TAG.sub(" ", value))
        if found is not None and not found.string[found.end() :].strip(" \t\n,)]"):
            try:
                return tuple(float(one) for one in found.groups() if one is not None)
            except ValueError:
                return None
    return None
