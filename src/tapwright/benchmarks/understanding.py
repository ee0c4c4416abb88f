"""L1, content understanding: a question about a screen with options, of which one is right.

Data and prompt are those of https://github.com/open-compass/MMBench-GUI (896ddf1). The system
prompt is sent, as its documentation means it and its published builder forgets to.
"""

import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

from pydantic import Field, JsonValue, field_validator

from tapwright.benchmarks.answers import parse_option
from tapwright.benchmarks.benchmark import Score, StaticSample
from tapwright.benchmarks.dataset_files import DatasetFiles, DatasetRow, PlacedRow, ScreenRow
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.static_benchmark import StaticBenchmark
from tapwright.conventions.convention import Space

__all__ = [
    "FILE", "SYSTEM", "ChoiceQuestion", "UnderstandingBenchmark", "question_text", "score_question",
]  # fmt: skip

FILE = "L1_annotations.json"
SYSTEM = (
    "You are a GUI agent. You are given a screenshot of an application, a question and "
    "corresponding options. You need to choose one option as your answer for the question. "
    "Finally, you are ONLY allowed to return the single letter of your choice."
)


class _Group(DatasetRow):
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


class _Row(ScreenRow):
    groups: Annotated[tuple[_Group, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class ChoiceQuestion(StaticSample):
    """One question; `options` by letter, in the order of the alphabet."""

    options: tuple[tuple[str, str], ...] = ()
    answer: str = ""
    explanation: str = ""
    hint: str = ""

    @property
    def truth(self) -> JsonValue:
        """The letter of the right option."""
        return self.answer


class UnderstandingBenchmark(StaticBenchmark[ChoiceQuestion]):
    """The questions of one directory."""

    name = "l1"
    origin = "https://huggingface.co/datasets/OpenGVLab/MMBench-GUI"
    system = SYSTEM
    sums: ClassVar[Mapping[str, str]] = {FILE: "a9a4fd9eb1e4ae0355fee057bd55cbec"}

    def text(self, sample: ChoiceQuestion) -> str:
        """Hint, question and options."""
        return question_text(sample)

    def score(self, sample: ChoiceQuestion, answer: str, *, space: Space | str) -> Score:
        """1 for the right letter. Letters have no unit, so `space` changes nothing.

        The detail has what `metrics` counts: the hit by the seed's parser (1, 0, or -1 when that
        finds no letter), the number of options, whether the answer refuses, and why it has no
        letter.
        """
        return score_question(sample, answer)

    def _read(self, files: DatasetFiles) -> Iterator[ChoiceQuestion]:
        yield from files.read(FILE, _Row, partial(_read_questions, files), lambda row: row.index)


def _read_questions(files: DatasetFiles, placed: PlacedRow[_Row]) -> Iterator[ChoiceQuestion]:
    where, row = placed.where, placed.fields
    path, size, tree = files.picture(where, row.image_size, row.platform, row.image_path)
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
        yield ChoiceQuestion(
            id=f"{row.index}-{group.difficulty}",
            instruction=group.question,
            labels={"platform": row.platform, "app": row.app_name, "difficulty": group.difficulty},
            picture=path,
            size=size,
            tree=tree,
            options=options,
            answer=group.answer,
            explanation=group.explanation,
            hint=group.hint,
        )


def score_question(sample: ChoiceQuestion, answer: str) -> Score:
    """The score of an answer to a question, as in `Understanding.score`, without the picture."""
    found = parse_option(answer, dict(sample.options))
    seed = parse_option(answer, dict(sample.options), parser="seed")
    detail: dict[str, JsonValue] = {
        "seed": -1 if seed.letter is None else int(seed.letter == sample.answer),
        "options_num": len(sample.options),
    }
    if found.kind == "refusal":
        detail["refused"] = True
    if found.reason:
        detail["reason"] = found.reason
    return Score(float(found.letter == sample.answer), found.status, found.letter, detail)


def question_text(sample: ChoiceQuestion) -> str:
    """The user's text, byte for byte as published (there is a blank before the last newline)."""
    hint = f"Hint: {sample.hint}\n" if sample.hint else ""
    if not sample.options:
        return f"{hint}Question: {sample.instruction}\n"
    options = "".join(f"{letter}. {text}\n" for letter, text in sample.options)
    return (
        f"{hint}Question: {sample.instruction}\nOptions:\n{options}"  # noqa: S608 - no SQL
        "Please select the correct answer from the options above. \n"
    )
