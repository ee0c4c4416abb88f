import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tapwright.core.actions import Goto, NewTab
from tapwright.devices.chromium import DEBIAN_CHROMIUM, DEBIAN_SHELL
from tapwright.devices.web.device import WebDevice
from tapwright.devices.web.network import Network
from tapwright.errors import UnsupportedActionError, UsageError
from tapwright.store.store import EpisodeStore
from tests.devices.web.conftest import Site
from tests.devices.web.elsewhere import WAYS, Elsewhere, page_of_ways
from tests.devices.web.looking import wait_for_text, wait_until
from tests.devices.web.test_bad_pages import play


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    with Elsewhere().listening() as listener:
        yield listener


@pytest.fixture
def site(site: Site, elsewhere: Elsewhere) -> Site:
    site.pages.update(page_of_ways(elsewhere.address))
    return site


@pytest.mark.slow
def test_a_page_that_may_reach_any_host_does_so_in_every_way(
    site: Site, elsewhere: Elsewhere
) -> None:
    with WebDevice(site.url, network=Network.parse("*"), timeout_s=60.0) as device:
        wait_until(device, lambda _: elsewhere.arrived == WAYS)


@pytest.mark.parametrize("hosts", ["127.0.0.1", "local", "127.0.0.1,example.org,*.example.org"])
@pytest.mark.slow_but_one
def test_a_host_that_is_not_allowed_is_reached_in_no_way(
    site: Site, elsewhere: Elsewhere, hosts: str
) -> None:
    with WebDevice(site.url, network=Network.parse(hosts), timeout_s=60.0) as device:
        wait_for_text(device, "tried")
    assert (elsewhere.arrived, elsewhere.connections) == (set(), 0)


@pytest.mark.slow
@pytest.mark.parametrize("executable", [DEBIAN_SHELL, DEBIAN_CHROMIUM], ids=lambda path: path.name)
@pytest.mark.parametrize("network", ["none", "*"])
def test_without_a_network_nothing_leaves_the_browser_and_with_one_its_log_has_it(
    site: Site, elsewhere: Elsewhere, tmp_path: Path, executable: Path, network: str
) -> None:
    if not executable.is_file():
        pytest.skip(f"{executable} is not installed")
    names = "".join(
        f"<link rel={kind} href='http://{kind}.invalid'>"
        for kind in ("dns-prefetch", "preconnect", "prefetch", "stylesheet", "icon")
    )
    page = page_of_ways(elsewhere.address, site.url)["/"]
    html = names + "<img src='http://image.invalid/'>" + page
    log = tmp_path / "net.log"
    browser = tmp_path / executable.name
    browser.write_text(f'#!/bin/sh\nexec {executable} --log-net-log={log} "$@"\n')
    browser.chmod(0o755)
    allowed = Network.parse(network)
    with WebDevice(network=allowed, executable=browser, timeout_s=60.0) as device:
        device.perform(Goto(url="data:text/html," + quote(html)))
        wait_for_text(device, "tried")
        wait_until(device, lambda _: "http://image.invalid/" in log.read_text())
    if network == "none":
        assert (elsewhere.arrived, elsewhere.connections) == (set(), 0)
        assert opened_sockets(log) == []
    else:
        kinds = {kind for kind, _ in opened_sockets(log)}
        assert {"TCP_CONNECT_ATTEMPT", "UDP_BYTES_SENT"} < kinds  # and names were asked for
        assert elsewhere.connections > 0


def opened_sockets(log: Path) -> list[tuple[str, object]]:
    """What Chromium's own log of the network has of connections, packets and names asked for."""
    constants, *lines = log.read_text().splitlines()
    types = json.loads(constants.rstrip(",") + "}")["constants"]["logEventTypes"]
    leaving = {
        types[name]: name
        for name in ("TCP_CONNECT_ATTEMPT", "UDP_BYTES_SENT", "HOST_RESOLVER_SYSTEM_TASK",
                     "HOST_RESOLVER_DNS_TASK")
    }  # fmt: skip
    events = [json.loads(line.rstrip(",")) for line in lines[1:] if line.endswith("},")]
    return [
        (leaving[event["type"]], event.get("params"))
        for event in events
        if event["type"] in leaving
    ]


@pytest.mark.parametrize("network", ["none", "local", "example.org,*.example.org"])
@pytest.mark.slow_but_one
def test_what_may_not_be_reached_is_a_refused_step_of_a_kept_episode(
    tmp_path: Path, network: str
) -> None:
    store = EpisodeStore(tmp_path)
    with WebDevice(network=Network.parse(network)) as device:
        play(device, store, Goto(url="http://192.0.2.1/"), NewTab(url="other.invalid"))
    (found,) = store
    refused = [step.refused for step in found.steps]
    assert "http://192.0.2.1/ is not among the hosts that may be reached" in refused[0]
    assert "https://other.invalid is not among the hosts that may be reached" in refused[1]


@pytest.mark.slow
def test_a_device_whose_address_is_not_allowed_names_its_network(site: Site) -> None:
    with pytest.raises(UnsupportedActionError, match="may be reached: none"):
        WebDevice(site.url, network=Network.parse("none"))


@pytest.mark.parametrize("hosts", ["::1", "[::1]", "local"])
def test_a_host_of_ipv6_is_allowed_by_its_number(hosts: str) -> None:
    network = Network.parse(hosts)
    assert network.allows("http://[::1]:8000/")
    assert not network.allows("http://[::2]:8000/")
    assert "EXCLUDE ::1" in network.rules


@pytest.mark.parametrize(
    "word",
    ["example.org:80", "http://example.org", "a b", "[", "beef:1", "[[::1", "[::1", "[a.org]"],
)
def test_what_is_no_host_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"{word!r} is no host")):
        Network.parse(word)
