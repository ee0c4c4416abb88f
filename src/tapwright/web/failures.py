"""What went wrong, as the web app tells it: `{"code", "message", "hint"}` and an HTTP status."""

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.websockets import WebSocket

from tapwright.devices.errors import DeviceBusyError
from tapwright.errors import (
    DeviceError,
    DiskError,
    ModelError,
    NothingFoundError,
    TapwrightError,
    UnknownNameError,
)
from tapwright.record.errors import RecordingError
from tapwright.store.errors import (
    BadIdError,
    EditConflictError,
    EpisodeExistsError,
    EpisodeMissingError,
    NothingToUndoError,
    VersionMissingError,
)
from tapwright.web.errors import (
    AccountError,
    CrossSiteRequestError,
    DatabaseError,
    ForbiddenError,
    LeaseError,
    LoginRateLimitError,
    PayloadTooLargeError,
    RequestError,
    ResourceNotFoundError,
    SessionTakenOverError,
    UnauthenticatedError,
)

__all__ = ["failure_of", "status_of", "tell_failure"]

_STATUS: dict[type[TapwrightError], int] = {
    TapwrightError: 422,
    RequestError: 422,
    BadIdError: 400,
    CrossSiteRequestError: 403,
    UnauthenticatedError: 401,
    ForbiddenError: 403,
    LoginRateLimitError: 429,
    PayloadTooLargeError: 413,
    ResourceNotFoundError: 404,
    NothingFoundError: 404,
    UnknownNameError: 404,
    EpisodeMissingError: 404,
    VersionMissingError: 404,
    EpisodeExistsError: 409,
    EditConflictError: 409,
    NothingToUndoError: 409,
    AccountError: 409,
    LeaseError: 409,
    DatabaseError: 503,
    RecordingError: 409,
    SessionTakenOverError: 409,
    DeviceError: 503,
    DeviceBusyError: 409,
    DiskError: 503,
    ModelError: 503,
}


def status_of(error: TapwrightError) -> int:
    """The HTTP status of an error: that of the nearest class that has one."""
    return next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)


def failure_of(error: TapwrightError) -> dict[str, str]:
    """An error as JSON, for answers and for messages on a socket."""
    return {"code": error.code, "message": str(error), "hint": error.hint}


async def tell_failure(connection: HTTPConnection, error: Exception) -> JSONResponse | None:
    """Starlette's handler for our errors, its own (no such route), and what nobody foresaw.

    A socket that is not accepted yet is refused, an open one is closed; both without an answer.
    """
    if isinstance(connection, WebSocket):
        reason = error.code if isinstance(error, TapwrightError) else "TW000"
        await connection.close(code=1008, reason=reason)
        return None
    if isinstance(error, TapwrightError):
        headers = {"Retry-After": "60"} if isinstance(error, LoginRateLimitError) else None
        return JSONResponse(failure_of(error), status_of(error), headers)
    if isinstance(error, HTTPException):
        told = ResourceNotFoundError if error.status_code == 404 else RequestError
        return JSONResponse(
            {"code": told.code, "message": error.detail, "hint": ""},
            error.status_code,
            error.headers,
        )
    return JSONResponse(
        {
            "code": TapwrightError.code,
            "message": "the server failed; what was recorded is kept",
            "hint": "the terminal in which it runs says more",
        },
        500,
    )
