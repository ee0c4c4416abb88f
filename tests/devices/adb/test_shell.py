import shlex
import socket
import struct
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.devices.adb import shell as shell_module
from tapwright.devices.adb.hierarchy import dump_hierarchy
from tapwright.devices.adb.shell import PhoneShell, quote_words
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.errors import DeviceError, DeviceLostError
from tests.devices.adb.conftest import OKAY, Pretended, refused

WORDS = st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))


def frame(kind: int, data: bytes) -> bytes:
    return struct.pack("<BI", kind, len(data)) + data


@pytest.fixture
def shell(pretended: Pretended) -> PhoneShell:
    pretended.answers["host:transport:X1"] = OKAY
    return PhoneShell(pretended.client, "X1")


@given(WORDS)
def test_words_come_out_of_a_shell_as_they_went_in(words: list[str]) -> None:
    assert shlex.split(quote_words(*words)) == words


@pytest.mark.parametrize(
    "text", ["$(reboot)", "`id`", "a'b\"c", "x\ny; rm -rf /", "中文 😀", "~ * ?"]
)
def test_a_real_shell_runs_nothing_that_is_quoted(text: str) -> None:
    run = subprocess.run(
        ["/bin/sh", "-c", quote_words("printf", "%s", text)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (run.stdout, run.stderr) == (text, "")


@pytest.mark.parametrize("word", ["a\0b", "a\ud800", "\udc80"])
def test_what_no_program_can_be_given_is_refused(word: str) -> None:
    with pytest.raises(DeviceError, match="zero byte or half a character"):
        quote_words("input", "text", word)


@pytest.mark.parametrize("cut", [1, 3, 7, 1000])
def test_an_answer_is_the_same_in_whatever_pieces_it_comes(
    pretended: Pretended, shell: PhoneShell, cut: int
) -> None:
    data = (
        OKAY + frame(1, b"one ") + frame(2, b"bad") + frame(1, b"") + frame(1, b"two")
        + frame(3, b"\x05") + b"never read"
    )  # fmt: skip

    def say(client: socket.socket) -> None:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(0, len(data), cut):
            client.sendall(data[at : at + cut])

    pretended.answers["shell,v2,raw"] = say
    output = shell.run("id")
    assert (output.data, output.errors, output.code) == (b"one two", b"bad", 5)


def test_several_programs_are_one_request(pretended: Pretended, shell: PhoneShell) -> None:
    pretended.answers["shell,v2,raw"] = OKAY + frame(3, b"\0")
    shell.script([("echo", "a b"), ("echo", "$HOME")])
    assert pretended.asked[-1] == "shell,v2,raw:echo 'a b'; echo '$HOME'"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (frame(7, b"what"), BadDeviceOutputError),
        (struct.pack("<BI", 1, 0xFFFFFFFF), BadDeviceOutputError),
        (frame(3, b"\0\0"), BadDeviceOutputError),
        (b"HTTP/1.1 200", BadDeviceOutputError),
        (frame(1, b"all but the end"), DeviceLostError),
        (struct.pack("<BI", 1, 10) + b"short", DeviceLostError),
        (b"\1\0", DeviceLostError),
    ],
)
def test_a_phone_that_frames_wrongly_is_an_error(
    pretended: Pretended, shell: PhoneShell, answer: bytes, error: type[DeviceError]
) -> None:
    def say(client: socket.socket) -> None:
        client.sendall(OKAY + answer)
        client.shutdown(socket.SHUT_RDWR)

    pretended.answers["shell,v2,raw"] = say
    with pytest.raises(error) as raised:
        shell.run("id")
    assert raised.value.hint


def test_output_without_an_end_is_given_up(
    pretended: Pretended, shell: PhoneShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell_module, "MAX_OUTPUT", 1 << 20)

    def say(client: socket.socket) -> None:
        client.sendall(OKAY)
        while True:
            client.sendall(frame(1, b"x" * 65536))

    pretended.answers["shell,v2,raw"] = say
    with pytest.raises(BadDeviceOutputError, match="endlessly"):
        shell.run("id")


@pytest.mark.slow
def test_a_phone_that_is_silent_or_dribbles_is_given_up_in_time(pretended: Pretended) -> None:
    def dribble(client: socket.socket) -> None:
        client.sendall(OKAY + struct.pack("<BI", 1, 1000))
        client.settimeout(0.05)
        while True:
            client.sendall(b"x")
            try:
                client.recv(1)
                return
            except TimeoutError:
                continue

    pretended.answers["host:transport:X1"] = OKAY
    shell = PhoneShell(pretended.hasty_client, "X1")
    for answer in (OKAY, dribble):
        pretended.answers["shell,v2,raw"] = answer
        with pytest.raises(DeviceLostError, match=r"within 0\.5 s"):
            shell.run("id")


def http(body: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {len(body.encode())}\r\n\r\n"
    return (head + body).encode()


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (http('{"result": "<?xml?><hierarchy/></hierarchy>"}'), "<hierarchy/></hierarchy>"),
        (http('{"error": {"message": "no"}}'), None),
        (http("[]"), None),
        (http('{"result": 5}'), None),
        (http("<html>"), None),
        (b"SSH-2.0\r\n", None),
        (http('{"result": ' + "[" * 100_000), None),
    ],
)  # fmt: skip
def test_uiautomator2s_service_gives_a_tree_or_a_named_error(
    pretended: Pretended, shell: PhoneShell, answer: bytes, found: str | None
) -> None:
    def say(client: socket.socket) -> None:
        client.sendall(OKAY)
        assert client.recv(65536).startswith(b"POST /jsonrpc/0 HTTP/1.1\r\n")
        client.sendall(answer)
        client.shutdown(socket.SHUT_RDWR)

    pretended.answers["tcp:9008"] = say
    if found is not None:
        assert dump_hierarchy(shell, "u2") == found
        return
    with pytest.raises(BadDeviceOutputError):
        dump_hierarchy(shell, "u2")


def test_a_service_that_does_not_run_is_told(pretended: Pretended, shell: PhoneShell) -> None:
    pretended.answers["tcp:9008"] = refused("closed")
    with pytest.raises(DeviceError, match="does not run") as raised:
        dump_hierarchy(shell, "u2")
    assert "uiautomator2 init" in raised.value.hint
