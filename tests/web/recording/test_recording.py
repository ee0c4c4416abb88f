import json
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tapwright.core.observation import Observation
from tapwright.devices.device import LiveFrame
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tapwright.web.auth import User, roles_of
from tapwright.web.recording.recorder import can_access
from tests.web.recording.talking import ORIGIN, SENDING, TAP, Page, begin, client

TASK = Task("press", "Get to button 2", ("fake",), When(TreeShows("Button 2")))


def fake() -> FakeDevice:
    return FakeDevice(EndlessScenes())


@pytest.fixture
def app(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path, {"fake": fake, "other": fake}, lambda: [TASK]) as made:
        yield made


def address(session: str, kind: str = "session") -> str:
    return f"ws://localhost/ws/{kind}?session={session}"


def test_a_demonstration_from_the_first_look_to_its_end(app: TestClient, tmp_path: Path) -> None:
    assert app.get("/api/suites").json() == ["mine"]
    (task,) = app.get("/api/tasks?suite=mine&q=BUTTON 2").json()
    assert (task["id"], task["max_steps"]) == ("press", 30)
    assert app.get("/api/tasks?suite=mine&q=nothing").json() == []
    session = begin(app, suite="mine", task="press", instruction="")
    assert [one["state"] for one in app.get("/api/devices").json()] == ["leased", "free"]
    (row,) = app.get("/api/sessions").json()
    assert (row["session"], row["steps"]) == (session, 0)
    with app.websocket_connect(address(session), headers=ORIGIN) as socket:
        page = Page(socket)
        assert page.hello()["judge"]["success"] is False
        steps = [page.act(frame=number + 1)["step"] for number in range(2)]
        assert [step["target"] for step in steps] == ["Button 0", "Button 1"]
        assert page.until("judge")["success"] is True
        assert page.ask("note", step=0, note="first")["t"] == "done"
        page.until("state")
        assert [step["note"] for step in page.state["steps"]] == ["first", ""]
        assert page.ask("finish", outcome="success", reason="")["t"] == "done"
        assert page.until("state")["outcome"] == "success"
    episode = EpisodeStore(tmp_path).read(session)
    assert (episode.outcome, len(episode.steps), episode.task_id) == ("success", 3, "press")
    assert episode.agent == "human/local"


def test_a_question_waits_for_the_answer_of_a_person(app: TestClient, tmp_path: Path) -> None:
    session = begin(app, suite="mine", task="press", instruction="")
    with app.websocket_connect(address(session), headers=ORIGIN) as socket:
        page = Page(socket)
        page.hello()
        assert page.ask("reply", text="Yes")["t"] == "failed"
        asked = page.act({"type": "ask_user", "text": "Sure?"})["step"]
        assert (asked["description"], asked["reply"]) == ("ask 'Sure?'", "")
        assert page.ask("reply", text="")["t"] == "failed"
        answered = page.ask("reply", text="Yes")
        assert (answered["t"], answered["step"]["reply"]) == ("saved", "Yes")
        assert page.act()["t"] == "saved"
    assert EpisodeStore(tmp_path).read(session).steps[1].observation.message == "Yes"


@pytest.mark.slow
def test_a_session_goes_on_after_a_reload_and_after_a_restart(tmp_path: Path) -> None:
    with client(tmp_path, {"fake": fake}) as app:
        session = begin(app)
        with app.websocket_connect(address(session), headers=ORIGIN) as socket:
            page = Page(socket)
            page.hello()
            page.act(key="one", frame=1)
        with app.websocket_connect(address(session), headers=ORIGIN) as socket:
            page = Page(socket)
            assert [step["index"] for step in page.hello()["steps"]] == [0]
            assert page.act(key="one", frame=1)["step"]["index"] == 0
    with client(tmp_path, {"fake": fake}) as app:
        (row,) = app.get("/api/sessions").json()
        assert (row["session"], row["steps"]) == (session, 1)
        with app.websocket_connect(address(session), headers=ORIGIN) as socket:
            page = Page(socket)
            page.hello()
            while not page.state["connected"]:
                page.until("state")
            assert page.state["interrupted"] == "restarted"
            assert page.act(key="one", frame=1)["step"]["index"] == 0
            assert page.act(key="early")["code"] == "TW193"
            assert page.ask("restore")["t"] == "done"
            assert page.act(key="two")["step"]["index"] == 1
    assert len(EpisodeStore(tmp_path).read(session).steps) == 2


