"""Whose program is at the other end of a connection within this machine.

Every user of a machine can reach 127.0.0.1. Linux says whose each end is: of one connection by
`sock_diag` (man 7 sock_diag), in a few microseconds; where that is not to be had, in
/proc/net/tcp, which takes milliseconds (Documentation/networking/proc_net_tcp.rst). Elsewhere it
is not known.
"""

import os
import socket
import struct
import sys
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, ip_address
from pathlib import Path

__all__ = ["End", "is_users"]

End = Sequence[str | int]
"""An address and a port, as sockets give it."""

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ESTABLISHED = 1
_ROOT = 0
_MAPPED = "0000000000000000FFFF0000"
"""How an IPv4 address begins in the table of IPv6."""

_DIAG, _BY_FAMILY, _REQUEST, _ERROR = 4, 20, 1, 2
_HEADER = struct.Struct("=IHHII")
_FAMILY = struct.Struct("=BBBBI")
_ENDS = struct.Struct("!HH16s16s")
_ANY_STATE = 0xFFFFFFFF
_ANY_INTERFACE = b"\0" * 4 + b"\xff" * 8  # and no cookie
_ANSWER = struct.Struct("=BB2x48x12xII")
"""Of an `inet_diag_msg` family, state, user and inode."""


def is_users(client: End | None, server: End | None) -> bool | None:
    """Whether the client's end is a socket of this user or of root; None: the system does not tell.

    It has to be open still: what was closed belongs to nobody, and whoever asked may be another.
    """
    if client is None or server is None or not hasattr(os, "geteuid"):
        return None
    try:
        # A socket that is closed while its line is written is not in the second look.
        return all(_find_user(client, server) in (_ROOT, os.geteuid()) for _ in range(2))
    except (OSError, ValueError):  # no such tables, or the end of another kind of socket
        return None


def _find_user(client: End, server: End) -> int | None:
    """The user of the open socket at the client's end; None when there is none."""
    try:
        return _ask_kernel(client, server)
    except (OSError, AttributeError):  # it may also not know this kind of question
        return _search_tables(client, server)


def _ask_kernel(client: End, server: End) -> int | None:
    """As `_find_user`.

    Raises:
        OSError: there is no such socket, or the kernel does not answer.
    """
    here, there = ip_address(client[0]), ip_address(server[0])
    family = socket.AF_INET if isinstance(here, IPv4Address) else socket.AF_INET6
    ports_and_addresses = _ENDS.pack(int(client[1]), int(server[1]), here.packed, there.packed)
    wanted = _FAMILY.pack(family, socket.IPPROTO_TCP, 0, 0, _ANY_STATE) + ports_and_addresses
    wanted += _ANY_INTERFACE
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _DIAG) as kernel:
        kernel.send(_HEADER.pack(_HEADER.size + len(wanted), _BY_FAMILY, _REQUEST, 0, 0) + wanted)
        told = kernel.recv(1 << 13)
    if _HEADER.unpack_from(told)[1] == _ERROR:
        raise OSError(-struct.unpack_from("=i", told, _HEADER.size)[0], "sock_diag")
    _, state, user, inode = _ANSWER.unpack_from(told, _HEADER.size)
    return int(user) if state == _ESTABLISHED and inode else None


def _search_tables(client: End, server: End) -> int | None:
    ends = set(zip(_written(client), _written(server), strict=True))
    for table in _TABLES:
        for line in table.read_text(encoding="ascii").splitlines()[1:]:
            _, local, remote, state, _, _, _, user, _, inode, *_ = line.split()
            if (local, remote) in ends and int(state, 16) == _ESTABLISHED and inode != "0":
                return int(user)
    return None


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
