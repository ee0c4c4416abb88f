"""What may not reach the app: other hosts' names, other sites' pages, large bodies, paths."""

import asyncio
import json
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from tapwright.web.app import WebConfig, create_app
from tapwright.web.security import MAX_BODY, Security
from tests.web.asking import HOST, OURS, client

SOCKET = HOST.replace("http", "ws") + "/ws/echo"


@pytest.fixture
def browser(tmp_path: Path) -> TestClient:
    """The real app, with an address that takes a body and a socket that says what it hears."""
    app = create_app(WebConfig(episodes=tmp_path, hosts=frozenset({"localhost", "lab.example"})))

    async def length(request: Request) -> Response:
        return JSONResponse(len(await request.body()))

    async def echo(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text(await socket.receive_text())

    app.router.routes.insert(0, Route("/api/length", length, methods=["POST", "PUT"]))
    app.router.routes.insert(0, WebSocketRoute("/ws/echo", echo))
    return client(app)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "evil.example:8765",
        "localhost@evil.example",
        "localhost/evil.example",
        "127.0.0.2",
        "",
        "[::1",
        "localhost:x",
        "[::1]evil",
        "localhost\tx",
        "localhost x",
    ],
)
def test_another_hosts_name_is_refused(browser: TestClient, host: str) -> None:
    for path in ("/", "/api/me"):
        answer = browser.get(path, headers={"Host": host})
        assert answer.status_code == 403, host
        assert answer.json()["code"] == "TW151"
    with (
        pytest.raises(WebSocketDisconnect),
        browser.websocket_connect(SOCKET, headers={"Host": host, "Origin": f"http://{host}"}),
    ):
        pass


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "localhost:8765", "lab.example."])
def test_our_own_names_are_let_in_at_any_port(browser: TestClient, host: str) -> None:
    assert browser.get("/api/me", headers={"Host": host}).status_code == 200


FOREIGN = [
    "http://evil.example",
    "http://localhost:9999",
    "http://localhost",
    "null",
    "file://",
    "localhost:8765",
    "chrome-extension://localhost:8765",
    "http://localhost:8765/path",
    "http://localhost:8765@evil.example",
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_another_sites_page_is_refused(browser: TestClient, origin: str) -> None:
    headers = {**OURS, "Origin": origin}
    assert browser.get("/api/me", headers=headers).status_code == 403
    assert browser.post("/api/length", json={}, headers=headers).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        browser.websocket_connect(SOCKET, headers={"Origin": origin}),
    ):
        pass


def test_a_socket_opens_for_our_page_and_for_nobody_without_a_page(browser: TestClient) -> None:
    with browser.websocket_connect(SOCKET, headers={"Origin": HOST}) as socket:
        socket.send_text("hello")
        assert socket.receive_text() == "hello"
    with pytest.raises(WebSocketDisconnect), browser.websocket_connect(SOCKET):
        pass


@pytest.mark.parametrize(
    ("origin", "host"),
    [("https://lab.example", "lab.example"), ("https://LAB.example", "lab.example:443")],
)
def test_behind_tls_the_origin_is_the_hosts(browser: TestClient, origin: str, host: str) -> None:
    headers = {**OURS, "Origin": origin, "Host": host}
    assert browser.post("/api/length", json={}, headers=headers).status_code == 200


