"""Errors of agents."""

from tapwright.errors import ErrorCode, UsageError

__all__ = ["AGENT_CONFIG"]

# fmt: off
AGENT_CONFIG = ErrorCode("TW450", UsageError,
    "The parts of an agent do not fit: one without places has no grounder to find them.")
