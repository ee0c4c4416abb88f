"""Two taps at one place in one line are a double tap: only then `input` is quick enough."""

from collections.abc import Sequence

from tapwright_adb_simulator.grammar import Pipeline, ShellWord, SimpleCommand, WordPart

__all__ = ["merge_taps"]

_APART_S = 0.3
"""Within this time, in seconds, two taps count as one gesture."""


def merge_taps(pipelines: Sequence[Pipeline]) -> list[Pipeline]:
    """The line with each two such taps, and a `sleep` between, as one `input double-tap`."""
    merged: list[Pipeline] = []
    rest = list(pipelines)
    while rest:
        first = rest.pop(0)
        length = 1 if _pause_s(rest[:1]) <= _APART_S else 0
        if _is_tap(first) and rest[length : length + 1] and _same(first, rest[length]):
            del rest[: length + 1]
            name, _, *place = first.commands[0].words
            words: tuple[ShellWord, ...] = (name, (WordPart("double-tap"),), *place)
            first = Pipeline(first.after, (SimpleCommand(words),), first.negated)
        merged.append(first)
    return merged


def _texts(pipeline: Pipeline) -> list[str]:
    """The words of a lone plain command, else nothing."""
    if len(pipeline.commands) != 1 or pipeline.commands[0].redirects:
        return []
    words = pipeline.commands[0].words
    if any(piece.variable for word in words for piece in word):
        return []
    return ["".join(piece.text for piece in word) for word in words]


def _is_tap(pipeline: Pipeline) -> bool:
    return _texts(pipeline)[:2] == ["input", "tap"]


def _same(one: Pipeline, other: Pipeline) -> bool:
    return other.after != "||" and _texts(one) == _texts(other)


def _pause_s(pipelines: Sequence[Pipeline]) -> float:
    texts = _texts(pipelines[0]) if pipelines else []
    try:
        return float(texts[1]) if texts[:1] == ["sleep"] and len(texts) == 2 else float("inf")
    except ValueError:
        return float("inf")
