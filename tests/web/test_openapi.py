import hashlib
import json
from collections.abc import Iterator, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tapwright.core.episode import Episode
from tapwright.devices.device import LiveFrame
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.devices.live_pictures import NumberedFrame
from tapwright.environment.live import home_of
from tapwright.environment.seat import Seat
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tapwright.web.api import ApiRoute, SocketRoute
from tapwright.web.app import WebConfig, create_app
from tapwright.web.team.team import Team
from tests.web.asking import HOST, OURS, client
from tests.web.library.test_bulk import wait
from tests.web.library.world import World, annotate, make_world

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = ROOT / "docs/openapi.json"
TASK = Task("press", "Get to button 2", ("fake",), When(TreeShows("Button 2")))
EPISODE = {"episode": "long", "step": 0}
PLAYED = {"run": "", "episode": "played"}
REQUESTS: Mapping[str, Mapping[str, object]] = {
    "GET /api/changes": {},
    "GET /api/compare": {"a": "random", "b": "tree"},
    "GET /api/devices": {},
    "GET /api/devices/uses": {},
    "GET /api/episode": {"id": "long"},
    "GET /api/episodes": {"sort": "-steps", "tag": "good"},
    "GET /api/episodes/export": {"format": "json", "ids": '["long"]'},
    "GET /api/episodes/selection": {"app": "notes"},
    "GET /api/episodes/export/choices": {},
    "GET /api/episodes/facets": {"q": "steps > 3"},
    "GET /api/frame": EPISODE,
    "GET /api/jobs": {"id": "JOB"},
    "GET /api/jobs/file": {"id": "JOB"},
    "GET /api/live": {"run": "", "known": '[["", "long"]]'},
    "GET /api/live/screen": {**PLAYED, "number": 1},
    "GET /api/matrix": {"runs": '["random", "tree"]'},
    "GET /api/me": {},
    "GET /api/openapi.json": {},
    "GET /api/queue/mine": {},
    "GET /api/queue/next": {},
    "GET /api/review/annotators": {},
    "GET /api/review/bulk": {"annotator": "vlm", "show": "open"},
    "GET /api/review/facets": {"annotator": "vlm", "code": "HINDSIGHT", "waiting_h": 24},
    "GET /api/review/groups": {"annotator": "vlm"},
    "GET /api/review/item": {"annotator": "vlm", **EPISODE},
    "GET /api/review/next": {"annotator": "vlm"},
    "GET /api/review/recording": {"id": "long"},
    "GET /api/review/recordings": {"show": "any", "agent": "script"},
    "GET /api/review/recordings/bulk": {"agent": "script"},
    "GET /api/review/recordings/next": {"after": "long"},
    "GET /api/run": {"name": "random"},
    "GET /api/run/export": {"name": "random", "format": "json"},
    "GET /api/run/picture": {"name": "random", "key": "0"},
    "GET /api/run/rows": {"name": "random", "sort": "-score"},
    "GET /api/run/sample": {"name": "random", "key": "0"},
    "GET /api/runs": {},
    "GET /api/sessions": {},
    "GET /api/sessions/tree": {"session": "SESSION", "frame": 0},
    "GET /api/suites": {},
    "GET /api/takes": {"task": "t"},
    "GET /api/tasks": {"suite": "mine"},
    "GET /api/tasks/progress": {"suite": "mine"},
    "GET /api/team/accounts": {},
    "GET /api/team/agreement": {},
    "GET /api/team/progress": {},
    "GET /api/team/recordings": {},
    "GET /api/team/recordings/tasks": {"suite": "mine"},
    "GET /api/team/suite": {"suite": "mine"},
    "GET /api/team/work": {"format": "json"},
    "GET /api/views": {},
    "GET /api/thumb": EPISODE,
    "GET /api/tree": EPISODE,
    "POST /api/devices/release": {"device": "fake", "session": "SESSION"},
    "POST /api/edit": {"id": "long", "version": 1, "modifiers": "delete:5:6"},
    "POST /api/edit/preview": {"id": "long", "version": 1, "modifiers": "delete:5:6"},
    "POST /api/episodes/remove": {"ids": ["b"]},
    "POST /api/episodes/edit": {"ids": ["e"], "modifiers": "outcome:failure"},
    "POST /api/episodes/export": {"ids": ["e"], "to": "tapwright"},
    "POST /api/episodes/review": {"ids": ["e"], "state": "accept"},
    "POST /api/episodes/tag": {"ids": ["long"], "add": ["good"]},
    "POST /api/changes/undo": {"change": "CHANGE"},
    "POST /api/jobs/stop": {"id": "JOB"},
    "POST /api/live/act": {**PLAYED, "key": "k", "screen": 1, "action": {"type": "wait"}},
    "POST /api/live/answer": {**PLAYED, "key": "k", "allows": True},
    "POST /api/live/hold": {**PLAYED, "acts": True},
    "POST /api/live/release": PLAYED,
    "POST /api/login": {"token": "TOKEN"},
    "POST /api/logout": {},
    "POST /api/queue/lease": {},
    "POST /api/queue/release": {"item": 2},
    "POST /api/recordings/rate": {"id": "SESSION", "rating": 4, "text": "Well done."},
    "POST /api/redo": {"id": "long", "version": 1},
    "POST /api/review": {
        "annotator": "vlm", **EPISODE, "frame": "FRAME", "lines": 0, "state": "accept",
    },
    "POST /api/review/bulk": {"annotator": "vlm", "count": 0, "selection": "NOTHING", "code": "X"},
    "POST /api/review/comment": {"annotator": "vlm", **EPISODE, "frame": "FRAME", "text": "Hm."},
    "POST /api/review/decide": {
        "annotator": "vlm", **EPISODE, "frame": "FRAME", "chosen": "other",
        "lines": {"vlm": 1, "other": 0},
    },
    "POST /api/review/recording": {
        "id": "a", "version": 1, "lines": 0, "state": "again", "text": "Too fast.",
    },
    "POST /api/review/recordings/bulk": {
        "task": "none", "stamp": "STAMP", "state": "reject", "text": "Too fast.",
    },
    "POST /api/review/undo": {"annotator": "vlm", "group": "none"},
    "POST /api/sessions/resume": {"session": "SESSION"},
    "POST /api/sessions": {"device": "fake", "instruction": "Tap"},
    "POST /api/team/accounts/add": {"name": "anna", "role": "annotator"},
    "POST /api/team/accounts/remove": {"name": "anna"},
    "POST /api/team/accounts/role": {"name": "anna", "role": "reviewer"},
    "POST /api/team/accounts/rotate": {"name": "anna"},
    "POST /api/team/assign": {"suite": "mine", "tasks": []},
    "POST /api/team/reopen": {"item": 1, "name": "bo"},
    "POST /api/team/withdraw": {"item": 1},
    "POST /api/undo": {"id": "long", "version": 2},
    "POST /api/views/delete": {"name": "Mine"},
    "POST /api/views/save": {"name": "Mine", "query": "q=wifi", "shared": True},
}  # fmt: skip
"""One request that succeeds for every route."""

