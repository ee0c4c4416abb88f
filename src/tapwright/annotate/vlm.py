"""Any vision-language model as an annotator: ask, check, keep what stands, ask again for the rest.

An episode is asked about in windows, many at a time. What `check_answer` lets stand is kept; every
other step is asked about again alone, with the reason, up to a limit; what never stands is listed
with its codes. A model's bad answer is data here. A request that failed is an error, and leaves
all that was answered in the book; when one fails after the other, no further ones are sent.
"""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from pydantic import JsonValue

from tapwright.actions import Finish, Wait
from tapwright.annotate.annotator import Reasoning
from tapwright.annotate.answer_book import AnswerBook, Answered
from tapwright.annotate.answer_check import Verdict, check_answer
from tapwright.annotate.errors import AnnotationError, ModelDownError
from tapwright.annotate.finding_codes import meaning
from tapwright.annotate.item_check import Given
from tapwright.annotate.question import Prompt, Question, settings_of, windows
from tapwright.annotate.reasoning_checks import copied, names_coordinates
from tapwright.annotate.target_match import UNLIKE, match
from tapwright.episode import Episode
from tapwright.errors import ModelError, UsageError
from tapwright.messages import Message
from tapwright.models.model import Completion, Model
from tapwright.models.pricing import Budget

__all__ = ["ModelAnnotator"]

T = TypeVar("T")

_VERSION = "1"
_MOST_FAILURES = 3
"""So many requests may fail in a row, each with all of its retries."""

_UNFIT = ("ANNOTATION_LEAK", "REASONING_COORDINATES")
"""Warnings of a verdict with which a reasoning is nothing to learn from."""


class ModelAnnotator:
    """Annotates with `model`; `books` gives the book of answers for an episode's id.

    A window has `window` steps, of which the first `overlap` ones are in the one before, too. A
    step is asked about alone at most `reasks` times. At most `concurrency` requests are under way
    at a time.
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
        self._failures: list[ModelError] = []

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
            "settings": settings_of(self._model),
        }
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:12]

    async def annotate(self, episode: Episode) -> Sequence[Reasoning]:
        """A reasoning for every step, or the codes of what was wrong with all that were given.

        Raises:
            AnnotationError: the recording ends in its middle, or has no picture of a step.
            ModelError: a request failed; what was answered is in the book.
            ModelDownError: several failed in a row, so that this one was not even sent.
            BudgetError: the budget does not suffice for the next request.
        """
        _explicable(episode)
        return await _Work(self, episode).done()

    def windows(self, episode: Episode) -> list[tuple[int, int]]:
        """The first and the last step of each question with which an episode begins, from 0."""
        return list(windows(len(episode.steps), self._window, self._overlap))

    def unanswered(self, episode: Episode) -> list[Question]:
        """The questions with which an episode begins that have no answer in the book yet.

        Raises:
            AnnotationError: as `annotate`.
        """
        _explicable(episode)
        book = self.books(episode.id)
        asked = [self.prompt.question(episode, *window) for window in self.windows(episode)]
        return [one for one in asked if book.get(one.key(self._model, 1)) is None]

    async def ask(self, book: AnswerBook, question: Question, turn: int) -> Answered:
        """The answer to a question: that in the book, else the model's, which is in it then."""
        key = question.key(self._model, turn)
        found = book.get(key)
        if found is not None:
            return found
        async with self._slots:
            messages = await asyncio.to_thread(question.messages)
            if self._budget is None:
                return self._write_down(book, question, key, await self._complete(messages))
            price, images = self._budget.price, len(question.shown)
            expected, cost = price.cost(*question.estimate(), images), 0.0
            await self._budget.reserve(expected)
            try:
                answered = self._write_down(book, question, key, await self._complete(messages))
                cost = price.total([answered])
            finally:
                await self._budget.settle(expected, cost)
            return answered

    async def _complete(self, messages: Sequence[Message]) -> Completion:
        if len(self._failures) >= _MOST_FAILURES:
            raise ModelDownError(
                f"{len(self._failures)} requests failed in a row, so no more are sent; "
                f"the last one: {self._failures[-1]}",
                hint="when that is mended, the same command goes on from here",
            )
        try:
            completion = await self._model.complete(messages)
        except ModelError as error:
            self._failures.append(error)
            raise
        self._failures.clear()
        return completion

    def _write_down(
        self, book: AnswerBook, question: Question, key: str, completion: Completion
    ) -> Answered:
        answered = Answered(
            key=key,
            first=question.first,
            last=question.last,
            model=self.name,
            raw=completion.text,
            input_tokens=completion.usage.input_tokens,
            output_tokens=completion.usage.output_tokens,
            images=len(question.shown),
            seconds=round(completion.latency_s, 3),
            attempts=completion.attempts,
            finish=completion.finish,
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
        )
        book.add(answered)
        return answered


@dataclass(frozen=True, slots=True)
class _Said:
    """An answer about the steps from `first` on, and what became of it."""

    first: int
    answered: Answered
    verdict: Verdict


