import asyncio
import ssl
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tapwright.core.actions import Action, CloseTab, Finish, Goto, NewTab, PressKey, Tap, Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.devices.web.device import WebDevice
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.errors import DeviceLostError, UnsupportedActionError
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.task import Task
from tests.devices.web.conftest import Show, Site
from tests.devices.web.looking import at, tap, texts, wait_until


@pytest.mark.slow
def test_of_a_hundred_popups_most_are_refused(show: Show, site: Site) -> None:
    site.pages["/pop"] = "<p>popup"
    device = show(
        "<button onclick=\"for (let i = 0; i < 100; i++) window.open('/pop', 'w' + i)\">"
        "Pop</button>"
    )
    tap(device, "Pop")
    wait_until(device, lambda _: any("tab refused" in line for line in device.log()))
    assert len(device.observe().tabs) <= 20


@pytest.mark.slow
def test_no_login_of_an_address_is_in_what_is_recorded(show: Show, site: Site) -> None:
    site.pages["/pop"] = "<p>popup"
    address = site.url.replace("//", "//bob:hunter2@") + "/pop"
    device = show(
        f"<button onclick=\"for (let i = 0; i < 30; i++) window.open('{address}', 'w' + i)\">"
        "Pop</button>"
    )
    tap(device, "Pop")
    wait_until(device, lambda _: any("tab refused" in line for line in device.log()))
    seen = device.observe()
    assert "popup" in texts(seen)
    assert "hunter2" not in f"{device.log()} {seen.url} {seen.tabs}"


@pytest.mark.slow
def test_popups_that_open_popups_leave_the_device_usable(show: Show, site: Site) -> None:
    site.pages["/pop"] = "<script>setInterval(() => open('/pop', '_blank'), 20)</script>"
    site.pages["/two"] = "<p>second page"
    device = show("<button onclick=\"window.open('/pop')\">Pop</button>")
    tap(device, "Pop")
    wait_until(device, lambda _: any("tab refused" in line for line in device.log()))
    device.reset()
    wait_until(device, lambda seen: len(seen.tabs) == 1 and "Pop" in texts(seen))


@pytest.mark.slow
def test_prompts_in_a_loop_end_with_the_tab(show: Show, site: Site) -> None:
    site.pages["/two"] = "<p>second page"
    device = show("<button onclick=\"for (;;) prompt('again')\">Loop</button>")
    tap(device, "Loop")
    for _ in range(3):
        tap(device, "Cancel")
    device.perform(NewTab(url=f"{site.url}/two"))
    wait_until(device, lambda seen: "second page" in texts(seen))


@pytest.mark.slow
def test_a_host_that_is_not_allowed_is_a_refusal(show: Show, site: Site) -> None:
    site.pages["/away"] = "http://example.org/"
    device = show("<a href='/away'>Away</a>")
    for url, why in (
        ("http://example.org/", "not among the hosts"),
        (f"{site.url}/away", "not among the hosts"),
        ("file:///etc/passwd", "expected http or https"),
    ):
        with pytest.raises(UnsupportedActionError, match=why):
            device.perform(Goto(url=url))
    assert "Away" in texts(device.observe())


@pytest.mark.slow
def test_a_page_that_hangs_is_a_named_error_and_reset_helps(show: Show) -> None:
    device = show("<button onclick='for (;;);'>Hang</button>")
    place = at(device, "Hang")
    device.window.page.timeout_s = 3.0
    with pytest.raises(DeviceLostError):
        device.perform(Tap(at=place))
    device.reset()
    wait_until(device, lambda seen: "Hang" in texts(seen))


@pytest.mark.slow
@pytest.mark.long
def test_a_page_of_very_many_links_is_waited_for(show: Show) -> None:
    links = "".join(f"<li><a href='/{number}'>Link {number}</a>" for number in range(40_000))
    device = show(f"<ul>{links}</ul>")
    device.observe()
    device.window.page.timeout_s = 1.0
    assert "Link 3" in texts(device.observe())


@pytest.mark.slow
def test_a_server_that_does_not_answer_is_a_refusal_and_the_page_stays(
    show: Show, site: Site
) -> None:
    device = show("<a href='/never'>Wait</a>")
    place = at(device, "Wait")
    for action in (Goto(url=f"{site.url}/never"), Tap(at=place)):
        device.window.page.timeout_s = 5.0
        with pytest.raises(UnsupportedActionError, match="did not answer within 5 s"):
            device.perform(action)
        device.window.page.timeout_s = 60.0
        assert "Wait" in texts(device.observe())


@pytest.mark.slow
def test_a_new_tab_whose_server_does_not_answer_stays_empty(show: Show, site: Site) -> None:
    device = show("<p>before")
    device.window._timeout_s = 3.0  # of tabs that open
    with pytest.raises(UnsupportedActionError, match=r"did not answer within 3 s$"):
        device.perform(NewTab(url=f"{site.url}/never"))
    assert device.observe().url == "about:blank"


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [4, 30])
def test_a_script_that_runs_long_while_its_page_loads_is_no_server_without_an_answer(
    show: Show, site: Site, seconds: int
) -> None:
    site.pages["/busy"] = (
        f"<p>busy<script>const until = Date.now() + {seconds}000; while (Date.now() < until);"
        "</script><p>done"
    )
    device = show("<p>before")
    page = device.window.page
    page.timeout_s = 3.0
    if seconds == 30:
        with pytest.raises(DeviceLostError):
            device.perform(Goto(url=f"{site.url}/busy"))
    else:
        device.perform(Goto(url=f"{site.url}/busy"))
    assert not page.unanswered


