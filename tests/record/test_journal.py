"""The journal of a demonstration as it is found on disk after a crash."""

import os
from pathlib import Path

import pytest

from tapwright.errors import DeviceError
from tapwright.record.commands import Undo
from tapwright.record.journal import CommandBegun, CommandFailed, Journal, read_journals
from tests.record.demos import opening


def failures(store: Path) -> dict[str, CommandFailed]:
    (past,) = read_journals(store)
    return past.failed


def test_a_failure_is_on_disk_at_once(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, opening())
    journal.add_failed("k", DeviceError("no such key"))
    assert failures(tmp_path)["k"].message == "no such key"
    journal.close()


def test_a_failure_that_the_disk_did_not_take_is_written_before_the_next_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    journal = Journal.create(tmp_path, opening())
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        journal.add_failed("k", DeviceError("no such key"))
    assert failures(tmp_path) == {}
    for key in ("l", "m"):
        journal.add_begun(CommandBegun(command=Undo(key=key), steps=0, undone=0))
    lines = journal.path.read_text("utf-8").splitlines()
    assert [line.partition(',"')[0] for line in lines] == [
        '{"type":"opening"', '{"type":"failed"', '{"type":"begun"', '{"type":"begun"',
    ]  # fmt: skip
    journal.close()
