"""The phone as the real `adb` program sees it."""

import socket
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import IO

import pytest

from tapwright.core.actions import Tap, Wait
from tapwright.devices.errors import AdbMissingError, AdbServerError
from tapwright.devices.fake import FakeDevice
from tapwright.errors import DeviceError
from tapwright_adb_simulator import AdbPhone, AdbServer, Android, Hang, Truncated, WrongLength
from tapwright_adb_simulator.frames import CHECKED_VERSION

BIG = bytes(range(256)) * 12_000


class Hand:
    """One phone at one server."""

    def __init__(self, server: AdbServer, phone: AdbPhone) -> None:
        self.server = server
        self.serial = server.connect(phone.address)

    def run(self, *words: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
        return self.server.run("-s", self.serial, *words, stdin=stdin)

    def told(self, *words: str, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
        done = self.run(*words, stdin=stdin)
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
def hand(server: AdbServer, phone: AdbPhone) -> Iterator[Hand]:
    hand = Hand(server, phone)
    yield hand
    server.run("disconnect", hand.serial)


def states(server: AdbServer) -> dict[str, str]:
    lines = server.run("devices").stdout.decode().splitlines()[1:]
    return dict(line.split("\t") for line in lines if line)


def test_a_phone_is_listed_with_its_make(hand: Hand, server: AdbServer) -> None:
    listed = server.run("devices", "-l").stdout.decode()
    assert f"{hand.serial}        device product:tapwright_phone model:Tapwright_Phone" in listed


def test_a_shell_gives_exit_codes_and_both_streams(hand: Hand) -> None:
    assert hand.told("shell", "echo out; echo err >&2; exit 7") == (7, b"out\n", b"err\n")
    assert hand.told("shell", "-x", "echo out; echo err >&2; exit 7") == (0, b"out\nerr\n", b"")
    assert hand.told("shell", "cat; false", stdin=b"typed") == (1, b"typed", b"")
    assert hand.told("shell", stdin=b"echo a\nexit 5\n") == (5, b"a\n", b"")
    assert hand.told("shell", "cat > /sdcard/in", stdin=BIG[:100_000]) == (0, b"", b"")
    assert hand.told("shell", "wc -c < /sdcard/in") == (0, b"100000\n", b"")


def test_three_megabytes_come_through_unchanged_every_way(hand: Hand, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(BIG)
    assert hand.run("push", str(tmp_path / "a"), "/sdcard/new/big").returncode == 0
    assert hand.run("exec-out", "cat /sdcard/new/big").stdout == BIG
    assert hand.run("shell", "cat /sdcard/new/big").stdout == BIG
    assert hand.run("shell", "cat", stdin=BIG).stdout == BIG
    assert hand.run("pull", "/sdcard/new", str(tmp_path / "back")).returncode == 0
    assert (tmp_path / "back" / "big").read_bytes() == BIG
    assert b" big" in hand.run("ls", "/sdcard/new").stdout
    assert hand.run("pull", "/none", str(tmp_path)).returncode == 1


def test_an_old_phone_without_the_new_shell_is_spoken_to_as_such(
    server: AdbServer, device: FakeDevice
) -> None:
    old = Android(sdk=21)
    with AdbPhone(device, android=old, version=CHECKED_VERSION, max_data=4096) as phone:
        hand = Hand(server, phone)
        assert hand.told("shell", "echo out; exit 7") == (0, b"out\n", b"")
        assert hand.run("exec-out", "screencap -p").stdout == device.scenes[0].picture


def test_two_shells_and_the_log_run_at_once(hand: Hand, phone: AdbPhone) -> None:
    words = hand.server.command("-s", hand.serial, "shell", "cat")
    log = hand.server.command("-s", hand.serial, "logcat", "-v", "threadtime")
    with (
        open_pipes(words, hand.server) as first,
        open_pipes(words, hand.server) as second,
        open_pipes(log, hand.server) as follower,
    ):
        for number, shell in enumerate((first, second, first)):
            typed(shell).write(b"line %d\n" % number)
            assert said(shell).readline() == b"line %d\n" % number
        assert said(follower).readline() == b"--------- beginning of main\n"
        assert hand.run("shell", "input tap 5 5").returncode == 0
        with phone.held() as device:
            assert isinstance(device, FakeDevice)
            assert isinstance(device.performed[0], Tap)
            device.perform(Wait())
        typed(first).close()
        typed(second).close()
        follower.kill()


def typed(program: "subprocess.Popen[bytes]") -> IO[bytes]:
    assert program.stdin is not None
    return program.stdin


def said(program: "subprocess.Popen[bytes]") -> IO[bytes]:
    assert program.stdout is not None
    return program.stdout


def open_pipes(words: Sequence[str], server: AdbServer) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        words,
        env=server.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )


def test_arguments_with_spaces_and_dollars_arrive_when_quoted(hand: Hand, phone: AdbPhone) -> None:
    assert hand.told("shell", "echo", "'a  b $(c) `d` \"e\"'") == (0, b'a  b $(c) `d` "e"\n', b"")
    assert phone.commands[-1] == "echo 'a  b $(c) `d` \"e\"'"
    assert hand.run("shell", "echo", "$(reboot)").returncode == 1


def test_an_app_is_installed_and_uninstalled(hand: Hand, tmp_path: Path) -> None:
    apk = tmp_path / "any.apk"
    apk.write_bytes(b"PK\x03\x04" + BIG)
    assert b"Success" in hand.run("uninstall", "com.example.fake").stdout
    assert hand.told("shell", "pm path com.example.fake") == (1, b"", b"")
    assert b"Success" in hand.run("install", str(apk)).stdout
    assert hand.run("shell", "pm path com.example.fake").returncode == 0
    apk.write_bytes(b"no archive")
    assert hand.run("install", str(apk)).returncode == 1


def test_ports_are_not_forwarded_from_the_phone(hand: Hand) -> None:
    assert hand.told("reverse", "--list") == (0, b"\n", b"")
    code, _, error = hand.told("reverse", "tcp:1", "tcp:2")
    assert (code, b"this phone connects to nothing but itself" in error) == (1, True)
    assert b"cannot run as root" in hand.run("root").stdout


def test_a_key_is_asked_for_and_allowed(server: AdbServer, device: FakeDevice) -> None:
    with AdbPhone(device, keys=[]) as phone:
        with pytest.raises(DeviceError, match="failed to authenticate"):
            server.connect(phone.address)
        assert states(server)[phone.address] == "unauthorized"
        assert phone.commands == []
        phone.allow()
        assert server.run("-s", phone.address, "wait-for-device", "shell", "id").returncode == 0
        server.run("disconnect", phone.address)
    key = (server.home / ".android" / "adbkey.pub").read_text()
    with AdbPhone(device, keys=[key]) as phone:
        assert server.connect(phone.address) == phone.address


def test_a_phone_that_says_nothing_is_offline(hand: Hand, phone: AdbPhone) -> None:
    phone.go_offline()
    assert hand.run("shell", "true").returncode == 1
    assert states(hand.server).get(hand.serial) in ("offline", None)


def test_a_phone_that_was_offline_is_connected_anew(hand: Hand, phone: AdbPhone) -> None:
    phone.unplug()
    end = monotonic() + 60
    while states(hand.server)[hand.serial] != "offline":
        assert monotonic() < end
    phone.plug()
    hand.server.connect(phone.address)
    assert hand.told("shell", "echo out") == (0, b"out\n", b"")


def test_a_frame_of_wrong_length_and_an_unplugged_phone_end_the_command(
    hand: Hand, phone: AdbPhone
) -> None:
    phone.faults["screencap"] = Truncated(keep_bytes=10)
    assert len(hand.run("exec-out", "screencap -p").stdout) == 10
    phone.faults["echo"] = WrongLength()
    assert hand.run("shell", "echo hello").stdout == b""
    phone.unplug()
    assert hand.run("shell", "true").returncode == 1


def test_a_server_can_be_killed_and_started_again(phone: AdbPhone) -> None:
    with AdbServer() as server:
        serial = server.connect(phone.address)
        server.kill()
        server.start()
        assert serial not in states(server)
        server.connect(phone.address)
        assert server.run("-s", serial, "shell", "true").returncode == 0
        home = server.home
    assert not home.exists()


def test_a_server_that_a_client_started_in_its_place_ends_with_it(phone: AdbPhone) -> None:
    with AdbServer() as server:
        server.kill()
        server.run("start-server", check=True)
        server.connect(phone.address)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=60)


@pytest.mark.slow
def test_what_hangs_ends_with_the_time_limit(phone: AdbPhone) -> None:
    phone.faults["sleep"] = Hang()
    with AdbServer(timeout_s=10.0) as server:
        serial = server.connect(phone.address)
        with pytest.raises(subprocess.TimeoutExpired):
            server.run("-s", serial, "shell", "sleep 1")


def test_a_missing_adb_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AdbMissingError) as caught:
        AdbServer()
    assert "apt-get install adb" in caught.value.hint
    with pytest.raises(AdbServerError, match="its server does not start"), AdbServer("/bin/false"):
        pass
