import pytest

from tapwright.devices.login import hide_login, hide_page_login
from tapwright.devices.osworld.connection import Address
from tapwright.devices.web.addresses import Addresses, read_argument
from tapwright.devices.web.network import Network
from tapwright.errors import UsageError


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://h:5000", "http://h:5000"),
        ("http://u:a/b@c:d@h:1", "http://…@h:1"),
        ("u:a@h", "…@h"),
        ("osworld:https://u:a@h", "osworld:https://…@h"),
        ("vnc://:a\n@h", "vnc://…@h"),
    ],
)
def test_an_address_is_shown_without_what_is_before_its_last_at(address: str, shown: str) -> None:
    assert hide_login(address) == shown


@pytest.mark.parametrize(
    "text",
    ["admin:secret@10.0.0.1:500000", "http://admin:secret@h:x", "admin:a/secret@10.0.0.1:5000",
     "http://admin:1/secret@h", "ftp://admin:secret@h"],
)  # fmt: skip
def test_no_message_about_an_address_of_osworld_has_its_password(text: str) -> None:
    with pytest.raises(UsageError, match="…@") as caught:
        Address.read(text)
    assert "secret" not in str(caught.value)


def test_no_message_about_an_address_of_a_page_has_its_password() -> None:
    with pytest.raises(UsageError, match="…@example") as caught:
        read_argument("anna:secret@example.org")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://example.org/@anna?mail=a@b.org", "https://example.org/@anna?mail=a@b.org"),
        ("http://[::1]:8080/@anna", "http://[::1]:8080/@anna"),
        ("http://anna:secret@example.org:1/a", "http://…@example.org:1/a"),
        ("http://anna:sec/ret@example.org", "http://…@example.org"),
        ("anna:secret@example.org", "…@example.org"),
    ],
)
def test_the_address_of_a_page_is_shown_with_its_host_and_without_its_login(
    url: str, shown: str
) -> None:
    assert hide_page_login(url) == shown


@pytest.mark.parametrize("url", ["http://anna:secret@b.org/a", "anna:secret@b.org"])
def test_a_page_that_is_refused_is_named_without_its_login(url: str) -> None:
    error = Addresses("web", Network.parse("example.org")).refused(url)
    assert "…@b.org" in str(error)
    assert "secret" not in str(error)
