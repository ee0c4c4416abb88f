import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright_adb_simulator.frames import HEADER, MAX_DATA, AdbFrame, BadFrame, read_frame

NUMBERS = st.integers(0, 2**32 - 1)
FRAMES = st.builds(
    AdbFrame,
    st.sampled_from([b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"WRTE", b"CLSE"]),
    NUMBERS,
    NUMBERS,
    st.binary(max_size=300),
)


def read(data: bytes, *, max_data: int = MAX_DATA, checked: bool = True) -> AdbFrame:
    async def go() -> AdbFrame:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        return await read_frame(reader.readexactly, max_data=max_data, checked=checked)

    return asyncio.run(go())


@given(frame=FRAMES, checked=st.booleans())
@pytest.mark.slow
def test_a_frame_is_read_as_it_was_sent(frame: AdbFrame, checked: bool) -> None:
    assert read(frame.encode(checked=checked), checked=checked) == frame


@given(data=st.binary(max_size=100))
def test_noise_is_refused_and_nothing_else_happens(data: bytes) -> None:
    with pytest.raises((BadFrame, asyncio.IncompleteReadError)):
        read(data)


@given(frame=FRAMES, at=st.integers(0, HEADER.size - 1), bit=st.integers(0, 7))
def test_a_header_with_a_bit_turned_over_says_nothing_of_the_word_it_was(
    frame: AdbFrame, at: int, bit: int
) -> None:
    data = bytearray(frame.encode())
    data[at] ^= 1 << bit
    if 4 <= at < 12:  # the arguments have no check
        assert read(bytes(data)) != frame
        return
    with pytest.raises((BadFrame, asyncio.IncompleteReadError)):
        read(bytes(data))


def test_the_sum_is_looked_at_by_the_first_version_only() -> None:
    data = bytearray(AdbFrame(b"WRTE", 1, 2, b"abc").encode())
    data[-1] ^= 1
    with pytest.raises(BadFrame, match="does not add up"):
        read(bytes(data))
    assert read(bytes(data), checked=False).payload == b"abb"


def test_a_payload_that_is_too_long_is_refused_before_it_is_read() -> None:
    data = AdbFrame(b"WRTE", 1, 2, bytes(11)).encode()
    with pytest.raises(BadFrame, match="at most 10 are taken"):
        read(data[: HEADER.size], max_data=10)
