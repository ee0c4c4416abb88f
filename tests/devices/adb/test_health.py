import json
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tapwright.devices.adb.client import AdbClient
from tapwright.devices.adb.health import check_phones
from tapwright.devices.errors import AdbMissingError
from tapwright.devices.fake import FakeDevice
from tapwright_adb_simulator import PLAIN_KEYBOARD, AdbPhone, AdbServer, Android, Hang, Instead
from tests.cli.running import tapwright

PHONES = {
    "ready": Android(),
    "asleep": Android(awake=False),
    "locked without a secret": Android(locked=True),
    "locked": Android(locked=True, secure=True),
    "no keyboard for other languages": Android(keyboards=[PLAIN_KEYBOARD]),
}


@pytest.mark.slow
def test_each_phone_says_how_it_is_and_a_dead_one_holds_up_nobody() -> None:
    with AdbServer() as own, ExitStack() as stack:
        found = {}
        for state, android in PHONES.items():
            phone = stack.enter_context(AdbPhone(FakeDevice(), android=android))
            found[own.connect(phone.address)] = state
        dead = stack.enter_context(AdbPhone(FakeDevice(), faults={"getprop": Hang()}))
        odd = stack.enter_context(AdbPhone(FakeDevice(), faults={"getprop": Instead(b"%$")}))
        found[own.connect(dead.address)] = "unhealthy"
        found[own.connect(odd.address)] = "too old"
        seen = check_phones(AdbClient(port=own.port), timeout_s=10.0)
    assert {one.serial for one in seen} == set(found)
    for one in seen:
        assert one.state.startswith(found[one.serial])
        assert bool(one.way_out) == (found[one.serial] in (
            "locked", "unhealthy", "too old", "no keyboard for other languages"
        ))  # fmt: skip
        assert one.ready == (found[one.serial] not in ("locked", "unhealthy", "too old"))


def test_a_phone_that_asks_its_user_is_listed_with_the_way_out() -> None:
    with AdbServer() as own, AdbPhone(FakeDevice(), keys=[]) as phone:
        own.run("connect", phone.address)
        (one,) = check_phones(AdbClient(port=own.port))
    assert (one.state, one.ready) == ("unauthorized", False)
    assert "Allow USB debugging" in one.way_out


def test_without_a_server_and_a_program_there_is_nothing_to_look_at(tmp_path: Path) -> None:
    with AdbServer() as own:
        pass
    with pytest.raises(AdbMissingError):
        check_phones(AdbClient(port=own.port, program=tmp_path / "adb"))


def test_commands_list_phones_look_at_one_and_tell_what_is_wrong() -> None:
    android = Android(model="Pixel 7", keyboards=[PLAIN_KEYBOARD])
    with AdbServer() as own, AdbPhone(FakeDevice(), android=android) as phone:
        run = partial(tapwright, ANDROID_ADB_SERVER_PORT=str(own.port))
        serial = own.connect(phone.address)
        rows = json.loads(run("devices", "ls").stdout)
        (row,) = [row for row in rows if row["device"] == f"adb:{serial}"]
        assert (row["what"], row["state"]) == ("Pixel 7", "no keyboard for other languages")
        info = json.loads(run("devices", "info", "--device", "adb").stdout)
        assert (info["device"], info["size"]) == (f"adb {serial}", "270x600")
        checked = run("doctor", "--check", "phones", "--format", "json")
        assert checked.returncode == 1
        assert "ADBKeyboard.apk" in checked.stdout
        assert run("doctor", "--check", "adb").returncode == 0
        wrong = run("devices", "shot", "--device", "adb:other")
        assert (wrong.returncode, f"adb:{serial}" in wrong.stderr) == (3, True)


def test_commands_do_without_adb(tmp_path: Path) -> None:
    with AdbServer() as own:
        pass
    run = partial(tapwright, ANDROID_ADB_SERVER_PORT=str(own.port))
    missing = str(tmp_path / "adb")
    listed = run("devices", "ls", "--format", "quiet", TAPWRIGHT_ADB=missing)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "adb" in listed.stdout.split()
    doctor = run("doctor", "--check", "adb", TAPWRIGHT_ADB=missing)
    assert doctor.returncode == 1
    assert "TAPWRIGHT_ADB" in doctor.stdout
