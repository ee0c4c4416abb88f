import hashlib
import json
import os
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapwright.curate.edit.errors import BadModifierError
from tapwright.curate.edit.mobile_env import edit_pickle, find_same_edit, modify_records
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.pickles.read import read_pickles
from tapwright.formats.pickles.values import Array

GOLDEN = Path(__file__).parents[2] / "golden"
TASKS = GOLDEN / "mobile_env_pickles" / "tasks"


class Plain:
    def store_text(self, text: str) -> object:
        return text

    def store_array(self, array: Array) -> object:
        return array


def read(path: Path) -> list[Any]:
    return list(read_pickles(path, Plain()))


def told(value: object) -> object:
    """A value in the words of the recorded cases."""
    match value:
        case dict():
            return {name: told(one) for name, one in value.items()}
        case list():
            return [told(one) for one in value]
        case np.generic():
            return {"kind": "numpy scalar", "dtype": str(value.dtype), "data": value.item()}
        case np.ndarray() if value.size > 8:
            return {
                "kind": "ndarray",
                "dtype": str(value.dtype),
                "shape": list(value.shape),
                "sha256": hashlib.sha256(value.tobytes()).hexdigest(),
                "first_pixel": value[0, 0].tolist(),
            }
        case np.ndarray():
            return {
                "kind": "ndarray",
                "dtype": str(value.dtype),
                "shape": list(value.shape),
                "data": value.tolist(),
            }
    return {"kind": type(value).__name__, "data": value}


@pytest.fixture
def resaved(tmp_path: Path) -> Path:
    return Path(shutil.copy(GOLDEN / "mobile_env_pickles/resaved/note-open.pkl", tmp_path))


@pytest.mark.parametrize(
    ("case", "before"), [("x11_negative_index", []), ("x27_second_edit", ["0:delete:1:2"])]
)
def test_a_recorded_edit_gives_the_recorded_file(
    resaved: Path, case: str, before: list[str]
) -> None:
    recorded = json.loads((GOLDEN / "mobile_env_edits" / f"{case}.json").read_text())
    for modifiers in before:
        edit_pickle(resaved, modifiers)
    backup = edit_pickle(resaved, recorded["argv"][1])
    assert told(read(resaved)) == recorded["after"]["pickles"]
    assert told(read(backup)) == recorded["backup"]["pickles"]


def test_no_backup_replaces_another(resaved: Path) -> None:
    recorded = resaved.read_bytes()
    first = edit_pickle(resaved, "0:delete:1:2")
    second = edit_pickle(resaved, "0:delete:1:2")
    assert (first.name, second.name) == ("note-open.pkl.old", "note-open.pkl.old.2")
    assert first.read_bytes() == recorded
    assert len(read(second)[0]["trajectories"][0]) == 8


def test_an_edit_that_was_just_made_is_known_by_what_it_makes_of_the_backup(resaved: Path) -> None:
    assert find_same_edit(resaved, "0:delete:1:2") is None
    backup = edit_pickle(resaved, "0:delete:1:2")
    assert find_same_edit(resaved, "0:delete:1:2") == backup
    assert find_same_edit(resaved, "0:delete:1:3") is None
    assert find_same_edit(resaved, "0:os") is None
    edit_pickle(resaved, "0:rewardize:1:1")
    assert find_same_edit(resaved, "0:delete:1:2") is None


def test_a_backup_of_an_edit_that_was_killed_is_not_made_twice(resaved: Path) -> None:
    backup = resaved.with_name(f"{resaved.name}.old")
    os.link(resaved, backup)
    assert find_same_edit(resaved, "0:delete:1:2") is None
    assert edit_pickle(resaved, "0:delete:1:2") == backup


@pytest.mark.parametrize(
    ("modifiers", "message"),
    [
        ("0:remove,0:remove,0:remove", "modifier 3: no episode is left"),  # x07
        ("", "no modifiers"),  # x09
        ("0:delete:0:1", "no steps 0 to before 1"),  # x12, which takes the head away there
        ("0:delete:3:99", "no steps 3 to before 99"),
        ("0:rewardize:1:abc", "'abc' is not a number"),  # x16
        ("0:delete:1:2:3", "3 is one param too many"),  # x18
        ("0:auto_instructionize", "instructions of the task 'open_note_1' are not known"),  # x19
        ("0:rewardize:0:1", "no step 0; after the head"),
        ("5:remove", "no episode 5"),
        ("0:os:1", "no modifier of a pickle is called 'os'"),
    ],
)
def test_a_bad_modifier_leaves_the_file_as_it_was(
    resaved: Path, modifiers: str, message: str
) -> None:
    recorded = resaved.read_bytes()
    with pytest.raises(BadModifierError, match=message):
        edit_pickle(resaved, modifiers)
    assert resaved.read_bytes() == recorded
    assert [path.name for path in resaved.parent.iterdir()] == ["note-open.pkl"]


def test_instructions_come_from_the_tasks_definition(resaved: Path) -> None:
    edit_pickle(resaved, "0:instructionize:1:1,0:instructionize:3:-1", tasks=TASKS)
    records = read(resaved)[0]["trajectories"][0]
    assert records[1]["instruction"] == ["Then close it"]
    assert "instruction" not in records[3]
    edit_pickle(resaved, "0:auto_instructionize", tasks=TASKS)
    records = read(resaved)[0]["trajectories"][0]
    rewarded = [one["instruction"] for one in records[1:-1] if one["reward"] > 0]
    assert rewarded[:2] == [["First, open it"], ["Then close it"]]


def test_a_reward_that_comes_to_nothing_goes_where_there_was_one() -> None:
    head: dict[str, Any] = {"task_id": "t"}
    records = [head, {"reward": 1.0}, {}, {"reward": 2.0}]
    (left,) = modify_records(
        [records],
        "rewardize:1:-1,rewardize:2:0,rewardize:3:0.5",
        candidates=lambda _: [],
    )
    assert left == [head, {}, {"reward": 0.0}, {"reward": 2.5}]


def test_what_is_edited_keeps_every_type(tmp_path: Path) -> None:
    path = Path(shutil.copy(GOLDEN / "mobile_env_pickles/float32.pkl", tmp_path))
    before = told(read(path))
    edit_pickle(path, "0:rewardize:1:1,0:rewardize:1:-1")
    edit_pickle(path, "0:rewardize:1:0")
    assert told(read(path)) == before


def test_a_recorders_file_of_several_lists_stays_one(tmp_path: Path) -> None:
    path = Path(shutil.copy(GOLDEN / "mobile_env_pickles" / "two_in_one.pkl", tmp_path))
    before = read(path)
    edit_pickle(path, "0:remove,0:delete:1:2")
    (left,) = read(path)
    assert len(left) == len(before[1]) - 1


def test_what_is_no_recording_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.pkl"
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(ForeignDataError, match="expected Mobile-Env's list"):
        edit_pickle(path, "0:remove")
    assert pickle.loads(path.read_bytes()) == {"a": 1}
