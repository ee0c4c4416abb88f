import json
import os
import signal
from collections.abc import Iterator
from threading import Event, Thread

import pytest

from tapwright.core.geometry import Size
from tapwright.devices.chromium import Browser
from tapwright.devices.devtools import CallResult, DevToolsPipe, open_pipes
from tapwright.devices.page import Page
from tapwright.devices.page_capture import take_snapshot
from tapwright.errors import DeviceError, DeviceLostError


class Far:
    """The browser's ends of the pipes, in the test's hands."""

    def __init__(self) -> None:
        self.reads, near_writes, near_reads, self.writes = open_pipes()
        self.wire = DevToolsPipe(near_reads, near_writes)

    def take(self) -> CallResult:
        data = b""
        while not data.endswith(b"\0"):
            data += os.read(self.reads, 1)
        taken: CallResult = json.loads(data[:-1])
        return taken

    def say(self, *messages: CallResult) -> None:
        os.write(self.writes, b"".join(json.dumps(one).encode() + b"\0" for one in messages))

    def hang_up(self) -> None:
        for end in (self.reads, self.writes):
            if end >= 0:
                os.close(end)
        self.reads = self.writes = -1


@pytest.fixture
def far() -> Iterator[Far]:
    far = Far()
    yield far
    far.hang_up()
    far.wire.close()


def test_answers_find_their_calls_in_any_order(far: Far) -> None:
    first, second = far.wire.send("A.one"), far.wire.send("A.two", {"x": 1}, session="s")
    one, two = far.take(), far.take()
    assert "sessionId" not in one
    assert (two["method"], two["params"], two["sessionId"]) == ("A.two", {"x": 1}, "s")
    far.say({"id": two["id"], "result": {"n": 2}}, {"id": one["id"], "result": {"n": 1}})
    assert (first.result(60)["n"], second.result(60)["n"]) == (1, 2)


def test_a_message_may_come_in_pieces(far: Far) -> None:
    reply = far.wire.send("A.one")
    whole = json.dumps({"id": far.take()["id"], "result": {"text": "茶" * 10}}).encode() + b"\0"
    for byte in whole:
        os.write(far.writes, bytes([byte]))
    assert reply.result(60)["text"] == "茶" * 10


def test_events_go_to_the_listener_of_their_session(far: Far) -> None:
    heard: list[tuple[str, CallResult]] = []
    rang = Event()

    def listen(method: str, params: CallResult) -> None:
        heard.append((method, params))
        rang.set()

    far.wire.listen("s", listen)
    far.say(
        {"method": "E.other", "params": {}, "sessionId": "t"},
        {"method": "E.mine", "params": {"n": 1}, "sessionId": "s"},
    )
    assert rang.wait(60)
    assert heard == [("E.mine", {"n": 1})]


def test_a_refused_call_names_the_method_and_the_reason(far: Far) -> None:
    reply = far.wire.send("A.one")
    far.say({"id": far.take()["id"], "error": {"code": -1, "message": "no such thing"}})
    with pytest.raises(DeviceError, match=r"refused A\.one: no such thing"):
        reply.result(60)


def test_a_call_to_a_page_that_is_gone_is_a_lost_device(far: Far) -> None:
    reply = far.wire.send("A.one", session="s")
    error = {"code": -32001, "message": "Session with given id not found."}
    far.say({"id": far.take()["id"], "error": error})
    with pytest.raises(DeviceLostError):
        reply.result(60)


def test_a_call_that_is_not_answered_ends_in_time(far: Far) -> None:
    with pytest.raises(DeviceLostError, match=r"did not respond to A\.one within 0\.01 s"):
        far.wire.send("A.one").result(0.01)


@pytest.mark.slow
def test_a_page_that_is_too_large_to_be_read_in_time_says_so(far: Far) -> None:
    page = Page(far.wire, Size(10, 10), 1.0, mobile=False, timeout_s=0.5)

    def answer() -> None:
        far.say({"id": far.take()["id"], "result": {"result": {}}})
        far.say({"id": far.take()["id"], "result": {"nodes": 9000}})
        assert far.take()["method"] == "DOMSnapshot.captureSnapshot"

    browser = Thread(target=answer)
    browser.start()
    with pytest.raises(DeviceLostError, match=r"has 9,000 nodes, .* took longer than 1\.5 s"):
        take_snapshot(page)
    browser.join()


def test_the_end_of_the_pipe_wakes_every_waiter_and_refuses_new_calls(far: Far) -> None:
    replies = [far.wire.send(f"A.{number}") for number in range(5)]
    far.hang_up()
    for number, reply in enumerate(replies):
        with pytest.raises(DeviceLostError, match=rf"ended, while waiting for A\.{number}"):
            reply.result(60)
    with pytest.raises(DeviceLostError, match="ended"):
        far.wire.send("A.late")


def test_a_dropped_session_wakes_its_own_waiters_only(far: Far) -> None:
    mine, other = far.wire.send("A.one", session="s"), far.wire.send("A.two", session="t")
    far.take()
    number = far.take()["id"]
    far.wire.drop("s", "the page crashed")
    with pytest.raises(DeviceLostError, match="the page crashed"):
        mine.result(60)
    far.say({"id": number, "result": {}})
    assert other.result(60) == {}


def test_writing_to_a_browser_that_does_not_read_ends_in_time() -> None:
    with Browser() as browser:
        os.kill(browser.pid, signal.SIGSTOP)
        wire = browser._wire
        with pytest.raises(DeviceLostError, match="does not read"):
            wire.send("A.one", {"much": "x" * 4_000_000}, timeout_s=0.05)
        assert not browser.alive
