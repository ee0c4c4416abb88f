"""How an agent queries a model: attempts, time limit, temperature, picture size.

These attempts are about answers that cannot be read; requests that a server fails are retried by
the client (`models.openai`), beneath them.

`MOBIAGENT_QUERY_POLICY` follows MobiAgent's runner (https://github.com/IPADS-SAI/MobiAgent, branch
e2e, runner/mobiagent/mobiagent.py): the same question again, at a temperature that rises by 0.1
each time, with pictures of half the width and height. Unlike there, a question whose last attempt
is unreadable fails, and is never answered with the answer to an earlier one.
"""

import asyncio
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias, TypeVar

from PIL import Image
from pydantic import JsonValue

from tapwright.agents.asking import send_query, shrink_screenshot
from tapwright.conventions.spoken import SpokenConvention
from tapwright.core.episode import Step
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import BadAnswerError, UsageError
from tapwright.models.model import Adjustable, Completion, Model

__all__ = [
    "DEFAULT_QUERY_POLICY", "MOBIAGENT_GROUNDER_QUERY_POLICY", "MOBIAGENT_QUERY_POLICY",
    "ModelAnswer", "ModelQuery", "QueryPolicy", "QueryRole", "change_pictures",
]  # fmt: skip

T = TypeVar("T")
QueryRole: TypeAlias = Literal["decider", "grounder", "planner"]
"""What a model decides: the next action, the place of an element, or the plan of a task."""


@dataclass(frozen=True, slots=True)
class QueryPolicy:
    """How a model is queried.

    A question has at most `max_attempts`. After an unreadable answer the model receives what was
    wrong with it. With a `temperature_step` it receives the same question instead, at a temperature
    that rises by so much each time, where its client supports that (`models.model.Adjustable`). An
    answer that takes longer than `timeout_s` counts as unreadable. `max_tokens` replaces the
    client's own limit where the client supports that. Pictures are sent `picture_scale` times as
    wide and high.
    """

    max_attempts: int = 3
    temperature_step: float = 0.0
    timeout_s: float | None = None
    max_tokens: int | None = None
    picture_scale: float = 1.0

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise UsageError(f"a query with {self.max_attempts} attempts; expected at least 1")
        if not 0 < self.picture_scale <= 1:
            raise UsageError(
                f"a picture scale of {self.picture_scale}; expected above 0 and at most 1"
            )


DEFAULT_QUERY_POLICY = QueryPolicy()
MOBIAGENT_QUERY_POLICY = QueryPolicy(
    max_attempts=5, temperature_step=0.1, timeout_s=30.0, max_tokens=256, picture_scale=0.5
)
MOBIAGENT_GROUNDER_QUERY_POLICY = replace(MOBIAGENT_QUERY_POLICY, max_tokens=128)


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """An answer of a model to one question about step `step` (from 0), and whether it was read.

    `problem` names what was wrong with a bad one; it is empty for a good one.
    """

    step: int
    completion: Completion
    status: Literal["ok", "bad"]
    problem: str = ""
    role: QueryRole = "decider"

    @property
    def raw(self) -> str:
        """The answer as it came."""
        return self.completion.text


class ModelQuery:
    """Queries `model` in one role, under a policy."""

    def __init__(
        self, model: Model, role: QueryRole, policy: QueryPolicy = DEFAULT_QUERY_POLICY
    ) -> None:
        self.model = model
        self.policy = policy
        self._role = role

    async def ask(
        self,
        messages: Sequence[Message],
        read: Callable[[str], T],
        step: int,
        kept: list[ModelAnswer],
        spoken: SpokenConvention | None = None,
        size: Size | None = None,
    ) -> T:
        """The result of `read` on the first answer that it can read; all are added to `kept`.

        The question is about a screen of `size`, in a convention as it is `spoken` to the model.

        Raises:
            BadAnswerError: no answer is readable; names the attempts and the last problem.
            ModelError: the query failed.
        """
        problem = ""
        conversation = list(messages)
        for attempt in range(self.policy.max_attempts):
            completion = await self._complete(conversation, attempt, spoken, size)
            try:
                if completion is None:
                    raise BadAnswerError(f"no answer within {self.policy.timeout_s:g} s")
                value = read(completion.text)
            except BadAnswerError as error:
                problem = str(error)
                answer = completion or Completion("")
                kept.append(ModelAnswer(step, answer, "bad", problem, self._role))
                if not self._changes_temperature:
                    conversation += _repeat_question(answer.text, problem)
            else:
                kept.append(ModelAnswer(step, completion, "ok", role=self._role))
                return value
        raise BadAnswerError(f"in {self.policy.max_attempts} attempts; the last: {problem}")

    @property
    def _changes_temperature(self) -> bool:
        # At the same temperature, the same question has the same answer.
        return self.policy.temperature_step > 0 and isinstance(self.model, Adjustable)

    async def _complete(
        self,
        messages: Sequence[Message],
        attempt: int,
        spoken: SpokenConvention | None,
        size: Size | None,
    ) -> Completion | None:
        """One answer; None when it takes too long."""
        settings: dict[str, JsonValue] = {}
        if self.policy.max_tokens is not None:
            settings["max_tokens"] = self.policy.max_tokens
        if self._changes_temperature:
            own = self.model.settings.get("temperature")
            base = own if isinstance(own, int | float) else 0.0
            settings["temperature"] = round(base + attempt * self.policy.temperature_step, 6)
        try:
            async with asyncio.timeout(self.policy.timeout_s) as limit:
                return await send_query(self.model, messages, spoken, size, settings)
        except TimeoutError:
            if limit.expired():
                return None
            raise


async def change_pictures(
    observation: Observation,
    history: Sequence[Step],
    *,
    scale: float = 1.0,
    max_pixels: int | None = None,
) -> tuple[Observation, list[Step]]:
    """A screen and the steps before it, with pictures as a model is shown them.

    Pictures are `scale` times as wide and high, and of at most `max_pixels`, width times height.
    Without a `scale` they are those that `sft export` makes with the same limit, but for a JPEG's
    loss; with one they are JPEGs, as MobiAgent's runner sends them.
    """
    if scale == 1 and max_pixels is None:
        return observation, list(history)

    def change(screen: Observation) -> Observation:
        picture = _change(screen.screenshot, scale, max_pixels)
        return replace(screen, screenshot=picture, size=picture.size)

    def change_all() -> tuple[Observation, list[Step]]:
        return change(observation), [
            replace(step, observation=change(step.observation)) for step in history
        ]

    return await asyncio.to_thread(change_all)


@lru_cache(maxsize=64)
def _change(screenshot: Screenshot, scale: float, max_pixels: int | None) -> Screenshot:
    size = screenshot.size.shrink(scale=scale, max_pixels=max_pixels)
    if size == screenshot.size:
        return screenshot
    if scale == 1:
        return shrink_screenshot(screenshot, size)
    # MobiAgent's runner: Lanczos, halves rounded down, JPEG of Pillow's default quality.
    image, buffer = screenshot.image(), io.BytesIO()
    image.resize((size.width, size.height), Image.Resampling.LANCZOS).save(buffer, "JPEG")
    return Screenshot(buffer.getvalue(), origin=screenshot.origin)


def _repeat_question(answer: str, problem: str) -> list[Message]:
    return [
        # Servers refuse an empty turn.
        Message("assistant", (Text(answer if answer.strip() else "(nothing)"),)),
        Message(
            "user",
            (Text(f"That answer cannot be read: {problem}. Answer again, in the form asked for."),),
        ),
    ]
