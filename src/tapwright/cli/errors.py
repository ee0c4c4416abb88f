"""Errors of the command line."""

from tapwright.errors import ErrorCode, TapwrightError, TaskError, UsageError

__all__ = [
    "EXPOSED_SERVER", "GONE_DIRECTORY", "INSTALL", "OUTPUT_EXISTS", "PORT_TAKEN",
    "ProjectFileError",
]  # fmt: skip


class ProjectFileError(UsageError, code="TW159"):
    """A tapwright.toml cannot be used as it is."""


# fmt: off
EXPOSED_SERVER = ErrorCode("TW157", UsageError,
    "A server would be reachable from other machines without signing in.")
PORT_TAKEN = ErrorCode("TW158", UsageError, "Another program listens on the requested address.")
OUTPUT_EXISTS = ErrorCode("TW537", TaskError,
    "The output file exists, and people may have edited it.")
GONE_DIRECTORY = ErrorCode("TW165", UsageError,
    "The current directory was removed, so nothing can be found from there.")
INSTALL = ErrorCode("TW195", TapwrightError,
    "What a check lacks could not be installed by this user, or the installation failed.")
