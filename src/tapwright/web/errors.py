"""Errors of requests, accounts and sessions of the web app."""

from tapwright.errors import ErrorCode, TapwrightError

__all__ = [
    "ACCOUNT", "BUNDLE", "CROSS_SITE_REQUEST", "PAYLOAD_TOO_LARGE", "SELECTION_CHANGED",
    "SESSION_BEHIND", "SESSION_MISSING", "SESSION_TAKEN_OVER", "BackupError", "BadMessageError",
    "DatabaseError", "ForbiddenError", "LeaseError", "LoginRateLimitError", "RequestError",
    "ResourceNotFoundError", "SessionReleasedError", "UnauthenticatedError",
]  # fmt: skip


class RequestError(TapwrightError, code="TW150"):
    """A request to the web app is not valid; the message names the part."""


class UnauthenticatedError(RequestError, code="TW153"):
    """The user is not signed in: the token or the cookie is missing or unknown."""


class ForbiddenError(RequestError, code="TW154"):
    """The user may not do this; the message names the role that may."""


class LoginRateLimitError(RequestError, code="TW155"):
    """Too many wrong tokens came from one address; the hint is when to try again."""


class ResourceNotFoundError(RequestError, code="TW156"):
    """The web app has no such address, or nothing of that id."""


class DatabaseError(TapwrightError, code="TW160", fatal=True):
    """The team's database cannot be reached or used, or has tables of another version."""


class LeaseError(TapwrightError, code="TW162"):
    """An item of the queue cannot be leased or completed by this member (any more)."""


class BackupError(TapwrightError, code="TW163"):
    """A team's backup cannot be read, or cannot be restored into a database that has a team."""


class SessionReleasedError(RequestError, code="TW353"):
    """A demonstration's device was released by an admin; it goes on once it is resumed."""

    def __init__(self, by: str) -> None:
        super().__init__(
            f"the device was released by {by}; what is recorded is kept",
            hint="resume the demonstration on the start page",
            values={"by": by},
        )


class BadMessageError(RequestError, code="TW352"):
    """A message of a browser is not one that a recording session knows; nothing was done."""


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
SESSION_BEHIND = ErrorCode("TW354", RequestError,
    "Too many commands of a demonstration wait for its device; this one was not executed.")
BUNDLE = ErrorCode("TW355", TapwrightError,
    "A static copy of the web app's pages cannot be written.")
