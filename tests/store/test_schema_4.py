"""Episodes of schema 4 read as before, and take no step that their readers could not read."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from tapwright.core import actions
from tapwright.core.actions import Action, ActionAdapter
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point
from tapwright.errors import StoreError
from tapwright.files.jsonl import to_json
from tapwright.store.lines import read_lines
from tapwright.store.packing import pack_step, schema_of_step
from tapwright.store.store import EpisodeStore
from tests.store.episodes import episode, step
from tests.strategies import ACTIONS

GOLDEN = Path(__file__).parents[1] / "golden" / "episodes_schema_4"
_AT = Point(0.5, 0.5)
NEW: tuple[Action, ...] = (
    actions.Tap(at=_AT, held=("control",)),
    actions.Tap(at=_AT, button="back"),
    actions.DoubleTap(at=_AT, button="right"),
    actions.Drag(start=_AT, end=Point(0.1, 0.1), path=(Point(0.2, 0.9),)),
    actions.Hotkey(keys=("shift",), duration_s=1.0),
    actions.ButtonDown(at=_AT),
    actions.KeyDown(key="shift"),
    actions.AskUser(text="Which one?"),
)


def test_the_lines_of_schema_4_are_written_again_byte_for_byte() -> None:
    path = GOLDEN / "hands" / "steps.jsonl"
    written = b"".join(to_json(record) + b"\n" for record in read_lines(path))
    assert written == path.read_bytes()


def test_an_episode_of_schema_4_reads_as_it_was_and_is_edited_as_one_of_this_schema() -> None:
    steps = EpisodeStore(GOLDEN).read("hands").steps
    assert {one.decision.action.type for one in steps} == {
        json.loads(line)["action"]["type"]
        for line in (GOLDEN / "hands" / "steps.jsonl").read_text().splitlines()
        if '"type":"step"' in line
    }
    assert {schema_of_step(one) for one in steps} == {4}


@pytest.mark.parametrize("action", NEW, ids=lambda action: action.type)
def test_an_episode_of_schema_4_that_goes_on_takes_no_step_of_schema_5(
    tmp_path: Path, action: Action
) -> None:
    shutil.copytree(GOLDEN, tmp_path / "store")
    directory = tmp_path / "store" / "hands"
    lines = (directory / "steps.jsonl").read_bytes().splitlines(keepends=True)
    (directory / "steps.jsonl").write_bytes(b"".join(lines[:-1]))
    with EpisodeStore(tmp_path / "store").resume("hands") as writer:
        with pytest.raises(StoreError, match=r"schema 4.*which takes schema 5"):
            writer.append(replace(step(0), decision=Decision(action)))
        writer.append(replace(step(0), decision=Decision(actions.Tap(at=_AT))))


@pytest.mark.parametrize("action", NEW, ids=lambda action: action.type)
def test_a_new_episode_returns_what_is_new(tmp_path: Path, action: Action) -> None:
    store = EpisodeStore(tmp_path)
    asked = replace(step(0).observation, message="the second")
    written = replace(step(0), observation=asked, decision=Decision(action))
    store.write(replace(episode(0, "new"), steps=(written,)))
    (read,) = store.read("new").steps
    assert (read.decision.action, read.observation.message) == (action, "the second")
    assert schema_of_step(read) == 5


@given(action=ACTIONS)
def test_a_field_at_its_default_is_not_in_the_line_unless_it_always_was(action: Action) -> None:
    record, _ = pack_step(replace(step(0), decision=Decision(action)))
    line = json.loads(to_json(record))["action"]
    new = {"held", "path", "button"} - ({"button"} if action.type == "tap" else set())
    for name in new & set(type(action).model_fields):
        assert (name in line) == (getattr(action, name) not in ((), "left"))
    assert ActionAdapter.validate_python(line) == action
