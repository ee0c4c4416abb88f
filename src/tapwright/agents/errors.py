"""Errors of agents."""

from tapwright.errors import UsageError

__all__ = [
    "AgentConfigError",
]


class AgentConfigError(UsageError):
    """The parts of an agent do not fit: one that gives no places has nobody who finds them."""

    code = "TW450"
