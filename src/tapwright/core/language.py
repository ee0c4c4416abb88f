"""The two languages that tapwright speaks, and which of them a text is in."""

import re
from typing import Literal, TypeAlias

__all__ = ["Language", "counted", "language_of"]

Language: TypeAlias = Literal["en", "zh"]

_CHINESE = re.compile("[\u4e00-\u9fff]+")


def counted(count: int, noun: str) -> str:
    """A count and its noun, in English: "1 step", "2 steps"."""
    return f"{count} {noun}{'s' * (count != 1)}"


def language_of(text: str) -> Language:
    """Chinese when a fifth or more of its letters are; English also when it has none."""
    letters = "".join(filter(str.isalpha, text))
    chinese = len(letters) - len(_CHINESE.sub("", letters))
    return "zh" if letters and chinese * 5 >= len(letters) else "en"
