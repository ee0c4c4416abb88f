"""Fields of another form than a reader expects: what they say is read, and no step is lost."""

import json
from pathlib import Path

import pytest
from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core.episode import Episode
from tapwright.formats import formats
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import EpisodeImporter
from tapwright.formats.importers.account import OpenedFiles, keep_account
from tapwright.formats.importers.foreign_record import ForeignRecord, parse_json
from tests.formats import test_agentnet, test_android_control, test_gui_odyssey, test_mobiagent
from tests.formats.foreign import read_and_listen


class _Point(ForeignRecord):
    x: float = 0.0


class _Record(ForeignRecord):
    id: str
    number: int = 0
    done: bool = False
    words: str | None = None
    points: list[_Point] = Field(default_factory=list)
    place: _Point = _Point()


RECORD = TypeAdapter(_Record)


def read(**fields: JsonValue) -> _Record:
    return parse_json(RECORD, json.dumps({"id": "a", **fields}), "here")


@pytest.mark.parametrize(
    ("field", "found", "expected"),
    [
        ("id", 7, "7"),
        ("id", ["a", "b"], "a\nb"),
        ("number", "3", 3),
        ("number", 3.0, 3),
        ("number", "3.0", 3),
        ("number", "9007199254740993", 9007199254740993),
        ("number", None, 0),
        ("done", "true", True),
        ("done", 0, False),
        ("words", 1.5, "1.5"),
        ("points", {"0": {"x": 1.0}, "1": {"x": 2.0}}, [_Point(x=1), _Point(x=2)]),
        ("points", {"x": 1.0}, [_Point(x=1)]),
        ("points", '[{"x": "1"}]', [_Point(x=1)]),
        ("points", None, []),
        ("place", '{"x": 1}', _Point(x=1)),
        ("place", [{"x": 1}], _Point(x=1)),
        ("place", {"x": None}, _Point()),
    ],
)
def test_what_a_field_says_counts_and_not_how(
    field: str, found: JsonValue, expected: object
) -> None:
    assert getattr(read(**{field: found}), field) == expected


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ("number", "three"), ("number", 1.5), ("number", float("nan")), ("done", "perhaps"),
        ("points", "x"), ("place", [1, 2]), ("place", {"x": "far"}), ("words", {}),
    ],
)  # fmt: skip
def test_a_field_that_need_not_be_there_is_left_out_where_it_says_nothing_of_its_kind(
    field: str, found: JsonValue
) -> None:
    with keep_account(OpenedFiles()) as account:
        assert read(**{field: found}) == read()
    [told] = [one for one in account.left_out() if one.is_fault]
    assert told.where.startswith(f"here: {field}")


@pytest.mark.parametrize("found", [None, True, {}])
def test_what_has_to_be_there_and_says_nothing_of_its_kind_is_refused(found: JsonValue) -> None:
    with pytest.raises(ForeignDataError, match="here: id"):
        read(id=found)


def test_an_item_that_nothing_mends_is_empty_and_told() -> None:
    with keep_account(OpenedFiles()) as account:
        assert read(points=[{"x": 1}, 3, {"x": "far"}]).points == [_Point(x=1), _Point(), _Point()]
    assert [one.where for one in account.left_out() if one.is_fault] == [
        "here: points.1",
        "here: points.2.x",
    ]


def test_a_name_that_stands_twice_is_told() -> None:
    with keep_account(OpenedFiles()) as account:
        assert parse_json(RECORD, '{"id": "a", "number": 1, "number": 2}', "here").number == 2
    [told] = [one for one in account.left_out() if one.is_fault]
    assert (told.where, told.count) == ("here: number", 1)
    assert "more than once" in told.reason


def only(importer: str, path: Path) -> Episode:
    reader = formats.get(importer)
    assert isinstance(reader, EpisodeImporter)
    [episode], _ = read_and_listen(reader, path)
    return episode


def test_a_step_that_is_none_is_refused_and_the_others_stay(tmp_path: Path) -> None:
    file = test_agentnet.lay_out(tmp_path, *["pyautogui.click(0.5, 0.5)"] * 3, task_id=7)
    said = json.loads(file.read_text())
    del said["instruction"]
    said["traj"][1] = "lost"
    file.write_text(json.dumps(said))
    episode = only("agentnet", tmp_path)
    assert (episode.id, episode.instruction) == ("agentnet-7", "")
    assert [bool(step.refused) for step in episode.steps] == [False, True, False]


def test_an_instruction_that_is_nowhere_is_empty(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    lines = tmp_path / "a/lines.jsonl"
    lines.write_text(test_android_control.line(test_android_control.CLICK, goal=None))
    assert only("android-control", lines).instruction == ""
    file = test_gui_odyssey.lay_out(tmp_path / "b", {"action": "HOME", "info": ""})
    said = json.loads(file.read_text())
    said |= {"task_info": None, "device_info": None, "episode_id": 5}
    file.write_text(json.dumps(said))
    assert (only("gui-odyssey", file).id, only("gui-odyssey", file).instruction) == (
        "gui-odyssey-5",
        "",
    )
    recording = test_mobiagent.recording(test_mobiagent.CLICK, task_description=None)
    folder = test_mobiagent.lay_out(tmp_path / "c", recording, pictures=[])
    episode = only("mobiagent", folder)  # none of its pictures came along
    assert (episode.instruction, episode.steps[0].observation.screenshot.recorded) == ("", False)
