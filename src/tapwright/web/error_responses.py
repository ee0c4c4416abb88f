"""Errors as the web app answers them: a code, values and English words, with an HTTP status.

Pages write an error in their own language, from the code and the values; the English message and
hint are for logs, for programs, and for who asks for the details.
"""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.websockets import WebSocket

from tapwright.devices.errors import DEVICE_BUSY
from tapwright.errors import (
    DeviceError,
    DiskError,
    ModelError,
    NothingFoundError,
    TapwrightError,
    UnknownNameError,
)
from tapwright.record.errors import RecordingError
from tapwright.store import errors
from tapwright.web.auth import roles_in
from tapwright.web.errors import (
    ACCOUNT,
    CROSS_SITE_REQUEST,
    PAYLOAD_TOO_LARGE,
    SELECTION_CHANGED,
    SESSION_TAKEN_OVER,
    DatabaseError,
    ForbiddenError,
    LeaseError,
    LoginRateLimitError,
    RequestError,
    ResourceNotFoundError,
    SessionReleasedError,
    UnauthenticatedError,
)

__all__ = [
    "ErrorView", "error_response", "error_status", "error_view", "handle_error", "visible_error",
    "without_paths",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ErrorView:
    """An error: its stable code, what happened, the way out (or ""), and the message's values."""

    code: str
    message: str
    hint: str
    values: Mapping[str, str | int]


_STATUS: Mapping[str, int] = {
    TapwrightError.code: 422,
    RequestError.code: 422,
    errors.BadIdError.code: 400,
    CROSS_SITE_REQUEST.code: 403,
    UnauthenticatedError.code: 401,
    ForbiddenError.code: 403,
    LoginRateLimitError.code: 429,
    PAYLOAD_TOO_LARGE.code: 413,
    ResourceNotFoundError.code: 404,
    NothingFoundError.code: 404,
    UnknownNameError.code: 404,
    errors.EpisodeMissingError.code: 404,
    errors.VERSION_MISSING.code: 404,
    errors.EpisodeExistsError.code: 409,
    errors.EditConflictError.code: 409,
    errors.NOTHING_TO_UNDO.code: 409,
    ACCOUNT.code: 409,
    LeaseError.code: 409,
    DatabaseError.code: 503,
    RecordingError.code: 409,
    SELECTION_CHANGED.code: 409,
    SESSION_TAKEN_OVER.code: 409,
    SessionReleasedError.code: 409,
    DeviceError.code: 503,
    DEVICE_BUSY.code: 409,
    DiskError.code: 503,
    ModelError.code: 503,
}


def error_status(error: TapwrightError) -> int:
    """The HTTP status of an error: that of its code or of its nearest base class's."""
    kinds = (kind for kind in type(error).__mro__ if issubclass(kind, TapwrightError))
    codes = (error.code, *(kind.code for kind in kinds))
    return next(_STATUS[code] for code in codes if code in _STATUS)


def error_view(error: TapwrightError) -> ErrorView:
    """An error, for answers and for messages on a socket."""
    return ErrorView(error.code, str(error), error.hint, error.values)


def without_paths(text: str, connection: HTTPConnection) -> str:
    """The text as the user of a request may read it: only an admin learns where the files lie."""
    if "admin" in roles_in(connection):
        return text
    for directory in connection.app.state.directories:
        text = text.replace(f"{directory}{os.sep}", "").replace(directory, Path(directory).name)
    return text


def error_response(error: TapwrightError, connection: HTTPConnection | None = None) -> JSONResponse:
    """The answer to a request that failed with this error."""
    headers = {"Retry-After": "60"} if isinstance(error, LoginRateLimitError) else None
    view = error_view(error) if connection is None else visible_error(error, connection)
    return JSONResponse(asdict(view), error_status(error), headers)


def visible_error(error: TapwrightError, connection: HTTPConnection) -> ErrorView:
    """An error as the user of a request may read it."""
    view = error_view(error)
    return replace(
        view,
        message=without_paths(view.message, connection),
        hint=without_paths(view.hint, connection),
    )


async def handle_error(connection: HTTPConnection, error: Exception) -> JSONResponse | None:
    """Starlette's handler for our errors, its own (no such route) and unexpected ones.

    A socket that is not accepted yet is refused, an open one is closed; both without an answer.
    """
    if isinstance(connection, WebSocket):
        reason = error.code if isinstance(error, TapwrightError) else "TW000"
        await connection.close(code=1008, reason=reason)
        return None
    if isinstance(error, TapwrightError):
        return error_response(error, connection)
    if isinstance(error, HTTPException):
        kind = ResourceNotFoundError if error.status_code == 404 else RequestError
        view = ErrorView(kind.code, error.detail, "", {})
        return JSONResponse(asdict(view), error.status_code, error.headers)
    view = ErrorView(
        TapwrightError.code,
        "the server failed; what was recorded is kept",
        "its terminal shows the cause",
        {},
    )
    return JSONResponse(asdict(view), 500)
