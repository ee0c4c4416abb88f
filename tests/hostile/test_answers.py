"""Servers that attack whoever asks them: every client ends in an error of ours, and soon."""

import asyncio
import resource
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from time import process_time

import pytest

from tapwright.core.messages import Message, Text
from tapwright.datasets.buckets import BucketSource
from tapwright.datasets.dataset import Access, RemoteFile
from tapwright.datasets.download import Downloader, may_redirect, open_session
from tapwright.devices.osworld.connection import Address, OsWorldConnection
from tapwright.devices.remote.connection import RemoteConnection
from tapwright.devices.webdriver.capabilities import Capabilities
from tapwright.devices.webdriver.connection import WebDriverConnection
from tapwright.errors import TapwrightError
from tapwright.models.anthropic import AnthropicModel
from tapwright.models.gemini import GeminiModel
from tapwright.models.openai import OpenAIModel
from tapwright.models.openai_responses import OpenAIResponsesModel
from tests.hostile.answers import ATTACKS, Attacker

SECRET = "sk-hidden-0123456789"
MOST_S = 5.0
MOST_GROWTH_KB = 1 << 20

pytestmark = pytest.mark.filterwarnings("ignore")


def ask(kind: Callable[..., OpenAIModel]) -> Callable[[str, Path], None]:
    def asking(url: str, path: Path) -> None:
        async def main() -> None:
            model = kind("m", base_url=url, api_key=SECRET, timeout_s=1.0, retries=0)
            try:
                await model.complete([Message("user", (Text("hello"),))])
            finally:
                await model.close()

        asyncio.run(main())

    return asking


def drive(url: str, path: Path) -> None:
    connection = WebDriverConnection(url, Capabilities({}, login=f"anna:{SECRET}"), timeout_s=1.0)
    try:
        connection.send("GET", "/status")
    finally:
        connection.close()


def use_guest(url: str, path: Path) -> None:
    address = Address(url, ("anna", SECRET))
    connection = OsWorldConnection(address, timeout_s=1.0)
    try:
        connection.run_code("pass")
    finally:
        connection.close()


def lease(url: str, path: Path) -> None:
    RemoteConnection(url.replace("http", "ws", 1), SECRET).close()


def download(url: str, path: Path, within_s: float = 0.4) -> None:
    async def main() -> None:
        async with open_session() as session:
            access = Access(hub=url, token=SECRET)
            await Downloader(session, access).fetch(RemoteFile("a", f"{url}/a", 100_000), path)

    asyncio.run(asyncio.wait_for(main(), within_s))


def list_bucket(url: str, path: Path) -> None:
    BucketSource("b", "p").list_files(Access(storage=url, token=SECRET), "")


CLIENTS: Mapping[str, Callable[[str, Path], None]] = {
    "openai": ask(OpenAIModel),
    "openai-responses": ask(OpenAIResponsesModel),  # type: ignore[arg-type]
    "anthropic": ask(AnthropicModel),  # type: ignore[arg-type]
    "gemini": ask(GeminiModel),  # type: ignore[arg-type]
    "webdriver": drive,
    "osworld": use_guest,
    "remote": lease,
    "download": download,
    "bucket": list_bucket,
}
# They try again after pauses that the other tests have no time for.
CASES = [
    (client, attack)
    for client in CLIENTS
    for attack in ATTACKS
    if client != "bucket" or not attack.startswith("retry")
]


@pytest.fixture(scope="module")
def other() -> Iterator[Attacker]:
    with Attacker() as found:
        yield found


@pytest.fixture(scope="module")
def attacker(other: Attacker) -> Iterator[Attacker]:
    with Attacker(other.url) as found:
        yield found


@pytest.mark.parametrize(("client", "attack"), CASES)
@pytest.mark.slow_but_one
def test_an_attacking_server_learns_nothing_and_holds_nobody(
    client: str, attack: str, attacker: Attacker, other: Attacker, tmp_path: Path
) -> None:
    attacker.attack = ATTACKS[attack]
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = process_time()
    told = "waits"
    try:
        CLIENTS[client](attacker.url, tmp_path / "file")
        told = ""
    except TapwrightError as error:
        told = f"{error} {error.hint}"
    except TimeoutError:
        told = "" if client == "download" else told  # which has no end, but one by hand
    assert told != "waits"
    assert SECRET not in told
    assert process_time() - begun < MOST_S
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < MOST_GROWTH_KB
    assert not [one for one in other.requests if SECRET.encode() in one or b"Basic" in one]


@pytest.mark.parametrize(
    ("there", "allowed"),
    [
        ("https://cdn.example.com/a", True),
        ("http://cdn.example.com/a", False),
        ("https://169.254.169.254/latest/meta-data", False),
        ("https://127.0.0.1/a", False),
        ("https://[::1]/a", False),
        ("https://[::ffff:127.0.0.1]/a", False),
        ("https://localhost/a", False),
        ("https://printer.local/a", False),
        ("https://10.0.0.1/a", False),
        ("https://2130706433/a", False),
        ("https://0x7f.1/a", False),
        ("https://127.1/a", False),
        ("https://0/a", False),
        ("https://[oops/a", False),
        ("file:///etc/passwd", False),
        ("ftp://example.com/a", False),
    ],
)
def test_a_public_server_redirects_into_no_private_network(there: str, allowed: bool) -> None:
    assert may_redirect("https://huggingface.co/a", there) is allowed


def test_a_login_of_another_program_is_sent_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attacker: Attacker
) -> None:
    (tmp_path / "netrc").write_text(f"default login anna password {SECRET}\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    attacker.attack = ATTACKS["redirect to a file"]
    unhurried: dict[str, Callable[[str, Path], None]] = {
        **CLIENTS,
        "download": partial(download, within_s=30),  # it gives up by itself
    }
    for name in ("openai", "webdriver", "download", "bucket"):
        attacker.requests.clear()
        with pytest.raises(TapwrightError):
            unhurried[name](attacker.url, tmp_path / "file")
        (request, *_) = attacker.requests
        assert b"YW5uYT" not in request or name == "webdriver"
