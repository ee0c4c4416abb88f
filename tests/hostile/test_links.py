"""A stranger's store whose own files are links: nothing outside is read, written, moved or lost."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from threading import Event, Thread

import pytest
from click.testing import CliRunner

from tapwright.cli.main import cli
from tapwright.errors import TapwrightError
from tapwright.store.store import EpisodeStore
from tests.store.episodes import episode

PLACES = (
    ".catalog", ".catalog/catalog.sqlite", ".catalog/changes.log", ".catalog/checks.sqlite",
    ".trash", "one/tags.jsonl", "one/steps.jsonl", "one/episode.json", "one/frames", "one/ui",
)  # fmt: skip
SECRET = b"only-on-this-machine-7431"
COMMANDS = (
    "tag store one --add y", "edit store one 0:delete", "check store", "rm store one --yes",
    "restore store", "reindex store", "ls store", "copy store -o copied", "undo store one",
)  # fmt: skip


def content(root: Path) -> Mapping[str, bytes]:
    """What lies below a directory; what a database keeps beside its file is no part of it."""
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else b""
        for path in sorted(root.rglob("*"))
    }


def run(words: str) -> None:
    ended = CliRunner().invoke(cli, ("episodes", *words.split()))
    if not isinstance(ended.exception, TapwrightError | SystemExit | None):
        raise ended.exception


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a catalog, tags and a trash."""
    home = tmp_path_factory.mktemp("made")
    store = EpisodeStore(home / "store")
    for id_ in ("one", "two", "three"):
        store.write(episode(3, id_))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        for words in ("ls store", "tag store one --add x", "check store", "rm store two --yes"):
            run(words)
    return home


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ["the same", "something else", "nothing"])
@pytest.mark.slow_but_one
def test_no_command_writes_through_a_link_of_the_store(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, kind: str
) -> None:
    home = tmp_path / "home"
    shutil.copytree(made, home)
    outside, linked = tmp_path / "outside", home / "store" / place
    outside.mkdir()
    match kind:
        case "the same":
            shutil.move(linked, outside / "there")
        case "something else":
            shutil.rmtree(linked) if linked.is_dir() else linked.unlink()
            (outside / "there").write_text("export PATH=/bin\n")
        case _:
            shutil.rmtree(linked) if linked.is_dir() else linked.unlink()
    linked.symlink_to(outside / "there")
    before = content(outside)
    monkeypatch.chdir(home)
    for words in COMMANDS:
        run(words)
        assert content(outside) == before, words


@pytest.mark.parametrize("place", PLACES[1:4] + PLACES[5:8])
@pytest.mark.slow_but_one
def test_no_command_waits_for_a_named_pipe_in_a_files_place(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    home = tmp_path / "home"
    shutil.copytree(made, home)
    (home / "store" / place).unlink()
    os.mkfifo(home / "store" / place)
    monkeypatch.chdir(home)
    for words in COMMANDS:
        run(words)


@pytest.mark.slow_but_one
@pytest.mark.parametrize("name", ["notes.txt", "frames/x.png", "annotations/rules.jsonl", "x/y/z"])
def test_a_copy_takes_nothing_through_a_link(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    home = tmp_path / "home"
    shutil.copytree(made, home)
    (tmp_path / "secret").write_bytes(SECRET)
    link = home / "store/one" / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(tmp_path / "secret")
    monkeypatch.chdir(home)
    run("copy store copied")
    assert not [one for one in (home / "copied").rglob("*") if one.is_symlink()]
    assert not any(SECRET in data for data in content(home / "copied").values())
    assert EpisodeStore(home / "copied").ids() == ["three"]


@pytest.mark.slow
def test_links_that_are_swapped_while_a_store_is_copied_bring_nothing(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    shutil.copytree(made, home)
    (tmp_path / "secret").write_bytes(SECRET)
    files = [one for one in (home / "store/one").rglob("*") if one.is_file()]
    kept = {one: one.with_name(f"{one.name}-kept") for one in files}
    for one, beside in kept.items():
        shutil.copy(one, beside)
    ended = Event()

    def swap() -> None:
        for number in range(10_000_000):
            if ended.is_set():
                return
            one = files[number % len(files)]
            link = one.with_name("swapped")
            link.symlink_to(tmp_path / "secret")
            link.replace(one)
            os.link(kept[one], link)
            link.replace(one)

    swapping = Thread(target=swap)
    swapping.start()
    monkeypatch.chdir(home)
    try:
        for number in range(20):
            run(f"copy store copied-{number}")
    finally:
        ended.set()
        swapping.join()
    for folder in home.glob("copied-*"):
        assert not [one for one in folder.rglob("*") if one.is_symlink()]
        assert not any(SECRET in data for data in content(folder).values())
