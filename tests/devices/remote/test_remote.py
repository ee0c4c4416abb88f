import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve
from websockets.typing import Origin, Subprotocol

from tapwright.core.actions import Action, Key, OpenApp, Tap, TypeText, Wait
from tapwright.core.geometry import Point
from tapwright.core.task_setup import SetupCall
from tapwright.devices.device import LiveDevice, LiveFrame
from tapwright.devices.errors import RemoteProtocolError
from tapwright.devices.fake import FakeDevice, Scene
from tapwright.devices.remote.device import open_remote
from tapwright.devices.remote.protocol import (
    REQUEST_BYTES,
    RESPONSE_BYTES,
    SUBPROTOCOL,
    LeaseResponse,
    ObservationResponse,
    PerformRequest,
    decode_request,
    decode_response,
    encode_message,
)
from tapwright.errors import (
    DeviceError,
    DeviceLostError,
    UnknownAppError,
    UnknownNameError,
    UnsupportedActionError,
    UsageError,
)
from tapwright.testing import DeviceServer, check_device
from tests.strategies import ACTIONS

TAP = Tap(at=Point(0.5, 0.5))
HALF = "half an emoji: \ud83d"


class Noted(FakeDevice):
    """A fake device that counts resets and closings, and shows its screen live."""

    def __init__(self) -> None:
        super().__init__([Scene(FakeDevice().scenes[0].picture, log=(HALF,), state={"a": HALF})])
        self.resets: list[Mapping[str, object]] = []
        self.language = "en"
        self.closed = 0
        self.set_ups: list[SetupCall] = []
        self.hangs: Event | None = None

    def reset(
        self,
        *,
        seed: int = 0,
        language: str = "",
        state: Mapping[str, JsonValue] | None = None,
        app: str = "",
    ) -> None:
        language = language or self.language
        self.resets.append({"seed": seed, "language": language, "state": state, "app": app})
        self.performed.clear()

    def perform(self, action: Action) -> None:
        if self.hangs is not None:
            self.performed.append(action)
            self.hangs.wait(20)
            return
        super().perform(action)

    def set_up(self, call: SetupCall) -> None:
        self.set_ups.append(call)

    def close(self) -> None:
        self.closed += 1

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        for number in range(3):
            data = bytes([number]) * 10
            on_frame(LiveFrame(data, "h264", self.size, time.monotonic() - 1, key=not number))
        yield


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.fixture(scope="module")
def server() -> Iterator[DeviceServer]:
    with DeviceServer({"fake": FakeDevice}) as server:
        yield server


@contextmanager
def hostile(answer: Callable[[ServerConnection, str | bytes], None]) -> Iterator[str]:
    """A server that lends a device, and then answers as it likes; yields its address."""

    def attend(connection: ServerConnection) -> None:
        connection.recv()
        connection.send(encode_message(LeaseResponse(name="hostile", live=False, keys=())))
        for message in connection:
            answer(connection, message)

    with serve(
        attend, "127.0.0.1", 0, subprotocols=[Subprotocol(SUBPROTOCOL)], compression=None
    ) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


@given(action=ACTIONS)
def test_every_action_survives_the_trip(action: Action) -> None:
    assert decode_request(encode_message(PerformRequest(action=action))) == PerformRequest(
        action=action
    )


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200)))
def test_noise_is_neither_a_request_nor_an_answer(noise: str | bytes) -> None:
    for read in (decode_request, decode_response):
        with pytest.raises(RemoteProtocolError):
            read(noise)


def test_a_device_keeps_the_laws_from_afar(server: DeviceServer) -> None:
    check_device(open_remote(server.url("fake") + "?wait_s=60"))


def test_what_is_seen_from_afar_is_the_devices_own(server: DeviceServer) -> None:
    near = FakeDevice()
    with open_remote(server.url()) as far:
        assert far.name == near.name
        for _ in range(3):
            seen, own = far.observe(), near.observe()
            assert seen == own
            assert seen.screenshot.data == own.screenshot.data
            far.perform(TAP)
            near.perform(TAP)