@pytest.mark.slow
def test_two_sessions_on_two_devices_do_not_see_each_other(app: TestClient) -> None:
    one, other = begin(app, "fake"), begin(app, "other")
    with (
        app.websocket_connect(address(one), headers=ORIGIN) as first,
        app.websocket_connect(address(other), headers=ORIGIN) as second,
    ):
        page, elsewhere = Page(first), Page(second)
        page.hello()
        elsewhere.hello()
        for _ in range(3):
            page.act()
        assert elsewhere.act()["step"]["target"] == "Button 0"
        assert len(elsewhere.hello()["steps"]) == 1
        assert len(page.hello()["steps"]) == 3


def test_the_tab_that_came_last_has_the_session_and_the_other_sees_it(app: TestClient) -> None:
    session = begin(app)
    with (
        app.websocket_connect(address(session), headers=ORIGIN) as first,
        app.websocket_connect(address(session), headers=ORIGIN) as second,
    ):
        old, new = Page(first), Page(second)
        old.hello()
        new.hello()
        refused = old.act()
        assert (refused["t"], refused["code"]) == ("failed", "TW351")
        assert new.act(frame=1)["t"] == "saved"
        assert len(old.until("state")["steps"]) == 1
        old.hello()
        assert old.act()["t"] == "saved"


def test_the_finger_s_way_comes_with_the_action(app: TestClient, tmp_path: Path) -> None:
    session = begin(app)
    with app.websocket_connect(address(session), headers=ORIGIN) as socket:
        page = Page(socket)
        page.hello()
        for phase, y in (("down", 0.8), ("move", 0.5), ("up", 0.2)):
            touch = {
                "t": "touch",
                "stroke": 4,
                "phase": phase,
                "x": 0.5,
                "y": y,
                "ms": 1,
                "frame": 1,
            }
            socket.send_text(json.dumps(touch))
        start, end = {"x": 0.5, "y": 0.8}, {"x": 0.5, "y": 0.2}
        swipe = {"type": "swipe", "start": start, "end": end, "duration_s": 0.08}
        assert page.act(swipe, frame=1, stroke=4)["t"] == "saved"
    step = EpisodeStore(tmp_path).read(session).steps[0]
    assert [event.type for event in step.raw] == ["touch", "touch", "lift"]


@pytest.mark.parametrize(
    "garbage",
    [
        "",
        "garbage",
        "[]",
        "null",
        '{"t": "act"}',
        '{"t": "act", "key": "", "action": {"type": "tap", "at": {"x": 0.5, "y": 0.5}}}',
        '{"t": "act", "key": "k", "action": {"type": "tap", "at": {"x": 5, "y": -3}}}',
        '{"t": "act", "key": "k", "action": {"type": "shell", "command": "reboot"}}',
        '{"t": "act", "key": "k", "frame": -1, "action": {"type": "wait"}}',
        '{"t": "touch", "stroke": 1, "phase": "down", "x": NaN, "y": 0, "ms": 0, "frame": 0}',
        '{"t": "note", "key": "k", "step": -1, "note": ""}',
        '{"t": "hello", "more": 1}',
        "[" * 100_000,
        '{"t": "note", "key": "k", "step": 0, "note": "' + "x" * 300_000 + '"}',
    ],
)
@pytest.mark.slow_but_one
def test_garbage_is_answered_and_costs_nothing(app: TestClient, garbage: str) -> None:
    session = begin(app)
    with app.websocket_connect(address(session), headers=ORIGIN) as socket:
        page = Page(socket)
        page.hello()
        socket.send_text(garbage)
        answer = page.until("failed")
        assert answer["code"] == "TW352"
        socket.send_bytes(b"\x00\xff" * 10)
        assert page.until("failed")["code"] == "TW352"
        assert page.act(frame=1)["t"] == "saved"


