"""What an outcome rests on is kept, found by filters, and not known of older episodes."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.curate.edit.edits import crop, set_outcome
from tapwright.curate.edit.save import save_edits
from tapwright.store.catalog import Catalog
from tapwright.store.filters import parse_filter
from tapwright.store.selection import EVERYTHING
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.store.episodes import episode

GOLDEN = Path(__file__).parents[1] / "golden"


def test_it_is_read_as_it_was_written_and_a_filter_finds_it(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    for evidence in ("proved", "claimed", ""):
        store.write(replace(episode(1, evidence or "none"), evidence=evidence))
    assert {one.id: one.evidence for one in store} == {
        "none": "", "claimed": "claimed", "proved": "proved",
    }  # fmt: skip
    found = Catalog(store).ids(
        EVERYTHING, parse_filter('outcome == "success" and evidence == "claimed"')
    )
    assert found == ["claimed"]


def test_an_edit_claims_and_what_is_cut_short_has_none(tmp_path: Path) -> None:
    proved = replace(episode(2), evidence="proved")
    assert set_outcome(proved, "success") is proved
    assert set_outcome(proved, "failure").evidence == "claimed"
    assert crop(proved, 0, 1).evidence == ""
    store = EpisodeStore(tmp_path)
    store.write(proved)
    before = store.open("demo")
    save_edits(store, [before], [set_outcome(before, "failure")], edit="outcome:failure")
    assert (store.read("demo").outcome, store.read("demo").evidence) == ("failure", "claimed")


@pytest.mark.parametrize("schema", ["1", "4"])
def test_of_an_older_episode_it_is_not_known(tmp_path: Path, schema: str) -> None:
    shutil.copytree(GOLDEN / f"episodes_schema_{schema}", tmp_path / "store")
    store = EpisodeStore(tmp_path / "store")
    assert {one.evidence for one in store} == {""}


@pytest.mark.slow
def test_an_import_claims_and_every_command_says_so(tmp_path: Path) -> None:
    source = GOLDEN / "mobiagent/data"
    run = tapwright("episodes", "import", str(source), "-o", "store", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    run = tapwright("episodes", "show", "store", "Notes/type2/7", cwd=tmp_path)
    assert "outcome: success, claimed" in run.stderr
    run = tapwright("episodes", "ls", "store", "--where", 'evidence == "proved"', cwd=tmp_path)
    assert run.stdout.strip() == "[]"
    run = tapwright("episodes", "stats", "store", "--format", "json", cwd=tmp_path)
    assert '"name": "claimed"' in run.stdout
    words = ("--to", "trl", "--convention", "json", "-o", "set")
    run = tapwright("sft", "export", "store", *words, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "the outcomes of 2 episodes are claimed" in run.stderr
