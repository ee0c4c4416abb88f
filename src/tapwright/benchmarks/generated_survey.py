"""What all recorded screens have together: what each may be asked about in comparison with others.

Each screen is parsed once for all of it, as parsing is most of the work.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tapwright.benchmarks.elements import CHECKABLE, Element
from tapwright.benchmarks.generated_readable import ReadableText
from tapwright.benchmarks.generated_screens import RecordedScreen
from tapwright.benchmarks.generated_wording import SEARCH, Purpose, control_purpose, pick_wording
from tapwright.language import Language

__all__ = [
    "LooksAtScreens",
    "ScreenAbility",
    "ScreenSurvey",
    "find_abilities",
    "list_contents",
    "survey_screens",
]


class LooksAtScreens(Protocol):
    """What remembers something of each screen."""

    def add(self, screen: RecordedScreen) -> None:
        """Remember it of this one."""


@dataclass(frozen=True, slots=True)
class ScreenAbility:
    """Something that a screen lets a user do, in words, with what it is for where that is known."""

    words: str
    purpose: Purpose | None


@dataclass(frozen=True, slots=True)
class ScreenSurvey:
    """What the screens to ask about have: texts and abilities, sorted, by language.

    Each is there as often as screens have it, so that what is drawn from them as a wrong option is
    as common as a right one: how common an option is must not tell which it is.

    `typed` and `apps` are what is typed on them, and their apps. `furniture` are the labels on more
    than a third of a language's screens, as a system's own buttons are. `readable` knows the text
    of all that was recorded.
    """

    texts: dict[Language, list[str]]
    abilities: dict[Language, list[ScreenAbility]]
    typed: list[str]
    apps: list[str]
    furniture: frozenset[str]
    readable: ReadableText


def survey_screens(
    screens: Sequence[RecordedScreen],
    every: Sequence[RecordedScreen],
    others: Sequence[LooksAtScreens] = (),
) -> ScreenSurvey:
    """Look at the `screens` to ask about.

    `every` is all that was recorded, also screens about which there is no question: the text of one
    may be readable on another. `others` are shown each of them, too, as it is parsed for that.
    """
    texts: dict[Language, list[str]] = {"en": [], "zh": []}
    abilities: dict[Language, list[ScreenAbility]] = {"en": [], "zh": []}
    labels: dict[Language, Counter[str]] = {"en": Counter(), "zh": Counter()}
    sizes: Counter[Language] = Counter()
    readable = ReadableText()
    for screen in map(RecordedScreen.fresh, screens):
        language = screen.language
        texts[language] += list_contents(screen)
        abilities[language] += find_abilities(screen)
        labels[language].update({element.label for element in screen.elements})
        sizes[language] += 1
        for one in (readable, *others):
            one.add(screen)
    asked = {screen.sha256 for screen in screens}
    for screen in every:
        if screen.sha256 not in asked:
            fresh = screen.fresh()
            for one in (readable, *others):
                one.add(fresh)
    return ScreenSurvey(
        texts={language: sorted(found) for language, found in texts.items()},
        abilities={
            language: sorted(found, key=lambda ability: ability.words)
            for language, found in abilities.items()
        },
        typed=sorted({screen.typed for screen in screens if screen.typed}),
        apps=sorted({screen.app for screen in screens if screen.observation.app}),
        furniture=frozenset(
            label
            for language, counts in labels.items()
            for label, number in counts.items()
            if number > max(3, sizes[language] / 3)
        ),
        readable=readable,
    )


def list_contents(screen: RecordedScreen) -> list[str]:
    """The texts with content: of two letters or more, not only digits and signs."""
    return sorted(text for text in screen.texts if sum(char.isalpha() for char in text) > 1)


def find_abilities(screen: RecordedScreen) -> dict[ScreenAbility, Element]:
    """The actions that the screen offers, with the element for each."""
    found: dict[ScreenAbility, Element] = {}
    for element in screen.content:
        if not element.alone or (
            element.role == "text field" and element.label == element.node.text
        ):
            continue
        label, language = element.label, screen.language
        purpose = control_purpose(element)
        if element.role == "radio button":
            words = pick_wording(language, f'Choose "{label}"', f"选择“{label}”")
        elif element.role in CHECKABLE:
            words = pick_wording(
                language, f'Change whether "{label}" is on', f"改变“{label}”的开关状态"
            )
        elif element.role == "text field":
            words = pick_wording(language, f'Type into "{label}"', f"在“{label}”里输入文字")
        elif purpose is not None:
            words = purpose.wording(language)
            words = words[0].upper() + words[1:]
        elif element.kind == "text" and sum(char.isalpha() for char in label) > 1:
            words = pick_wording(language, f'Choose "{label}"', f"选择“{label}”")
        else:
            continue
        searches = SEARCH if SEARCH.may_serve(label) else None
        found[ScreenAbility(words, purpose or searches)] = element
    return found
