"""Whether a log event can ever happen on a device whose apps' messages are known.

A message has "…" for what varies. In quotes that is a text, of which no more is known than what the
task and the device say: a word of a pattern that is none of theirs has to stand in the message
itself. Elsewhere, as in `…_changed enabled=…`, it may be any word.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, TypeAlias

from tapwright.tasks.patterns import parse_pattern

__all__ = ["can_match"]

_Token: TypeAlias = str
"""A character, or one of the three below."""
_ONE, _ANY, _TEXT = "one", "any", "text"

_WORD = re.compile(r"[^\W\d]{2,}")
_CHOICE = re.compile(r"(?P<head>[^\s=\"|]*_)?(?P<one>[^\s=\"|]*)\|(?P<other>[^\s=\"|]*)")
_MOST_WAYS, _MOST_COPIES, _MOST_TOKENS = 64, 20, 400


def can_match(pattern: str, messages: Iterable[str], said: str) -> bool:
    """Whether a regular expression can match one of the messages, if values hold what is `said`.

    `said` is text in lower case. A pattern that is too long, or chooses among too many ways, can.
    """
    try:
        parsed = parse_pattern(pattern)
    except (re.error, OverflowError, RecursionError):  # told by the event itself
        return True
    ways = _ways(parsed)
    known = [_tokens(written) for one in messages for written in _written(one)]
    if parsed.state.flags & re.IGNORECASE:
        ways, known = ([[token.lower() for token in one] for one in all_] for all_ in (ways, known))
    if len(ways) > _MOST_WAYS or any(len(way) > _MOST_TOKENS for way in ways):
        return True
    return any(_fits(way, one, said) for way in ways for one in known)


def _written(message: str) -> Iterator[str]:
    """A message with each side of its `timer_paused|started`, whose sides may share their head."""
    yield _CHOICE.sub(r"\g<head>\g<one>", message)
    if "|" in message:
        yield _CHOICE.sub(r"\g<other>", message)
        yield _CHOICE.sub(r"\g<head>\g<other>", message)


def _tokens(message: str) -> list[_Token]:
    tokens: list[_Token] = []
    for char in message:
        is_quoted = tokens[-1:] == ['"']
        tokens.append(char if char != "…" else _TEXT if is_quoted else _ANY)
    return tokens


def _ways(parsed: Iterable[Any]) -> list[list[_Token]]:
    """What a pattern may match, as tokens; each choice in it is a way of its own."""
    ways: list[list[_Token]] = [[]]
    for kind, value in parsed:
        ways = [before + after for before in ways for after in _part(kind, value)]
        if len(ways) > _MOST_WAYS:
            break
    return ways


def _part(kind: Any, value: Any) -> list[list[_Token]]:
    match str(kind):
        case "LITERAL":
            return [[chr(value)]]
        case "NOT_LITERAL" | "ANY" | "IN":
            return [[_ONE]]
        case "AT":
            return [[]]
        case "SUBPATTERN":
            return _ways(value[-1])
        case "BRANCH":
            return [way for one in value[1] for way in _ways(one)]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, body = value
            rest = [_ANY] if most > least else []
            return [way * min(least, _MOST_COPIES) + rest for way in _ways(body)]
        case _:  # lookarounds and references, of which nothing is known
            return [[_ANY]]


def _fits(way: Sequence[_Token], message: Sequence[_Token], said: str) -> bool:
    """Whether a way can match somewhere in a message."""
    free = _free(way, said)

    @cache
    def fits(at: int, place: int) -> bool:
        if at == len(way):
            return True
        token = way[at]
        if token == _ANY and fits(at + 1, place):
            return True
        if place == len(message):
            return False
        shown = message[place]
        if token == _ANY:
            return fits(at, place + 1)
        if shown in (_ANY, _TEXT):
            may_stand = free[at] if shown == _TEXT else token not in (" ", '"', "=")
            return fits(at, place + 1) or (may_stand and fits(at + 1, place))
        return token in (_ONE, shown) and fits(at + 1, place + 1)

    return any(fits(0, place) for place in range(len(message)))


def _free(way: Sequence[_Token], said: str) -> list[bool]:
    """Which tokens may stand in a value: all but the letters of words that nobody says."""
    text = "".join(token if len(token) == 1 else " " for token in way)
    free = [True] * len(way)
    for word in _WORD.finditer(text):
        if not re.search(rf"(?<![a-z_]){re.escape(word[0].lower())}(?![a-z_])", said):
            free[word.start() : word.end()] = [False] * len(word[0])
    return free
