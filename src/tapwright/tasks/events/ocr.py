"""Text recognition on screens by RapidOCR (https://github.com/RapidAI/RapidOCR).

Its wheel includes its models, so nothing is downloaded. A screen is read once, however many events
use it.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from tapwright.core.geometry import Box
from tapwright.core.screenshot import Screenshot
from tapwright.errors import MissingExtraError

if TYPE_CHECKING:
    from rapidocr import RapidOCR

__all__ = ["RapidReader", "ScreenText", "TextReader", "find_texts"]

_KEPT = 256


@dataclass(frozen=True, slots=True)
class ScreenText:
    """One line of text, and its box."""

    text: str
    box: Box


class TextReader(Protocol):
    """Recognizes the texts on a screen."""

    def read(self, screenshot: Screenshot) -> Sequence[ScreenText]:
        """Return the texts, in reading order."""


class RapidReader:
    """RapidOCR with a cache of the last screens; safe for threads.

    Raises:
        MissingExtraError: RapidOCR is not installed.
    """

    def __init__(self) -> None:
        self._read: OrderedDict[str, Sequence[ScreenText]] = OrderedDict()
        self._lock = Lock()

    def read(self, screenshot: Screenshot) -> Sequence[ScreenText]:
        """Return the texts, in reading order; takes a second or two for a new screen."""
        with self._lock:
            key = screenshot.sha256
            if key not in self._read:
                self._read[key] = self._recognize(screenshot)
                if len(self._read) > _KEPT:
                    self._read.popitem(last=False)
            self._read.move_to_end(key)
            return self._read[key]

    @cached_property
    def _engine(self) -> "RapidOCR":
        try:
            from rapidocr import RapidOCR
        except ModuleNotFoundError as error:
            raise MissingExtraError("reading text off a screen", "ocr") from error
        return RapidOCR(params={"Global.log_level": "critical"})

    def _recognize(self, screenshot: Screenshot) -> Sequence[ScreenText]:
        import numpy as np  # a command that reads no screen need not wait for it

        picture = screenshot.image().convert("RGB")
        found = self._engine(np.asarray(picture)[:, :, ::-1])
        if found.txts is None or found.boxes is None:
            return ()
        size = np.array(picture.size)
        lines = []
        for text, corners in zip(found.txts, found.boxes, strict=True):
            places = np.clip(corners / size, 0.0, 1.0)
            (left, top), (right, bottom) = places.min(axis=0), places.max(axis=0)
            lines.append(
                ScreenText(text, Box(float(left), float(top), float(right), float(bottom)))
            )
        return tuple(lines)


def find_texts(texts: Sequence[ScreenText], region: Box) -> list[str]:
    """Finds the texts whose centre lies in a region."""
    return [one.text for one in texts if region.contains(one.box.center)]
