"""Errors of the command line."""

from tapwright.errors import TaskError, UsageError

__all__ = [
    "ExposedServerError",
    "OutputExistsError",
    "PortTakenError",
]


class ExposedServerError(UsageError):
    """A server would be reachable from other machines without signing in."""

    code = "TW157"


class PortTakenError(UsageError):
    """Another program listens on the requested address."""

    code = "TW158"


class OutputExistsError(TaskError):
    """The output file exists, and people may have edited it."""

    code = "TW537"
