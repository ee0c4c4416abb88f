"""The built-in phone, touched and looked at over the wire as when it is driven directly."""

from collections.abc import Iterator

import pytest

from tapwright.core.actions import Tap
from tapwright.core.geometry import to_pixel
from tapwright.core.observation import UiTree
from tapwright.devices.phone.device import Phone
from tapwright_adb_simulator import AdbPhone
from tests.adb_simulator.wire import Wire


@pytest.fixture(scope="module")
def held() -> Iterator[tuple[AdbPhone, Wire]]:
    device = Phone.named("540x1200,jpeg")
    with device, AdbPhone(device) as phone, Wire.greeted(phone) as wire:
        yield phone, wire


@pytest.mark.slow
def test_apps_have_packages_and_names(held: tuple[AdbPhone, Wire]) -> None:
    phone, wire = held
    phone.reset(language="zh")
    query = "cmd package query-activities -a android.intent.action.MAIN"
    told = wire.shell(query)[1]
    assert "packageName=org.tapwright.notes" in told
    assert "nonLocalizedLabel=笔记" in told


def test_a_tap_over_the_wire_does_what_a_tap_does(held: tuple[AdbPhone, Wire]) -> None:
    phone, wire = held
    phone.reset(app="settings")
    xml = wire.ask("exec:uiautomator dump /dev/tty").decode().rpartition("UI hierchary")[0]
    with phone.held() as device:
        seen = device.observe()
    assert seen.ui_tree is not None
    assert seen.ui_tree.xml == xml
    row = UiTree(xml, seen.size).find(text="Network & internet")
    assert row is not None
    assert row.box is not None
    x, y = to_pixel(row.box.center, seen.size)
    wire.shell(f"input tap {x} {y}")
    with phone.held() as device:
        over_the_wire = device.observe().ui_tree
    phone.reset(app="settings")
    with phone.held() as device:
        device.perform(Tap(at=row.box.center))
        assert device.observe().ui_tree == over_the_wire != seen.ui_tree


def test_an_app_that_is_opened_is_heard_of(held: tuple[AdbPhone, Wire]) -> None:
    phone, wire = held
    phone.reset()
    wire.shell("logcat -c")
    wire.shell("am start -n org.tapwright.notes/.Main")
    assert "START u0 {cmp=org.tapwright.notes" in wire.shell("logcat -d")[1]
    assert "u0 org.tapwright.notes/" in wire.shell("dumpsys window | grep mCurrentFocus")[1]
