"""Frames that attack `tapwright mcp` and `env serve`: refused in a line, and the next one works."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pytest

from tests.hostile.doors import VALUES, Door, hosts, origins, rpc

pytestmark = pytest.mark.slow

MOST_S = 20.0
"""A guard against hanging, on a machine that is busy with other tests, too."""
MOST_GROWTH_MB = 100.0
HELLO = rpc(
    "initialize",
    b'{"protocolVersion": "2025-03-26", "capabilities": {}, '
    b'"clientInfo": {"name": "x", "version": "1"}}',
)
PLAN = """id: "pay" command: "Pay." max_num_steps: 9
event_sources { id: 1 finish_event {} }
event_slots {
  score_listener { events { id: 1 } transformation: "y = 1" }
  episode_end_listener { events { id: 1 } transformation: "y = True" }
}
"""
ADDRESSES = (
    "file:///etc/passwd", "tapwright://episodes/../../etc/passwd", "tapwright://episodes/\\u0000",
    "tapwright://episodes//etc/passwd", "tapwright://episodes/%2e%2e%2fx", "[::1]evil", "",
    "http://169.254.169.254/",
)  # fmt: skip
CALLS = (
    b'{"name": %s}', b'{"name": "tap", "arguments": %s}',
    b'{"name": "tap", "arguments": {"at": {"x": %s, "y": 1}}}',
    b'{"name": "tap", "arguments": {"at": {"x": 1, "y": 1}, "evil": %s}}',
    b'{"name": "press_key", "arguments": {"key": %s}}',
    b'{"name": "type_text", "arguments": {"text": %s}}',
    b'{"name": "start_over", "arguments": {"seed": %s}}', b'{"name": "tree", "arguments": %s}',
)  # fmt: skip
RESETS = ("seed", "task", "index", "split", "episode_id", "evil")


@pytest.fixture(scope="module", params=["mcp", "openenv"])
def hands(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Door]:
    """An MCP server by each version of the SDK."""
    where = tmp_path_factory.mktemp("hands")
    with Door.open(where, request.param, "mcp", "fake", "--record", "store") as door:
        yield door


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A server of OpenEnv."""
    where = tmp_path_factory.mktemp("tasks")
    (where / "pay.textproto").write_text(PLAN)
    words = (
        "env",
        "serve",
        "pay.textproto",
        "--device",
        "fake",
        "--envs",
        "1",
        "--record",
        "store",
    )
    with Door.open(where, "openenv", *words) as door:
        yield door


def test_no_call_of_mcp_takes_its_server_away(hands: Door) -> None:
    found = re.search(rb"mcp-session-id: (\S+)", hands.post("/mcp/", HELLO), re.IGNORECASE)
    assert found is not None
    ours = f"Mcp-Session-Id: {found[1].decode()}"
    hands.post("/mcp/", b'{"jsonrpc": "2.0", "method": "notifications/initialized"}', ours)
    look = rpc("tools/call", b'{"name": "screenshot", "arguments": {}}')
    begun = hands.memory_mb
    for name, value in VALUES.items():
        bodies = [rpc("tools/call", call % value) for call in CALLS]
        bodies += [
            value, b"[%s]" % value, b'{"jsonrpc": "2.0", "id": %s, "method": "ping"}' % value,
            rpc("initialize", value), rpc("resources/read", b'{"uri": %s}' % value),
            rpc("evil/x", value),
        ]  # fmt: skip
        for body in bodies:
            at = monotonic()
            answer = hands.post("/mcp/", body, ours)
            assert answer.startswith((b"HTTP/1.1 2", b"HTTP/1.1 4")), (name, body[:99], answer[:99])
            assert monotonic() - at < MOST_S, (name, body[:99])
    for address in ADDRESSES:
        answer = hands.post(
            "/mcp/", rpc("resources/read", b'{"uri": "%s"}' % address.encode()), ours
        )
        assert b'"result"' not in answer
        assert b"root:" not in answer
    tap = rpc("tools/call", b'{"name": "tap", "arguments": {"at": {"x": 9, "y": 9}}}')
    crowd = [
        body.replace(b'"id": 7', b'"id": %d' % number)
        for number, body in enumerate([look, tap] * 10, 100)
    ]
    with ThreadPoolExecutor(4) as clients:
        answers = list(clients.map(lambda body: hands.post("/mcp/", body, ours), crowd))
    assert all(b'"isError":false' in answer for answer in answers)
    assert hands.tracebacks == 0
    assert hands.memory_mb - begun < MOST_GROWTH_MB


def test_no_reset_or_step_of_openenv_takes_its_server_away(tasks: Door) -> None:
    begun = tasks.memory_mb
    for name, value in VALUES.items():
        requests = [("/reset", b'{"%s": %s}' % (one.encode(), value)) for one in RESETS]
        requests += [
            ("/reset", value), ("/step", value), ("/mcp", value), ("/pay/tasks/../x", value),
            ("/step", b'{"action": {"action": %s}}' % value),
            ("/step", b'{"action": {"action": {"type": "tap", "at": %s}}}' % value),
            ("/pay/task", b'{"split": "test", "index": %s}' % value),
            ("/pay/tasks", b'{"split": %s}' % value),
        ]  # fmt: skip
        for path, body in requests:
            at = monotonic()
            answer = tasks.post(path, body)
            assert answer.startswith((b"HTTP/1.1 2", b"HTTP/1.1 4", b"HTTP/1.1 503")), (
                name,
                path,
                answer[:99],
            )
            assert monotonic() - at < MOST_S, (name, path)
    assert b'"instruction":"Pay."' in tasks.post("/reset", b"{}")
    assert tasks.tracebacks == 0
    assert tasks.memory_mb - begun < MOST_GROWTH_MB


def test_only_its_own_name_and_pages_are_let_in(tasks: Door) -> None:
    def ask(host: str, *headers: str, target: str = "/health") -> bytes:
        named = [f"Host: {host}"] if host != "none" else []
        lines = [f"GET {target} HTTP/1.1", *named, *headers, "", ""]
        return tasks.send("\r\n".join(lines).encode())[:12]

    own, close = tasks.host, "Connection: close"
    socket = (
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {'A' * 22}==",
    )  # fmt: skip
    assert ask(own, close) == ask(own, close, f"Origin: http://{own}") == b"HTTP/1.1 200"
    assert ask(own, *socket, target="/ws") == b"HTTP/1.1 101"
    refused = {one: ask(one, close) for one in (*hosts(own), "none")}
    refused |= {f"socket of {one}": ask(one, *socket, target="/ws") for one in hosts(own)}
    for origin in (*origins(own), f"http://{own}\r\nOrigin: http://evil"):
        refused[origin] = ask(own, close, f"Origin: {origin}")
        refused[f"socket {origin}"] = ask(own, *socket, f"Origin: {origin}", target="/ws")
    refused["twice"] = ask(own, close, "Host: evil")
    refused["absolute"] = ask("evil", close, target=f"http://{own}/health")
    refused["forwarded"] = ask("evil", close, f"X-Forwarded-Host: {own}")
    let_in = {one: told for one, told in refused.items() if not told.startswith(b"HTTP/1.1 4")}
    assert let_in == {}
