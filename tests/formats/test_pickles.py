"""Laws of reading and writing pickles; the oracle is Python's own module."""

import io
import os
import pickle
import pickletools
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tapwright.formats.errors import BrokenPickleError, ForeignDataError
from tapwright.formats.limits import MAX_PICKLE_NUMBER_KEYS, MAX_PICKLE_OPCODES
from tapwright.formats.pickles.read import read_pickles
from tapwright.formats.pickles.values import Array
from tapwright.formats.pickles.write import write_pickle

NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False)
TEXTS = st.text(st.characters(exclude_categories=[]))
DTYPES = st.sampled_from(["|u1", "<i8", ">i4", "<f4", "<f8", ">f8", "|b1"])
ARRAYS = DTYPES.flatmap(
    lambda dtype: arrays.arrays(
        np.dtype(dtype),
        arrays.array_shapes(max_dims=3, max_side=5),
        elements={"allow_nan": False} if "f" in dtype else None,
    )
)
SCALARS = st.sampled_from([np.int64(3), np.float32(0.5), np.float64(-1.5), np.uint8(255)])
PLAIN = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS | ARRAYS | SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


class Kept:
    """Keeps what is large where it is."""

    def store_text(self, text: str) -> object:
        return text

    def store_array(self, array: Array) -> object:
        return array


def read(data: bytes, tmp_path: Path) -> list[object]:
    path = tmp_path / "given.pkl"
    path.write_bytes(data)
    return list(read_pickles(path, Kept()))


def same(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray | np.generic):
        return (
            type(left) is type(right)
            and left.dtype.newbyteorder("=") == right.dtype.newbyteorder("=")
            and left.shape == right.shape
            and bool((left == right).all())
        )
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return bool(left == right)


def written(value: object) -> bytes:
    file = io.BytesIO()
    write_pickle(value, file)
    return file.getvalue()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pickles")


@given(value=PLAIN, protocol=st.integers(2, 5))
def test_plain_data_is_read_as_python_reads_it(place: Path, value: Any, protocol: int) -> None:
    (found,) = read(pickle.dumps(value, protocol), place)
    assert same(found, value)


@given(value=PLAIN)
def test_what_is_written_is_what_python_reads_and_what_we_read(place: Path, value: Any) -> None:
    data = written(value)
    assert same(pickle.loads(data), value)
    assert same(read(data, place), [value])


@given(value=PLAIN, data=st.data())
def test_a_pickle_that_ends_too_early_is_broken(
    place: Path, value: Any, data: st.DataObject
) -> None:
    whole = pickle.dumps(value, data.draw(st.integers(2, 5)))
    length = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(BrokenPickleError):
        read(whole[:length], place)


@given(value=PLAIN, data=st.data())
def test_whatever_the_bytes_are_nothing_but_our_own_errors_comes_out(
    place: Path, value: Any, data: st.DataObject
) -> None:
    bytes_ = bytearray(pickle.dumps(value, 4))
    for _ in range(data.draw(st.integers(1, 3))):
        bytes_[data.draw(st.integers(0, len(bytes_) - 1))] = data.draw(st.integers(0, 255))
    with suppress(ForeignDataError):
        read(bytes(bytes_), place)


@given(values=st.lists(PLAIN, min_size=1, max_size=3))
def test_several_pickles_in_a_file_are_several_values(place: Path, values: list[Any]) -> None:
    assert same(read(b"".join(pickle.dumps(value) for value in values), place), values)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_large_values_go_to_the_store(tmp_path: Path, protocol: int) -> None:
    class Counting(Kept):
        def store_text(self, text: str) -> object:
            return len(text)

        def store_array(self, array: Array) -> object:
            return array.shape

    shared = np.zeros((90, 90, 3), np.uint8)
    given = [{"o": shared, "v": "ü" * 5000}, {"o": shared}, {"o": np.asfortranarray(shared)}]
    path = tmp_path / "large.pkl"
    path.write_bytes(pickle.dumps(given, protocol))
    (found,) = read_pickles(path, Counting())
    assert found == [{"o": (90, 90, 3), "v": 5000}, {"o": (90, 90, 3)}, {"o": (90, 90, 3)}]


def test_an_iterator_is_written_as_the_list_that_it_yields() -> None:
    assert pickle.loads(written({"all": iter([iter([1, "two"]), iter([])])})) == {
        "all": [[1, "two"], []]
    }


