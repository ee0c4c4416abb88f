"""Data set cards of stores on the command line."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.formats.training_sets import TAP, episode


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = tmp_path / "store"
    for id_, words in (("a", "Call <b>Mia|Tom</b>"), ("b", "打开设置"), ("c", "Stop it")):
        made = replace(episode(id_, TAP, TAP), instruction=words, outcome="success")
        EpisodeStore(root).write(made)
    return root


def test_a_card_counts_and_shows_and_nothing_recorded_is_markup(
    store: Path, tmp_path: Path
) -> None:
    run = tapwright("episodes", "card", str(store), "-o", "README.md", "--html", "card.html",
                    cwd=tmp_path)  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["README.md", "card.html"]
    card = (tmp_path / "README.md").read_text()
    assert card.startswith("---\nlanguage:\n- en\n- zh\n")
    assert "3 episodes of GUI agents, 6 steps" in card
    assert "| recorded with tapwright | not known | 3 |" in card
    assert "| tap | 3 | 6 |" in card
    assert r"Call \<b\>Mia\|Tom\</b\>" in card
    assert "![" in card
    assert len(list((tmp_path / "card").iterdir())) == card.count("](card/") == 3
    page = (tmp_path / "card.html").read_text()
    assert "Call &lt;b&gt;Mia|Tom&lt;/b&gt;" in page
    assert page.count("data:image/jpeg;base64,") == 3
    assert "http" not in page


def test_a_file_that_is_no_card_is_not_replaced(store: Path, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("My project")
    run = tapwright("episodes", "card", str(store), cwd=tmp_path)
    assert run.returncode == 2
    assert "README.md: is there already, and is no card" in run.stderr
    assert "-o CARD.md" in run.stderr
    assert readme.read_text() == "My project"
    readme.unlink()
    for _ in range(2):  # its own is replaced
        assert tapwright("episodes", "card", str(store), cwd=tmp_path).returncode == 0


def test_defects_are_told_with_the_number_of_their_episodes(store: Path, tmp_path: Path) -> None:
    (frame,) = (store / "a" / "frames").iterdir()
    frame.write_bytes(frame.read_bytes()[:-9])
    (store / "c" / "episode.json").write_text("{}")
    EpisodeStore(store).write(replace(episode("d", TAP, TAP), instruction="打开设置"))
    EpisodeStore(store).write(episode("e", TAP))
    (store / "e" / "steps.jsonl").write_text("{bad\n")
    run = tapwright("episodes", "card", str(store), "-o", str(tmp_path / "README.md"))
    assert run.returncode == 1, run.stderr
    told = [line.partition(":")[0] for line in run.stderr.splitlines() if "[TW204]" in line]
    assert told == ["c", "e"]
    card = (tmp_path / "README.md").read_text()
    assert "2 more cannot be read" in card
    checked = tapwright("episodes", "check", str(store), "--format", "json")
    found = Counter(one["kind"] for one in json.loads(checked.stdout))
    assert {"header", "line", "hash", "duplicate"} <= found.keys()
    shown = card.partition("## Known defects")[2]
    assert dict(re.findall(r"^\| (\w+) \| (\d+) \|", shown, re.M)) == {
        kind: str(count) for kind, count in found.items()
    }


def test_an_imported_data_set_is_named_with_its_licence(store: Path, tmp_path: Path) -> None:
    home = tmp_path / "aitz"
    (home / "train").mkdir(parents=True)
    (home / "dataset.json").write_text(json.dumps({"name": "aitz", "address": "x"}))
    header = {"job": "import", "config": {}, "created": ""}
    value = {"source": str(home / "train" / "1.json"), "file": True, "episodes": ["a", "b"],
             "new": 2, "unreadable": []}  # fmt: skip
    lines = [header, {"key": "1", "status": "done", "value": value}]
    (store / "import.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    run = tapwright("episodes", "card", str(store), "-o", str(tmp_path / "README.md"))
    assert run.returncode == 0, run.stderr
    card = (tmp_path / "README.md").read_text()
    assert "| Apache-2.0 | 2 |" in card
    assert "| recorded with tapwright | not known | 1 |" in card


def test_a_store_without_episodes_has_no_card(tmp_path: Path) -> None:
    run = tapwright("episodes", "card", str(tmp_path / "none"), "-o", str(tmp_path / "README.md"))
    assert run.returncode == 5
    assert not (tmp_path / "README.md").exists()


def test_a_store_that_was_imported_from_a_file_and_a_folder_has_a_card(tmp_path: Path) -> None:
    golden = Path(__file__).parents[1] / "golden"
    sources = (golden / "mobile_env_pickles/resaved/note-open.pkl", golden / "mobiagent/data")
    run = tapwright("episodes", "import", *map(str, sources), "-o", "store", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    run = tapwright("episodes", "card", "store", "-o", "README.md", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "imported from resaved" in text


@pytest.mark.slow
def test_a_name_without_an_ending_is_a_directory_for_the_card(store: Path, tmp_path: Path) -> None:
    for out in ("card", "card"):
        run = tapwright("episodes", "card", str(store), "-o", out, cwd=tmp_path)
        assert run.stdout.split() == ["card/README.md"], run.stderr
    card = (tmp_path / "card/README.md").read_text()
    assert len(list((tmp_path / "card/card").iterdir())) == card.count("](card/")
