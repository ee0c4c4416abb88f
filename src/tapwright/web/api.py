"""Routes of the API, whose parameters and answers are the annotations of their handlers.

    def list_episodes(request: Request, query: EpisodesQuery) -> EpisodePage: ...

    ApiRoute("/api/episodes", list_episodes, role="annotator")

The parameter `query` is read from the address and `body` from the request's JSON, both strictly;
any others are the fields of the one that the method has. The value that is returned is answered as
JSON. `web.openapi` describes the routes from the same annotations, and the frontend's types are
generated from that description.
"""

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse as PathResponse
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from tapwright.core.screenshot import Screenshot
from tapwright.errors import first_problem
from tapwright.web.auth import RequiredRole, authorize
from tapwright.web.errors import DatabaseError, ForbiddenError, RequestError, UnauthenticatedError

__all__ = [
    "ApiRoute", "Body", "DownloadResponse", "EmptyResponse", "FileResponse", "ImageResponse",
    "ItemNumber", "Query", "SocketRoute", "ThumbnailWidth", "image_response", "read_body",
    "read_query",
]  # fmt: skip


ItemNumber: TypeAlias = Annotated[int, Field(ge=1, lt=2**31)]
"""The number of an item of the queue, in the range of every database's integers."""

B = TypeVar("B", bound=BaseModel)


class Query(BaseModel):
    """The parameters of an address; one that it does not name is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Body(BaseModel):
    """The JSON of a request; one with an unknown field is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class EmptyResponse(Response):
    """`{}`, for a handler that sets headers; any other returns None for the same."""

    def __init__(self) -> None:
        super().__init__(b"{}", media_type="application/json")


class ImageResponse(Response):
    """A picture in its own format, or 304 when the browser has it already."""


class FileResponse(Response):
    """A file to keep, such as a table; its headers name it."""


class DownloadResponse(PathResponse):
    """A file on disk to keep, sent piece by piece."""


