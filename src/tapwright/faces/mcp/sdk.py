"""The hands of a device as a server of the official SDK, by the calls of its versions 1.30 and 2.

https://github.com/modelcontextprotocol/python-sdk. Version 1 registers a handler for each type of
request (`Server.request_handlers`), version 2 takes them when it is made (`on_call_tool=…`).
The messages are the same, and are built here from their JSON.
"""

import asyncio
import base64
import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import JsonValue
from starlette.applications import Starlette
from starlette.routing import Mount

from tapwright.errors import TapwrightError
from tapwright.faces.mcp.hands import EPISODES, TASK, Hands, Reply

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

__all__ = ["http_app", "make_server", "serve_stdio"]

_INSTRUCTIONS = (
    "You use a device by its screen: look (screenshot, tree), act (tap, type_text, …), and each "
    f"action returns the screen that it led to. What is asked is in the resource {TASK}. Say what "
    "the user wants to know with answer, and end with finish."
)
_RESOURCES: list[dict[str, JsonValue]] = [
    {"uri": TASK, "name": "task", "mimeType": "application/json",
     "description": "What is asked, on which device, and how far it is."},
    {"uri": EPISODES, "name": "episodes", "mimeType": "application/json",
     "description": f"What was played and recorded here; one is at {EPISODES}/ID."},
]  # fmt: skip
_METHODS = {
    "on_list_tools": "ListToolsRequest",
    "on_call_tool": "CallToolRequest",
    "on_list_resources": "ListResourcesRequest",
    "on_read_resource": "ReadResourceRequest",
}
_Answer: TypeAlias = Callable[[Any], Awaitable[Any]]
"""The result of a request, from its parameters."""


async def serve_stdio(hands: Hands, version: str) -> None:
    """Serve the client at standard input and output, until it closes them."""
    from mcp.server.stdio import stdio_server

    server = make_server(hands, version)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def http_app(hands: Hands, version: str) -> Starlette:
    """The server at /mcp, at whose end the attempt in progress ends; who is let in others say."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    manager = StreamableHTTPSessionManager(make_server(hands, version))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            async with manager.run():
                yield
        finally:  # here, as SIGTERM ends the process right after it
            await asyncio.to_thread(hands.close)

    return Starlette(routes=[Mount("/mcp", manager.asgi_app)], lifespan=lifespan)


def make_server(hands: Hands, version: str) -> "Server[Any]":
    """A server of the SDK that is installed; `version` is tapwright's."""
    from mcp import types
    from mcp.server.lowlevel import Server

    answers = _answers(hands)
    known: dict[str, Any] = {"version": version, "instructions": _INSTRUCTIONS}
    if "on_call_tool" in inspect.signature(Server.__init__).parameters:
        handlers = {name: _with_context(answer) for name, answer in answers.items()}
        return Server("tapwright", **known, **handlers)
    server = Server("tapwright", **known)
    for name, answer in answers.items():
        request = getattr(types, _METHODS[name])
        server.request_handlers[request] = _in_version_1(answer, types.ServerResult)
    return server


def _with_context(answer: _Answer) -> Callable[[Any, Any], Awaitable[Any]]:
    async def handle(context: Any, params: Any) -> Any:
        return await answer(params)

    return handle


def _in_version_1(answer: _Answer, wrap: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Any]]:
    async def handle(request: Any) -> Any:
        return wrap(await answer(request.params))

    return handle


def _answers(hands: Hands) -> dict[str, _Answer]:
    """How each request is answered, by the argument that names it in version 2."""
    from mcp import types

    async def list_tools(params: Any) -> Any:
        tools = [
            {"name": one.name, "description": one.description, "inputSchema": one.arguments}
            for one in await asyncio.to_thread(hands.tools)
        ]
        return types.ListToolsResult.model_validate({"tools": tools})

    async def call_tool(params: Any) -> Any:
        reply = await asyncio.to_thread(hands.call, params.name, params.arguments or {})
        return types.CallToolResult.model_validate(
            {"content": _content(reply), "isError": reply.is_error}
        )

    async def list_resources(params: Any) -> Any:
        return types.ListResourcesResult.model_validate({"resources": _RESOURCES})

    async def read_resource(params: Any) -> Any:
        address = str(params.uri)
        try:
            found = await asyncio.to_thread(hands.read, address)
        except TapwrightError as error:
            raise _refusal(error) from error
        text = json.dumps(found, ensure_ascii=False)
        content = {"uri": address, "mimeType": "application/json", "text": text}
        return types.ReadResourceResult.model_validate({"contents": [content]})

    return {
        "on_list_tools": list_tools,
        "on_call_tool": call_tool,
        "on_list_resources": list_resources,
        "on_read_resource": read_resource,
    }


def _refusal(error: TapwrightError) -> Exception:
    """What the SDK answers a request with that cannot be done, by the name of either version."""
    from mcp import types
    from mcp.shared import exceptions

    text = f"{error}" + (f"; {error.hint}" if error.hint else "")
    data = types.ErrorData(code=types.INVALID_PARAMS, message=text)
    made: Exception = (
        exceptions.McpError(data)
        if hasattr(exceptions, "McpError")
        else exceptions.MCPError.from_error_data(data)
    )
    return made


def _content(reply: Reply) -> list[dict[str, str]]:
    content = [{"type": "text", "text": reply.text}]
    if reply.picture is not None:
        kind = "jpeg" if reply.picture.extension == "jpg" else reply.picture.extension
        data = base64.b64encode(reply.picture.data).decode()
        content.append({"type": "image", "data": data, "mimeType": f"image/{kind}"})
    return content
