"""A stranger's store whose own files are links: nothing outside of it is written, moved or lost."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

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
