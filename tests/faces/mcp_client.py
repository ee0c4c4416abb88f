"""A client of MCP for the tests, by the SDK's own or by fastmcp's; its calls come as JSON.

Runs in an environment that has them: `python -m tests.faces.mcp_client sdk|fastmcp TARGET`, where
the target is the words of a command or an address. Reads [[tool, arguments], …] from standard
input, taps the element that `{"on": "SHORT_ID"}` names, and writes what came back.
"""

import asyncio
import json
import os
import re
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

TOKEN = os.environ.get("TOKEN", "")


async def main(kind: str, target: str, calls: list[list[Any]]) -> None:
    told: dict[str, Any] = {"calls": []}
    async with (_sdk if kind == "sdk" else _fastmcp)(target) as client:
        told["tools"] = [tool.name for tool in _listed(await client.list_tools(), "tools")]
        resources = _listed(await client.list_resources(), "resources")
        told["resources"] = [str(one.uri) for one in resources]
        for name, arguments in calls:
            if "on" in arguments:
                arguments["at"] = await _find(client, kind, arguments.pop("on"))
            told["calls"].append(await _call(client, kind, name, arguments))
        told["task"] = await _read(client, "tapwright://task")
    sys.stdout.write(json.dumps(told))


def _listed(found: Any, name: str) -> Any:
    return found if isinstance(found, list) else getattr(found, name)


async def _call(client: Any, kind: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    options = {} if kind == "sdk" else {"raise_on_error": False}
    result = await client.call_tool(name, arguments, **options)
    failed = getattr(result, "isError", None) or getattr(result, "is_error", None)
    text = next(one.text for one in result.content if one.type == "text")
    pictures = [one.model_dump(by_alias=True) for one in result.content if one.type == "image"]
    kinds = [one["mimeType"] for one in pictures]
    return {"tool": name, "text": text, "error": bool(failed), "pictures": kinds}


async def _find(client: Any, kind: str, element: str) -> dict[str, int]:
    """The middle of the element with a short id, by the bounds that the tool `tree` gives."""
    xml = (await _call(client, kind, "tree", {}))["text"]
    node = re.search(rf'<node [^>]*resource-id="[^"]*/{element}"[^>]*>', xml)
    assert node is not None, (element, xml[:2000])
    edges = re.search(r'bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"', node[0])
    assert edges is not None
    left, top, right, bottom = map(int, edges.groups())
    return {"x": (left + right) // 2, "y": (top + bottom) // 2}


async def _read(client: Any, address: str) -> Any:
    found = await client.read_resource(address)
    contents = _listed(found, "contents")
    return json.loads(contents[0].text)


@asynccontextmanager
async def _sdk(target: str) -> AsyncIterator[Any]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    program, *words = shlex.split(target)
    server = StdioServerParameters(command=program, args=words, env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield session


@asynccontextmanager
async def _fastmcp(target: str) -> AsyncIterator[Any]:
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

    if target.startswith("http"):
        headers = {"Authorization": f"Bearer {TOKEN}"} if TOKEN else {}
        transport: Any = StreamableHttpTransport(target, headers=headers)
    else:
        program, *words = shlex.split(target)
        transport = StdioTransport(program, words, env=dict(os.environ))
    async with Client(transport) as client:
        yield client


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], json.load(sys.stdin)))
