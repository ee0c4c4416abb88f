"""What earlier releases stored is read as they read it, and can be worked on."""

import json
import shutil
from pathlib import Path

import pytest

from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.release.stored import GOLDEN, describe, make

RELEASES = sorted(GOLDEN.glob("release_*"))


@pytest.fixture(params=RELEASES, ids=lambda path: path.name)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy, with places for what is found anew beside the recordings."""
    copy = tmp_path / "home"
    shutil.copytree(request.param, copy)
    return copy


def test_what_a_release_stored_is_read_as_it_read_it(stored: Path) -> None:
    expected = json.loads((stored / "expected.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(describe(stored))) == expected


@pytest.mark.slow
def test_it_can_be_checked_edited_unpacked_scored_reported_and_restored(stored: Path) -> None:
    for words in (
        "episodes check store",
        "episodes edit store b rewardize:0:1",
        "episodes undo store b",
        "episodes unpack packed -o again",
        "eval score run",
        "report run -o report.html",
        "team restore team.jsonl --team sqlite:///team.db",
    ):
        run = tapwright(*words.split(), cwd=stored)
        assert run.returncode == 0, (words, run.stderr)
    store, again = EpisodeStore(stored / "store"), EpisodeStore(stored / "again")
    assert list(again.ids()) == list(store.ids())
    assert all(again.read(id_) == store.read(id_) for id_ in store.ids() if id_ != "b")


@pytest.mark.slow
def test_what_this_version_stores_is_described_alike(tmp_path: Path) -> None:
    """So that the next release can be kept in the same form."""
    make(tmp_path)
    newest = json.loads((RELEASES[-1] / "expected.json").read_text(encoding="utf-8"))
    found = json.loads((tmp_path / "expected.json").read_text(encoding="utf-8"))
    assert found.keys() == newest.keys()
    assert found["episodes"] == newest["episodes"]
