"""An agent that asks a model, in the words of a convention.

An answer that cannot be read is data: it is kept as it came, and the model is told what was wrong
and asked again. When that does not help either, the attempt ends as a failure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tapwright.actions import Finish
from tapwright.conventions.convention import HISTORY_STEPS, Convention
from tapwright.episode import Decision, Step
from tapwright.errors import BadAnswerError, UsageError
from tapwright.messages import Message, Text
from tapwright.models.model import Completion, Model
from tapwright.observation import Observation
from tapwright.tasks.task import Task

__all__ = [
    "UNREADABLE",
    "ModelAgent",
    "ModelAnswer",
]

UNREADABLE = "no readable answer"
"""What the reason of an attempt begins with that ended because no answer could be read."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model said to one question about step `step` (from 0), and whether it was read.

    `problem` says what was wrong with a bad one; it is empty for a good one.
    """

    step: int
    completion: Completion
    status: Literal["ok", "bad"]
    problem: str = ""

    @property
    def raw(self) -> str:
        """The answer as it came."""
        return self.completion.text


class ModelAgent:
    """Asks `model` in `convention`, telling it the `last` steps that led to the screen.

    A question is asked at most `tries` times. Every answer is kept in `answers`, in order.
    """

    def __init__(
        self,
        model: Model,
        convention: Convention,
        *,
        last: int = HISTORY_STEPS,
        tries: int = 3,
    ) -> None:
        if tries < 1 or last < 0:
            raise UsageError(f"{tries} tries and {last} steps told; expected at least 1 and 0")
        self._model = model
        self._convention = convention
        self._last = last
        self._tries = tries
        self.answers: list[ModelAnswer] = []

    @classmethod
    def for_task(
        cls,
        task: Task | None,
        seed: int,
        *,
        model: Model | None = None,
        convention: Convention | None = None,
        last: int = HISTORY_STEPS,
        tries: int = 3,
    ) -> "ModelAgent":
        """A fresh agent; every task is played alike, and chance is the model's own matter.

        Raises:
            UsageError: no model or no convention is given.
        """
        if model is None or convention is None:
            raise UsageError(
                "the agent 'model' needs a model and a convention",
                hint="name the model instead, such as openai/qwen2.5-vl-7b, and --convention json",
            )
        return cls(model, convention, last=last, tries=tries)

    @property
    def name(self) -> str:
        """The model's name and the convention's: "openai/qwen2.5-vl-7b json"."""
        return f"{self._model.name} {self._convention.name}"

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        """What the model decides; a `Finish` with failure when it gives no readable answer.

        Raises:
            ModelError: the model could not be asked.
        """
        told = history[max(len(history) - self._last, 0) :]
        messages = self._convention.prompt(instruction, told, observation)
        problem = ""
        for _ in range(self._tries):
            completion = await self._model.complete(messages)
            try:
                decision = self._convention.parse(completion.text, observation.size)
            except BadAnswerError as error:
                problem = str(error)
                self.answers.append(ModelAnswer(len(history), completion, "bad", problem))
                messages = [*messages, *_ask_again(completion.text, problem)]
            else:
                self.answers.append(ModelAnswer(len(history), completion, "ok"))
                return decision
        return Decision(
            Finish(
                outcome="failure",
                reason=f"{UNREADABLE} in {self._tries} tries; the last: {problem}",
            )
        )


def _ask_again(answer: str, problem: str) -> list[Message]:
    return [
        # Servers refuse an empty turn.
        Message("assistant", (Text(answer if answer.strip() else "(nothing)"),)),
        Message(
            "user",
            (Text(f"That answer cannot be read: {problem}. Answer again, in the form asked for."),),
        ),
    ]
