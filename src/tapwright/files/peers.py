"""Whose program is at the other end of a connection within this machine.

Every user of a machine can reach 127.0.0.1. Linux says in /proc/net/tcp whose each end is
(Documentation/networking/proc_net_tcp.rst); elsewhere it is not known.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, ip_address
from pathlib import Path

__all__ = ["End", "is_users"]

End = Sequence[str | int]
"""An address and a port, as sockets give it."""

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ESTABLISHED = "01"
_ROOT = "0"
_MAPPED = "0000000000000000FFFF0000"
"""How an IPv4 address begins in the table of IPv6."""


def is_users(client: End | None, server: End | None) -> bool | None:
    """Whether the client's end is a socket of this user or of root; None: the system does not tell.

    It has to be open still: what was closed belongs to nobody, and whoever asked may be another.
    """
    if client is None or server is None or not hasattr(os, "geteuid"):
        return None
    try:
        ends = set(zip(_written(client), _written(server), strict=True))
        # A socket that is closed while its line is written is not in the second look.
        return all(_is_users(ends) for _ in range(2))
    except (OSError, ValueError):  # no such tables, or the end of another kind of socket
        return None


def _is_users(ends: set[tuple[str, str]]) -> bool:
    for table in _TABLES:
        for line in table.read_text(encoding="ascii").splitlines()[1:]:
            _, local, remote, state, _, _, _, user, _, inode, *_ = line.split()
            if (local, remote) in ends and state == _ESTABLISHED and inode != "0":
                return user in {_ROOT, str(os.geteuid())}
    return False


def _written(end: End) -> Iterator[str]:
    """An end as the two tables have it: words in the order of this machine's bytes."""
    address, port = ip_address(end[0]), int(end[1])
    packed = address.packed
    words = "".join(
        f"{int.from_bytes(packed[at : at + 4], sys.byteorder):08X}"
        for at in range(0, len(packed), 4)
    )
    yield f"{words}:{port:04X}"
    yield f"{_MAPPED if isinstance(address, IPv4Address) else ''}{words}:{port:04X}"
