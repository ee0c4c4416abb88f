"""Tabs that pages open: some close themselves, ask, go elsewhere or never load meanwhile."""

import pytest

from tapwright.core.actions import Wait
from tapwright.devices.web.device import WebDevice
from tapwright.devices.web.network import Network
from tests.devices.web.conftest import HEAD, Show, Site
from tests.devices.web.looking import tap, texts, wait_until


@pytest.mark.parametrize("after_ms", [0, 5, 20])
@pytest.mark.slow_but_one
def test_a_popup_that_closes_itself_at_once_is_told_of_as_closed_or_not_at_all(
    show: Show, site: Site, after_ms: int
) -> None:
    shut = f"setTimeout(() => window.close(), {after_ms})" if after_ms else "close()"
    site.pages["/pop"] = f"<script>{shut}</script>"
    device = show("<button onclick=\"window.open('/pop')\">Pop</button>")
    for _ in range(3):
        tap(device, "Pop")
        wait_until(device, lambda seen: len(seen.tabs) == 1 and "Pop" in texts(seen))
    assert not [line for line in device.log() if "lost" in line]


@pytest.mark.slow
def test_a_popup_that_goes_to_another_process_at_once_stays(site: Site, show: Show) -> None:
    other = site.url.replace("127.0.0.1", "localhost")
    site.pages["/pop"] = f"<script>location = '{other}/there'</script>"
    site.pages["/there"] = "<p>arrived"
    device = show("<button onclick=\"window.open('/pop')\">Pop</button>", Network.parse("local"))
    for number in range(2, 5):
        tap(device, "Pop")
        wait_until(device, lambda seen: "arrived" in texts(seen))
        assert len(device.observe().tabs) == number
        device.window.activate(0)


@pytest.mark.slow
def test_a_popup_that_asks_at_once_stays_and_its_dialog_is_seen(show: Show, site: Site) -> None:
    site.pages["/pop"] = "<p>popup<script>alert('Welcome')</script>"
    device = show("<button onclick=\"window.open('/pop')\">Pop</button>")
    tap(device, "Pop")
    wait_until(device, lambda seen: len(seen.tabs) == 2)
    if device.window.page.dialog is not None:  # the browser answers one that came before us
        assert any("Welcome" in text for text in texts(device.observe()))
        tap(device, "OK")
    wait_until(device, lambda seen: "popup" in texts(seen))


@pytest.mark.slow
def test_a_popup_that_never_loads_is_closed_and_told_of(site: Site) -> None:
    site.pages["/"] = f"{HEAD}<button onclick=\"window.open('/never')\">Pop</button>"
    with WebDevice(site.url, timeout_s=4.0) as device:
        tap(device, "Pop")
        seen = wait_until(device, lambda seen: len(seen.tabs) == 1)
        assert "Pop" in texts(seen)
        assert device.log() == ["tab lost: it did not load"]
        device.perform(Wait(duration_s=0.1))
