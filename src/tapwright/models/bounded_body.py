"""Reads the body of a server's answer, compressed or not, up to a limit."""

import zlib
from collections.abc import AsyncIterator

from tapwright.models.limits import MAX_ANSWER_BYTES

__all__ = ["OversizedAnswerError", "read_body"]

_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


class OversizedAnswerError(ValueError):
    """An answer is larger than the limit, or cannot be unpacked."""


async def read_body(chunks: AsyncIterator[bytes], encoding: str) -> bytes:
    """The bytes of a body; `encoding` is its header Content-Encoding.

    No more than the limit is ever in memory, however much the chunks unpack to.

    Raises:
        OversizedAnswerError: it is larger, or in another encoding than gzip and deflate.
    """
    encoding = encoding.strip().lower()
    unpacker = zlib.decompressobj(_WINDOWS[encoding]) if encoding in _WINDOWS else None
    if unpacker is None and encoding not in ("", "identity"):
        raise OversizedAnswerError(f"an answer encoded as {encoding[:40]!r}, which is not taken")
    body = bytearray()
    async for chunk in chunks:
        try:
            room = MAX_ANSWER_BYTES + 1 - len(body)
            body += chunk if unpacker is None else unpacker.decompress(chunk, room)
        except zlib.error as error:
            raise OversizedAnswerError(f"a broken compressed answer: {error}") from error
        if len(body) > MAX_ANSWER_BYTES:
            raise OversizedAnswerError(f"an answer of more than {MAX_ANSWER_BYTES:,} bytes")
    if unpacker is not None and body and not unpacker.eof:
        raise OversizedAnswerError("a compressed answer that ends in the middle")
    return bytes(body)
