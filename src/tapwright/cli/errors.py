"""Errors of the command line."""

from tapwright.errors import TapwrightError, TaskError, UsageError

__all__ = [
    "ExposedServerError",
    "GoneDirectoryError",
    "InstallError",
    "OutputExistsError",
    "PortTakenError",
    "ProjectFileError",
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


class ProjectFileError(UsageError):
    """A tapwright.toml cannot be used as it is."""

    code = "TW159"


class GoneDirectoryError(UsageError):
    """The current directory was removed, so nothing can be found from there."""

    code = "TW165"


class InstallError(TapwrightError):
    """What a check lacks could not be installed by this user, or the installation failed."""

    code = "TW195"
