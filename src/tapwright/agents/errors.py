"""Errors of agents."""

from tapwright.errors import UsageError

__all__ = [
    "AgentConfigError",
]


class AgentConfigError(UsageError):
    """The parts of an agent do not fit: one without places has no grounder to find them."""

    code = "TW450"
