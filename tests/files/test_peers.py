"""Whose an open connection of this machine is."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tapwright.files.peers import is_users

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux says whose a socket is")

Ends = tuple[tuple[str, int], tuple[str, int]]


@contextmanager
def connected(host: str, family: socket.AddressFamily) -> Iterator[tuple[socket.socket, Ends]]:
    with (
        socket.create_server((host, 0), family=family) as server,
        socket.create_connection(server.getsockname()[:2]) as client,
    ):
        yield client, (client.getsockname()[:2], client.getpeername()[:2])


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
def test_a_socket_of_another_user_is_theirs() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        os.seteuid(65534)  # a socket is of the user who opens it
        try:
            client = socket.create_connection(server.getsockname())
        finally:
            os.seteuid(0)
        with client:
            assert is_users(client.getsockname(), client.getpeername()) is False


def test_of_what_is_no_address_the_system_tells_nothing() -> None:
    assert is_users(("unix", 0), ("unix", 0)) is None
    assert is_users(None, ("127.0.0.1", 1)) is None
