"""Laws of reading pickles with objects: nothing is looked up, nothing runs, the data is there."""

import collections
import dataclasses
import datetime
import enum
import gzip
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.formats.errors import BrokenPickleError
from tapwright.formats.pickles.objects import ObjectUnpickler, PickledObject
from tapwright.formats.pickles.read import read_pickles
from tests.formats.test_pickles import Kept


@dataclasses.dataclass
class Place:
    x: Any
    y: Any = None


@dataclasses.dataclass(slots=True)
class Slotted:
    name: str


class Kind(enum.Enum):
    FIRST = "first"


class Runs:
    """Makes a directory when it is loaded by Python."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


def read(data: bytes, path: Path) -> list[Any]:
    path.write_bytes(data)
    return list(read_pickles(path, Kept(), ObjectUnpickler))


@given(
    values=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.builds(Place, inner),
    ),
    protocol=st.integers(2, 5),
)
def test_objects_are_read_as_their_attributes(
    tmp_path_factory: pytest.TempPathFactory, values: object, protocol: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "objects.pkl"
    (found,) = read(pickle.dumps(values, protocol), path)
    assert plain(found) == plain(values)


def plain(value: object) -> object:
    match value:
        case Place(x=x, y=y):
            return {"class": "Place", "x": plain(x), "y": plain(y)}
        case PickledObject(attributes=attributes):
            return {"class": value.short_name, **{k: plain(v) for k, v in attributes.items()}}
        case list():
            return [plain(one) for one in value]
        case dict():
            return {key: plain(one) for key, one in value.items()}
    return value


def test_containers_times_and_members_of_enumerations_keep_what_they_were_made_of(
    tmp_path: Path,
) -> None:
    day = datetime.datetime(2026, 3, 1, 12, 30, tzinfo=datetime.UTC)
    values = [
        Slotted("a"), Kind.FIRST, day, {1, 2}, frozenset({3}), collections.OrderedDict(b=1),
        np.arange(4), Place,
    ]  # fmt: skip
    ((slotted, kind, time, some, frozen, ordered, array, named),) = read(
        pickle.dumps(values), tmp_path / "v.pkl"
    )
    assert slotted.attributes == {"name": "a"}
    assert kind.short_name == "Kind"
    assert kind.arguments in (("first",), ("FIRST",))  # the latter by Python 3.11.0 to 3.11.3
    assert time.name == "datetime.datetime"
    assert time.arguments[0][:4] == bytes([0x07, 0xEA, 3, 1])
    assert sorted(some) == [1, 2]
    assert frozen == [3]
    assert ordered.items == [("b", 1)]
    assert array.tolist() == [0, 1, 2, 3]
    assert named.short_name == "Place"


class Member:
    """A member of an enumeration as the first releases of Python 3.11 write it."""

    def __reduce__(self) -> tuple[object, ...]:
        return getattr, (Kind, "FIRST")


@pytest.mark.parametrize("protocol", range(2, 6))
def test_a_member_of_an_enumeration_by_its_name_has_its_class(
    tmp_path: Path, protocol: int
) -> None:
    ((kind,),) = read(pickle.dumps([Member()], protocol), tmp_path / "v.pkl")
    assert (kind.short_name, kind.arguments) == ("Kind", ("FIRST",))


@pytest.mark.parametrize("protocol", range(2, 6))
def test_what_a_pickle_would_run_is_kept_as_data(tmp_path: Path, protocol: int) -> None:
    there = tmp_path / "made"
    ((found,),) = read(pickle.dumps([Runs(there)], protocol), tmp_path / "v.pkl")
    assert not there.exists()
    assert found.short_name == "mkdir"
    assert found.arguments == (str(there),)


def test_a_packed_file_is_read_and_a_cut_one_is_told(tmp_path: Path) -> None:
    data = gzip.compress(pickle.dumps([Place("x" * 10_000)]) + pickle.dumps(2))
    first, second = read(data, tmp_path / "v.pkl.gz")
    assert first[0].attributes["x"] == "x" * 10_000
    assert second == 2
    with pytest.raises(BrokenPickleError, match=r"is not whole|ends too early"):
        read(data[: len(data) // 2], tmp_path / "cut.pkl.gz")
    with pytest.raises(BrokenPickleError, match=r"is not whole"):
        read(pickle.dumps(1), tmp_path / "plain.pkl.gz")


def test_a_value_that_a_packed_file_only_declares_takes_no_memory(tmp_path: Path) -> None:
    declared = b"\x80\x04B" + (1 << 31).to_bytes(4, "little") + b"abc"
    with pytest.raises(BrokenPickleError, match=r"bytes of one value"):
        read(gzip.compress(declared), tmp_path / "v.pkl.gz")
