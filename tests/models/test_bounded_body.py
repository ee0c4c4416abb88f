import asyncio
import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator

import pytest

from tapwright.models.transport import MAX_ANSWER_BYTES, OversizedAnswerError, read_body


def body(data: bytes, encoding: str = "", *, piece: int = 1 << 16) -> bytes:
    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, len(data), piece):
            yield data[at : at + piece]

    return asyncio.run(read_body(chunks(), encoding))


@pytest.mark.parametrize("piece", [1, 7, 1 << 16])
@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("", b"an answer"),
        ("identity", b"an answer"),
        ("gzip", gzip.compress(b"an answer", mtime=0)),
        ("GZIP", gzip.compress(b"an answer", mtime=0)),
        ("deflate", zlib.compress(b"an answer")),
    ],
    ids=["no encoding", "identity", "gzip", "GZIP", "deflate"],
)
def test_a_body_is_unpacked(encoding: str, packed: bytes, piece: int) -> None:
    assert body(packed, encoding, piece=piece) == b"an answer"


def test_a_body_at_the_limit_is_read() -> None:
    data = bytes(MAX_ANSWER_BYTES)
    assert body(data) == data
    assert body(gzip.compress(data), "gzip") == data


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_a_body_above_the_limit_is_refused(encoding: str) -> None:
    data = bytes(MAX_ANSWER_BYTES + 1)
    with pytest.raises(OversizedAnswerError, match=r"more than 8,000,000 bytes$"):
        body(gzip.compress(data) if encoding else data, encoding)


@pytest.mark.slow
def test_a_bomb_is_never_unpacked() -> None:
    bomb = gzip.compress(bytes(500_000_000), 1)
    tracemalloc.start()
    try:
        with pytest.raises(OversizedAnswerError):
            body(bomb, "gzip", piece=1 << 20)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10 * MAX_ANSWER_BYTES


@pytest.mark.parametrize(
    ("data", "encoding", "told"),
    [
        (b"x", "br", "encoded as 'br'"),
        (b"not gzip", "gzip", "broken"),
        (gzip.compress(b"an answer", mtime=0)[:-9], "gzip", "ends in the middle"),
    ],
    ids=["unknown", "broken", "cut"],
)
def test_a_body_that_cannot_be_unpacked_is_told(data: bytes, encoding: str, told: str) -> None:
    with pytest.raises(OversizedAnswerError, match=told):
        body(data, encoding)