class Hostile:
    def __init__(self, called: Any, *arguments: Any) -> None:
        self.made = (called, arguments)

    def __reduce__(self) -> Any:
        return self.made


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize(
    ("hostile", "name"),
    [
        (Hostile(os.mkdir, "run"), "posix.mkdir"),
        (Hostile(eval, "1"), "eval;"),
        (Hostile(np.load, "x"), "numpy.load"),
        (Path("x"), "pathlib"),
    ],
)
def test_a_name_that_data_does_not_need_is_refused_by_name(
    tmp_path: Path, hostile: object, name: str, protocol: int
) -> None:
    with pytest.raises(ForeignDataError) as caught:
        read(pickle.dumps([{"task_id": hostile}], protocol), tmp_path)
    assert name in str(caught.value)
    assert "given.pkl, byte " in str(caught.value)


def test_a_method_of_what_is_admitted_is_not_called(tmp_path: Path) -> None:
    for data in (
        b"\x80\x04cnumpy\nndarray\n(K\x03t\x81.",  # NEWOBJ
        b"\x80\x04cnumpy\nndarray\nK\x03\x85R.",
        b"(S'echo'\nios\nsystem\n.",  # INST
        b"\x80\x04\x82\x01.",  # EXT1
        b"\x80\x04]K\x01\x85R.",
    ):
        with pytest.raises(ForeignDataError):
            read(data, tmp_path)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "the file is empty"),
        (b"hello", "DEFAULT"),
        (b"\x80\x04\x8e" + (2**60).to_bytes(8, "little") + b"x.", "ends too early"),
        (b"\x80\x09N.", "protocol 9"),
        (b"\x80\x04NN.", "STOP"),
        (b"\x80\x04h\x07.", "BINGET"),
        (b"\x80\x04(" + b"\x85" * 3 + b".", "mark"),
        (b"\x80\x04" + b")" + b"\x85" * 90_000 + b".", "recursion"),
        (pickle.dumps(np.array([object])), "dtype"),
    ],
)
def test_a_broken_pickle_says_what_is_wrong_with_it(tmp_path: Path, data: bytes, told: str) -> None:
    with pytest.raises(ForeignDataError) as caught:
        read(data, tmp_path)
    assert told in str(caught.value) or told == "DEFAULT"


def test_what_precedes_a_broken_pickle_is_read(tmp_path: Path) -> None:
    path = tmp_path / "two.pkl"
    path.write_bytes(pickle.dumps([1]) + pickle.dumps([2])[:-3])
    values = read_pickles(path, Kept())
    assert next(values) == [1]
    with pytest.raises(BrokenPickleError):
        next(values)


def test_python_and_pickletools_agree_that_what_is_written_is_a_pickle() -> None:
    pickletools.dis(written([{"a": np.zeros((2, 2), np.uint8)}]), out=io.StringIO())


def doubled(times: int) -> bytes:
    """A pickle of a tuple of ten, doubled so many times."""
    return b"\x80\x04(" + b"N" * 10 + b"t\x94" + b"".join(
        b"h" + bytes([number]) + b"\x86\x94" for number in range(times)
    ) + b"."  # fmt: skip


def test_tuples_that_double_are_refused_above_the_limit(tmp_path: Path) -> None:
    with pytest.raises(BrokenPickleError, match="100,000 elements of tuples"):
        read(doubled(60), tmp_path)
    (value,) = read(doubled(12), tmp_path)
    assert isinstance(value, tuple)


@pytest.mark.parametrize("above", [0, 1])
def test_keys_whose_hashes_are_equal_are_bounded(tmp_path: Path, above: int) -> None:
    keys = range(0, (MAX_PICKLE_NUMBER_KEYS + above) * (2**61 - 1), 2**61 - 1)
    data = pickle.dumps(dict.fromkeys(keys), protocol=4)
    if above:
        with pytest.raises(BrokenPickleError, match="2,000 keys that are no texts"):
            read(data, tmp_path)
    else:
        assert read(data, tmp_path) == [dict.fromkeys(keys)]


@pytest.mark.slow
@pytest.mark.parametrize("above", [0, 1])
def test_opcodes_are_counted(tmp_path: Path, above: int) -> None:
    data = b"\x80\x04](" + b"N" * (MAX_PICKLE_OPCODES - 5 + above) + b"e."
    if above:
        with pytest.raises(BrokenPickleError, match="2,000,000 opcodes"):
            read(data, tmp_path)
    else:
        (value,) = read(data, tmp_path)
        assert isinstance(value, list)
        assert len(value) == MAX_PICKLE_OPCODES - 5
