"""Compares an instruction with the texts of a screen, by words; no model, no network."""

import re
from collections.abc import Iterable

_OPTION = re.compile(r"([A-Z])\. (.*)", re.ASCII)
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_QUOTED = re.compile(
    r"\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”|「([^」\n]{1,200})」|'([^'\n]{2,200})'(?!\w)"
)
_CALLED = re.compile(
    r"\b(?:called|named|titled|saying|that says|with the text|name it|内容为|名为|叫做|标题为)"
    r"[:：]? ?"
    r"([^\s,.;，。；][^,.;，。；\n]{0,80})",
    re.IGNORECASE,
)
_DOUBLED = re.compile(r"(.{2,}?)(?: \1)+")
_FILLER = (
    "a an and app application are as at be by can do element for from go i in into is it its my "
    "now of on open or please screen so that the then there this to touch touched up use user "
    "want what where which with you your off turn switch set next find show tap click press "
    "place text item button field make new"
)
_STOP = frozenset(_FILLER.split())
_STOP_HAN = frozenset(
    ("请你", "打开", "应用", "把它", "一个", "中的", "里的", "这个", "屏幕", "元素", "关闭")
)


def tokens(text: str) -> frozenset[str]:
    """Its words: English ones in lower case without a plural s, Chinese ones as pairs of letters.

    Words without content are left out.
    """
    plain = _CAMEL.sub(" ", text).replace("_", " ").lower()
    words = {_singular(word) for word in _ASCII_WORD.findall(plain) if word not in _STOP}
    for run in _HAN.findall(plain):
        pairs = {run[i : i + 2] for i in range(len(run) - 1)} or {run}
        words |= pairs - _STOP_HAN
    return frozenset(words)


def find_quoted(text: str) -> list[str]:
    """What stands in quotation marks or after words like "called", in order, each once."""
    found = [next(part for part in groups if part) for groups in _QUOTED.findall(text)]
    if not found:
        found = [match.strip() for match in _CALLED.findall(text)]
    return list(dict.fromkeys(found))


def match_score(wanted: frozenset[str], parts: Iterable[str]) -> float:
    """How well some text matches the wanted words, 0 to 1: shared words, and few others."""
    found: set[str] = set()
    for part in parts:
        found |= tokens(part)
    shared = len(found & wanted)
    return 0.6 * shared / len(wanted) + 0.4 * shared / len(found) if shared else 0.0


def collapse_repetition(label: str) -> str:
    """A label without its repetition, as a row has it that repeats its text."""
    doubled = _DOUBLED.fullmatch(label)
    return doubled[1] if doubled is not None else label


def read_options(instruction: str) -> dict[str, str]:
    """The options of a multiple-choice question by letter; empty when there are none.

    They are the lines `A. text` after a line `Options:`.
    """
    _, found, rest = f"\n{instruction}".partition("\nOptions:\n")
    if not found:
        return {}
    lines = (_OPTION.fullmatch(line) for line in rest.split("\n"))
    return {line[1]: line[2] for line in lines if line is not None}


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