class Unfocused(FakeDevice):
    """A device with one key, on which no field has the focus before something is done."""

    def keys(self) -> Sequence[Key]:
        return ["enter"]

    def takes_text(self) -> bool:
        return bool(self.performed)


def test_keys_and_focus_are_those_of_the_far_device(server: DeviceServer) -> None:
    with open_remote(server.url("fake") + "?wait_s=60") as far:
        assert far.keys() == get_args(Key)
        assert far.takes_text()
    with DeviceServer({"few": Unfocused}) as other, open_remote(other.url("few")) as far:
        assert far.keys() == ("enter",)
        assert not far.takes_text()
        far.perform(TAP)
        assert far.takes_text()


class Talkative(FakeDevice):
    """Returns itself, as a device of another's making may."""

    def perform(self, action: Action) -> Any:
        super().perform(action)
        return self


def test_what_a_far_device_returns_unasked_stays_there() -> None:
    with DeviceServer({"fake": Talkative}) as other, open_remote(other.url("fake")) as device:
        device.perform(TAP)
        assert device.observe().screenshot.data == FakeDevice().scenes[1].picture


def test_a_screen_that_did_not_change_is_not_sent_again() -> None:
    sent: list[int] = []
    near = FakeDevice().observe()
    assert near.ui_tree is not None
    xml = near.ui_tree.xml.encode()

    def answer(connection: ServerConnection, message: str | bytes) -> None:
        request = decode_request(message)
        assert request.call == "observe"
        data = near.screenshot.data
        known = request.picture == near.screenshot.sha256
        parts = [] if known else [data, xml]
        sent.append(sum(map(len, parts)))
        said = ObservationResponse(
            width=near.size.width, height=near.size.height, app=near.app, orientation="portrait",
            time_s=0, stale=False,
        url="",
        tabs=(), picture=near.screenshot.sha256,
            picture_bytes=None if known else len(data),
            tree=request.tree or sha256(xml).hexdigest(),
            tree_bytes=None if known else len(xml),
        )  # fmt: skip
        connection.send(encode_message(said, *parts))

    with hostile(answer) as address, open_remote(address) as far:
        assert far.observe() == near
        assert far.observe() == near
    assert sent == [len(near.screenshot.data) + len(xml), 0]


def test_every_call_reaches_the_far_device_with_what_it_was_given() -> None:
    near = Noted()
    with DeviceServer({"a": lambda: near}) as server, open_remote(server.url("a")) as far:
        far.reset(seed=3, language="zh", state={"wifi.on": [1, {"b": None}]}, app="notes")
        assert near.resets[-1] == {
            "seed": 3, "language": "zh", "state": {"wifi.on": [1, {"b": None}]}, "app": "notes",
        }  # fmt: skip
        far.perform(TypeText(text='"$(rm -rf /)"\n中文'))
        assert near.performed == [TypeText(text='"$(rm -rf /)"\n中文')]
        call = SetupCall("start_activity", {"full_activity": "a/b"})
        far.set_up(call)
        assert near.set_ups == [call]
        assert far.log() == [HALF]
        assert far.log(1) == []
        assert far.state("a") == HALF
        assert far.apps() == near.apps()


def test_a_reset_without_a_language_leaves_the_far_device_its_own() -> None:
    near = Noted()
    near.language = "zh"
    with DeviceServer({"a": lambda: near}) as server, open_remote(server.url("a")) as far:
        far.reset()
        assert near.resets[-1]["language"] == "zh"


def test_an_error_raised_there_is_raised_here(server: DeviceServer) -> None:
    with open_remote(server.url() + "?wait_s=60") as far:
        with pytest.raises(UnknownAppError, match="has no app 'Nowhere'"):
            far.perform(OpenApp(app="Nowhere"))
        with pytest.raises(DeviceError, match="takes neither state nor app"):
            far.reset(app="notes")
        with pytest.raises(UnsupportedActionError, match="set-up"):
            far.set_up(SetupCall("rotate"))
        far.perform(TAP)


