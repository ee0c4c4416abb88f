"""The letter that an answer to a multiple-choice question commits itself to.

Every letter that stands alone is weighed by the words around it: a commitment ("the answer is B",
"选B"), a rejection ("not A", "B is wrong"), the head of the answer, or a mere mention. The last
commitment counts. What is undecided stays undecided.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tapwright.benchmarks import option_patterns
from tapwright.benchmarks.answer_text import answer_text, read_json_values

__all__ = ["Reading", "read_option"]

Reading: TypeAlias = tuple[tuple[str, ...], str, tuple[int, int] | None]
"""The letters that an answer asserts (none, one, or several), what kind it is, and its span."""

_Role: TypeAlias = Literal["commits", "rejects", "mentions"]

_KEYS = frozenset(
    [
        "answer", "choice", "option", "final_answer", "letter", "selected", "selection", "result",
        "selected_option", "correct_option", "correct_answer", "prediction", "response",
        "答案", "选项",
    ]
)  # fmt: skip
_BOXED = re.compile(r"\\boxed\{\s{0,8}(?:\\text\{)?([^{}]{1,200})")
_CALL = re.compile(
    r"\b\w{0,20}(?:answer|submit|select|choose|finish|final|respond)\w{0,20}"
    r"\(\s{0,8}(?:\w{1,20}\s{0,4}=\s{0,4})?[\"']([^\"'\n]{1,200})[\"']\s{0,8}\)",
    re.IGNORECASE,
)
_MARKUP = re.compile(
    r"</?(?:[a-z]|[a-zA-Z][a-zA-Z0-9]{1,12})(?:\s[^<>\n]{0,80})?>|[*_`#$~]|\\[()\[\]]|\\text|[{}]"
)
_ALONE = re.compile(
    r"[\s\"'(\[<{-]*(?:(?:final\s)?(?:answer|option|choice)\s*[:=-]?\s*)?"
    r"[\"'(\[<]*([A-Za-z])[\s\"')\]>.,:;!。，-]*",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"(?<![A-Za-z0-9&\\.@+-])(?<![A-Za-z0-9]')(?<![A-Za-z0-9]{2}/)([A-Z])"
    r"(?![A-Za-z0-9&\\@+]|'[a-z]|-[a-z]|-[A-Z](?![A-Za-z])|\.[A-Za-z0-9]|/[A-Za-z0-9]{2})"
)
_AROUND = 80
_LONGEST = 40_000
_MOST_LETTERS = 300


@dataclass(frozen=True, slots=True)
class _LetterMention:
    letter: str
    start: int
    end: int
    role: _Role


def read_option(text: str, options: Mapping[str, str] | None, count: int) -> Reading:
    """The letters that an answer asserts, of `count` options whose texts may be known.

    Of an answer of more than 40,000 characters the last ones are read, of more than 300 letters
    the first and the last ones.
    """
    short = _ALONE.fullmatch(text) if len(text) < _AROUND else None
    if short is not None:
        return (short[1].upper(),), "bare", short.span(1)
    answer = answer_text(text[-_LONGEST:])
    for value in read_json_values(answer, _KEYS)[-1:]:
        if isinstance(value, str):
            letters, _, span = _read(value, options, count)
            return letters, "structured", span
    for sign, pattern, kind in (("\\boxed", _BOXED, "boxed"), ("(", _CALL, "call")):
        inner = list(pattern.finditer(answer)) if sign in answer else []
        if inner:
            letters, _, _ = _read(inner[-1][1], options, count)
            if letters:
                return letters, kind, inner[-1].span(1)
    return _read(answer, options, count)


def _read(answer: str, options: Mapping[str, str] | None, count: int) -> Reading:
    if _MARKUP.search(answer):
        answer = _MARKUP.sub(lambda found: " " * len(found[0]), answer)
    alone = _ALONE.fullmatch(answer) if len(answer) < 200 else None
    if alone is not None:
        return (alone[1].upper(),), "bare", alone.span(1)
    seen = _find_letters(answer, count)
    commits = [one for one in seen if one.role == "commits"]
    lines = [one for one in seen if _is_own_line(answer, one)]
    if lines and (not commits or lines[-1].start > commits[-1].start):
        return _build_reading(answer, lines, "line")
    lower = list(option_patterns.LOWER_CASE.finditer(answer))
    if lower and (not commits or lower[-1].start(1) > commits[-1].start):
        return (lower[-1][1].upper(),), "stated", lower[-1].span(1)
    if commits:
        return _build_reading(answer, commits, "stated")
    if _is_undecided(answer, options):
        return (), "refusal", None
    heads = _read_head(answer, seen, options)
    if heads is not None:
        return heads
    if seen and seen[-1].role == "mentions" and _is_tail(answer, seen[-1]):
        return _build_reading(answer, seen, "tail")
    named = _match_text(answer, options)
    if named:
        return named, "option text", None
    left = list(dict.fromkeys(one.letter for one in seen if one.role == "mentions"))
    if left and (len(left) > 1 or len(answer) <= _AROUND or _ends_with(answer, seen)):
        return tuple(left), "mention", None
    return (), "none", None


def _find_letters(answer: str, count: int) -> list[_LetterMention]:
    seen: list[_LetterMention] = []
    letters = list(_LETTER.finditer(answer))
    if len(letters) > _MOST_LETTERS:
        letters = [letters[0], *letters[-_MOST_LETTERS:]]
    for found in letters:
        letter, (start, end) = found[1], found.span(1)
        before = answer[max(start - _AROUND, 0) : start]
        after = answer[end : end + _AROUND]
        if _is_word(letter, before, after, count):
            continue
        joined = seen and option_patterns.JOINS.fullmatch(answer, seen[-1].end, start) is not None
        role: _Role
        if option_patterns.REJECTS_AFTER.match(after) or option_patterns.REJECTS_BEFORE.search(
            before
        ):
            role = "rejects"
        elif joined and seen[-1].role != "mentions":
            role = seen[-1].role
        elif option_patterns.COMMITS_AFTER.match(after) or (
            option_patterns.COMMITS_BEFORE.search(before) and not joined
        ):
            role = "commits"
        else:
            role = "mentions"
        if joined and role != seen[-1].role and " not " not in answer[seen[-1].end : start]:
            _spread_role(answer, seen, role)
        seen.append(_LetterMention(letter, start, end, role))
    return seen


def _spread_role(answer: str, seen: list[_LetterMention], role: _Role) -> None:
    """Words behind the last of several letters ("A and B are wrong") hold for them all."""
    for at in reversed(range(len(seen))):
        seen[at] = replace(seen[at], role=role)
        if (
            at == 0
            or option_patterns.JOINS.fullmatch(answer, seen[at - 1].end, seen[at].start) is None
        ):
            return


def _is_word(letter: str, before: str, after: str, count: int) -> bool:
    """Whether a capital is no option: the article, the pronoun, a drive, a vitamin."""
    if option_patterns.NOT_OPTIONS.search(before) or option_patterns.PATH_AFTER.match(after):
        return True
    if letter == "I" and count < 9:
        return True
    return (
        letter == "A"
        and re.match(r"\s{1,4}[a-z]", after) is not None
        and not option_patterns.VERB_AFTER.match(after)
    )


def _build_reading(answer: str, found: list[_LetterMention], kind: str) -> Reading:
    """The last of the letters, with those that are joined to it by "and", "or", a comma."""
    group = [found[-1]]
    for one in reversed(found[:-1]):
        between = answer[one.end : group[0].start]
        if option_patterns.JOINS.fullmatch(between) is None and not (
            kind == "line" and between.isspace()
        ):
            break
        group.insert(0, one)
    letters = tuple(dict.fromkeys(one.letter for one in group))
    return letters, kind, (group[0].start, group[-1].end)


def _is_own_line(answer: str, one: _LetterMention) -> bool:
    begin = answer.rfind("\n", max(one.start - _AROUND, 0), one.start) + 1
    if begin == 0 and one.start > _AROUND:
        return False
    end = answer.find("\n", one.end, one.end + _AROUND)
    line = answer[begin : end if end >= 0 else one.end + _AROUND]
    return (
        "\n" in answer and re.fullmatch(r"[\s\"'(\[<>-]*[A-Z][\s\"')\]>.,:;!。]*", line) is not None
    )


def _read_head(
    answer: str, seen: list[_LetterMention], options: Mapping[str, str] | None
) -> Reading | None:
    """The letter that an answer begins with, unless it goes on to repeat the options."""
    lead = re.match(r"[\s\"'(\[<>-]{0,20}", answer)
    first = seen[0] if seen and lead is not None and seen[0].start == lead.end() else None
    if first is None or first.role == "rejects":
        return None
    after = answer[first.end : first.end + _AROUND]
    if not re.match(r"[\"')\]]{0,2}\s{0,4}(?:[.):,;\-–—!]|\n|$)", after):
        texts = options or {}
        text = texts.get(first.letter, "")
        if not text or not after.strip().lower().startswith(text.lower()[:40]):
            joined = len(seen) > 1 and option_patterns.JOINS.fullmatch(
                answer, first.end, seen[1].start
            )
            return _build_reading(answer, seen[:2], "head") if joined else None
    starts = [one for one in seen if _begins_line(answer, one)]
    if len({one.letter for one in starts}) > 1:
        return None  # the options, repeated
    joined = len(seen) > 1 and option_patterns.JOINS.fullmatch(answer, first.end, seen[1].start)
    if joined:
        return _build_reading(answer, seen[:2], "head")
    return (first.letter,), "head", (first.start, first.end)


def _begins_line(answer: str, one: _LetterMention) -> bool:
    begin = answer.rfind("\n", max(one.start - 20, 0), one.start)
    if begin < 0 and one.start > 20:
        return False
    return (
        not answer[begin + 1 : one.start].strip(" \t\"'([<>-")
        and answer[one.end : one.end + 1] in ".):,-"
    )


def _is_tail(answer: str, one: _LetterMention) -> bool:
    """Whether a letter is a sentence of its own at the very end."""
    before = answer[max(one.start - 8, 0) : one.start].rstrip(" \t\"'([")
    return _ends_with(answer, [one]) and before.endswith((".", "!", "?", ":", "。", "\n"))


def _ends_with(answer: str, seen: list[_LetterMention]) -> bool:
    return not answer[seen[-1].end :].strip(" \t\r\n\"')]}>.,:;!。")


def _is_undecided(answer: str, options: Mapping[str, str] | None) -> bool:
    """Whether no option is chosen, in words that are not an option's own ("None of the above")."""
    for option in (options or {}).values():
        if option_patterns.UNDECIDED.search(option):
            answer = re.sub(re.escape(option), " ", answer, flags=re.IGNORECASE)
    return option_patterns.UNDECIDED.search(answer) is not None


def _match_text(answer: str, options: Mapping[str, str] | None) -> tuple[str, ...]:
    """The letters of the options whose text is in the answer, without those inside of another's."""
    folded = f" {_fold(answer)} "
    found = [
        (letter, text)
        for letter, text in ((one, _fold(option)) for one, option in (options or {}).items())
        if text and f" {text} " in folded.replace(f" not {text} ", " ")
    ]
    return tuple(
        letter
        for letter, text in found
        if not any(text != other and f" {text} " in f" {other} " for _, other in found)
    )


def _fold(text: str) -> str:
    return " ".join(re.findall(r"[\w%]+", text.lower().replace("&", " and ")))
