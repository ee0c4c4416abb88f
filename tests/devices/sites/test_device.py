"""The installed sites as a device; needs Trac, which `make` installs where it can."""

from collections.abc import Iterator

import pytest

from tapwright.core import actions
from tapwright.core.geometry import Point, Size
from tapwright.devices.sites.device import SitesDevice
from tapwright.errors import DeviceError, DeviceLostError, UnknownAppError, UnsupportedActionError
from tapwright.sites.home import SiteHome
from tapwright.tasks.solution import TouchElement, find_element
from tests.sites.installed import HOME, need

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def device() -> Iterator[SitesDevice]:
    need("trac")
    with SitesDevice(["trac"], home=HOME) as device:
        yield device


def touch(device: SitesDevice, *, text: str = "", id_: str = "") -> None:
    tree = device.observe().ui_tree
    assert tree is not None
    node = find_element(tree, TouchElement(text=text, id=id_))
    assert node is not None, text or id_
    assert node.box is not None
    device.perform(actions.Tap(at=node.box.center))


def tap_often(device: SitesDevice) -> None:
    for _ in range(100):
        device.perform(actions.Tap(at=Point(0.5, 0.5)))


def shown(device: SitesDevice) -> str:
    tree = device.observe().ui_tree
    assert tree is not None
    return tree.xml


def test_a_reset_shows_the_same_screen_whatever_was_done_before(device: SitesDevice) -> None:
    device.reset()
    first = device.observe()
    assert (first.app, first.size) == ("trac", Size(1280, 800))
    touch(device, text="NEW TICKET")
    touch(device, id_="field-summary")
    device.perform(actions.TypeText(text="Ölwechsel 世界"))
    device.perform(actions.Scroll(at=Point(0.5, 0.5), dy=9))
    touch(device, text="Create ticket")
    assert "世界" in str(device.state("trac.tickets"))
    device.reset()
    again = device.observe()
    assert again.ui_tree == first.ui_tree
    assert again.screenshot == first.screenshot
    assert "世界" not in str(device.state(""))


def test_the_language_and_the_seed_choose_the_content(device: SitesDevice) -> None:
    device.reset(language="zh")
    assert "港湾单车" in shown(device)
    before = device.state("trac.tickets")
    device.reset(language="zh", seed=1)
    assert device.state("trac.tickets") != before
    device.reset()
    assert "Harbor Bikes" in shown(device)


def test_back_and_forward_go_through_pages_and_end_at_the_first(device: SitesDevice) -> None:
    device.reset()
    touch(device, text="ROADMAP")
    assert "Spring opening" in shown(device)
    device.perform(actions.PressKey(key="back"))
    assert "Welcome" in shown(device)
    device.perform(actions.PressKey(key="back"))
    assert device.observe().app == "trac"
    assert "Welcome" in shown(device)
    device.perform(actions.PressKey(key="forward"))
    assert "Spring opening" in shown(device)


def test_typing_chooses_from_a_list_and_typing_over_replaces(device: SitesDevice) -> None:
    device.reset()
    device.perform(actions.Goto(url="http://trac.test/newticket"))
    touch(device, id_="field-component")
    device.perform(actions.TypeText(text="maps"))
    touch(device, id_="field-keywords")
    device.perform(actions.TypeText(text="one"))
    tree = device.observe().ui_tree
    assert tree is not None
    field = tree.find(short_id="field-keywords")
    assert field is not None
    assert field.box is not None
    device.perform(actions.TypeText(text="two", at=field.box.center, clear=True))
    tree = device.observe().ui_tree
    assert tree is not None
    chosen, typed = tree.find(short_id="field-component"), tree.find(short_id="field-keywords")
    assert chosen is not None
    assert typed is not None
    assert (chosen.text, typed.text) == ("maps", "two")


def test_what_is_downloaded_is_a_file_of_the_state_until_the_reset(device: SitesDevice) -> None:
    device.reset()
    device.perform(actions.Goto(url="http://trac.test/ticket/9?format=csv"))
    files = device.state("files")
    assert isinstance(files, list)
    assert len(files) == 1
    assert "Show hills on the map" in str(files[0])
    device.reset()
    assert device.state("files") == []


@pytest.mark.parametrize(
    "url", ["http://example.com/", "http://127.0.0.1/", "file:///etc/passwd", "http://trac.test:1/"]
)
def test_no_other_address_is_reached(device: SitesDevice, url: str) -> None:
    device.reset()
    with pytest.raises(UnsupportedActionError, match="does not reach"):
        device.perform(actions.Goto(url=url))
    assert device.observe().app == "trac"


def test_what_the_device_does_not_have_is_refused_by_name(device: SitesDevice) -> None:
    device.reset()
    with pytest.raises(UnknownAppError, match="no site 'spirits'"):
        device.perform(actions.OpenApp(app="spirits"))
    with pytest.raises(UnsupportedActionError, match="one tab"):
        device.perform(actions.NewTab())
    with pytest.raises(UnsupportedActionError, match="'recents'"):
        device.perform(actions.PressKey(key="recents"))
    with pytest.raises(DeviceError, match="seed alone"):
        device.reset(state={"trac.tickets": []})
    assert device.state("trac.nothing") is None
    assert device.state("nothing.tickets") is None


def test_a_page_that_crashed_is_lost_and_the_reset_opens_another(device: SitesDevice) -> None:
    device.reset()
    device.tab.send("Page.crash")
    with pytest.raises(DeviceLostError):
        tap_often(device)
    device.reset()
    assert "Harbor Bikes" in shown(device)


def test_a_site_that_is_not_installed_is_told_with_its_command() -> None:
    home = SiteHome(HOME.path / "nowhere")
    with pytest.raises(DeviceError) as error:
        SitesDevice(["trac"], home=home)
    assert error.value.hint == "tapwright sites install trac"
    with pytest.raises(DeviceError, match="no site is installed"):
        SitesDevice(home=home)