def test_live_frames_come_in_order_with_their_age() -> None:
    frames: list[LiveFrame] = []
    with DeviceServer({"a": Noted}) as server, open_remote(server.url()) as far:
        assert isinstance(far, LiveDevice)
        with far.live(frames.append):
            until(lambda: len(frames) == 3)
            far.perform(TAP)
    assert [frame.data[0] for frame in frames] == [0, 1, 2]
    assert [frame.key for frame in frames] == [True, False, False]
    assert all(1 <= time.monotonic() - frame.time_s < 30 for frame in frames)


class Streaming(FakeDevice):
    """Shows one frame by itself, far more that build on it than a slow client takes.

    Then it waits to be asked for one more by itself.
    """

    def __init__(self) -> None:
        super().__init__()
        self._asked = Event()

    def renew(self) -> None:
        self._asked.set()

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        for number in range(301):
            data = number.to_bytes(2, "big") + bytes(100_000)
            if number == 300:
                assert self._asked.wait(60)
            on_frame(LiveFrame(data, "h264", self.size, time.monotonic(), key=number % 300 == 0))
        yield


def test_a_slow_client_never_gets_a_frame_without_what_it_builds_on() -> None:
    numbers: list[int] = []
    go_on = Event()

    def take(frame: LiveFrame) -> None:
        go_on.wait(10)
        numbers.append(int.from_bytes(frame.data[:2], "big"))

    with DeviceServer({"a": Streaming}) as server, open_remote(server.url()) as far:
        assert isinstance(far, LiveDevice)
        starting = Timer(0.2, go_on.set)
        starting.start()
        with far.live(take):
            until(lambda: 300 in numbers)
        starting.join()
    assert numbers == [*range(len(numbers) - 1), 300]
    assert len(numbers) < 300


def test_a_second_client_is_told_who_has_the_device() -> None:
    with (
        DeviceServer({"a": FakeDevice}) as server,
        open_remote(server.url("a"), who="the lab"),
        pytest.raises(DeviceError, match=r"a is leased by the lab at 127.0.0.1 since \d+ s"),
    ):
        open_remote(server.url("a"))


def test_a_client_that_waits_gets_the_device_reset() -> None:
    near = Noted()
    with DeviceServer({"a": lambda: near}) as server:
        first = open_remote(server.url("a"))
        first.perform(TAP)
        later = Timer(0.05, first.close)
        later.start()
        with open_remote(server.url("a") + "?wait_s=60") as second:
            assert near.performed == []
            assert len(near.resets) == 1
            second.perform(TAP)
        later.join()
        until(lambda: server.status()[0].state == "free")
    assert near.closed == 1


def test_an_unknown_device_is_refused_by_name(server: DeviceServer) -> None:
    with pytest.raises(UnknownNameError, match="'phone'") as caught:
        open_remote(server.url("phone"))
    assert "fake" in caught.value.hint


@pytest.mark.parametrize(
    "argument",
    ["", "fake", "http://a", "ws://", "ws://user:secret@a/b", "ws://a:0", "ws://a:99999",
     "ws://a/b?token=secret", "ws://a/b?wait_s=-1", "ws://[a/b"],
)  # fmt: skip
def test_a_bad_address_is_refused_without_telling_what_is_in_it(argument: str) -> None:
    with pytest.raises(UsageError):
        open_remote(argument)


def test_no_server_is_a_lost_device() -> None:
    with pytest.raises(DeviceLostError, match="no server of devices answers"):
        open_remote("ws://127.0.0.1:9/a")