FIRST = (
    "POST /api/login", "POST /api/team/accounts/add", "POST /api/team/assign",
    "POST /api/queue/lease", "POST /api/review", "POST /api/sessions",
    "POST /api/episodes/edit", "POST /api/episodes/export",
)  # fmt: skip
"""What others need."""

LAST = (
    "POST /api/devices/release", "POST /api/sessions/resume",
    "POST /api/edit/preview", "POST /api/edit", "POST /api/undo", "POST /api/redo",
    "POST /api/queue/release", "POST /api/team/reopen", "POST /api/team/withdraw",
    "POST /api/team/accounts/remove", "POST /api/logout",
)  # fmt: skip
"""What takes away what others need."""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DOCUMENT.read_text("utf-8"))
    return found


@pytest.fixture
def world(episodes: list[Episode], tmp_path: Path) -> Iterator[World]:
    world = make_world(tmp_path, episodes)
    annotate(world.store)
    annotate(world.store, as_="other")
    played = Episode("played", "t", "Tap", ())
    with Seat(world.store.root, played, 9):
        shown = episodes[0].steps[0].observation.screenshot
        home = home_of(world.store.root, "played")
        live = LiveFrame(shown.data, "jpeg", shown.size, 0.0)
        (home / "picture").write_bytes(NumberedFrame(1, 0, live).pack())
        (home / "asked.json").write_text('{"key": "k", "action": "open an app"}')
        yield world


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    team = Team(f"sqlite:///{tmp_path}/team.db")
    team.accounts.add("bo", "annotator")
    team.queue.assign("mine", ["t"])
    team.queue.lease("bo")
    team.queue.complete("bo", 1, "long")
    yield team
    team.close()


@pytest.fixture
def app(world: World, team: Team) -> Starlette:
    config = WebConfig(
        episodes=world.store.root,
        runs=(world.runs,),
        suites={"mine": lambda: [TASK]},
        devices={"fake": lambda: FakeDevice(EndlessScenes())},
        authenticator=team.accounts,
        team=team,
    )
    return create_app(config)