class ApiRoute(Route):
    """A route of the API, and the role that it requires.

    The handler may be a coroutine function; any other runs in a thread, as disks are slow.
    """

    def __init__(
        self, path: str, handler: Callable[..., Any], *, role: RequiredRole, method: str = "GET"
    ) -> None:
        super().__init__(path, self._respond, methods=[method], include_in_schema=False)
        signature = inspect.signature(handler)
        self.handler = handler
        self.role = role
        self.method = method
        self._named = {
            name: (one.annotation, ... if one.default is one.empty else one.default)
            for name, one in signature.parameters.items()
            if name not in ("request", "query", "body")
        }
        named: Any = self._named
        self.query_type = _annotation(signature, "query", Query)
        self.body_type = _annotation(signature, "body", Body)
        if named and method == "GET":
            self.query_type = create_model("Query", __base__=Query, **named)
        elif named:
            name = f"{handler.__name__.title().replace('_', '')}Body"
            self.body_type = create_model(name, __base__=Body, **named)
        self.answer_type: Any = signature.return_annotation

    @cached_property
    def adapter(self) -> TypeAdapter[Any] | None:
        """What makes JSON of an answer; None for one that is a response already."""
        is_response = isinstance(self.answer_type, type) and issubclass(self.answer_type, Response)
        return None if is_response else TypeAdapter(self.answer_type)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the user's role, and answer the request."""
        await authorize(scope, self.role)
        await super().handle(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        arguments: dict[str, Any] = {}
        if self.query_type is not None:
            arguments["query"] = read_query(request, self.query_type)
        if self.body_type is not None:
            arguments["body"] = await read_body(request, self.body_type)
        if self._named:
            (read,) = arguments.values()
            arguments = {name: getattr(read, name) for name in self._named}
        if inspect.iscoroutinefunction(self.handler):
            return self._response(await self.handler(request, **arguments))
        return await run_in_threadpool(lambda: self._response(self.handler(request, **arguments)))

    def _response(self, answer: Any) -> Response:
        if isinstance(answer, Response):
            return answer
        if answer is None and self.answer_type is None:
            return EmptyResponse()
        assert self.adapter is not None  # only a `Response` has none
        # In ASCII, because half an emoji, which models do write, has no UTF-8.
        value = self.adapter.dump_python(answer, mode="json")
        data = json.dumps(value, separators=(",", ":"), allow_nan=False)
        return Response(data, media_type="application/json")


class SocketRoute(WebSocketRoute):
    """A WebSocket of the API, and the role that it requires; refused before it is accepted.

    `receives` is the type of the JSON messages that the server reads from it, and `sends` that of
    those that it writes; None stands for bytes. The role is checked again every `recheck_s`
    seconds, so that an open socket ends when its user may no longer have it.
    """

    def __init__(
        self,
        path: str,
        handler: Callable[..., Awaitable[None]],
        *,
        role: RequiredRole,
        receives: TypeAdapter[Any] | None = None,
        sends: TypeAdapter[Any] | None = None,
        recheck_s: float = 30.0,
    ) -> None:
        super().__init__(path, self._serve)
        self.handler = handler
        self.role = role
        self.receives = receives
        self.sends = sends
        self.query_type = _annotation(inspect.signature(handler), "query", Query)
        self._recheck_s = recheck_s

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the user's role, and go on for as long as they have it."""
        await authorize(scope, self.role)
        checking = asyncio.create_task(self._recheck(scope, send))
        try:
            await super().handle(scope, receive, send)
        finally:
            checking.cancel()

    async def _serve(self, socket: WebSocket) -> None:
        if self.query_type is None:
            await self.handler(socket)
        else:
            await self.handler(socket, query=read_query(socket, self.query_type))

    async def _recheck(self, scope: Scope, send: Send) -> None:
        while True:
            await asyncio.sleep(self._recheck_s)
            try:
                await authorize(scope, self.role)
            except (UnauthenticatedError, ForbiddenError) as error:
                await send({"type": "websocket.close", "code": 1008, "reason": error.code})
                return
            except DatabaseError:
                continue  # what is recorded meanwhile is not to be lost


def read_query(connection: HTTPConnection, kind: type[B]) -> B:
    """The parameters of the address as a model; of each there may be one value.

    Raises:
        RequestError: a parameter is missing, repeated or not valid; names which.
    """
    values: dict[str, str] = {}
    for name in kind.model_fields:
        given = connection.query_params.getlist(name)
        if len(given) > 1:
            raise RequestError(f"the query has {len(given)} values for {name!r}; expected one")
        if given:
            values[name] = given[0]
    try:
        return kind.model_validate_strings(values)
    except ValidationError as error:
        raise RequestError(f"the query is not valid: {first_problem(error)}") from error


async def read_body(request: Request, kind: type[B]) -> B:
    """The body, which is JSON, as a model.

    Raises:
        RequestError: it is not valid; names the field.
    """
    try:
        return kind.model_validate_json(await request.body())
    except ValidationError as error:
        raise RequestError(f"the body is not valid: {first_problem(error)}") from error


def _annotation(signature: inspect.Signature, name: str, base: type[B]) -> type[B] | None:
    """The annotation of a handler's parameter; None when it has no such parameter."""
    parameters: Mapping[str, inspect.Parameter] = signature.parameters
    if name not in parameters:
        return None
    kind = parameters[name].annotation
    assert isinstance(kind, type)
    assert issubclass(kind, base)
    return kind


_FOREVER = "private, max-age=31536000, immutable"

ThumbnailWidth = Annotated[int, Field(ge=40, le=1080)]


def image_response(
    request: Request,
    shot: Screenshot,
    read: Callable[[], bytes],
    media_type: str,
    *,
    immutable: bool = False,
) -> ImageResponse:
    """A picture; `immutable` ones, requested by hash, are cached for good, others revalidated."""
    tag = f'"{shot.sha256}-{request.query_params.get("w", "")}"'
    headers = {"ETag": tag, "Cache-Control": _FOREVER if immutable else "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return ImageResponse(status_code=304, headers=headers)
    return ImageResponse(read(), media_type=media_type, headers=headers)
