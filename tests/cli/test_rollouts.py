"""Plays in groups on the command line: what they teach, and what of them is in no set."""

import re
from pathlib import Path

from tapwright.store.catalog import Catalog
from tapwright.store.selection import EVERYTHING
from tapwright.store.store import EpisodeStore
from tests.cli.jobs import suite
from tests.cli.running import tapwright


def test_of_every_step_that_was_played_a_set_has_a_row_or_a_reason(tmp_path: Path) -> None:
    suite(tmp_path)
    words = (
        "rollouts run tasks -m tests.cli.gambler:Gambler.for_task --device fake --group 3 "
        "--to trl-rollouts --to trl-kto --to verl-sft -o out"
    )
    run = tapwright(*words.split(), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    told = dict(re.findall(r"^(\S+): (\d+ rows?, \d+) left out$", run.stderr, re.M))
    rows, left_out = (int(one) for one in re.findall(r"\d+", told["trl-kto"]))
    played = Catalog(EpisodeStore(tmp_path / "out/episodes")).select(EVERYTHING)
    assert rows + left_out == sum(one.steps for one in played)
    lost = sum(one.outcome != "success" for one in played)
    assert f"  {lost} times: its play has the outcome truncated, and did not win\n" in run.stderr
    again = tapwright(*words.split(), cwd=tmp_path)
    assert dict(re.findall(r"^(\S+): (\d+ rows?, \d+) left out$", again.stderr, re.M)) == told
