"""Signing in: tokens, cookies, roles, and what becomes of those who guess."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount, Route
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from tapwright.errors import TapwrightError
from tapwright.web.api import ApiRoute, SocketRoute
from tapwright.web.app import WebConfig, create_app
from tapwright.web.auth import SESSION_S, Role, TokenAuthenticator, roles_of
from tapwright.web.errors import LoginRateLimitError, UnauthenticatedError
from tapwright.web.login import LoginLimiter
from tapwright.web.team.team import Team
from tests.web.asking import HOST, OURS, client

ROLES: tuple[Role, ...] = ("annotator", "reviewer", "admin")


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    team = Team(f"sqlite:///{tmp_path}/team.db")
    yield team
    team.close()


@pytest.fixture
def app(team: Team, tmp_path: Path) -> Starlette:
    return create_app(WebConfig(episodes=tmp_path / "e", team=team, authenticator=team.accounts))


def sign_in(browser: TestClient, token: str) -> int:
    answer = browser.post("/api/login", json={"token": token}, headers=OURS)
    return answer.status_code


def test_a_token_opens_the_door_until_one_signs_out(app: Starlette, team: Team) -> None:
    browser = client(app)
    token = team.accounts.add("anna", "reviewer")
    assert browser.get("/api/me").json()["name"] is None
    assert browser.get("/api/episodes").status_code == 401
    assert sign_in(browser, f" {token}\n") == 200
    assert browser.get("/api/me").json() == {
        "name": "anna",
        "roles": ["annotator", "reviewer"],
        "requires_login": True,
        "team": True,
    }
    kept = dict(browser.cookies)
    assert browser.post("/api/logout", json={}, headers=OURS).status_code == 200
    assert browser.get("/api/me").json()["name"] is None
    browser.cookies.update(kept)
    assert browser.get("/api/me").json()["name"] is None, "a cookie that was kept is no good"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_scripts_and_other_sites_never_get_the_cookie(tmp_path: Path, scheme: str) -> None:
    authenticator = TokenAuthenticator("a long enough token")
    app = create_app(WebConfig(episodes=tmp_path, authenticator=authenticator, base_path="/tap"))
    browser = TestClient(app, base_url=f"{scheme}://localhost")
    answer = browser.post(
        "/tap/api/login",
        json={"token": "a long enough token"},
        headers={**OURS, "Origin": f"{scheme}://localhost"},
    )
    attributes = answer.headers["set-cookie"].lower().split("; ")
    assert "httponly" in attributes
    assert "samesite=strict" in attributes
    assert "path=/tap" in attributes
    assert ("secure" in attributes) == (scheme == "https")
    assert browser.get("/tap/api/me").json()["name"] == "local"


def test_servers_at_two_ports_of_a_host_do_not_sign_each_other_out(tmp_path: Path) -> None:
    browsers = []
    for port, token in ((8000, "a long enough token"), (8001, "another long token")):
        app = create_app(WebConfig(episodes=tmp_path, authenticator=TokenAuthenticator(token)))
        browsers.append(TestClient(app, base_url=f"http://localhost:{port}"))
        ours = {**OURS, "Origin": f"http://localhost:{port}"}
        answer = browsers[-1].post("/api/login", json={"token": token}, headers=ours)
        assert answer.status_code == 200
    jar = {name: value for one in browsers for name, value in one.cookies.items()}
    for one in browsers:
        one.cookies.update(jar)
        assert one.get("/api/me").json()["name"] == "local"


def test_an_address_with_the_token_signs_in_and_goes_on_without_it(tmp_path: Path) -> None:
    authenticator = TokenAuthenticator("a long enough token")
    browser = client(create_app(WebConfig(episodes=tmp_path, authenticator=authenticator)))

    def follow(token: str) -> tuple[int, str, bool]:
        answer = browser.get(f"/record?task=a+b&token={token}&x=1", follow_redirects=False)
        return (
            answer.status_code,
            answer.headers.get("location", ""),
            "set-cookie" in answer.headers,
        )

    there = f"{HOST}/record?task=a+b&x=1"
    assert follow("a+long+enough+toke") == (303, there, False)
    assert browser.get("/api/me").json()["name"] is None
    assert follow("a+long+enough+token") == (303, there, True)
    assert browser.get("/api/me").json()["name"] == "local"
    assert {follow("x")[0] for _ in range(20)} == {303, 429}


def test_a_member_of_a_team_signs_in_on_the_page_alone(app: Starlette, team: Team) -> None:
    token = team.accounts.add("anna", "reviewer")
    answer = client(app).get(f"/?token={token}", follow_redirects=False)
    assert (answer.status_code, "set-cookie" in answer.headers) == (200, False)


def test_wrong_tokens_are_refused_and_then_not_even_listened_to(app: Starlette, team: Team) -> None:
    browser = client(app)
    token = team.accounts.add("anna", "annotator")
    assert [sign_in(browser, f"wrong {number}") for number in range(10)] == [401] * 10
    assert sign_in(browser, token) == 429


def test_who_guessed_may_try_again_a_minute_later() -> None:
    now = [0.0]
    attempts = LoginLimiter(clock=lambda: now[0])
    for _ in range(10):
        attempts.begin("a")
        now[0] += 1
    with pytest.raises(LoginRateLimitError):
        attempts.begin("a")
    attempts.begin("b")
    now[0] = 60.0
    attempts.begin("a")


def test_a_right_token_is_no_attempt_to_guess() -> None:
    attempts = LoginLimiter(clock=lambda: 0.0)
    for _ in range(50):
        attempts.forgive("a", attempts.begin("a"))


@pytest.mark.slow
def test_tokens_that_arrive_at_once_are_counted_one_by_one(app: Starlette) -> None:
    with ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(lambda n: sign_in(client(app), f"wrong {n}"), range(40)))
    assert sorted(answers) == [401] * 10 + [429] * 30


@pytest.mark.parametrize("body", [{}, {"token": 7}, {"token": ""}, {"token": "x", "more": 1}, []])
def test_a_body_that_is_no_token_is_told_so(app: Starlette, body: object) -> None:
    answer = client(app).post("/api/login", json=body, headers=OURS)
    assert answer.status_code == 422
    assert answer.json()["code"] == "TW150"


def every_route(routes: list[BaseRoute]) -> Iterator[BaseRoute]:
    for route in routes:
        if isinstance(route, Mount):
            yield from every_route(list(route.routes))
        else:
            yield route


def test_every_address_but_the_pages_says_which_role_it_needs(app: Starlette) -> None:
    open_ = [
        route.path
        for route in every_route(app.routes)
        if isinstance(route, Route) and not isinstance(route, ApiRoute)
    ]
    assert open_ == ["/assets/{name}", "/{path:path}"]
    asked = [route for route in every_route(app.routes) if isinstance(route, ApiRoute)]
    anyone = [route.path for route in asked if route.role == "anyone"]
    assert anyone == ["/api/me", "/api/login", "/api/logout", "/api/openapi.json"]
    sockets = [route for route in every_route(app.routes) if type(route).__name__ != "Route"]
    assert all(isinstance(route, ApiRoute | SocketRoute) for route in sockets)


@pytest.mark.slow
def test_every_role_is_let_in_where_it_may_and_nowhere_else(app: Starlette, team: Team) -> None:
    browsers: dict[Role | None, TestClient] = {None: client(app)}
    for one in ROLES:
        browsers[one] = client(app)
        assert sign_in(browsers[one], team.accounts.add(f"the {one}", one)) == 200
    asked = 0
    for route in every_route(app.routes):
        if not isinstance(route, ApiRoute) or route.role == "anyone":
            continue
        for role, browser in browsers.items():
            for method in sorted((route.methods or set()) - {"HEAD"}):
                answer = browser.request(method, route.path, json={}, headers=OURS)
                refused = 401 if role is None else 403
                may = role is not None and route.role in roles_of(role)
                assert (answer.status_code == refused) == (not may), (route.path, role)
                asked += 1
    assert asked > 60
    for route in every_route(app.routes):
        if isinstance(route, SocketRoute):
            address = HOST.replace("http", "ws") + route.path
            with (
                pytest.raises(WebSocketDisconnect),
                browsers[None].websocket_connect(address, headers={"Origin": HOST}),
            ):
                pass


def test_one_admin_can_do_by_the_pages_what_the_commands_do(app: Starlette, team: Team) -> None:
    admin, anna = client(app), client(app)
    sign_in(admin, team.accounts.add("root", "admin"))

    def post(address: str, **body: object) -> dict[str, object]:
        answer = admin.post(f"/api/team/accounts/{address}", json=body, headers=OURS)
        assert answer.status_code == 200, answer.text
        told: dict[str, object] = answer.json()
        return told

    token = str(post("add", name="anna", role="annotator")["token"])
    assert sign_in(anna, token) == 200
    post("role", name="anna", role="reviewer")
    assert anna.get("/api/me").json()["roles"] == ["annotator", "reviewer"]
    renewed = str(post("rotate", name="anna")["token"])
    assert anna.get("/api/me").json()["name"] is None
    assert sign_in(anna, token) == 401
    assert sign_in(anna, renewed) == 200
    post("remove", name="anna")
    assert anna.get("/api/me").json()["name"] is None
    assert sign_in(anna, renewed) == 401
    listed = admin.get("/api/team/accounts")
    assert [one["name"] for one in listed.json()] == ["root"]
    assert renewed not in listed.text


def test_no_token_and_no_cookie_is_kept_as_it_is(team: Team, tmp_path: Path) -> None:
    token = team.accounts.add("anna", "annotator")
    cookie = team.accounts.sign_in(token)
    found = team.accounts.find_user(cookie)
    assert found is not None
    assert found.name == "anna"
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("team.db*"))
    assert b"anna" in kept
    assert token.encode() not in kept
    assert cookie.encode() not in kept


@pytest.mark.parametrize("name", ["", "  ", "a" * 101, "a\nb", "a\0", "\ud800"])
def test_what_is_no_name_is_refused(team: Team, name: str) -> None:
    with pytest.raises(TapwrightError):
        team.accounts.add(name, "annotator")


def test_a_cookie_of_the_one_token_runs_out_and_cannot_be_made_up() -> None:
    now = [1000.0]
    authenticator = TokenAuthenticator("the right token, long", clock=lambda: now[0])
    with pytest.raises(UnauthenticatedError):
        authenticator.sign_in("the wrong token")
    cookie = authenticator.sign_in("the right token, long")
    assert authenticator.find_user(cookie) is not None
    until, rest = cookie.split(".", 1)
    made_up = [f"{int(until) + 9}.{rest}", "", ".", "..", f"x.{rest}", cookie[:-1], "９.é.ü"]
    assert [authenticator.find_user(one) for one in made_up] == [None] * len(made_up)
    assert TokenAuthenticator("another token", clock=lambda: now[0]).find_user(cookie) is None
    now[0] += SESSION_S
    assert authenticator.find_user(cookie) is None


def test_a_socket_ends_when_its_owner_is_shut_out(team: Team) -> None:
    async def listen(socket: WebSocket) -> None:
        await socket.accept()
        with suppress(WebSocketDisconnect):
            while True:
                await socket.receive_text()

    open_ = SocketRoute("/ws", listen, role="annotator", recheck_s=0.01)
    app = Starlette(routes=[open_])
    app.state.authenticator = team.accounts
    cookie = team.accounts.sign_in(team.accounts.add("anna", "annotator"))
    with client(app).websocket_connect("/ws", headers={"Cookie": f"tapwright={cookie}"}) as socket:
        socket.send_text("still here")
        team.accounts.remove("anna")
        with pytest.raises(WebSocketDisconnect) as ended:
            socket.receive_text()
    assert (ended.value.code, ended.value.reason) == (1008, UnauthenticatedError.code)


def test_a_session_is_listed_and_ended(app: Starlette, team: Team) -> None:
    token = team.accounts.add("anna", "annotator")
    ours, theirs = client(app), client(app)
    assert [sign_in(ours, token), sign_in(theirs, token)] == [200, 200]
    sessions = team.accounts.sessions()
    assert [one.name for one in sessions] == ["anna", "anna"]
    for one in sessions:
        assert one.id not in str(ours.cookies) + str(theirs.cookies)
        team.accounts.end_session(one.id)
    assert team.accounts.sessions() == []
    assert ours.get("/api/me").json()["name"] is None
    with pytest.raises(TapwrightError, match="no session"):
        team.accounts.end_session("%")


@pytest.mark.parametrize(
    ("role", "learns"), [("annotator", False), ("reviewer", False), ("admin", True)]
)
def test_only_an_admin_learns_where_the_files_lie(
    app: Starlette, team: Team, tmp_path: Path, role: Role, learns: bool
) -> None:
    browser = client(app)
    sign_in(browser, team.accounts.add("anna", role))
    answer = browser.get("/api/episode", params={"id": "none"}).json()
    assert "no episode 'none'" in answer["message"]
    assert (str(tmp_path) in answer["message"] + answer["hint"]) == learns
