"""Reads a server's answer up to a limit of bytes and of time, as it stands on the wire.

Nothing is unpacked: a small compressed answer may be a large one, and these servers are asked for
plain ones.
"""

from time import monotonic

import httpx

from tapwright.devices.errors import BadDeviceOutputError

__all__ = ["PLAIN", "read_answer"]

PLAIN = {"Accept-Encoding": "identity"}
"""The header with which an answer is asked for."""


def read_answer(
    response: httpx.Response, where: str, *, most: int, until: float, hint: str = ""
) -> bytes:
    """The bytes of an answer, of which `most` may come, before `until`, in seconds of `monotonic`.

    `hint` is what to do about a longer one.

    Raises:
        BadDeviceOutputError: it is longer, or compressed.
        httpx.ReadTimeout: it does not end.
    """
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise BadDeviceOutputError(f"{where}: an answer encoded as {encoding[:40]!r}, unasked")
    parts, length = [], 0
    for part in response.iter_raw():
        parts.append(part)
        length += len(part)
        if length > most:
            raise BadDeviceOutputError(f"{where}: an answer of more than {most:,} bytes", hint=hint)
        if monotonic() > until:
            raise httpx.ReadTimeout("the answer did not end")
    return b"".join(parts)
