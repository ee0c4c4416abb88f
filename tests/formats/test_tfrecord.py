import gzip
import struct
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.tfrecord import (
    ExampleReader,
    TfRecord,
    masked_checksum,
    read_records,
)
from tapwright.formats.limits import MAX_RECORD_BYTES
from tests.formats.foreign import example, framed


def read(data: bytes) -> list[bytes | str]:
    """The data of records, and of what is damaged the reason."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "records")
        path.write_bytes(data)
        return [
            one.reason.partition(": ")[2] if isinstance(one, UnreadableEpisode) else one.data
            for one in read_records(path)
        ]


@settings(deadline=None, max_examples=50)
@given(records=st.lists(st.binary(max_size=50), max_size=5), packed=st.booleans())
def test_what_was_framed_is_read(records: list[bytes], packed: bool) -> None:
    data = framed(*records)
    assert read(gzip.compress(data) if packed else data) == records


@settings(deadline=None, max_examples=100)
@given(data=st.data(), records=st.lists(st.binary(max_size=20), min_size=1, max_size=3))
def test_a_flipped_bit_is_told_and_gives_no_other_record(
    data: st.DataObject, records: list[bytes]
) -> None:
    whole = bytearray(framed(*records))
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    found = read(bytes(whole))
    assert any(isinstance(one, str) for one in found)
    assert all(one in records for one in found if isinstance(one, bytes))


def test_the_checksum_is_masked_as_tensorflow_masks_it() -> None:
    # The CRC-32C of "123456789" is 0xE3069283 (RFC 3720, B.4); rotated right by 15 and added to.
    assert masked_checksum(b"123456789") == (0x2507C60D + 0xA282EAD8) & 0xFFFFFFFF


def test_a_damaged_record_hides_none_behind_it() -> None:
    data = framed(b"one", b"two", b"three").replace(b"two", b"tow")
    assert read(data) == [b"one", "its checksum does not fit its data", b"three"]


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_was_cut_short_gives_what_is_whole(packed: bool) -> None:
    data = framed(b"one", bytes(range(256)))
    found = read(gzip.compress(data)[:-40] if packed else data[:-40])
    assert found[0] == b"one"
    assert len(found) == 2
    assert isinstance(found[1], str)


def test_a_length_beyond_any_record_is_not_read() -> None:
    length = struct.pack("<Q", 1 << 60)
    data = length + struct.pack("<I", masked_checksum(length)) + b"x"
    assert read(data) == ["1,152,921,504,606,846,976 bytes; expected at most 128,000,000"]


def test_features_are_asked_for_by_name_and_kind() -> None:
    found = ExampleReader(TfRecord("here", example({"a": ["ä"], "b": [1, 2], "c": [0.5]})))
    assert (found.text("a"), found.integers("b"), found.numbers("c")) == ("ä", [1, 2], [0.5])
    with pytest.raises(ForeignDataError, match="here: b is int64_list; expected bytes_list"):
        found.texts("b")
    with pytest.raises(ForeignDataError, match="here: d is missing; expected float_list"):
        found.numbers("d")
    with pytest.raises(ForeignDataError, match="b has 2 values; expected one"):
        found.integer("b")
    with pytest.raises(ForeignDataError, match="a is no text"):
        ExampleReader(TfRecord("here", example({"a": [b"\xff"]}))).text("a")
    with pytest.raises(ForeignDataError, match=r"not a tf\.train\.Example"):
        ExampleReader(TfRecord("here", b"\x0a\xff"))


@pytest.mark.parametrize("megabytes", [50, 100])
def test_what_a_gzipped_file_unpacks_to_is_bounded(tmp_path: Path, megabytes: int) -> None:
    path = tmp_path / "records"
    path.write_bytes(gzip.compress(framed(bytes(1_000_000)) * megabytes, 1))
    found = list(read_records(path))
    last = found[-1]
    assert isinstance(last, UnreadableEpisode) == (megabytes == 100)
    if isinstance(last, UnreadableEpisode):
        assert "unpacks to too much" in last.reason
        assert len(found) < megabytes


@pytest.mark.parametrize("above", [0, 1])
def test_a_record_has_a_length_that_memory_holds(tmp_path: Path, above: int) -> None:
    path, length = tmp_path / "records", struct.pack("<Q", MAX_RECORD_BYTES + above)
    path.write_bytes(length + struct.pack("<I", masked_checksum(length)))
    (found,) = read_records(path)
    assert isinstance(found, UnreadableEpisode)
    assert ("expected at most 128,000,000" in found.reason) == (above == 1)
