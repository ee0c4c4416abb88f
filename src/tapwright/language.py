"""The two languages that tapwright speaks, and which of them a text is in."""

from typing import Literal, TypeAlias

__all__ = ["Language", "language_of"]

Language: TypeAlias = Literal["en", "zh"]


def language_of(text: str) -> Language:
    """Chinese when a fifth or more of its letters are; English also when it has none."""
    letters = [char for char in text if char.isalpha()]
    chinese = sum("\u4e00" <= char <= "\u9fff" for char in letters)
    return "zh" if letters and chinese * 5 >= len(letters) else "en"