def validate(value: object, schema: Mapping[str, Any], document: Mapping[str, Any]) -> None:
    jsonschema.Draft202012Validator({**schema, "components": document["components"]}).validate(
        value
    )


@pytest.mark.slow
def test_the_document_is_that_of_the_code() -> None:
    spec = spec_from_file_location("write_openapi", ROOT / "scripts/write_openapi.py")
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    assert DOCUMENT.read_text("utf-8") == script.openapi_json(), "run scripts/write_openapi.py"


def test_every_route_stands_in_the_document(app: Starlette, document: dict[str, Any]) -> None:
    routes = {f"{route.method} {route.path}" for route in app.routes if isinstance(route, ApiRoute)}
    sockets = {route.path for route in app.routes if isinstance(route, SocketRoute)}
    described = {
        f"{method.upper()} {path}"
        for path, methods in document["paths"].items()
        for method in methods
    }
    assert routes == described == set(REQUESTS)
    assert sockets == set(document["x-websockets"])


@pytest.mark.slow
def test_real_requests_and_answers_are_as_the_document_says(
    app: Starlette, world: World, team: Team, document: dict[str, Any]
) -> None:
    known = {
        "TOKEN": team.accounts.add("root", "admin"),
        "NOTHING": hashlib.sha256().hexdigest(),
        "STAMP": hashlib.sha256().hexdigest()[:16],
        "FRAME": world.store.read("long").steps[0].observation.screenshot.sha256,
    }
    rest = [key for key in REQUESTS if key not in (*FIRST, *LAST)]
    with client(app, headers=OURS) as browser:
        for key in (*FIRST, *rest, *LAST):
            method, path = key.split()
            operation = document["paths"][path][method.lower()]
            values = {name: known.get(str(one), one) for name, one in REQUESTS[key].items()}
            answer = ask(browser, method, path, values)
            assert answer.status_code == 200, (key, answer.text)
            if method == "POST" and "requestBody" in operation:
                body = operation["requestBody"]["content"]["application/json"]["schema"]
                validate(values, body, document)
            if method == "GET":
                assert set(values) <= {one["name"] for one in operation["parameters"]}, key
            content = operation["responses"]["200"]["content"]
            if "application/json" in content:
                validate(answer.json(), content["application/json"]["schema"], document)
            elif "image/*" in content:
                assert answer.headers["content-type"].startswith("image/"), key
            else:
                assert set(content) == {"application/octet-stream"}, key
                assert answer.headers["content-disposition"].startswith("attachment;"), key
            if key == "POST /api/episodes/edit":
                known["CHANGE"] = answer.json()["change"]
            if key == "POST /api/episodes/export":
                known["JOB"] = wait(browser, answer.json()["id"])["id"]
            if key == "POST /api/sessions":
                known["SESSION"] = answer.json()["session"]
                socket_messages_are_as_the_document_says(browser, known["SESSION"], document)


def ask(browser: TestClient, method: str, path: str, values: Mapping[str, Any]) -> Any:
    if method == "GET":
        return browser.get(path, params=values)
    return browser.post(path, json=values)


def socket_messages_are_as_the_document_says(
    browser: TestClient, session: str, document: dict[str, Any]
) -> None:
    described = document["x-websockets"]["/ws/session"]
    address = HOST.replace("http", "ws") + f"/ws/session?session={session}"
    act = {"t": "act", "key": "a", "action": {"type": "tap", "at": {"x": 0.5, "y": 0.4}}}
    with browser.websocket_connect(address) as socket:
        for sent, answered in (({"t": "hello"}, "state"), (act, "saved"), ({"t": "x"}, "failed")):
            if answered != "failed":
                validate(sent, described["receives"], document)
            socket.send_text(json.dumps(sent))
            tag = ""
            while tag != answered:
                message = json.loads(socket.receive_text())
                validate(message, described["sends"], document)
                tag = message["t"]


def test_a_failure_is_answered_as_the_document_says(
    app: Starlette, document: dict[str, Any]
) -> None:
    answer = client(app).get("/api/episodes")
    error = document["paths"]["/api/episodes"]["get"]["responses"]["401"]["content"]
    assert answer.status_code == 401
    validate(answer.json(), error["application/json"]["schema"], document)


def test_no_two_types_share_a_name(document: dict[str, Any]) -> None:
    assert not [name for name in document["components"]["schemas"] if "__" in name]
