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
    kind.code: status
    for status, kinds in {
        422: (TapwrightError, RequestError),
        400: (errors.BadIdError,),
        403: (CROSS_SITE_REQUEST, ForbiddenError),
        401: (UnauthenticatedError,),
        429: (LoginRateLimitError,),
        413: (PAYLOAD_TOO_LARGE,),
        404: (
            ResourceNotFoundError, NothingFoundError, UnknownNameError,
            errors.EpisodeMissingError, errors.VERSION_MISSING,
        ),
        409: (
            errors.EpisodeExistsError, errors.EditConflictError, errors.NOTHING_TO_UNDO,
            ACCOUNT, LeaseError, RecordingError, SELECTION_CHANGED, SESSION_TAKEN_OVER,
            SessionReleasedError, DEVICE_BUSY,
        ),
        503: (DatabaseError, DeviceError, DiskError, ModelError),
    }.items()
    for kind in kinds
}  # fmt: skip


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
