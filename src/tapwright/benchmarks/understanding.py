"""L1, content understanding: a question about a screen with options, of which one is right.

Data and prompt are those of https://github.com/open-compass/MMBench-GUI (896ddf1). The system
prompt is sent, as its documentation means it and its published builder forgets to.
"""

import string
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from tapwright.benchmarks.answers import parse_option
from tapwright.benchmarks.benchmark import Score, Still
from tapwright.benchmarks.layout import Record, Rows
from tapwright.conventions.convention import Space
from tapwright.errors import BadBenchmarkError
from tapwright.messages import Message, Picture, Text

__all__ = ["FILE", "SYSTEM", "Question", "Understanding", "question_text"]

FILE = "L1_annotations.json"
SYSTEM = (
    "You are a GUI agent. You are given a screenshot of an application, a question and "
    "corresponding options. You need to choose one option as your answer for the question. "
    "Finally, you are ONLY allowed to return the single letter of your choice."
)


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    difficulty: Literal["easy", "medium", "hard"]
    question: str
    options: dict[str, str | None]
    answer: str
    explanation: str = ""
    hint: str = ""

    @field_validator("hint", mode="before")
    @classmethod
    def _none_is_no_hint(cls, value: object) -> object:
        # Tables write a missing hint as null or NaN, and NaN is the one value unlike itself.
        return "" if value is None or value != value else value


class _Row(Record):
    groups: Annotated[tuple[_Group, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Question(Still):
    """One question; `options` by letter, in the order of the alphabet."""

    options: tuple[tuple[str, str], ...] = ()
    answer: str = ""
    explanation: str = ""
    hint: str = ""

    @property
    def truth(self) -> JsonValue:
        """The letter of the right option."""
        return self.answer


class Understanding:
    """The questions of one directory."""

    name = "l1"

    def __init__(self, root: Path) -> None:
        self.source = str(root.resolve())
        rows = Rows(root, FILE)
        self._samples: list[Question] = []
        for where, row in rows.read(_Row):
            path, size, tree = rows.picture(where, row)
            kinds = [group.difficulty for group in row.groups]
            if len(set(kinds)) < len(kinds):
                raise BadBenchmarkError(f"{where}: two groups of one difficulty: {kinds}")
            for group in row.groups:
                options = tuple(
                    (letter, text)
                    for letter in string.ascii_uppercase
                    if (text := group.options.get(letter)) is not None
                )
                if group.answer not in dict(options):
                    raise BadBenchmarkError(
                        f"{where}, {group.difficulty}: the answer {group.answer!r} is not among "
                        f"the options {', '.join(dict(options)) or '(none)'}"
                    )
                self._samples.append(
                    Question(
                        id=f"{row.index}-{group.difficulty}",
                        instruction=group.question,
                        labels={
                            "platform": row.platform,
                            "app": row.app_name,
                            "difficulty": group.difficulty,
                        },
                        picture=path,
                        size=size,
                        tree=tree,
                        options=options,
                        answer=group.answer,
                        explanation=group.explanation,
                        hint=group.hint,
                    )
                )
        self.data_sha256 = rows.sha256

    @classmethod
    def load(cls, source: str) -> Self:
        """The questions below the directory `source`.

        Raises:
            BadBenchmarkError: a row breaks the schema; the message names file and row.
        """
        return cls(Path(source))

    def samples(self) -> list[Question]:
        """Row by row, easy to hard as the rows have them."""
        return self._samples

    def prompt(self, sample: Question) -> list[Message]:
        """The system prompt, then picture, question and options in one turn."""
        return [
            Message("system", (Text(SYSTEM),)),
            Message("user", (Picture(sample.observe().screenshot), Text(question_text(sample)))),
        ]

    def score(self, sample: Question, answer: str, *, space: Space) -> Score:
        """1 for the right letter. Letters have no unit, so `space` changes nothing."""
        found = parse_option(answer, dict(sample.options))
        return Score(float(found.letter == sample.answer), found.status, found.letter)


def question_text(sample: Question) -> str:
    """The user's text, byte for byte as published (there is a blank before the last newline)."""
    hint = f"Hint: {sample.hint}\n" if sample.hint else ""
    if not sample.options:
        return f"{hint}Question: {sample.instruction}\n"
    options = "".join(f"{letter}. {text}\n" for letter, text in sample.options)
    return (
        f"{hint}Question: {sample.instruction}\nOptions:\n{options}"
        "Please select the correct answer from the options above. \n"
    )