@pytest.mark.parametrize("missing", [*OURS, "Content-Type"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_what_changes_something_needs_all_that_a_foreign_page_cannot_send(
    browser: TestClient, method: str, missing: str
) -> None:
    headers = {**OURS, "Content-Type": "application/json"}
    del headers[missing]
    answer = browser.request(method, "/api/length", content=b"{}", headers=headers)
    assert answer.status_code == 403
    headers["Content-Type"] = "text/plain"
    headers.update(OURS)
    answer = browser.request(method, "/api/length", content=b"{}", headers=headers)
    assert answer.status_code == 403


def test_no_site_is_told_that_it_may_ask(browser: TestClient) -> None:
    asked = {"Origin": HOST, "Access-Control-Request-Method": "POST"}
    for answer in (browser.options("/api/length", headers=asked), browser.get("/api/me")):
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["/", "/api/me", "/api/nothing", "/episodes/a%2Fb"])
def test_every_answer_forbids_frames_foreign_content_and_guessing(
    browser: TestClient, path: str
) -> None:
    headers = browser.get(path).headers
    policy = headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"


def test_a_body_that_says_or_turns_out_to_be_too_large_is_refused(browser: TestClient) -> None:
    headers = {**OURS, "Content-Type": "application/json"}
    fits = browser.post("/api/length", content=b"x" * MAX_BODY, headers=headers)
    assert fits.json() == MAX_BODY
    told = browser.post("/api/length", content=b"x" * (MAX_BODY + 1), headers=headers)
    untold = browser.post("/api/length", content=iter([b"x" * MAX_BODY, b"x"]), headers=headers)
    for answer in (told, untold):
        assert answer.status_code == 413
        assert answer.json()["code"] == "TW152"


def test_a_length_that_is_none_is_refused() -> None:
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("reached")

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-length", b"-1")]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    asyncio.run(Security(app, hosts=frozenset({"localhost"}))(scope, receive, send))
    assert sent[0]["status"] == 413


def test_a_browser_without_chinese_gets_the_font_that_comes_along(browser: TestClient) -> None:
    answer = browser.get("/assets/NotoSansSC-Regular.otf")
    assert answer.headers["content-type"] == "font/otf"
    assert answer.content[:4] == b"OTTO"


@pytest.mark.parametrize(
    "path",
    [
        "/assets/..%2f..%2fapp.py",
        "/assets/%2e%2e/%2e%2e/app.py",
        "/..%2f..%2f..%2fetc/passwd",
        "//etc/passwd",
        "/assets/..\\..\\app.py",
        "/static/../app.py",
        "/%00",
    ],
)
def test_no_address_is_a_path(browser: TestClient, path: str) -> None:
    answer = browser.get(path)
    assert b"create_app" not in answer.content
    assert b"root:" not in answer.content
    assert answer.headers["content-type"].startswith(("text/html", "application/json"))


@pytest.mark.parametrize("id_", ["../../etc/passwd", "/etc/passwd", "..", "a/../../b", "\0", ""])
def test_an_id_is_never_a_path(browser: TestClient, id_: str) -> None:
    answer = browser.get("/api/episode", params={"id": id_})
    assert answer.status_code in {400, 404, 422}
    assert set(answer.json()) == {"code", "message", "hint", "values"}


def test_what_is_not_there_or_not_foreseen_is_told_as_json(tmp_path: Path) -> None:
    app = create_app(WebConfig(episodes=tmp_path))

    async def broken(request: Request) -> Response:
        raise RuntimeError("a secret")

    app.router.routes.insert(0, Route("/api/broken", broken))
    browser = client(app, raise_server_exceptions=False)
    answer = browser.get("/api/broken")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert browser.get("/api/nothing").json()["code"] == "TW156"
    assert browser.post("/api/me", json={}, headers=OURS).status_code == 405


def test_the_document_stands_below_the_base_path(tmp_path: Path) -> None:
    browser = client(create_app(WebConfig(episodes=tmp_path, base_path="/lab/tap")))
    html = browser.get("/lab/tap/episodes/a").text
    assert '<base href="/lab/tap/">' in html
    block = html.partition('id="config">')[2].partition("</script>")[0]
    assert json.loads(block)["base"] == "/lab/tap"
    assert browser.get("/lab/tap/api/me").json()["name"] == "local"
    assert browser.get("/api/me").status_code == 404
    for path in ("/", "/lab/tap"):
        assert browser.get(path, follow_redirects=False).headers["location"] == "/lab/tap/"
