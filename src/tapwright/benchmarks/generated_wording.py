"""The sentences of self-made benchmarks, in English and Chinese."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tapwright.benchmarks.elements import Element
from tapwright.core.language import Language
from tapwright.core.observation import UiRole
from tapwright.files.packaged import read_table


@dataclass(frozen=True, slots=True)
class Purpose:
    """The purpose of a control, a row of `generated_wording.toml`."""

    names: frozenset[str]
    signs: tuple[str, ...]
    english: str
    chinese: str
    elsewhere: bool = False

    def wording(self, language: Language) -> str:
        """In words that do not name the control."""
        return pick_wording(language, self.english, self.chinese)

    def may_serve(self, words: str) -> bool:
        """Whether a control with the text `words` could be for this."""
        return _any_of(self.signs).search(words.casefold().replace("_", " ")) is not None


@cache
def _any_of(signs: tuple[str, ...]) -> re.Pattern[str]:
    """English signs begin a word, Chinese letters stand anywhere."""
    parts = (rf"\b{re.escape(sign)}" if sign.isascii() else re.escape(sign) for sign in signs)
    return re.compile("|".join(parts))


_TABLE = read_table("tapwright.benchmarks", "generated_wording")
ROLE_NAMES: Mapping[Language, Mapping[UiRole, str]] = _TABLE["role_names"]
PURPOSES = tuple(
    Purpose(**{**row, "names": frozenset(row["names"]), "signs": tuple(row["signs"])})
    for row in _TABLE["purposes"]
)
SEARCH = PURPOSES[0]


def control_purpose(element: Element) -> Purpose | None:
    """The purpose of a button, by its name; None for an unusual name, or a chip.

    A chip of that name (what can be checked or selected) shows only such entries.
    """
    node, known = element.node, element.label.casefold()
    if element.role != "button" or node.is_("checkable") or node.is_("selected"):
        return None
    return next((purpose for purpose in PURPOSES if known in purpose.names), None)


def pick_wording(language: Language, english: str, chinese: str) -> str:
    """The sentence in the screen's language."""
    return english if language == "en" else chinese


def quote_task(task: str, language: Language) -> str:
    """A task as one sentence with one mark at its end."""
    line = task.strip().rstrip(".。 ")
    return (
        line if line.endswith(("?", "!", "？", "！")) else line + pick_wording(language, ".", "。")
    )
