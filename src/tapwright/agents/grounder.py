"""A model that finds the place of a target which another model has chosen."""

from tapwright.agents import query_policy
from tapwright.agents.errors import AGENT_CONFIG
from tapwright.conventions.convention import Convention
from tapwright.conventions.grounding import read_point
from tapwright.conventions.spoken import SpokenConvention
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.errors import BadAnswerError, UngroundedAnswerError, UnsupportedByConventionError
from tapwright.models.model import Model

__all__ = ["Grounder", "gives_places"]

_SIZE = Size(1000, 1000)
_TAP = Decision(Tap(at=Point(0.5, 0.5)), "it is requested", "the button")


class Grounder:
    """Queries `model` for places, in a convention that gives them."""

    def __init__(
        self,
        model: Model,
        convention: Convention,
        policy: query_policy.QueryPolicy = query_policy.DEFAULT_QUERY_POLICY,
    ) -> None:
        """Check that the convention gives places.

        Raises:
            UsageError: it does not.
        """
        if not gives_places(convention):
            raise AGENT_CONFIG(
                f"the convention {convention.name!r} gives no places, so no grounder can use it",
                hint="such as --plan grounder_convention=mobimind-grounder-qwen3",
            )
        self._query = query_policy.ModelQuery(model, "grounder", policy)
        self._convention = convention
        self._spoken = SpokenConvention.to(model.name, convention)

    @property
    def name(self) -> str:
        """The model's name and the convention's."""
        return f"{self._query.model.name} {self._convention.name}"

    async def find(
        self,
        decision: Decision,
        observation: Observation,
        step: int,
        kept: list[query_policy.ModelAnswer],
    ) -> Point:
        """Where the `target` of a decision is, in fractions of the screen; the action is not read.

        Its answers are added to `kept`.

        Raises:
            BadAnswerError: no answer is readable, or it says that there is no such element.
            ModelError: the query failed.
        """
        seen, _ = await query_policy.change_pictures(
            observation, (), scale=self._query.policy.picture_scale
        )
        messages = self._spoken.request_place(decision.target, seen, decision.reasoning)

        def read(text: str) -> Point | None:
            return read_point(self._convention, text, seen.size)

        found = await self._query.ask(messages, read, step, kept, self._spoken, seen.size)
        if found is None:
            raise BadAnswerError(f"answers that the screen has no {decision.target!r}")
        return found


def gives_places(convention: Convention) -> bool:
    """Whether a tap is written with its place, and not by its target alone."""
    try:
        convention.parse(convention.render(_TAP, _SIZE), _SIZE)
    except (UngroundedAnswerError, UnsupportedByConventionError):
        return False
    return True
