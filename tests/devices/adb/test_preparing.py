import socket
import struct
from pathlib import Path

import pytest

from tapwright.core.task_setup import SetupCall
from tapwright.devices.adb.setup_calls import run_setup_call
from tapwright.devices.adb.shell import PhoneShell
from tapwright.errors import DeviceError, UnsupportedActionError
from tests.devices.adb.conftest import OKAY, Pretended

CALLS = [
    (SetupCall("force_stop", {"package_name": "com.a"}), ["am force-stop com.a"]),
    (
        SetupCall("start_activity", {"full_activity": "a.b/.Main", "extra_args": ["-e", "$(x)"]}),
        ["am start -S -W -n a.b/.Main -e '$(x)'"],
    ),
    (
        SetupCall("start_intent", {"action": "V", "data_uri": "geo:1?q=a&b", "package_name": ""}),
        ["am start -W -a V -d 'geo:1?q=a&b'"],
    ),
    (SetupCall("clear_cache", {"package_name": "com.a"}), ["pm clear com.a"]),
    (SetupCall("uninstall_package", {"package_name": "com.a"}), ["pm uninstall com.a"]),
    (
        SetupCall("grant_permissions", {"package_name": "com.a", "permissions": ["android.p.A"]}),
        ["pm grant com.a android.p.A"],
    ),
    (SetupCall("press_button", {"button": "BACK"}), ["input keyevent KEYCODE_BACK"]),
    (SetupCall("tap", {"x": 3, "y": 4}), ["input tap 3 4"]),
    (
        SetupCall("rotate", {"orientation": "LANDSCAPE_90"}),
        [
            "settings put system accelerometer_rotation 0",
            "settings put system user_rotation 1",
        ],
    ),
]  # fmt: skip


@pytest.fixture
def shell(pretended: Pretended) -> PhoneShell:
    pretended.answers["host:transport:X1"] = OKAY
    pretended.answers["shell,v2,raw"] = OKAY + b"\1\7\0\0\0Success" + b"\3\1\0\0\0\0"
    return PhoneShell(pretended.client, "X1")


@pytest.mark.parametrize(("call", "commands"), CALLS, ids=lambda value: str(value)[:40])
def test_a_set_up_call_is_the_command_that_it_stands_for(
    call: SetupCall,
    commands: list[str],
    pretended: Pretended,
    shell: PhoneShell,
) -> None:
    run_setup_call(shell, call)
    asked = [one.removeprefix("shell,v2,raw:") for one in pretended.asked]
    assert [one for one in asked if not one.startswith("host:")] == commands


@pytest.mark.parametrize(
    "call",
    [
        SetupCall("shell_command", {"command": ["rm", "-rf", "/"]}),
        SetupCall("adb_command", {"command": ["reboot"]}),
        SetupCall("force_stop", {"package_name": "--user"}),
        SetupCall("start_activity", {"full_activity": "-a com.a", "extra_args": []}),
        SetupCall("install_apk", {"filesystem": {"path": "a.apk"}}),
        SetupCall("install_apk", {"filesystem": {"path": "../a.apk"}}, Path("/tmp")),
        SetupCall("install_apk", {"filesystem": {"path": "/etc/passwd"}}, Path("/tmp")),
        SetupCall("install_apk", {"filesystem": {"path": "a\0.apk"}}, Path("/tmp")),
        SetupCall("install_apk", {"filesystem": {"path": "\ud800.apk"}}, Path("/tmp")),
        SetupCall("install_apk", {"filesystem": {"path": "a" * 300}}, Path("/tmp")),
    ],
    ids=str,
)
def test_what_a_task_may_not_do_is_refused_before_the_phone_hears_of_it(
    call: SetupCall, pretended: Pretended, shell: PhoneShell
) -> None:
    with pytest.raises(UnsupportedActionError) as raised:
        run_setup_call(shell, call)
    assert pretended.asked == []
    assert str(raised.value)


@pytest.mark.parametrize(
    ("said", "starts"),
    [
        ("Starting: Intent { cmp=a.b/.ErrorLog }\nStatus: ok\n", True),
        ("Starting: Intent { cmp=a.b/.Gone }\nError type 3\n", False),
        ("Error: Activity not started, unable to resolve Intent\n", False),
    ],
)
def test_an_activity_that_is_not_started_is_an_error(
    said: str, starts: bool, pretended: Pretended, shell: PhoneShell
) -> None:
    packet = struct.pack("<BI", 1, len(said)) + said.encode()
    pretended.answers["shell,v2,raw"] = OKAY + packet + b"\3\1\0\0\0\0"
    call = SetupCall("start_activity", {"full_activity": "a.b/.Main"})
    if starts:
        run_setup_call(shell, call)
        return
    with pytest.raises(DeviceError, match="Error"):
        run_setup_call(shell, call)


def test_an_app_of_the_tasks_folder_is_copied_and_installed(
    pretended: Pretended, shell: PhoneShell, tmp_path: Path
) -> None:
    (tmp_path / "a.apk").write_bytes(b"apk" * 50_000)
    got = bytearray()

    def take(client: socket.socket) -> None:
        client.sendall(OKAY)
        while b"DONE" not in got[-8:]:
            got.extend(client.recv(65536))
        client.sendall(b"OKAY\0\0\0\0")

    pretended.answers["sync"] = take
    run_setup_call(shell, SetupCall("install_apk", {"filesystem": {"path": "a.apk"}}, tmp_path))
    assert got.startswith(b"SEND")
    assert got.count(b"DATA") == 3
    asked = [one.removeprefix("shell,v2,raw:") for one in pretended.asked if "shell" in one]
    assert asked == [
        "pm install -r -t -g /data/local/tmp/tapwright.apk",
        "rm -f /data/local/tmp/tapwright.apk",
    ]