class _Work:
    """What is known so far of one episode's steps."""

    def __init__(self, by: ModelAnnotator, episode: Episode) -> None:
        self._by = by
        self._episode = episode
        self._book = by.books(episode.id)
        self._kept: dict[int, Reasoning] = {}
        self._codes: dict[int, tuple[str, ...]] = {}
        self._asked: Counter[int] = Counter()

    async def done(self) -> list[Reasoning]:
        windows = self._by.windows(self._episode)
        # Kept in the order of the windows, so that the same answers always give the same.
        self._keep(await _all_of([self._window(first, last) for first, last in windows]))
        missing = self._missing()
        if missing and not self._kept:
            # Of a model that explains nothing at all, one step is asked about before the others.
            self._keep([await self._alone(missing[0])])
        if self._kept:
            self._keep(await _all_of([self._alone(step) for step in self._missing()]))
        return [
            replace(self._kept[step], asked=self._asked[step])
            if step in self._kept
            else Reasoning(step, "", "", codes=self._codes[step], asked=self._asked[step])
            for step in range(len(self._episode.steps))
        ]

    async def _window(self, first: int, last: int) -> list[_Said]:
        """Ask about a window; once more, with the reason, when nothing in the answer stands."""
        said = [await self._ask(first, last, 1, ())]
        if last > first and not said[0].verdict.given:
            said.append(await self._ask(first, last, 2, said[0].verdict.codes))
        return said

    async def _alone(self, step: int) -> list[_Said]:
        """Ask about a step by itself, each time with the reason why it could not be kept."""
        said: list[_Said] = []
        codes = self._codes[step]
        for turn in range(1, self._by.reasks + 1):
            said.append(await self._ask(step, step, turn + 1, codes))
            codes = said[-1].verdict.codes or self._unfit(said[-1].verdict.given[0])
            if not codes:
                break
        return said

    async def _ask(self, first: int, last: int, turn: int, codes: tuple[str, ...]) -> _Said:
        problem = " ".join(meaning(code) or code for code in codes)
        question = self._by.prompt.question(self._episode, first, last, problem=problem)
        answered = await self._by.ask(self._book, question, turn)
        verdict = check_answer(
            self._episode.steps[first : last + 1],
            answered.raw,
            language=self._by.prompt.checked_language,
            first=first + 1,
            numbered_by="step",
        )
        for step in range(first, last + 1):
            self._asked[step] += 1
        return _Said(first, answered, verdict)

    def _keep(self, rounds: Iterable[Sequence[_Said]]) -> None:
        """Keep of each answer what stands, of the steps that nothing is kept of yet."""
        for said in (one for turns in rounds for one in turns):
            given = {said.first + one.step: one for one in said.verdict.given}
            wrong = {said.first + one.step: one.codes for one in said.verdict.wrong}
            for step in range(said.first, said.first + len(said.verdict.calls)):
                if step in self._kept:
                    continue
                one = given.get(step)
                codes = wrong.get(step, said.verdict.codes) if one is None else self._unfit(one)
                if one is None or codes:
                    self._codes[step] = codes
                else:
                    self._kept[step] = self._reasoning(step, one, said)
        self._drop_copies()

    def _unfit(self, one: Given) -> tuple[str, ...]:
        """What keeps a reasoning that fits the recording from being one to learn from."""
        codes = [code for code in one.warnings if code in _UNFIT]
        if names_coordinates(one.target):
            codes.append("TARGET_COORDINATES")
        return tuple(codes)

    def _reasoning(self, step: int, one: Given, said: _Said) -> Reasoning:
        seen = self._episode.steps[step]
        fits = match(one.target, seen.observation, seen.decision.action)
        unlike = ("TARGET_UNLIKE_TREE",) if fits is not None and fits < UNLIKE else ()
        others = {code for other in said.verdict.given for code in other.repairs}
        whole = (code for code in said.verdict.repairs if code not in others)
        return Reasoning(
            step,
            one.reasoning,
            one.target,
            repairs=(*whole, *one.repairs),
            warnings=(*one.warnings, *unlike),
            request=said.answered.key,
            match=fits,
        )

    def _drop_copies(self) -> None:
        """Take back what says of a step what was said of an earlier one, in another window."""
        steps = [
            step
            for step in sorted(self._kept)
            if not isinstance(self._episode.steps[step].decision.action, Wait)
        ]
        for place in copied([self._kept[step].reasoning for step in steps]):
            del self._kept[steps[place]]
            self._codes[steps[place]] = ("REASONING_COPIED",)

    def _missing(self) -> list[int]:
        return [step for step in range(len(self._episode.steps)) if step not in self._kept]


def _explicable(episode: Episode) -> None:
    """Refuse a recording that no answer could explain.

    Raises:
        AnnotationError: it ends in its middle, or has no picture of a step.
    """
    last = len(episode.steps) - 1
    for number, step in enumerate(episode.steps):
        if isinstance(step.decision.action, Finish) and number < last:
            raise AnnotationError(
                f"{episode.id}: step {number} ends the attempt, and {last - number} more follow",
                hint="cut the episode there: tapwright episodes edit --help",
            )
        if not step.observation.screenshot.recorded:
            raise AnnotationError(
                f"{episode.id}: of step {number} no picture was recorded",
                hint="a model can only explain what it sees; use --with rules",
            )


async def _all_of(work: Iterable[Coroutine[None, None, T]]) -> list[T]:
    """Do all of it; only then raise what failed, as answers that are on their way are paid for."""
    done: list[T] = []
    for one in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(one, BaseException):
            raise one
        done.append(one)
    return done
