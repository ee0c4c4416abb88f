"""A control that looks at no picture: it answers with what the same words meant in training.

`words/BENCH` reads the annotations of L1 and L2 in the directory BENCH, those that a training set
was exported from, in the layout of https://github.com/open-compass/MMBench-GUI (896ddf1). Asked for
an element, it points where the same instruction pointed most often; asked a question, it takes the
option that was right the most often. For words that training does not have it takes the nearest.
What it scores on a test is what that test can be answered by knowing the training by heart.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from tapwright.core.messages import Message, Picture
from tapwright.errors import UsageError, first_problem
from tapwright.files.regular import read_regular
from tapwright.models.model import Completion

__all__ = ["WordsModel"]

T = TypeVar("T")
_CELLS = 20
_OPTION = re.compile(r"([A-Z])\. (.*)", re.ASCII)
_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
_Cell: TypeAlias = tuple[int, int]
_Edges: TypeAlias = tuple[float, float, float, float]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Aim(_Row):
    instruction: str
    bbox: _Edges
    image_size: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]

    @property
    def cell(self) -> _Cell:
        """The part of the screen in which the middle of the box is."""
        left, top, right, bottom = self.bbox
        width, height = (1, 1) if max(self.bbox) <= 1 else self.image_size
        x, y = (left + right) / 2 / width, (top + bottom) / 2 / height
        return min(int(x * _CELLS), _CELLS - 1), min(int(y * 2 * _CELLS), 2 * _CELLS - 1)


class _Group(_Row):
    question: str
    options: dict[str, str | None]
    answer: str


class _Questions(_Row):
    groups: tuple[_Group, ...]


_AIMS, _QUESTIONS = TypeAdapter(list[_Aim]), TypeAdapter(list[_Questions])


class WordsModel:
    """Answers from the words of a training set alone."""

    def __init__(
        self, name: str, *, base_url: str | None = None, api_key: str | None = None
    ) -> None:
        """Read the annotations below the directory `name`; there is no server.

        Raises:
            UsageError: it has no annotations, or they cannot be read.
        """
        root = Path(name)
        self.name = f"words/{name}"
        self._places: dict[str, Counter[_Cell]] = defaultdict(Counter)
        self._right, self._offered = Counter[str](), Counter[str]()
        self._answers: dict[str, Counter[str]] = defaultdict(Counter)
        for aim in _read(root / "L2_annotations.json", _AIMS):
            self._places[aim.instruction][aim.cell] += 1
        for row in _read(root / "L1_annotations.json", _QUESTIONS):
            for group in row.groups:
                self._learn(group)
        if not self._places and not self._answers:
            raise UsageError(
                f"{root}: has no annotations of L1 or L2 to look words up in",
                hint="tapwright eval make TRAINING-STORE -o BENCH, then words/BENCH",
            )

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """How much it knows."""
        return {"instructions": len(self._places), "questions": len(self._answers)}

    async def complete(self, messages: Sequence[Message]) -> Completion:
        """A place in pixels of the picture, or a letter; no words where there is no picture."""
        text = messages[-1].text
        options = dict(_OPTION.findall(text.partition("Options:\n")[2]))
        if options:
            return Completion(self._choose(text, options))
        pictures = [part for one in messages for part in one.parts if isinstance(part, Picture)]
        if not pictures:
            return Completion("")
        size = pictures[-1].screenshot.size
        column, row = self._find_place(text)
        x, y = (column + 0.5) / _CELLS, (row + 0.5) / (2 * _CELLS)
        return Completion(f"({int(x * size.width)},{int(y * size.height)})")

    async def close(self) -> None:
        """Nothing to close."""

    def _learn(self, group: _Group) -> None:
        right = group.options.get(group.answer) or ""
        self._answers[group.question][right] += 1
        self._right[right] += 1
        self._offered.update(text for text in group.options.values() if text)

    def _choose(self, text: str, options: Mapping[str, str]) -> str:
        asked = text.partition("Question: ")[2].partition("\nOptions:\n")[0]
        known = self._answers.get(asked, Counter[str]())

        def rank(letter: str) -> tuple[int, float]:
            option = options[letter]
            share = (self._right[option] + 0.5) / (self._offered[option] + 2)
            return known[option], share

        return max(sorted(options), key=rank)

    def _find_place(self, text: str) -> _Cell:
        known = max((one for one in self._instructions(text)), key=len, default=None)
        places = self._places[known] if known is not None else self._nearest(text)
        return max(sorted(places), key=lambda cell: places[cell], default=(_CELLS // 2, _CELLS))

    def _instructions(self, text: str) -> Iterable[str]:
        """The known instructions with which a prompt ends, or that are a part of it."""
        tails = {text[start:] for start in range(len(text))}
        ends = [one for one in tails if one in self._places]
        return ends or (one for one in self._places if one and one in text)

    def _nearest(self, text: str) -> Counter[_Cell]:
        """The places of the instructions that share the most words, rare ones counting more."""
        shared: dict[str, float] = defaultdict(float)
        for word in set(_words(text)):
            holders = self._by_word.get(word, ())
            for one in holders:
                shared[one] += 1 / len(holders)
        best = max(shared.values(), default=0)
        found = Counter[_Cell]()
        for one, share in shared.items():
            if share == best:
                found += self._places[one]
        return found

    @cached_property
    def _by_word(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for one in self._places:
            for word in set(_words(one)):
                found[word].append(one)
        return found


def _read(path: Path, rows: TypeAdapter[list[T]]) -> list[T]:
    if not path.is_file():
        return []
    try:
        return rows.validate_python(json.loads(read_regular(path)))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise UsageError(f"{path}: {first_problem(error)}") from error
    except ValueError as error:
        raise UsageError(f"{path}: not JSON: {error}") from error


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
