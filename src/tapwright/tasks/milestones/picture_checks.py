"""Checks of milestones that look at the picture of a screen: icons, text recognition, a model.

What cannot be looked at (no picture, no reader, no model) is unknown and not false.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tapwright.core.geometry import Box
from tapwright.core.observation import Observation
from tapwright.errors import MissingExtraError
from tapwright.tasks.errors import EventSourceUnavailableError
from tapwright.tasks.events.icons import shows_icon
from tapwright.tasks.milestones.frames import (
    CheckCost,
    FrameLook,
    ScreenQuestion,
    Truth,
    all_true,
    any_true,
)
from tapwright.tasks.milestones.word_query import WordQuery, matches_pattern, matches_read_text

__all__ = ["IconCheck", "ModelCheck", "OcrCheck"]

_SCREEN = Box(0, 0, 1, 1)


@dataclass(frozen=True, slots=True)
class IconCheck:
    """Pictures of icons on the screen (`icons_match`): one, or all of them."""

    pictures: tuple[Path, ...]
    every: bool = False
    costs: ClassVar[frozenset[CheckCost]] = frozenset({CheckCost.ICONS})

    def holds(self, look: FrameLook, cost: CheckCost) -> Truth:
        """Whether the screen shows them; unknown without a picture of the icon or of the screen."""
        screen = look.frame.screen
        if screen is None:
            return False if look.frame.words is None else None
        if cost < CheckCost.ICONS or not screen.screenshot.recorded:
            return None
        found = [self._shows(screen, picture) for picture in self.pictures]
        return all_true(found) if self.every else any_true(found)

    def evidence(self, look: FrameLook) -> tuple[str, str]:
        """Return the names of the pictures."""
        return "icons", ", ".join(picture.name for picture in self.pictures)

    def _shows(self, screen: Observation, picture: Path) -> Truth:
        try:
            return shows_icon(screen.screenshot, picture, _SCREEN)
        except (EventSourceUnavailableError, MissingExtraError):
            return None


@dataclass(frozen=True, slots=True)
class OcrCheck:
    """Words or a pattern in the text recognized on the screen (`ocr_match`); one of them is enough.

    Misread letters are tolerated: width, case, blanks, 0 for O, 1 for l, 5 for S, and one letter in
    five of a longer word.
    """

    any_of: tuple[str, ...] = ()
    all_of: tuple[str, ...] = ()
    pattern: str = ""
    ignore_case: bool = False
    costs: ClassVar[frozenset[CheckCost]] = frozenset({CheckCost.WORDS, CheckCost.READING})

    def holds(self, look: FrameLook, cost: CheckCost) -> Truth:
        """Whether the screen has them."""
        frame = look.frame
        if frame.words is not None:
            return self._matches(tuple(frame.words))
        if frame.screen is None:
            return False
        read = look.reader.texts(frame) if cost >= CheckCost.READING else None
        return None if read is None else self._matches(read)

    def evidence(self, look: FrameLook) -> tuple[str, str]:
        """Return the words and the pattern, enough of which was found."""
        return "ocr", ", ".join(
            map(repr, (*self.any_of, *self.all_of, *filter(None, [self.pattern])))
        )

    def _matches(self, texts: tuple[str, ...]) -> bool:
        if self.any_of and matches_read_text(WordQuery(any_of=self.any_of), texts):
            return True
        if self.all_of and matches_read_text(WordQuery(all_of=self.all_of), texts):
            return True
        text = "\n".join(texts)
        return bool(self.pattern) and matches_pattern(
            self.pattern, text, ignore_case=self.ignore_case
        )


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """The answer of a model about the screen and the one after it (`llm`)."""

    prompt: str
    expected: bool = True
    costs: ClassVar[frozenset[CheckCost]] = frozenset({CheckCost.MODEL})

    def holds(self, look: FrameLook, cost: CheckCost) -> Truth:
        """Whether the answer is the expected one; unknown without a model."""
        frame = look.frame
        if frame.screen is None:
            return False if frame.words is None else None
        if cost < CheckCost.MODEL:
            return None
        frames, number = look.frames, look.number
        last = number + 1 == len(frames)
        pair = frames[number - 1 : number + 1] if last and number else frames[number : number + 2]
        screens = tuple(one for one in pair if one.screen is not None)
        target = screens.index(frame)
        answer = look.reader.answer(ScreenQuestion(self.prompt, frame.instruction, screens, target))
        return None if answer is None else answer == self.expected

    def evidence(self, look: FrameLook) -> tuple[str, str]:
        """Return the question with the expected answer."""
        return "llm", f"{'yes' if self.expected else 'no'} to {self.prompt!r}"