@pytest.mark.slow
def test_a_crashed_page_is_a_named_error_and_reset_helps(show: Show) -> None:
    device = show("<p>fragile")
    at(device, "fragile")
    device.window.page.send("Page.crash")
    with pytest.raises(DeviceLostError, match="crashed"):
        wait_until(device, lambda _: False)
    device.reset()
    wait_until(device, lambda seen: "fragile" in texts(seen))


@pytest.mark.slow
def test_a_page_that_asks_in_a_loop_can_be_left(show: Show, site: Site) -> None:
    site.pages["/two"] = "<p>second page"
    device = show("<button onclick=\"for (;;) confirm('again')\">Loop</button>")
    tap(device, "Loop")
    at(device, "again")
    device.perform(Goto(url=f"{site.url}/two"))
    seen = wait_until(device, lambda seen: "second page" in texts(seen))
    assert len(seen.tabs) == 1


@pytest.mark.slow
def test_a_script_that_leaves_for_a_forbidden_host_is_refused(show: Show) -> None:
    device = show("<button onclick=\"location = 'http://example.org/'\">Leave</button>")
    with pytest.raises(UnsupportedActionError, match=r"example\.org.*not among the hosts"):
        tap(device, "Leave")
    assert "Leave" in texts(device.observe())


@pytest.mark.slow
def test_of_a_text_of_millions_of_characters_the_first_are_in_the_tree(show: Show) -> None:
    device = show(
        "<pre></pre><input id=x placeholder=x><script>"
        "const long = 'line\\n'.repeat(600_000);"
        "document.querySelector('pre').textContent = long;"
        "for (const name of ['id', 'placeholder', 'aria-label', 'value'])"
        " x.setAttribute(name, long)</script>"
    )
    seen = wait_until(device, lambda seen: any(text.startswith("line") for text in texts(seen)))
    assert max(map(len, texts(seen))) == 20_000


@pytest.mark.slow
def test_a_download_without_end_is_refused(show: Show) -> None:
    device = show("<a href='/file/endless'>Fetch</a>")
    tap(device, "Fetch")
    wait_until(device, lambda _: any("refused: endless" in line for line in device.log()))
    assert device.state("files") == []


@pytest.mark.slow
def test_a_page_gets_no_camera(show: Show) -> None:
    device = show(
        '<button onclick="navigator.mediaDevices.getUserMedia({video: true})'
        ".then(() => this.textContent = 'seen', error => this.textContent = error.name)\">"
        "Look</button>"
    )
    tap(device, "Look")
    wait_until(device, lambda seen: "Error" in texts(seen)[0])
    assert texts(device.observe()) != ["seen"]


@pytest.fixture
def secure_site(tmp_path: Path) -> Iterator[Site]:
    """A site that wants to know by a certificate who asks."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "site.pem"
    pem.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(pem)
    site = Site()
    site.socket = context.wrap_socket(site.socket, server_side=True)
    with site.serving():
        yield site


@pytest.mark.slow
def test_a_site_that_wants_a_certificate_is_refused(show: Show, secure_site: Site) -> None:
    device = show("<p>here")
    url = secure_site.url.replace("http://", "https://")
    with pytest.raises(UnsupportedActionError, match="ERR_CERT_AUTHORITY_INVALID"):
        device.perform(Goto(url=url))
    device.window.page.call("Security.setIgnoreCertificateErrors", {"ignore": True})
    with pytest.raises(UnsupportedActionError, match="could not be loaded"):
        device.perform(Goto(url=url))


class Planned:
    """An agent that does what is planned, and then finishes."""

    name = "planned"

    def __init__(self, *actions: Action) -> None:
        self.actions = [*actions, Finish()]

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        return Decision(self.actions[len(history)])


def play(device: WebDevice, store: EpisodeStore, *actions: Action) -> None:
    task = Task(id="t", instruction="Try", apps=(), check=Unchecked())
    asyncio.run(rollout(Planned(*actions), Environment(device, task), store=store))


@pytest.mark.slow
def test_a_page_that_hangs_leaves_the_steps_before_in_the_store(show: Show, tmp_path: Path) -> None:
    device = show("<body onkeydown='if (event.key === \"Enter\") for (;;);'><p>Press")
    device.timeout_s = 3.0
    store = EpisodeStore(tmp_path)
    with pytest.raises(DeviceLostError):
        play(device, store, PressKey(key="down"), PressKey(key="enter"), Wait())
    (found,) = store
    assert (len(found.steps), found.outcome) == (1, "interrupted")


@pytest.mark.slow
def test_a_refused_address_is_a_step_and_the_episode_goes_on(show: Show, tmp_path: Path) -> None:
    device, store = show("<p>here"), EpisodeStore(tmp_path)
    play(device, store, Goto(url="http://example.org/"), Tap(at=Point(0.5, 0.5)), CloseTab())
    (found,) = store
    assert ["not among" in step.refused for step in found.steps[:2]] == [True, False]
    assert "last tab" in found.steps[2].refused
