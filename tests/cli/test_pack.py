"""Packing, checking and counting on the command line."""

import json
from pathlib import Path

import pytest

from tapwright.core.actions import Finish, Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.devices.fake import FakeDevice
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright


@pytest.fixture
def store(tmp_path: Path) -> Path:
    device = FakeDevice()
    for number, id_ in enumerate(("first", "second")):
        device.reset()
        before = device.observe()
        tap = Tap(at=Point(0.5, 0.4 + number / 200))  # so near that it is no contradiction
        device.perform(tap)
        steps = Step(before, Decision(tap)), Step(device.observe(), Decision(Finish()))
        EpisodeStore(tmp_path / "store").write(
            Episode(id_, "press", "Press", steps, device.observe(), "success", "hand")
        )
    return tmp_path / "store"


def test_a_store_is_packed_and_unpacked(store: Path, tmp_path: Path) -> None:
    out, back = str(tmp_path / "pack"), str(tmp_path / "back")
    for _ in range(2):
        run = tapwright("episodes", "pack", str(store), "-o", out)
        assert run.returncode == 0, run.stderr
        (row,) = json.loads(run.stdout)
        assert (row["shard"], row["episodes"], row["steps"]) == ("00000", 2, 4)
    for new in (True, False):
        run = tapwright("episodes", "unpack", out, "-o", back)
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout) == [
            {"episode": "first", "new": new}, {"episode": "second", "new": new},
        ]  # fmt: skip
    assert EpisodeStore(back).read("first") == EpisodeStore(store).read("first")


def test_a_pack_at_a_url_is_unpacked_and_one_in_place_of_a_store_says_how(
    store: Path, tmp_path: Path
) -> None:
    packed = tmp_path / "pack"
    assert tapwright("episodes", "pack", str(store), "-o", str(packed)).returncode == 0
    run = tapwright("episodes", "unpack", packed.as_uri(), "-o", str(tmp_path / "back"))
    assert run.returncode == 0, run.stderr
    assert EpisodeStore(tmp_path / "back").ids() == EpisodeStore(store).ids()
    for given in (str(packed), packed.as_uri()):
        run = tapwright("episodes", "ls", given)
        assert f"restore it: tapwright episodes unpack {given}" in run.stderr


def test_a_path_of_this_machine_is_no_url(store: Path, tmp_path: Path) -> None:
    run = tapwright("episodes", "frames", str(store), "-o", "s3://bucket/frames", cwd=tmp_path)
    assert run.returncode == 2
    assert "'s3://bucket/frames' is a URL; it takes a path of this machine" in run.stderr
    assert not (tmp_path / "s3:").exists()


def test_what_cannot_be_packed_ends_the_command_with_one(store: Path, tmp_path: Path) -> None:
    frame = next((store / "second" / "frames").iterdir())
    frame.write_bytes(b"")
    run = tapwright("episodes", "pack", str(store), "-o", str(tmp_path / "pack"))
    assert run.returncode == 1
    assert f"second: {frame}: not the recorded picture" in run.stderr
    assert [row["episodes"] for row in json.loads(run.stdout)] == [1]


def test_a_sound_store_is_checked_with_nothing_found(store: Path) -> None:
    run = tapwright("episodes", "check", str(store))
    assert (run.returncode, json.loads(run.stdout)) == (0, []), run.stderr


def test_what_a_check_finds_ends_it_with_one_and_is_a_list(store: Path) -> None:
    frame = next((store / "second" / "frames").iterdir())
    frame.write_bytes(b"")
    run = tapwright("episodes", "check", str(store), "second", "--format", "json")
    assert run.returncode == 1
    (row,) = json.loads(run.stdout)
    assert (row["episode"], row["severity"], row["kind"]) == ("second", "error", "hash")
    assert row["file"] == str(frame)
    assert tapwright("episodes", "check", str(store), "first").returncode == 0


def test_what_a_store_has_is_counted(store: Path, tmp_path: Path) -> None:
    page = tmp_path / "stats.html"
    run = tapwright("episodes", "stats", str(store), "-o", str(page))
    assert run.returncode == 0, run.stderr
    rows = {(row["by"], row["name"]): row["steps"] for row in json.loads(run.stdout)}
    assert rows["all", ""] == 4
    assert rows["action", "tap"] == 2
    assert page.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("pack", "none", "-o", "x"), 5, "no episodes"),
        (("pack", "store", "-o", "store"), 2, "not a packed data set"),
        (("unpack", "none"), 1, "not a packed data set"),
        (("check", "none"), 5, "no episodes"),
        (("check", "store", "third"), 5, "no episode 'third'"),
        (("stats", "none"), 5, "no episodes"),
    ],
)
def test_wrong_usage_says_the_way_out(
    store: Path, words: tuple[str, ...], code: int, told: str
) -> None:
    run = tapwright("episodes", *words, cwd=store.parent)
    assert run.returncode == code
    assert told in run.stderr
