"""Asking a model until its answer can be read: how often, how long, how warm, how large a picture.

`MOBIAGENT` asks as MobiAgent's runner does (https://github.com/IPADS-SAI/MobiAgent, branch e2e,
runner/mobiagent/mobiagent.py): the same question again, warmer by 0.1 each time, about half the
picture. Other than there, what is still unreadable after the last try is told so, and never
answered with the answer to an earlier question.
"""

import asyncio
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias, TypeVar

from PIL import Image
from pydantic import JsonValue

from tapwright.episode import Step
from tapwright.errors import BadAnswerError, UsageError
from tapwright.messages import Message, Text
from tapwright.models.model import Adjustable, Completion, Model
from tapwright.observation import Observation
from tapwright.screenshot import Screenshot

__all__ = [
    "MOBIAGENT",
    "MOBIAGENT_GROUNDER",
    "PLAIN",
    "Manner",
    "ModelAnswer",
    "Questioner",
    "Role",
    "scaled",
]

T = TypeVar("T")
Role: TypeAlias = Literal["decider", "grounder", "planner"]
"""What a model is asked for: the next action, the place of an element, or how to go about it."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a model is asked.

    A question is asked at most `tries` times. After a bad answer the model is told what was wrong
    with it; with `warmer` it is asked the very same instead, at a temperature that is higher by so
    much each time, where its client can do that (`models.model.Adjustable`). An answer that takes
    longer than `timeout_s` is a bad one. `max_tokens` replaces the client's own limit where it
    can. Pictures are sent `scale` times as wide and high.
    """

    tries: int = 3
    warmer: float = 0.0
    timeout_s: float | None = None
    max_tokens: int | None = None
    scale: float = 1.0

    def __post_init__(self) -> None:
        if self.tries < 1:
            raise UsageError(f"a question is asked {self.tries} times; expected at least 1")
        if not 0 < self.scale <= 1:
            raise UsageError(f"a scale of {self.scale}; expected above 0 and at most 1")


PLAIN = Manner()
MOBIAGENT = Manner(tries=5, warmer=0.1, timeout_s=30.0, max_tokens=256, scale=0.5)
MOBIAGENT_GROUNDER = replace(MOBIAGENT, max_tokens=128)


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model said to one question about step `step` (from 0), and whether it was read.

    `problem` says what was wrong with a bad one; it is empty for a good one.
    """

    step: int
    completion: Completion
    status: Literal["ok", "bad"]
    problem: str = ""
    role: Role = "decider"

    @property
    def raw(self) -> str:
        """The answer as it came."""
        return self.completion.text


class Questioner:
    """Asks `model` in one role."""

    def __init__(self, model: Model, role: Role, manner: Manner = PLAIN) -> None:
        self.model = model
        self.manner = manner
        self._role = role

    async def ask(
        self,
        messages: Sequence[Message],
        read: Callable[[str], T],
        step: int,
        kept: list[ModelAnswer],
    ) -> T:
        """What `read` makes of the first answer that it can read; every one is added to `kept`.

        Raises:
            BadAnswerError: it can read none; says in how many tries, and why not the last.
            ModelError: the model could not be asked.
        """
        problem = ""
        told = list(messages)
        for attempt in range(self.manner.tries):
            completion = await self._complete(told, attempt)
            try:
                if completion is None:
                    raise BadAnswerError(f"no answer within {self.manner.timeout_s:g} s")
                value = read(completion.text)
            except BadAnswerError as error:
                problem = str(error)
                said = completion or Completion("")
                kept.append(ModelAnswer(step, said, "bad", problem, self._role))
                if not self._warms:
                    told += _ask_again(said.text, problem)
            else:
                kept.append(ModelAnswer(step, completion, "ok", role=self._role))
                return value
        raise BadAnswerError(f"in {self.manner.tries} tries; the last: {problem}")

    @property
    def _warms(self) -> bool:
        # Asked the same at the same temperature, a model would only say the same again.
        return self.manner.warmer > 0 and isinstance(self.model, Adjustable)

    async def _complete(self, messages: Sequence[Message], attempt: int) -> Completion | None:
        """One answer; None when it takes too long."""
        settings: dict[str, JsonValue] = {}
        if self.manner.max_tokens is not None:
            settings["max_tokens"] = self.manner.max_tokens
        if self._warms:
            own = self.model.settings.get("temperature")
            base = own if isinstance(own, int | float) else 0.0
            settings["temperature"] = round(base + attempt * self.manner.warmer, 6)
        try:
            async with asyncio.timeout(self.manner.timeout_s) as limit:
                if settings and isinstance(self.model, Adjustable):
                    return await self.model.complete_with(messages, settings)
                return await self.model.complete(messages)
        except TimeoutError:
            if limit.expired():
                return None
            raise


async def scaled(
    observation: Observation, history: Sequence[Step], scale: float
) -> tuple[Observation, list[Step]]:
    """A screen and the steps before it, with pictures `scale` times as wide and high."""
    if scale == 1:
        return observation, list(history)
    return await asyncio.to_thread(_all_scaled, observation, history, scale)


def _all_scaled(
    observation: Observation, history: Sequence[Step], scale: float
) -> tuple[Observation, list[Step]]:
    def smaller(seen: Observation) -> Observation:
        picture = _smaller(seen.screenshot, scale)
        return replace(seen, screenshot=picture, size=picture.size)

    return smaller(observation), [
        replace(step, observation=smaller(step.observation)) for step in history
    ]


@lru_cache(maxsize=64)
def _smaller(screenshot: Screenshot, scale: float) -> Screenshot:
    """As MobiAgent's runner does it: Lanczos, sides rounded down, JPEG of Pillow's own quality."""
    image, buffer = screenshot.image(), io.BytesIO()
    size = (max(int(image.width * scale), 1), max(int(image.height * scale), 1))
    image.resize(size, Image.Resampling.LANCZOS).save(buffer, "JPEG")
    return Screenshot(buffer.getvalue(), origin=screenshot.origin)


def _ask_again(answer: str, problem: str) -> list[Message]:
    return [
        # Servers refuse an empty turn.
        Message("assistant", (Text(answer if answer.strip() else "(nothing)"),)),
        Message(
            "user",
            (Text(f"That answer cannot be read: {problem}. Answer again, in the form asked for."),),
        ),
    ]