CENTER = {"x": 0.5, "y": 0.5}


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ({"type": "key_down", "key": "foo"}, "a keyboard has no key 'foo'"),
        ({"type": "hotkey", "keys": ["control", "foo"]}, "a keyboard has no key 'foo'"),
        ({"type": "tap", "at": CENTER, "held": ["foo"]}, "a keyboard has no key 'foo'"),
        ({"type": "tap", "at": CENTER, "held": ["a"] * 9}, "at most 8"),
        ({"type": "key_up", "key": "shift"}, "shift is not down"),
        ({"type": "button_up"}, "the left button is not down"),
        ({"type": "drag", "start": CENTER, "end": CENTER, "path": [CENTER] * 4097}, "at most 4096"),
        ({"type": "drag", "start": CENTER, "end": CENTER, "path": [CENTER] * 10**5}, "at most"),
    ],
)
@pytest.mark.slow_but_one
def test_what_no_hand_can_do_is_refused_in_a_line_and_the_rest_is_kept(
    app: TestClient, action: Mapping[str, Any], why: str
) -> None:
    session = begin(app)
    with app.websocket_connect(address(session), headers=ORIGIN) as socket:
        page = Page(socket)
        page.hello()
        assert page.act(frame=1)["t"] == "saved"
        answer = page.act(action)
        assert (answer["t"], why in answer["message"]) == ("failed", True)
        assert page.act()["step"]["index"] == 1
        assert page.ask("finish", outcome="success", reason="")["t"] == "done"
        assert "has ended" in page.act()["message"]


@pytest.mark.slow
def test_garbage_on_the_way_of_the_pictures_is_nothing(app: TestClient) -> None:
    session = begin(app)
    with app.websocket_connect(address(session, "frames"), headers=ORIGIN) as socket:
        for garbage in ("", "x", '{"t": "credit", "n": -5}', '{"t": "credit", "n": 1e9}', "[]"):
            socket.send_text(garbage)
        socket.send_bytes(b"\x00")
        assert header(socket.receive_bytes())[0] == 1


def header(data: bytes) -> tuple[int, int, int]:
    number, acts, kind, zero, width, height, _ = struct.unpack("<IIBBHHd", data[:22])
    assert (zero, width, height) == (0, 270, 600)
    assert data[22:24] == b"\xff\xd8"
    return number, acts, kind


@pytest.mark.slow
def test_a_page_that_paints_nothing_has_two_pictures_on_the_way_and_then_the_newest(
    app: TestClient,
) -> None:
    session = begin(app)
    with (
        app.websocket_connect(address(session), headers=ORIGIN) as control,
        app.websocket_connect(address(session, "frames"), headers=ORIGIN) as frames,
    ):
        page = Page(control)
        page.hello()
        assert header(frames.receive_bytes()) == (1, 0, 1)
        for _ in range(6):
            page.act()
        assert header(frames.receive_bytes()) == (2, 1, 1)
        frames.send_text('{"t": "credit", "n": 1}')
        # Of the pictures that came meanwhile only the last one is left.
        assert header(frames.receive_bytes())[0] == 7


@pytest.mark.slow
def test_a_device_that_is_lost_is_reported_without_another_act_and_comes_back(
    tmp_path: Path,
) -> None:
    devices = iter([FakeDevice(EndlessScenes(), lost_after=1, latency_s=0.02)])

    def open_device() -> FakeDevice:
        return next(devices, None) or fake()

    with client(tmp_path, {"fake": open_device}) as app:
        session = begin(app)
        with app.websocket_connect(address(session), headers=ORIGIN) as socket:
            page = Page(socket)
            page.hello()
            assert page.act(key="a", frame=1)["t"] == "saved"
            page.until("device", connected=False)
            back = page.until("device", connected=True)
            assert back["interrupted"] == "reopened"
            assert page.act(key="b")["code"] == "TW193"
            assert page.ask("restore")["t"] == "done"
            assert page.act(key="c")["t"] == "saved"
    assert len(EpisodeStore(tmp_path).read(session).steps) == 2


@pytest.mark.slow
def test_of_more_than_a_device_can_do_each_act_is_saved_or_refused(tmp_path: Path) -> None:
    slow = FakeDevice(EndlessScenes(), latency_s=0.02)
    with client(tmp_path, {"fake": lambda: slow}) as app:
        session = begin(app)
        with app.websocket_connect(address(session), headers=ORIGIN) as socket:
            Page(socket).hello()
            for number in range(150):
                act = {"t": "act", "key": f"k{number}", "frame": 1, "action": TAP}
                socket.send_text(json.dumps(act))
            answers: list[dict[str, Any]] = []
            while len(answers) < 150:
                answer = json.loads(socket.receive_text())
                if answer["t"] in {"saved", "failed"}:
                    answers.append(answer)
    refused = [answer for answer in answers if answer["t"] == "failed"]
    assert {answer["code"] for answer in refused} == {"TW354"}
    assert len(EpisodeStore(tmp_path).read(session).steps) == 150 - len(refused)


