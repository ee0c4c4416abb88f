"""The sites themselves, where they are installed: each starts, shows its content and is reset."""

import re
from collections.abc import Iterator
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

import pytest

from tapwright.core.language import Language
from tapwright.sites import sites
from tapwright.sites.running import RunningSite
from tests.sites.installed import HOME, need

pytestmark = [pytest.mark.slow]

SHOWN = {
    "ihatemoney": ("Flat in Mill Lane", "磨坊巷合租屋"),
    "oscar": ("Quay Supplies", "码头杂货"),
    "spirit": ("Street party in June", "六月街坊聚会"),
    "trac": ("Harbor Bikes", "港湾单车"),
}
"""What a site's first page has of its content, in English and in Chinese."""


def start(name: str, language: Language = "en") -> RunningSite:
    need(name)
    return RunningSite(sites.get(name), HOME, language=language)


class Visitor:
    """Somebody with cookies."""

    def __init__(self, running: RunningSite) -> None:
        self.running = running
        self._open: OpenerDirector = build_opener(HTTPCookieProcessor(CookieJar()))

    def get(self, path: str = "") -> str:
        with self._open.open(self.running.address + path, timeout=120) as answer:
            return str(answer.read().decode())

    def post(self, path: str, fields: dict[str, str]) -> str:
        request = Request(self.running.address + path, urlencode(fields, doseq=True).encode())
        with self._open.open(request, timeout=120) as answer:
            return str(answer.read().decode())


@pytest.fixture(params=sites.names())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def running(name: str) -> Iterator[RunningSite]:
    with start(name) as site:
        yield site


def test_the_first_page_shows_the_content_in_its_language(name: str) -> None:
    english, chinese = SHOWN[name]
    with start(name, "en") as running:
        page = Visitor(running).get()
        assert english in page
        assert chinese not in page
        running.reset(language="zh")
        page = Visitor(running).get()
        assert chinese in page
        assert english not in page


def test_no_page_asks_another_host(running: RunningSite) -> None:
    page = Visitor(running).get()
    loaded = re.findall(r"""<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=["'](.*?)["']""", page)
    assert loaded
    outside = [one for one in loaded if re.match(r"(https?:)?//", one)]
    assert [one for one in outside if not one.startswith(running.address)] == []


def test_the_same_seed_gives_the_same_state(running: RunningSite) -> None:
    before = running.state("")
    with start(running.site.name) as other:
        assert other.state("") == before
    running.reset(seed=1)
    assert running.state("") != before
    running.reset(language="zh")
    assert running.state("") != before
    running.reset()
    assert running.state("") == before


def test_a_ticket_that_is_written_is_in_the_state_until_the_reset() -> None:
    with start("trac") as running:
        before = running.state("tickets")
        visitor = Visitor(running)
        form = visitor.get("newticket")
        token = re.search(r'name="__FORM_TOKEN" value="(\w+)"', form)
        assert token is not None
        made = visitor.post(
            "newticket",
            {
                "__FORM_TOKEN": token[1],
                "field_summary": "A bell that does not ring",
                "field_type": "defect",
                "action": "create",
                "submit": "Create ticket",
            },
        )
        assert "A bell that does not ring" in made
        tickets = running.state("tickets")
        assert isinstance(tickets, list)
        assert isinstance(before, list)
        new = tickets[len(before)]
        assert isinstance(new, dict)
        assert (new["summary"], new["reporter"]) == ("A bell that does not ring", "maya")
        running.reset()
        assert running.state("tickets") == before
        with pytest.raises(HTTPError):
            visitor.get(f"ticket/{new['id']}")


def test_a_bill_that_is_written_is_in_the_state_until_the_reset() -> None:
    with start("ihatemoney") as running:
        before = running.state("bills")
        visitor = Visitor(running)
        visitor.get()
        form = visitor.get("mill-lane/add")
        token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', form)
        assert token is not None
        visitor.post(
            "mill-lane/add",
            {
                "csrf_token": token[1],
                "date": "2026-03-15",
                "what": "Soap",
                "payer": "1",
                "amount": "7.5",
                "payed_for": "1",
                "bill_type": "Expense",
                "original_currency": "EUR",
            },
        )
        bills = running.state("bills")
        assert isinstance(bills, list)
        assert isinstance(before, list)
        new = bills[len(before)]
        assert isinstance(new, dict)
        assert (new["what"], new["amount"], new["for"]) == ("Soap", 7.5, ["Nora"])
        running.reset()
        assert running.state("bills") == before


def test_a_comment_and_a_like_are_in_the_state_until_the_reset() -> None:
    with start("spirit") as running:
        before = running.state("")
        visitor = Visitor(running)
        token = re.search(
            r'name="csrfmiddlewaretoken" value="(\w+)"', visitor.get("comment/1/publish/")
        )
        assert token is not None
        fields = {"csrfmiddlewaretoken": token[1]}
        visitor.post("comment/1/publish/", {**fields, "comment": "I have one, too."})
        visitor.post("comment/like/2/create/", fields)
        comments, likes = running.state("comments"), running.state("likes")
        assert isinstance(comments, list)
        assert isinstance(comments[-1], dict)
        assert (comments[-1]["author"], comments[-1]["text"]) == ("maya", "I have one, too.")
        assert isinstance(likes, list)
        assert likes[-1] == {"user": "maya", "comment": 2}
        running.reset()
        assert running.state("") == before


def test_a_search_finds_what_was_put_back() -> None:
    for name, path, found in (
        ("spirit", "search/?q=ladder", "Ladder of four metres"),
        ("oscar", "search/?q=kettle", "Q1006"),
    ):
        with start(name) as running:
            for _ in range(2):
                page = Visitor(running).get(path)
                assert found in page or f'alt="{found}"' in page or "kettle_7" in page
                running.reset()


def test_a_product_in_the_basket_is_in_the_state_until_the_reset() -> None:
    with start("oscar") as running:
        visitor = Visitor(running)
        page = visitor.get("catalogue/kettle_7/")
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token is not None
        visitor.post("basket/add/7/", {"csrfmiddlewaretoken": token[1], "quantity": "2"})
        assert running.state("basket") == [{"title": "Kettle", "quantity": 2}]
        running.reset()
        assert running.state("basket") == []
