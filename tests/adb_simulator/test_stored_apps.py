"""What evaluators of suites read on a phone: files, databases, the clock, the app in front."""

from collections.abc import Iterator

import pytest

from tapwright.devices.fake import FakeDevice
from tapwright_adb_simulator import AdbPhone, AdbServer, Android
from tapwright_adb_simulator.androidworld import set_up_for_androidworld
from tapwright_adb_simulator.storage import Storage


class Shell:
    """A phone that was set up for AndroidWorld, and the real adb to it."""

    def __init__(self, phone: AdbPhone, server: AdbServer) -> None:
        self.phone, self.server = phone, server
        self.serial = server.connect(phone.address)

    def __call__(self, line: str) -> str:
        return self.server.run("-s", self.serial, "shell", line).stdout.decode()


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    android, storage = Android(), Storage()
    set_up_for_androidworld(android, storage)
    with AdbPhone(FakeDevice(), android=android, storage=storage) as phone, AdbServer() as server:
        yield Shell(phone, server)


def test_a_line_may_ask_whether_a_file_is_there(shell: Shell) -> None:
    ask = "if [ {} ]; then\n echo yes\nelse\n echo no\nfi\n"
    assert shell(ask.format("-d /sdcard/Movies")) == "yes\n"
    assert shell(ask.format("-f /sdcard/Movies")) == "no\n"
    assert shell(ask.format('! -e "/sdcard/nothing"')) == "yes\n"
    nested = "if true; then if false; then echo a; else echo b; fi; else echo c; fi; echo d"
    assert shell(nested) == "b\nd\n"
    for wrong in ("if true; then echo a", "fi; true", "if true; echo a; fi"):
        done = shell.server.run("-s", shell.serial, "shell", wrong)
        assert (done.returncode, b"syntax error" in done.stderr) == (1, True)


def test_files_are_copied_moved_found_and_dated(shell: Shell) -> None:
    shell("mkdir -p /sdcard/a/b; echo one > /sdcard/a/b/1.txt; cp -a /sdcard/a/. /sdcard/c/")
    shell("mv /sdcard/c/b/1.txt /sdcard/c/2.txt")
    assert shell("find /sdcard/a /sdcard/c -type f").split() == [
        "/sdcard/a/b/1.txt",
        "/sdcard/c/2.txt",
    ]
    assert shell("cat /sdcard/c/2.txt") == "one\n"
    assert " 4 20" in shell("ls /sdcard/c -ll -au")
    shell("find /sdcard/a -mindepth 1 -type f -delete")
    assert shell("find /sdcard/a").split() == ["/sdcard/a", "/sdcard/a/b"]


def test_the_clock_is_where_root_sets_it(shell: Shell) -> None:
    assert shell("whoami") == "root\n"
    shell("date 1015153423.00")
    assert shell("date +%Y-%m-%dT%H:%M") == "2023-10-15T15:34\n"
    assert shell.server.run("-s", shell.serial, "root").stdout.startswith(b"adbd is already")


def test_messages_are_rows_of_their_database(shell: Shell) -> None:
    path = "/data/data/com.android.providers.telephony/databases/mmssms.db"
    assert shell("content query --uri content://sms/sent") == "No result found.\n"
    bind = "--bind address:s:+15551234 --bind body:s:'Hi, you' --bind type:i:2 --bind date:i:7"
    shell(f"content insert --uri content://sms {bind}")
    told = shell("content query --uri content://sms/sent --projection address:body:date")
    assert told == "Row: 0 address=+15551234, body=Hi, you, date=7\n"
    assert shell(f'sqlite3 {path} "SELECT body FROM sms; SELECT 1, NULL;"') == "Hi, you\n1|\n"
    shell(f'sqlite3 {path} "DELETE FROM sms;"')
    assert shell("content query --uri content://sms/inbox") == "No result found.\n"


def test_the_clipboard_is_read_by_the_app_in_front_alone(shell: Shell) -> None:
    assert "result=0" in shell("am broadcast -a clipper.get")
    shell("am start -W -n ca.zgrs.clipper/ca.zgrs.clipper.Main")
    assert "ca.zgrs.clipper/ca.zgrs.clipper.Main" in shell("am stack list | grep visible=true")
    shell("am broadcast -a clipper.set -e text 'a word'")
    assert 'data="a word"' in shell("am broadcast -a clipper.get")
    shell("input keyevent KEYCODE_HOME")
    assert "clipper" not in shell("am stack list")


def test_switches_are_settings(shell: Shell) -> None:
    shell("svc wifi disable; svc bluetooth enable")
    assert shell("settings get global wifi_on; settings get global bluetooth_on") == "0\n1\n"
