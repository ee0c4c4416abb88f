"""Any vision-language model as an annotator: query, check, keep, query the rest.

The steps of an episode that may be targets (`core.fit`) are split into windows, and many are
queried at a time; nobody is asked, or paid, about the others. Items that `check_answer` accepts
are kept; every other step is queried again alone, with the reason, up to a limit; a step without a
valid answer is listed with its codes. A model's bad answer is data here. A failed request is an
error, and leaves all earlier answers in the book.
"""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

from pydantic import JsonValue

from tapwright.annotate.annotator import Reasoning
from tapwright.annotate.answer_book import AnswerBook, AnswerRecord
from tapwright.annotate.answer_check import AnswerVerdict, check_answer
from tapwright.annotate.finding_codes import describe_code
from tapwright.annotate.item_check import CheckedItem
from tapwright.annotate.question import Prompt, StepQuestion, model_settings, split_windows
from tapwright.annotate.reasoning_checks import find_copies, has_coordinates
from tapwright.annotate.target_match import MIN_MATCH, match_target
from tapwright.core.actions import Wait
from tapwright.core.episode import Episode
from tapwright.core.fit import find_fit
from tapwright.errors import UsageError
from tapwright.models.model import Model
from tapwright.models.pricing import Budget
from tapwright.models.query_endings import QueryEnding, answer_ending
from tapwright.store.annotations import NOT_ASKED
from tapwright.store.errors import AnnotationError

__all__ = ["ModelAnnotator"]

T = TypeVar("T")

_ENDED: Mapping[QueryEnding, str] = {"refused": "REFUSAL", "cut": "TRUNCATED"}
"""What a rejected answer is first of all, where its server said why it ended."""

_VERSION = "1"
_UNFIT = ("ANNOTATION_LEAK", "REASONING_COORDINATES")
"""Warnings of a verdict with which a reasoning is nothing to learn from."""


class ModelAnnotator:
    """Annotates with `model`; `books` gives the book of answers for an episode's id.

    A window has `window` steps in a row, of which the first `overlap` ones are in the one before,
    too. A step is queried alone at most `reasks` times. At most `concurrency` requests are under
    way at a time.
    """

    def __init__(
        self,
        model: Model,
        books: Callable[[str], AnswerBook],
        prompt: Prompt = Prompt(),  # noqa: B008 - it is frozen
        *,
        window: int = 8,
        overlap: int = 1,
        reasks: int = 2,
        concurrency: int = 4,
        budget: Budget | None = None,
    ) -> None:
        if not 0 <= overlap < window:
            raise UsageError(
                f"windows of {window} steps that overlap by {overlap}; expected less than {window}"
            )
        self._model = model
        self.books = books
        self.prompt = prompt
        self._window = window
        self._overlap = overlap
        self.reasks = reasks
        self._slots = asyncio.Semaphore(concurrency)
        self._budget = budget

    @property
    def name(self) -> str:
        """The model's name: "openai/qwen2.5-vl-7b"."""
        return self._model.name

    @property
    def version(self) -> str:
        """A hash of the prompt and of all that makes the questions differ."""
        whole: Mapping[str, JsonValue] = {
            "version": _VERSION,
            "prompt": self.prompt.source,
            "language": self.prompt.language,
            "max_pixels": self.prompt.max_pixels,
            "window": [self._window, self._overlap],
            "settings": model_settings(self._model),
        }
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:12]

    async def annotate(self, episode: Episode) -> Sequence[Reasoning]:
        """Return a reasoning for every step, or the codes of those rejected or not asked about.

        Raises:
            AnnotationError: the recording ends in its middle.
            CorruptEpisodeError: a picture is missing.
            ModelError: a request failed; what was answered is in the book.
            TapwrightError: the budget does not suffice for the next request.
        """
        return await _EpisodeWork(self, episode).done()

    def windows(self, episode: Episode) -> list[tuple[int, int]]:
        """Return the first and the last step of each initial question of an episode, from 0.

        Steps that are no targets are in none. Raises as `annotate`.
        """
        _check_ends_last(episode)
        asked = [not find_fit(step).target for step in episode.steps]
        windows: list[tuple[int, int]] = []
        for is_asked, group in groupby(range(len(asked)), key=asked.__getitem__):
            if is_asked:
                first, *others = group
                split = split_windows(1 + len(others), self._window, self._overlap)
                windows += [(first + start, first + end) for start, end in split]
        return windows

    def unanswered(
        self, episode: Episode, windows: Iterable[tuple[int, int]]
    ) -> list[StepQuestion]:
        """Return the questions about these windows of an episode without an answer in the book."""
        book = self.books(episode.id)
        questions = [self.prompt.question(episode, *window) for window in windows]
        return [one for one in questions if book.get(one.key(self._model, 1)) is None]

    async def ask(self, book: AnswerBook, question: StepQuestion, turn: int) -> AnswerRecord:
        """Return the answer to a question from the book, else from the model, and record it."""
        key = question.key(self._model, turn)
        found = book.get(key)
        if found is not None:
            return found
        async with self._slots:
            messages = await asyncio.to_thread(question.messages)
            steps = {"first": question.first, "last": question.last}
            if self._budget is None:
                return await book.ask(self._model, messages, key, **steps)
            price, images = self._budget.price, len(question.shown)
            expected, cost = price.cost(*question.estimate(), images), 0.0
            await self._budget.reserve(expected)
            try:
                answered = await book.ask(self._model, messages, key, **steps)
                told = answered.input_tokens or answered.output_tokens
                cost = price.total([answered]) if told else expected
            finally:
                await self._budget.settle(expected, cost)
            return answered


