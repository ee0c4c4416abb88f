"""An agent that queries a model in a convention; a second model may find the places.

An answer that cannot be read is data: it is kept raw, and the model receives what was wrong with
it and answers again. When that does not help either, the attempt ends as a failure.
"""

from collections.abc import Sequence
from dataclasses import replace

from tapwright.agents import query_policy
from tapwright.agents.errors import AGENT_CONFIG
from tapwright.agents.grounder import Grounder, gives_places
from tapwright.conventions.convention import Convention, parse_on
from tapwright.conventions.history import DEFAULT_HISTORY, HistoryPolicy
from tapwright.conventions.spoken import SpokenConvention
from tapwright.core.actions import Finish, PointAction, Tap
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.errors import BadAnswerError, UngroundedAnswerError
from tapwright.models.model import Model

__all__ = ["UNREADABLE", "ModelAgent", "finish_unreadable"]

UNREADABLE = "no readable answer"
"""The begin of the reason of an attempt that ended because no answer was readable."""

_NOWHERE = Point(0.5, 0.5)


class ModelAgent:
    """Queries `model` in `convention`, with the steps so far that `history` selects.

    With a `grounder`, the model decides what is touched and the grounder where: it finds
    the place of whatever target the model names, also when the model gave a place itself. That one
    holds when no target is named, or when the grounder gives no readable answer.

    A convention of a provider's tool declares it to a model behind that provider's own API.

    The answers of the models are kept in `answers`, in order.
    """

    def __init__(
        self,
        model: Model,
        convention: Convention,
        *,
        history: HistoryPolicy = DEFAULT_HISTORY,
        policy: query_policy.QueryPolicy = query_policy.DEFAULT_QUERY_POLICY,
        grounder: Grounder | None = None,
        max_pixels: int | None = None,
    ) -> None:
        """Check that the places are found.

        `model` is shown screens of at most `max_pixels`, width times height: larger ones are scaled
        down, and pixels in its answers are those of what it is shown. The grounder sees them whole.

        Raises:
            UsageError: the convention leaves places to a grounder, and there is none.
        """
        if grounder is None and not gives_places(convention):
            raise AGENT_CONFIG(
                f"the convention {convention.name!r} names what is tapped and not where",
                hint="name the model that finds it, such as --plan grounder=openai/NAME "
                "--plan grounder_convention=mobimind-grounder-qwen3",
            )
        self._query = query_policy.ModelQuery(model, "decider", policy)
        self._convention = convention
        self._spoken = SpokenConvention.to(model.name, convention)
        self._history = history
        self._grounder = grounder
        self._max_pixels = max_pixels
        self.answers: list[query_policy.ModelAnswer] = []

    @property
    def name(self) -> str:
        """Model and convention, "openai/qwen2.5-vl-7b json", and the grounder's if there is one."""
        name = f"{self._query.model.name} {self._convention.name}"
        return name if self._grounder is None else f"{name} + {self._grounder.name}"

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        """The model's decision; a `Finish` with failure when no answer is readable.

        Raises:
            ModelError: the query failed.
        """
        step = len(history)
        seen, before = await query_policy.change_pictures(
            observation,
            history,
            scale=self._query.policy.picture_scale,
            max_pixels=self._max_pixels,
        )
        messages = self._spoken.prompt(instruction, before, seen, self._history)

        def read(text: str) -> tuple[Decision, bool]:
            return self._read(text, seen)

        try:
            decision, placed = await self._query.ask(
                messages, read, step, self.answers, self._spoken, seen.size
            )
        except BadAnswerError as error:
            return finish_unreadable(str(error))
        if self._grounder is None or not decision.target.strip():
            return decision
        match decision.first:
            case PointAction() as action:
                try:
                    at = await self._grounder.find(decision, observation, step, self.answers)
                except BadAnswerError as error:
                    return decision if placed else finish_unreadable(f"of the grounder {error}")
                there = action.model_copy(update={"at": at})
                return replace(decision, actions=(there, *decision.actions[1:]))
            case _:
                return decision

    def _read(self, text: str, seen: Observation) -> tuple[Decision, bool]:
        """The decision of an answer, and whether it gives the place of what it touches."""
        try:
            return parse_on(self._convention, text, seen), True
        except UngroundedAnswerError as error:
            if self._grounder is None or not error.target.strip():
                raise
            return Decision(Tap(at=_NOWHERE), error.reasoning, error.target), False


def finish_unreadable(why: str) -> Decision:
    """How an attempt ends that no model's answer carries on."""
    return Decision(Finish(outcome="failure", reason=f"{UNREADABLE} {why}"))
