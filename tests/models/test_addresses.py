import asyncio
from collections import Counter

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.messages import Message, Text
from tapwright.errors import UsageError
from tapwright.models.addresses import Proxies, is_near, parse_base_url, parse_base_urls
from tapwright.models.openai import OpenAIModel
from tapwright.testing import FakeChatServer, HttpError

HELLO = [Message("user", (Text("hello"),))]
KEY = "sk-very-secret-0123456789"


@given(st.lists(st.integers(1, 65535), min_size=1, max_size=5))
def test_addresses_stay_as_they_are_when_they_are_read_again(ports: list[int]) -> None:
    text = parse_base_url("  ".join(f"http://a:{port}/v1/" for port in ports))
    assert parse_base_url(text) == text
    assert len(parse_base_urls(text)) == len(set(ports))


@pytest.mark.parametrize(
    ("address", "near"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://34.1.2.3:8000/v1", True),
        ("https://10.0.0.3/v1", True),
        ("https://gpu-node/v1", True),
        ("https://host.docker.internal/v1", True),
        ("https://api.openai.com/v1", False),
        ("https://34.1.2.3/v1", False),
    ],
)
def test_a_hosted_server_is_on_https_and_has_a_public_name(address: str, near: bool) -> None:
    assert is_near(address) is near


def test_requests_are_shared_among_the_servers() -> None:
    async def main(base_url: str) -> None:
        model = OpenAIModel("any", base_url=base_url)
        await asyncio.gather(*(model.complete(HELLO) for _ in range(40)))
        await model.close()

    with FakeChatServer(["a"]) as one, FakeChatServer(["b"]) as other:
        asyncio.run(main(f"{one.base_url} {other.base_url}"))
        received = len(one.received), len(other.received)
        assert sum(received) == 40
        assert min(received) >= 8  # no more go to one at once until it has answered


def test_a_server_that_fails_is_set_aside_and_the_other_answers_at_once() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def main(base_url: str) -> Counter[str]:
        model = OpenAIModel("any", base_url=base_url, sleep=sleep)
        found = Counter([(await model.complete(HELLO)).text for _ in range(10)])
        await model.close()
        return found

    with FakeChatServer([HttpError(503)]) as broken, FakeChatServer(["yes"]) as other:
        found = asyncio.run(main(f"{broken.base_url} {other.base_url}"))
        assert len(broken.received) == 1
    assert (found, waits) == ({"yes": 10}, [])


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://api.openai.com/v1", "http://proxy:3128"),
        ("http://gpu-node:8000/v1", "http://plain:80"),
        ("https://a.lab.example/v1", None),
        ("https://lab.example/v1", None),
        ("https://notlab.example/v1", "http://proxy:3128"),
        ("https://one.example:8443/v1", None),
        ("https://one.example/v1", "http://proxy:3128"),
        ("http://127.0.0.1:8000/v1", None),
        ("http://localhost:8000/v1", None),
    ],
)
def test_a_proxy_leads_to_all_but_what_no_proxy_lists(address: str, expected: str | None) -> None:
    variables = {
        "HTTPS_PROXY": "http://ignored:1",
        "https_proxy": "proxy:3128",
        "ALL_PROXY": "http://plain:80",
        "NO_PROXY": ".lab.example, one.example:8443",
    }
    assert Proxies.from_variables(variables).find(address) == expected


def test_a_proxy_of_another_kind_is_refused_with_the_way_out() -> None:
    with pytest.raises(UsageError, match="socks5 proxy") as caught:
        Proxies(https="socks5://127.0.0.1:1080").find("https://api.openai.com/v1")
    assert "NO_PROXY=api.openai.com" in caught.value.hint


def test_a_request_goes_through_the_proxy_and_its_password_is_not_told() -> None:
    seen: list[str] = []

    async def through(request: web.Request) -> web.StreamResponse:
        seen.append(str(request.url))
        return web.json_response({"message": "no hunter2hunter2 here"}, status=403)

    async def main() -> str:
        runner = web.AppRunner(web.Application(), access_log=None)
        runner.app.router.add_route("*", "/{tail:.*}", through)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        proxy = f"http://me:hunter2hunter2@127.0.0.1:{port}"
        model = OpenAIModel("any", base_url="http://far.example/v1", proxies=Proxies(http=proxy))
        try:
            await model.complete(HELLO)
        except Exception as error:  # noqa: BLE001 - its words are what counts
            return f"{error} {model!r} {model.settings}"
        finally:
            await model.close()
            await runner.cleanup()
        return ""

    words = asyncio.run(main())
    assert seen == ["http://far.example/v1/chat/completions"]
    assert "HTTP 403: no *** here" in words
    assert "hunter2" not in words