def test_only_who_knows_the_token_comes_in() -> None:
    with DeviceServer({"a": FakeDevice}, token="secret") as server:
        for token in ("", "Secret", "secret2"):
            with pytest.raises(DeviceError, match="another token") as caught:
                open_remote(server.url("a"), token=token)
            assert "secret" not in str(caught.value) + caught.value.hint
        with open_remote(server.url("a"), token="secret") as far:
            far.observe()


def test_a_token_is_never_written_to_a_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        DeviceServer({"a": FakeDevice}, token="secret") as server,
        open_remote(server.url("a"), token="secret") as far,
    ):
        far.observe()
    assert "secret" not in caplog.text


def test_no_browser_comes_in_whatever_it_knows() -> None:
    with (
        DeviceServer({"a": FakeDevice}, token="secret") as server,
        pytest.raises(InvalidStatus) as caught,
        connect(
            server.url(),
            origin=Origin("http://127.0.0.1"),
            additional_headers={"Authorization": "Bearer secret"},
            subprotocols=[Subprotocol(SUBPROTOCOL)],
        ),
    ):
        pass
    assert caught.value.response.status_code == 403


@pytest.mark.parametrize(
    "message",
    ["", "{", "null", '{"call": "perform"}', '{"call": "exec", "code": "1"}', "[" * 100_000,
     b"", b"\xff\xff\xff\xff{}", b"\x00\x00\x00\x02{}", "x" * (REQUEST_BYTES + 1)],
    ids=lambda message: repr(message[:24]),
)  # fmt: skip
def test_garbage_ends_the_lease_and_nothing_else(message: str | bytes) -> None:
    near = Noted()
    with DeviceServer({"a": lambda: near}) as server:
        for words in ([message], ['{"call": "lease"}', message]):
            with connect(server.url(), subprotocols=[Subprotocol(SUBPROTOCOL)]) as client:
                for word in words[:-1]:
                    client.send(word)
                    client.recv(timeout=60)  # leased, so that what follows is what ends it
                client.send(words[-1])
                answers = []
                with suppress(ConnectionClosed):  # else, `recv` says that it took too long
                    while True:
                        answers.append(client.recv(timeout=60))
            assert '"says": "failure"' in str(answers[-1:]) or len(str(message)) > REQUEST_BYTES
            until(lambda: server.status()[0].state == "free")
        with open_remote(server.url("a")) as far:
            far.perform(TAP)
        assert near.closed == 0


@pytest.mark.parametrize(
    "garbage",
    ["{", '{"says": "leased", "name": "again", "live": true}', b"\x00\x00\x00\xff{}",
     '{"says": "value", "value": [1]}', b"x" * (RESPONSE_BYTES + 1)],
    ids=lambda message: repr(message[:24]),
)  # fmt: skip
def test_a_hostile_server_is_named_and_the_line_stays_dead(garbage: str | bytes) -> None:
    asked: list[str | bytes] = []

    def answer(connection: ServerConnection, message: str | bytes) -> None:
        asked.append(message)
        connection.send(garbage)

    with hostile(answer) as address:
        far = open_remote(address)
        with pytest.raises(RemoteProtocolError, match=address):
            far.log()
        with pytest.raises(DeviceLostError):
            far.perform(TAP)
        far.close()
    assert len(asked) == 1


def test_a_picture_that_is_not_what_it_was_hashed_to_is_refused() -> None:
    def answer(connection: ServerConnection, message: str | bytes) -> None:
        said = ObservationResponse(
            width=1, height=1, app="", orientation="portrait", time_s=0, stale=False,
        url="",
        tabs=(),
            picture="0" * 64, picture_bytes=3, tree=None, tree_bytes=None,
        )  # fmt: skip
        connection.send(encode_message(said, b"abc"))

    with hostile(answer) as address, pytest.raises(RemoteProtocolError, match="hash"):
        open_remote(address).observe()


