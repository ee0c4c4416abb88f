"""Errors of requests, accounts and sessions of the web app."""

from tapwright.errors import ErrorCode, TapwrightError

__all__ = [
    "ACCOUNT",
    "BUNDLE",
    "CROSS_SITE_REQUEST",
    "PAYLOAD_TOO_LARGE",
    "SELECTION_CHANGED",
    "SESSION_MISSING",
    "SESSION_TAKEN_OVER",
    "BackupError",
    "BadMessageError",
    "DatabaseError",
    "ForbiddenError",
    "LeaseError",
    "LoginRateLimitError",
    "RequestError",
    "ResourceNotFoundError",
    "SessionBehindError",
    "SessionReleasedError",
    "UnauthenticatedError",
]


class RequestError(TapwrightError):
    """A request to the web app is not valid; the message names the part."""

    code = "TW150"


class UnauthenticatedError(RequestError):
    """The user is not signed in: the token or the cookie is missing or unknown."""

    code = "TW153"


class ForbiddenError(RequestError):
    """The user may not do this; the message names the role that may."""

    code = "TW154"


class LoginRateLimitError(RequestError):
    """Too many wrong tokens came from one address; the hint is when to try again."""

    code = "TW155"


class ResourceNotFoundError(RequestError):
    """The web app has no such address, or nothing of that id."""

    code = "TW156"


class DatabaseError(TapwrightError):
    """The team's database cannot be reached or used, or has tables of another version."""

    code = "TW160"
    fatal = True


class LeaseError(TapwrightError):
    """An item of the queue cannot be leased or completed by this member (any more)."""

    code = "TW162"


class BackupError(TapwrightError):
    """A team's backup cannot be read, or cannot be restored into a database that has a team."""

    code = "TW163"


class SessionReleasedError(RequestError):
    """A demonstration's device was released by an admin; it goes on once it is resumed."""

    code = "TW353"

    def __init__(self, by: str) -> None:
        super().__init__(
            f"the device was released by {by}; what is recorded is kept",
            hint="resume the demonstration on the start page",
            values={"by": by},
        )


class SessionBehindError(RequestError):
    """Too many commands of a demonstration wait for its device; this one was not executed."""

    code = "TW354"

    def __init__(self, waiting: int) -> None:
        super().__init__(
            f"{waiting} commands wait for the device; this one was not executed",
            hint="wait until the device has caught up, and do it again",
            values={"waiting": waiting},
        )


class BadMessageError(RequestError):
    """A message of a browser is not one that a recording session knows; nothing was done."""

    code = "TW352"


# fmt: off
CROSS_SITE_REQUEST = ErrorCode("TW151", RequestError,
    "A request came under another host's name, from another site's page, or without our header.")
PAYLOAD_TOO_LARGE = ErrorCode("TW152", RequestError,
    "A request is larger than the web app accepts.")
ACCOUNT = ErrorCode("TW161", TapwrightError,
    "An account of the team is not there, is there already, or has no name that can be one.")
SELECTION_CHANGED = ErrorCode("TW164", TapwrightError,
    "A filter selects other things than those that were counted; nothing was changed.")
SESSION_MISSING = ErrorCode("TW350", ResourceNotFoundError,
    "There is no demonstration of this id, or it is another person's.")
SESSION_TAKEN_OVER = ErrorCode("TW351", RequestError,
    "A demonstration was opened in another tab, which has it now.")
BUNDLE = ErrorCode("TW355", TapwrightError,
    "A static copy of the web app's pages cannot be written.")
