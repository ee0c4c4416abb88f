import os
from pathlib import Path

import pytest

from tapwright.evaluate.errors import RunLogError
from tapwright.evaluate.run_follower import RunFollower
from tapwright.evaluate.run_log import (
    FILE,
    RunHeader,
    RunLog,
    SampleInfo,
    SampleRow,
    read_run,
    write_run,
)


def _write(directory: Path, *ids: str) -> list[bytes]:
    """A log of these samples; its lines."""
    header = RunHeader(
        tapwright="1",
        benchmark="l1",
        source="",
        data_sha256="d",
        subject="s",
        prompt_sha256="p",
        samples=len(ids),
        config={},
    )
    rows = [SampleRow(id_, SampleInfo({}, id_), "ok", answer=id_, score=1.0) for id_ in ids]
    write_run(RunLog(directory / FILE, header, "2026-01-01", rows), directory)
    return (directory / FILE).read_bytes().splitlines(keepends=True)


def test_a_log_that_grows_is_read_on_as_it_would_be_read_anew(tmp_path: Path) -> None:
    lines = _write(tmp_path, *"abcde")
    file = tmp_path / FILE
    follower = RunFollower(tmp_path)
    file.write_bytes(b"".join(lines[:2]))
    first = follower.read()
    assert first == read_run(tmp_path)
    for line in lines[2:]:
        with file.open("ab") as end:
            end.write(line[:10])
        assert follower.read() == read_run(tmp_path)  # half a line is left aside
        with file.open("ab") as end:
            end.write(line[10:])
        assert follower.read() == read_run(tmp_path)
    assert follower.read().rows[0] is first.rows[0]
    assert follower.read() is follower.read()


def test_a_log_that_is_another_one_now_is_read_anew(tmp_path: Path) -> None:
    lines = _write(tmp_path / "one", *"abc")
    follower = RunFollower(tmp_path / "one")
    follower.read()
    (tmp_path / "one" / FILE).write_bytes(b"".join(lines[:2]))
    assert [row.key for row in follower.read().rows] == ["a"]
    _write(tmp_path / "two", *"xyz")
    os.replace(tmp_path / "two" / FILE, tmp_path / "one" / FILE)
    assert [row.key for row in follower.read().rows] == ["x", "y", "z"]


def test_a_broken_line_is_told_with_its_number_and_read_again_when_mended(tmp_path: Path) -> None:
    lines = _write(tmp_path, *"abc")
    file = tmp_path / FILE
    follower = RunFollower(tmp_path)
    file.write_bytes(b"".join(lines[:2]))
    follower.read()
    file.write_bytes(b"".join([*lines[:2], b"{}\n"]))
    with pytest.raises(RunLogError, match="line 3: not a run log"):
        follower.read()
    file.write_bytes(b"".join(lines))
    assert len(follower.read().rows) == 3