@pytest.mark.slow
def test_an_answer_that_does_not_come_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapwright.devices.remote.device._TIMEOUT_S", 3.0)
    asked: list[str | bytes] = []
    with hostile(lambda connection, message: asked.append(message)) as address:
        far = open_remote(address)
        with pytest.raises(DeviceLostError, match=r"did not respond to 'perform' within 3 s"):
            far.perform(TAP)
        with pytest.raises(DeviceLostError):
            far.perform(TAP)
    assert len(asked) == 1


def test_a_client_that_goes_in_the_middle_of_a_call_costs_the_device(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tapwright.devices.remote.server._LAST_CALL_S", 0.05)
    made: list[Noted] = []
    hangs = Event()

    def opened() -> Noted:
        made.append(Noted())
        made[-1].hangs = hangs
        return made[-1]

    with DeviceServer({"a": opened}) as server:
        far = open_remote(server.url("a"))

        def perform() -> None:
            with pytest.raises(DeviceLostError):
                far.perform(Wait(duration_s=3600))

        acting = Thread(target=perform)
        acting.start()
        until(lambda: bool(made and made[0].performed))
        far.close()
        acting.join()
        with open_remote(server.url("a") + "?wait_s=60"):
            assert len(made) == 2
        assert made[0].closed == 1
        assert made[0].performed == [Wait(duration_s=3600)]
        hangs.set()


@pytest.mark.slow
def test_a_far_device_that_hangs_is_lost_and_replaced() -> None:
    made: list[Noted] = []
    hangs = Event()

    def opened() -> Noted:
        made.append(Noted())
        made[-1].hangs = hangs if len(made) == 1 else None
        return made[-1]

    with DeviceServer({"a": opened}, limit_s=3.0) as server:
        far = open_remote(server.url("a"))
        with pytest.raises(DeviceLostError, match=r"did not finish a call within 3 s"):
            far.perform(TAP)
        with open_remote(server.url("a") + "?wait_s=60") as fresh:
            fresh.perform(TAP)
        assert len(made) == 2
        hangs.set()


@pytest.mark.slow
def test_a_client_that_does_not_answer_the_heartbeat_loses_its_lease(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        DeviceServer({"a": FakeDevice}, heartbeat_s=0.5) as server,
        connect(server.url(), subprotocols=[Subprotocol(SUBPROTOCOL)]) as silent,
    ):
        silent.send('{"call": "lease"}')
        silent.recv()
        # What is left of a client whose machine has stopped: an open socket that nobody reads.
        monkeypatch.setattr(silent.protocol, "receive_data", lambda data: None)
        until(lambda: server.status()[0].state == "free")


def test_a_clock_that_jumps_ends_no_lease(
    server: DeviceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_remote(server.url() + "?wait_s=60") as far:
        for jump_s in (1e6, -1e6):
            now = time.time() + jump_s
            monkeypatch.setattr(time, "time", lambda now=now: now)
            far.perform(TAP)
            assert 0 <= server.status()[0].since_s < 60


SLOW_SERVER = """
import time
from tapwright.devices.fake import FakeDevice
from tapwright.testing import DeviceServer

class Slow(FakeDevice):
    def perform(self, action):
        open("performed", "a").write("x")
        time.sleep(600)

with DeviceServer({"a": Slow}) as server:
    print(server.url("a"), flush=True)
    time.sleep(600)
"""


def test_a_server_that_is_killed_in_the_middle_of_a_call_is_a_lost_device(tmp_path: Path) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", SLOW_SERVER], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    performed = tmp_path / "performed"
    with server:
        far = open_remote(server.stdout.readline().strip())

        def kill() -> None:
            # Whole: a file is there before its words are.
            until(lambda: performed.exists() and performed.read_text() == "x")
            os.kill(server.pid, signal.SIGKILL)

        killer = Thread(target=kill)
        killer.start()
        with pytest.raises(DeviceLostError, match="is lost"):
            far.perform(TAP)
        killer.join()
        with pytest.raises(DeviceLostError):
            far.observe()
    assert performed.read_text() == "x"
