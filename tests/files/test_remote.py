import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from click import Command, Context
from hypothesis import given
from hypothesis import strategies as st

from tapwright.cli.directories import remote_directories
from tapwright.errors import UsageError
from tapwright.files.errors import RemoteFileError
from tapwright.files.place import Place
from tapwright.files.remote import Mirror
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright, tapwright_process
from tests.conftest import painted

NAMES = st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3}\.[a-z]{1,5}){0,2}", fullmatch=True)


def files(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


@pytest.mark.slow
@given(found=st.dictionaries(NAMES.map(lambda name: f"d/{name}/x"), st.binary(max_size=20)))
def test_what_is_kept_is_what_is_fetched(found: dict[str, bytes]) -> None:
    place = Path(tempfile.mkdtemp(prefix="tw-mirror-"))
    try:
        here, there, again = place / "here", place / "there", place / "again"
        for name, data in {**found, "l.jsonl": b"{}\n"}.items():
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_bytes(data)
        Mirror(there.as_uri(), here).push()
        Mirror(there.as_uri(), again).fetch()
        assert files(again) == files(here) == files(there)
    finally:
        shutil.rmtree(place)


def test_only_what_has_changed_is_put_again(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    (here / "a").write_text("1")
    mirror = Mirror(there.as_uri(), here)
    mirror.push()
    (there / "a").write_text("another's")
    mirror.push()
    assert (there / "a").read_text() == "another's"
    (here / "a").write_text("12")
    mirror.push()
    assert (there / "a").read_text() == "12"


def test_what_others_made_replaces_what_was_not_changed_here(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    there.mkdir()
    for name in ("mine", "theirs"):
        (there / name).write_text("old")
    mirror = Mirror(there.as_uri(), here)
    mirror.fetch()
    (here / "mine").write_text("newer here")
    for name in ("mine", "theirs"):
        (there / name).write_text("newer there")
    mirror.fetch()
    assert (here / "theirs").read_text() == "old"
    mirror.fetch(again=True)
    assert files(here) == {"mine": b"newer here", "theirs": b"newer there"}


def test_what_was_put_from_here_is_not_fetched_over_what_is_open(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    (here / "episodes").mkdir(parents=True)
    ledgers = [here / "run.jsonl", here / "episodes/record.jsonl"]
    mirror = Mirror(there.as_uri(), here)
    with ExitStack() as opened:
        files = [opened.enter_context(ledger.open("a")) for ledger in ledgers]
        for file in files:
            file.write("1\n")
            file.flush()
        mirror.push()
        (there / "run.jsonl").write_text("")
        (there / "episodes/record.jsonl").write_text("")
        mirror.fetch(again=True)
    assert [ledger.read_text() for ledger in ledgers] == ["1\n", "1\n"]


def test_a_ledger_never_names_what_could_not_be_put(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    (here / "episodes").mkdir(parents=True)
    (here / "episodes" / "a").write_text("whole")
    (here / "run.jsonl").write_text("a\n")
    there.mkdir()
    (there / "episodes").write_text("in the way")
    mirror = Mirror(there.as_uri(), here)
    with pytest.raises(RemoteFileError, match="cannot be written"):
        mirror.push()
    assert not (there / "run.jsonl").exists()
    (there / "episodes").unlink()
    mirror.push()
    assert files(there) == files(here)


def test_what_is_only_beside_its_place_is_not_put(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    (here / ".set.1234.part").mkdir(parents=True)
    (here / ".set.1234.part" / "half").write_text("half")
    (here / "whole").write_text("whole")
    (here / ".live/a").mkdir(parents=True)
    (here / ".live/a/attempt.json").touch()  # who plays now, on this machine
    (here / ".catalog").mkdir()
    (here / ".catalog/episodes.sqlite").touch()  # derived, or who reads would have to write
    Mirror(there.as_uri(), here).push()
    assert files(there) == {"whole": b"whole"}


def test_files_may_be_kept_in_memory(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a").write_text("1")
    Mirror("memory://run/one", tmp_path / "here").push()
    Mirror("memory://run", tmp_path / "again").fetch("one")
    assert files(tmp_path / "again") == {"one/a": b"1"}


def test_a_url_that_cannot_be_is_told(tmp_path: Path) -> None:
    with pytest.raises(RemoteFileError, match="nowhere"):
        Mirror("nowhere://a/b", tmp_path)


@pytest.mark.slow
def test_a_command_goes_on_with_what_is_at_a_url(tmp_path: Path) -> None:
    there = tmp_path / "there" / "episodes"
    words = ("record", "--agent", "script", "--limit", "1", "--envs", "1", "-o", there.as_uri())
    first = tapwright(*words)
    assert first.returncode == 0, first.stderr
    assert there.as_uri() in first.stderr.splitlines()[-1]
    (id_,) = EpisodeStore(there).ids()
    ledger = (there / "record.jsonl").read_bytes()
    again = tapwright(*words)
    assert again.returncode == 0, again.stderr
    assert EpisodeStore(there).ids() == [id_]
    assert (there / "record.jsonl").read_bytes() == ledger


def test_who_reads_at_a_url_writes_nothing_there(tmp_path: Path) -> None:
    EpisodeStore(tmp_path).write(next(iter(painted())))
    before = files(tmp_path)
    ran = tapwright("episodes", "ls", tmp_path.as_uri(), "--format", "quiet")
    assert ran.stdout.splitlines() == EpisodeStore(tmp_path).ids()
    assert files(tmp_path) == before


def test_what_cannot_be_put_is_told_with_where_it_stays(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here/a").touch()
    (tmp_path / "there").touch()  # is no directory
    with pytest.raises(RemoteFileError, match="cannot be written") as told:
        Mirror((tmp_path / "there").as_uri(), tmp_path / "here").push()
    assert told.value.hint == f"it stays here: here in {tmp_path}"


@pytest.mark.parametrize("command", ["ls", "unpack"])
@pytest.mark.parametrize(
    "url", ["hf://datasets/a/b", "http://127.0.0.1:1/a", "ftp://127.0.0.1:1/a"]
)
@pytest.mark.slow_but_one
def test_a_server_that_is_not_there_is_told(command: str, url: str, tmp_path: Path) -> None:
    ran = tapwright_process(
        "episodes", command, url, cwd=tmp_path, HF_ENDPOINT="http://127.0.0.1:1"
    )
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    assert ran.stderr.startswith(f"error: {url}")


def test_what_ended_a_command_is_told_beside_what_could_not_be_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "there"

    def end() -> None:
        with Context(Command("any")):
            here = remote_directories().open(there.as_uri())
            here.mkdir()
            (here / "new").touch()
            there.touch()  # is no directory
            raise UsageError("no step")

    with pytest.raises(UsageError, match="no step"):
        end()
    assert f"{there.as_uri()}: cannot be written" in capsys.readouterr().err


def test_nothing_is_written_to_the_hub_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(RemoteFileError, match="commit of its own") as told:
        Place("hf://datasets/a/b").put_new("a", b"")
    assert told.value.hint == "tapwright data push DIR OWNER/NAME"
    with pytest.raises(RemoteFileError, match="commit of its own"):
        Mirror("hf://datasets/a/b", tmp_path).push()
