"""Checks of milestones that combine others; the cheaper ones are evaluated first."""

from collections.abc import Sequence
from dataclasses import dataclass

from tapwright.tasks.milestones.checks import MilestoneCheck
from tapwright.tasks.milestones.frames import (
    CheckCost,
    FrameReader,
    MilestoneFrame,
    Truth,
    all_true,
    any_true,
)

__all__ = ["AllChecks", "AnyCheck"]


@dataclass(frozen=True, slots=True)
class AnyCheck:
    """Holds if one of several checks holds (`escalate`)."""

    checks: tuple[MilestoneCheck, ...]

    @property
    def costs(self) -> frozenset[CheckCost]:
        """The costs of all of them."""
        return frozenset().union(*(check.costs for check in self.checks))

    def holds(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader, cost: CheckCost
    ) -> Truth:
        """Whether one of them holds; expensive ones run only if no cheaper one holds."""
        return any_true(
            check.holds(frames, number, reader, cost) for check in _by_cost(self.checks)
        )

    def evidence(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader
    ) -> tuple[str, str]:
        """Return that of the first that holds."""
        for check in _by_cost(self.checks):
            if check.holds(frames, number, reader, max(check.costs, default=CheckCost.WORDS)):
                return check.evidence(frames, number, reader)
        return "none", ""


@dataclass(frozen=True, slots=True)
class AllChecks:
    """Holds if all of several checks hold (`juxtaposition`)."""

    checks: tuple[MilestoneCheck, ...]

    @property
    def costs(self) -> frozenset[CheckCost]:
        """The costs of all of them."""
        return frozenset().union(*(check.costs for check in self.checks))

    def holds(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader, cost: CheckCost
    ) -> Truth:
        """Whether all of them hold; expensive ones run only if every cheaper one holds."""
        return all_true(
            check.holds(frames, number, reader, cost) for check in _by_cost(self.checks)
        )

    def evidence(
        self, frames: Sequence[MilestoneFrame], number: int, reader: FrameReader
    ) -> tuple[str, str]:
        """Return that of each."""
        evidence = [check.evidence(frames, number, reader) for check in self.checks]
        return " and ".join(kind for kind, _ in evidence), "; ".join(found for _, found in evidence)


def _by_cost(checks: Sequence[MilestoneCheck]) -> list[MilestoneCheck]:
    return sorted(checks, key=lambda check: max(check.costs, default=CheckCost.WORDS))
