"""Episodes of schema 5 read as before, and take no step that their readers could not read."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.core.episode import Remark, Step, join_steps
from tapwright.errors import SeveralActionsError, StoreError
from tapwright.files.jsonl import to_json
from tapwright.store.lines import read_lines
from tapwright.store.packing import schema_of_step
from tapwright.store.records import SCHEMA
from tapwright.store.store import EpisodeStore
from tests.store.episodes import episode, step

GOLDEN = Path(__file__).parents[1] / "golden" / "episodes_schema_5"
NEW = {
    "by": replace(step(0), by="human/anna"),
    "said": replace(step(0), said=(Remark("Where is Wi-Fi?", 1.5), Remark("There!", 3.0))),
}


def test_the_lines_of_schema_5_are_written_again_byte_for_byte() -> None:
    path = GOLDEN / "several" / "steps.jsonl"
    written = b"".join(to_json(record) + b"\n" for record in read_lines(path))
    assert written == path.read_bytes()


def test_an_episode_of_schema_5_reads_as_it_was() -> None:
    read = EpisodeStore(GOLDEN).read("several")
    assert [schema_of_step(one) for one in read.steps] == [5, 5, 1]
    assert {(one.by, one.said) for one in read.steps} == {("", ())}


@pytest.mark.parametrize("new", NEW.values(), ids=NEW)
def test_an_episode_of_schema_5_that_goes_on_takes_no_step_of_schema_6(
    tmp_path: Path, new: Step
) -> None:
    shutil.copytree(GOLDEN, tmp_path / "store")
    path = tmp_path / "store" / "several" / "steps.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with EpisodeStore(tmp_path / "store").resume("several") as writer:
        with pytest.raises(StoreError, match=r"schema 5.*which takes schema 6"):
            writer.append(new)
        writer.append(step(0))


@pytest.mark.parametrize("new", NEW.values(), ids=NEW)
def test_a_new_episode_returns_what_is_new(tmp_path: Path, new: Step) -> None:
    EpisodeStore(tmp_path).write(replace(episode(0, "new"), steps=(new,)))
    (read,) = EpisodeStore(tmp_path).read("new").steps
    assert read == new
    assert schema_of_step(read) == SCHEMA


def test_what_a_person_and_what_the_agent_did_is_never_one_step() -> None:
    with pytest.raises(SeveralActionsError, match="a person"):
        join_steps([step(0), NEW["by"]])
    both = join_steps([NEW["by"], NEW["by"]])
    assert {part.by for part in both.parts} == {"human/anna"}