@dataclass(frozen=True, slots=True)
class _WindowAnswer:
    """An answer about the steps from `first` on, and its verdict."""

    first: int
    answered: AnswerRecord
    verdict: AnswerVerdict


class _EpisodeWork:
    """The accepted reasonings of one episode's steps, and the rejections of the other steps."""

    def __init__(self, by: ModelAnnotator, episode: Episode) -> None:
        self._by = by
        self._episode = episode
        self._book = by.books(episode.id)
        self._kept: dict[int, Reasoning] = {}
        self._wrong: dict[int, Reasoning] = {}
        self._queries: Counter[int] = Counter()
        self._windows = by.windows(episode)

    async def done(self) -> list[Reasoning]:
        # Kept in the order of the windows, so that the same answers always give the same.
        self._keep(await _gather_all([self._window(first, last) for first, last in self._windows]))
        missing = self._missing()
        if missing and not self._kept:
            # If the model explains nothing at all, one step is queried before the others.
            self._keep([await self._alone(missing[0])])
        if self._kept:
            self._keep(await _gather_all([self._alone(step) for step in self._missing()]))
        told = self._wrong | self._kept
        return [
            replace(told[step], asked=self._queries[step])
            if step in told
            else _rejection(step, (NOT_ASKED,), "")
            for step in range(len(self._episode.steps))
        ]

    async def _window(self, first: int, last: int) -> list[_WindowAnswer]:
        """Query a window; once more, with the reason, if the whole answer was rejected."""
        answers = [await self._ask(first, last, 1, ())]
        if last > first and not answers[0].verdict.given:
            answers.append(await self._ask(first, last, 2, answers[0].verdict.codes))
        return answers

    async def _alone(self, step: int) -> list[_WindowAnswer]:
        """Query a single step, each time with the reason of the rejection."""
        answers: list[_WindowAnswer] = []
        codes = self._wrong[step].codes
        for turn in range(1, self._by.reasks + 1):
            answers.append(await self._ask(step, step, turn + 1, codes))
            codes = answers[-1].verdict.codes or self._unfit(answers[-1].verdict.given[0])
            if not codes:
                break
        return answers

    async def _ask(self, first: int, last: int, turn: int, codes: tuple[str, ...]) -> _WindowAnswer:
        problem = " ".join(describe_code(code) or code for code in codes)
        question = self._by.prompt.question(self._episode, first, last, problem=problem)
        answered = await self._by.ask(self._book, question, turn)
        verdict = check_answer(
            self._episode.steps[first : last + 1],
            answered.raw,
            language=self._by.prompt.checked_language,
            first=first + 1,
            numbered_by="step",
        )
        told = _ENDED.get(answer_ending(answered.raw, answered.finish), "")
        if told and verdict.status == "reject":
            others = (code for code in verdict.codes if code != told)
            verdict = replace(verdict, codes=(told, *others))
        for step in range(first, last + 1):
            self._queries[step] += 1
        return _WindowAnswer(first, answered, verdict)

    def _keep(self, rounds: Iterable[Sequence[_WindowAnswer]]) -> None:
        """Keep the accepted items of steps that have none yet."""
        for window in (one for turns in rounds for one in turns):
            given = {window.first + one.step: one for one in window.verdict.given}
            wrong = {window.first + one.step: one.codes for one in window.verdict.wrong}
            for step in range(window.first, window.first + len(window.verdict.calls)):
                if step in self._kept:
                    continue
                one = given.get(step)
                codes = wrong.get(step, window.verdict.codes) if one is None else self._unfit(one)
                if one is None or codes:
                    self._wrong[step] = _rejection(step, codes, window.answered.key)
                else:
                    self._kept[step] = self._reasoning(step, one, window)
        self._drop_copies()

    def _unfit(self, one: CheckedItem) -> tuple[str, ...]:
        """Return the codes that make an accepted reasoning unfit for training."""
        codes = [code for code in one.warnings if code in _UNFIT]
        if has_coordinates(one.target):
            codes.append("TARGET_COORDINATES")
        return tuple(codes)

    def _reasoning(self, step: int, one: CheckedItem, window: _WindowAnswer) -> Reasoning:
        seen = self._episode.steps[step]
        fits = match_target(one.target, seen.observation, seen.decision.first)
        unlike = ("TARGET_UNLIKE_TREE",) if fits is not None and fits < MIN_MATCH else ()
        others = {code for other in window.verdict.given for code in other.repairs}
        whole = (code for code in window.verdict.repairs if code not in others)
        return Reasoning(
            step,
            one.reasoning,
            one.target,
            repairs=(*whole, *one.repairs),
            warnings=(*one.warnings, *unlike),
            request=window.answered.key,
            match=fits,
        )

    def _drop_copies(self) -> None:
        """Drop reasonings that repeat that of an earlier step from another window."""
        steps = [
            step
            for step in sorted(self._kept)
            if not isinstance(self._episode.steps[step].decision.alone, Wait)
        ]
        for place in find_copies([self._kept[step].reasoning for step in steps]):
            copy = self._kept.pop(steps[place])
            self._wrong[copy.step] = _rejection(copy.step, ("REASONING_COPIED",), copy.request)

    def _missing(self) -> list[int]:
        asked = {step for first, last in self._windows for step in range(first, last + 1)}
        return sorted(asked - self._kept.keys())


def _rejection(step: int, codes: tuple[str, ...], request: str) -> Reasoning:
    """No reasoning, for these codes of the answer to `request`."""
    return Reasoning(step, "", "", codes=codes, request=request)


def _check_ends_last(episode: Episode) -> None:
    """Refuses a recording that no answer could explain.

    Raises:
        AnnotationError: it ends in its middle.
    """
    last = len(episode.steps) - 1
    for number, step in enumerate(episode.steps):
        if step.decision.ending is not None and number < last:
            raise AnnotationError(
                f"{episode.id}: step {number} ends the attempt, and {last - number} more follow",
                hint="cut the episode there: tapwright episodes edit --help",
            )


async def _gather_all(work: Iterable[Coroutine[None, None, T]]) -> list[T]:
    """Waits for all; only then raises a failure, as pending answers are paid for."""
    done: list[T] = []
    for one in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(one, BaseException):
            raise one
        done.append(one)
    return done
