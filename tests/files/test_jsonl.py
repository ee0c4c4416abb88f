"""Append-only files of lines: what was appended is read, however the writer ended."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, JsonValue, TypeAdapter

from tapwright.errors import CorruptEpisodeError, DiskError
from tapwright.files.jsonl import (
    JsonlWriter,
    finite_json,
    from_json,
    has_huge_number,
    parse_lines,
    read_lines,
    split_lines,
    to_json,
    whole_lines,
)
from tapwright.files.lock import try_lock
from tests.strategies import WORDS


class Word(BaseModel):
    text: str


WORD = TypeAdapter(Word)
LINES = st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"")), max_size=6)


@given(text=WORDS)
def test_any_text_survives_the_trip_through_a_line(text: str) -> None:
    line = to_json(Word(text=text))
    assert b"\n" not in line
    assert from_json(WORD, line) == Word(text=text)


@settings(deadline=None)
@given(lines=LINES, more=LINES, data=st.data())
def test_a_kill_at_any_byte_loses_no_whole_line(
    lines: list[bytes], more: list[bytes], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "below" / "lines.jsonl"
        with JsonlWriter(path) as file:
            assert file.recover() == []
            for line in lines:
                file.append(line)
        written = path.read_bytes()
        cut = data.draw(st.integers(0, len(written)))
        path.write_bytes(written[:cut])
        whole = lines[: written[:cut].count(b"\n")]
        assert read_lines(path, CorruptEpisodeError) == whole
        with path.open("rb") as opened:
            assert [line for _, line in whole_lines(opened)] == [line + b"\n" for line in whole]
        with JsonlWriter(path) as file:
            assert file.recover() == whole
            file.append(*more)
        assert split_lines(path.read_bytes()) == ([*whole, *more], b"")


def test_a_file_that_is_not_there_has_no_lines(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "none", CorruptEpisodeError) == []
    with pytest.raises(CorruptEpisodeError, match="cannot be read: Is a directory"):
        read_lines(tmp_path, CorruptEpisodeError)


def test_a_line_that_is_no_record_is_named_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "words.jsonl"
    found = parse_lines(
        [b'{"text":"a"}', b'{"text":1}'], WORD, path, error=CorruptEpisodeError, expected="a word"
    )
    assert next(found) == Word(text="a")
    with pytest.raises(CorruptEpisodeError, match=r"words\.jsonl, line 2: not a word: text: "):
        next(found)


@pytest.mark.parametrize("sync", [True, False])
def test_a_line_is_synced_when_it_is_appended_or_when_the_file_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sync: bool
) -> None:
    synced: list[int] = []
    real = os.fsync

    def noting(handle: int) -> None:
        synced.append(handle)
        real(handle)

    monkeypatch.setattr(os, "fsync", noting)
    file = JsonlWriter(tmp_path / "lines", sync=sync)
    file.append(b"one")
    file.append(b"two", b"three")
    assert len(synced) == 2 * sync
    file.close()
    file.close()
    assert len(synced) == (2 if sync else 1)
    assert (tmp_path / "lines").read_bytes() == b"one\ntwo\nthree\n"


def test_a_line_that_cannot_be_added_is_an_error_with_the_path() -> None:
    with (
        JsonlWriter(Path("/dev/full")) as file,
        pytest.raises(DiskError, match="/dev/full: cannot be written: No space left"),
    ):
        file.append(b"one")


LIMITED = """
import resource, signal, sys
from pathlib import Path
from tapwright.errors import DiskError
from tapwright.files.jsonl import JsonlWriter

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
file = JsonlWriter(Path(sys.argv[1]))
file.append(b"a" * 50)
try:
    file.append(b"b" * 70)
except DiskError:
    file.append(b"c" * 10)
"""


def test_a_line_for_which_there_is_no_room_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    subprocess.run([sys.executable, "-c", LIMITED, str(path)], check=True)
    assert read_lines(path, CorruptEpisodeError) == [b"a" * 50, b"c" * 10]


HOLDER = """
import sys
from pathlib import Path
from tapwright.files.jsonl import JsonlWriter
from tapwright.files.lock import try_lock

file = JsonlWriter(Path(sys.argv[1]))
print(try_lock(file), flush=True)
sys.stdin.read()
"""


def test_a_lock_ends_with_the_process_that_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert json.loads(holder.stdout.readline().lower())
        with JsonlWriter(path) as file:
            assert not try_lock(file)
        holder.kill()
        holder.wait()
        with JsonlWriter(path) as file:
            assert try_lock(file)


def test_numbers_that_json_does_not_have_become_null() -> None:
    value: JsonValue = {
        "a": [float("nan"), 1.5, 10**400, -(10**400), True],
        "b": {"c": float("inf")},
        "d": "NaN",
    }
    assert finite_json(value) == {"a": [None, 1.5, None, None, True], "b": {"c": None}, "d": "NaN"}


NUMBERS = st.floats() | st.integers() | st.sampled_from([10**301, -(10**400), 1e299, 9.9e307])
VALUES = st.recursive(
    NUMBERS | st.text() | st.booleans() | st.none(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(value=VALUES, separators=st.sampled_from([(",", ":"), (", ", ": ")]))
def test_a_line_that_seems_to_have_no_huge_number_has_none(
    value: JsonValue, separators: tuple[str, str]
) -> None:
    line = json.dumps({"a": value}, separators=separators).encode()
    if not has_huge_number(line):
        assert json.dumps(finite_json(value)) == json.dumps(value)


def test_a_hash_is_no_huge_number() -> None:
    assert not has_huge_number(b'{"prompt_sha256": "71e123ab", "time": 1.5e-300}')
    assert has_huge_number(b'{"score": 1e999}')
    assert has_huge_number(b'{"score":[-1.5E+301]}')
