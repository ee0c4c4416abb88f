"""Whose an open connection of this machine is."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tapwright.files import peers
from tapwright.files.peers import is_users

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux says whose a socket is")
NOBODY = 65534

Ends = tuple[tuple[str, int], tuple[str, int]]


@pytest.fixture(autouse=True, params=["asked", "in the tables"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way of the system to say it; the second where it knows no such questions."""
    if request.param == "in the tables":
        monkeypatch.setattr(peers, "_DIAG", 31)


@contextmanager
def connected(host: str, family: socket.AddressFamily) -> Iterator[tuple[socket.socket, Ends]]:
    with (
        socket.create_server((host, 0), family=family) as server,
        socket.create_connection(server.getsockname()[:2]) as client,
    ):
        yield client, (client.getsockname()[:2], client.getpeername()[:2])


@contextmanager
def as_nobody() -> Iterator[None]:
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize(
    ("host", "family"), [("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)]
)
def test_an_open_connection_is_its_users_and_a_closed_one_nobodys(
    host: str, family: socket.AddressFamily
) -> None:
    if family == socket.AF_INET6 and not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    with connected(host, family) as (client, ends):
        assert is_users(*ends) is True
        client.close()
        assert is_users(*ends) is False
        assert is_users((host, 1), ends[1]) is False


def test_an_address_of_ipv4_in_a_socket_of_ipv6_is_found() -> None:
    if not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_INET6) as client,
    ):
        client.connect((f"::ffff:{server.getsockname()[0]}", server.getsockname()[1]))
        here = ("127.0.0.1", client.getsockname()[1])
        assert is_users(here, server.getsockname()) is True


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone can be another user")
@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_a_socket_of_another_user_is_theirs(host: str) -> None:
    if ":" in host and not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    both = ":" in host
    family = socket.AF_INET6 if both else socket.AF_INET
    with as_nobody():  # a socket is of the user who opens it
        client = socket.socket(family)
    with (
        client,
        socket.create_server(
            ("::" if both else host, 0), family=family, dualstack_ipv6=both
        ) as server,
    ):
        server.settimeout(10)
        client.connect((host, server.getsockname()[1]))
        accepted, _ = server.accept()
        with accepted:
            ends = accepted.getpeername()[:2], accepted.getsockname()[:2]
            assert is_users(*ends) is False
            client.close()
            assert is_users(*ends) is False


def test_of_what_is_no_address_the_system_tells_nothing() -> None:
    assert is_users(("unix", 0), ("unix", 0)) is None
    assert is_users(None, ("127.0.0.1", 1)) is None