@pytest.mark.slow
def test_a_device_that_somebody_has_is_refused(app: TestClient) -> None:
    session = begin(app)
    with app.websocket_connect(address(session), headers=ORIGIN) as socket:
        Page(socket).hello()
        body = json.dumps({"device": "fake", "instruction": "mine"})
        answer = app.post("/api/sessions", content=body, headers=SENDING)
        assert (answer.status_code, answer.json()["code"]) == (409, "TW332")
        assert len(app.get("/api/sessions").json()) == 1


def test_one_s_own_session_that_no_tab_shows_makes_room_and_can_be_gone_on_with(
    app: TestClient,
) -> None:
    first = begin(app)
    with app.websocket_connect(address(first), headers=ORIGIN) as socket:
        page = Page(socket)
        page.hello()
        page.act()
    second = begin(app)
    assert [one["session"] for one in app.get("/api/sessions").json()] == [first, second]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"device": "fake"}, 422),
        ({"device": "fake", "instruction": "  "}, 422),
        ({"device": "../../etc", "instruction": "x"}, 404),
        ({"device": "fake", "suite": "none", "task": "press"}, 404),
        ({"device": "fake", "suite": "mine", "task": "none"}, 404),
        ({"device": "fake", "instruction": "x", "more": 1}, 422),
    ],
)
def test_a_session_that_cannot_be_is_refused_and_leaves_nothing(
    app: TestClient, tmp_path: Path, body: dict[str, str], status: int
) -> None:
    answer = app.post("/api/sessions", content=json.dumps(body), headers=SENDING)
    assert answer.status_code == status, answer.text
    assert app.get("/api/sessions").json() == []
    assert [one["state"] for one in app.get("/api/devices").json()] == ["free", "free"]


def test_a_socket_of_no_session_is_refused(app: TestClient) -> None:
    for id_ in ("nothing", "../../x", ""):
        for kind in ("session", "frames"):
            with pytest.raises(WebSocketDisconnect), app.websocket_connect(address(id_, kind)):
                pass


def test_the_elements_of_a_picture_are_those_of_its_own_tree(app: TestClient) -> None:
    session = begin(app)
    with app.websocket_connect(address(session), headers=ORIGIN) as socket:
        page = Page(socket)
        page.hello()
        page.act()
        for frame in (1, 2):
            answer = app.get(f"/api/sessions/tree?session={session}&frame={frame}").json()
            button = answer["nodes"][1]
            assert (button["label"], button["clickable"]) == (f"Button {frame - 1}", True)
            assert all(0 <= edge <= 1 for edge in button["box"])


def test_a_session_is_its_owner_s_alone() -> None:
    assert can_access(User("ann", roles_of("annotator")), "ann")
    assert not can_access(User("bob", roles_of("reviewer")), "ann")
    assert can_access(User("root", roles_of("admin")), "ann")


class Restless(FakeDevice):
    """Its screen never rests, as where a video plays, and a look takes half a second."""

    def observe(self) -> Observation:
        sleep(0.5)
        return super().observe()

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        ended = Event()

        def show() -> None:
            while not ended.wait(0.03):
                on_frame(LiveFrame(b"", "jpeg", self.size, monotonic()))

        thread = Thread(target=show)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


@pytest.mark.slow
def test_what_we_wait_for_is_not_told_as_a_device_that_hangs(tmp_path: Path) -> None:
    """A press that comes then would be refused by the page."""
    with client(tmp_path, {"fake": lambda: Restless(EndlessScenes())}) as app:
        session = begin(app)
        with app.websocket_connect(address(session), headers=ORIGIN) as socket:
            Page(socket).hello()
            begun, told = monotonic(), list[str]()
            socket.send_text(json.dumps({"t": "act", "key": "a", "action": TAP}))
            while "saved" not in told:
                told.append(json.loads(socket.receive_text())["t"])
            assert monotonic() - begun > 2.0  # until the screen has rested, or nearly
    assert "device" not in told
