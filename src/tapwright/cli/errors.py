"""Errors of the command line."""

from tapwright.errors import TaskError, UsageError

__all__ = [
    "ExposedServerError",
    "OutputExistsError",
    "PortTakenError",
]


class ExposedServerError(UsageError):
    """A server was to be reached from other machines, and would have let anybody in."""

    code = "TW157"


class PortTakenError(UsageError):
    """Another program listens at the address that was asked for."""

    code = "TW158"


class OutputExistsError(TaskError):
    """A file that people may have edited is where a new one was to go."""

    code = "TW537"
