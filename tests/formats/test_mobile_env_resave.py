import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

from tapwright.core.episode import Episode
from tapwright.errors import NothingFoundError, UsageError
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.mobile_env.episodes import MOBILE_ENV
from tapwright.formats.mobile_env.records import TaskVocabularies
from tapwright.formats.mobile_env.resave import (
    ResaveReport,
    VocabularyReader,
    find_numbered_files,
    read_definitions,
    read_vocabularies,
    resave_pickles,
)
from tapwright.tasks.errors import BadDefinitionError
from tests.formats.test_mobile_env import plain

GOLDEN = Path(__file__).parents[1] / "golden" / "mobile_env_pickles"
RAW = [GOLDEN / "raw" / f"alice.{number}.pkl" for number in (1, 3, 5)]


@pytest.fixture
def vocabularies() -> TaskVocabularies:
    return read_vocabularies(GOLDEN / "tasks")


def resaved(files: list[Path], vocabularies: TaskVocabularies, out: Path) -> ResaveReport:
    return resave_pickles(files, vocabularies, out, lambda _: None)


def told(out: Path) -> dict[str, Any]:
    return {path.name: plain(pickle.loads(path.read_bytes())) for path in sorted(out.iterdir())}


def test_recordings_are_gathered_by_task_as_the_original_does(
    tmp_path: Path, vocabularies: TaskVocabularies
) -> None:
    found = resaved(RAW, vocabularies, tmp_path)
    assert told(tmp_path) == told(GOLDEN / "resaved")
    assert found.files == {tmp_path / "note-open.pkl": (2, 0), tmp_path / "shop-find.pkl": (1, 0)}
    assert found.unreadable == ()


def test_two_lists_in_a_file_are_two_recordings(
    tmp_path: Path, vocabularies: TaskVocabularies
) -> None:
    resaved([GOLDEN / "two_in_one.pkl"], vocabularies, tmp_path)
    assert told(tmp_path) == {"note-open.pkl": told(GOLDEN / "resaved")["note-open.pkl"]}


def test_a_second_run_adds_and_a_third_changes_nothing(
    tmp_path: Path, vocabularies: TaskVocabularies
) -> None:
    resaved(RAW[:1], vocabularies, tmp_path)
    assert resaved(RAW, vocabularies, tmp_path).files[tmp_path / "note-open.pkl"] == (1, 1)
    assert told(tmp_path) == told(GOLDEN / "resaved")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert resaved(RAW, vocabularies, tmp_path).files[tmp_path / "note-open.pkl"] == (0, 2)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_a_word_that_the_task_has_not_leaves_the_others_unaffected_recording(
    tmp_path: Path, vocabularies: TaskVocabularies
) -> None:
    found = resaved([GOLDEN / "bad_token.pkl", *RAW[1:]], vocabularies, tmp_path)
    (bad,) = found.unreadable
    assert "the vocabulary of 'note-open' has the numbers 0 to 3" in bad.reason
    assert [len(one["trajectories"]) for one in told(tmp_path).values()] == [1, 1]


@pytest.mark.parametrize("number", [-1, 4])
def test_a_number_off_the_vocabulary_is_no_word(
    tmp_path: Path, vocabularies: TaskVocabularies, number: int
) -> None:
    records = pickle.loads(RAW[0].read_bytes())
    for record in records[1:]:
        if record["action_type"] == 3:
            record["input_token"] = number
    (tmp_path / "x.pkl").write_bytes(pickle.dumps(records))
    (found,) = MOBILE_ENV.read(tmp_path / "x.pkl", vocabularies)
    assert isinstance(found, Episode)
    refused = [step.refused for step in found.steps if step.refused]
    assert refused
    assert all(f"input_token is {number}; " in one for one in refused)


@pytest.mark.parametrize(
    "change", [{"action_type": 4}, {"reward": "1"}, {"observation": None}, {"instruction": 3}]
)
def test_what_is_not_whole_is_not_written_without_what_it_lacks(
    tmp_path: Path, vocabularies: TaskVocabularies, change: dict[str, object]
) -> None:
    records = pickle.loads(RAW[0].read_bytes())
    records[1] |= change
    (tmp_path / "x.pkl").write_bytes(pickle.dumps(records))
    (tmp_path / "out").mkdir()
    found = resaved([tmp_path / "x.pkl", RAW[1]], vocabularies, tmp_path / "out")
    (bad,) = found.unreadable
    assert next(iter(change)) in bad.reason
    assert len(told(tmp_path / "out")) == 1


def test_nothing_is_added_to_a_file_that_would_lose_a_record(
    tmp_path: Path, vocabularies: TaskVocabularies
) -> None:
    shutil.copy(GOLDEN / "other_actions.pkl", tmp_path / "note-open.pkl")
    with pytest.raises(ForeignDataError, match="nothing is added to a file that would lose it"):
        resaved(RAW, vocabularies, tmp_path)


def test_a_recording_of_an_unknown_task_leaves_the_others_unaffected(
    tmp_path: Path, vocabularies: TaskVocabularies
) -> None:
    known = {id_: one for id_, one in vocabularies.items() if one.name == "shop-find"}
    found = resaved(RAW, known, tmp_path)
    assert ["open_note_1" in bad.reason for bad in found.unreadable] == [True, True]
    assert list(told(tmp_path)) == ["shop-find.pkl"]


def test_a_file_that_cannot_be_read_is_not_replaced(
    tmp_path: Path, vocabularies: TaskVocabularies
) -> None:
    (tmp_path / "note-open.pkl").write_bytes(b"mine")
    with pytest.raises(ForeignDataError):
        resaved(RAW, vocabularies, tmp_path)
    assert (tmp_path / "note-open.pkl").read_bytes() == b"mine"


def test_numbers_without_a_file_are_left_out() -> None:
    assert find_numbered_files(f"{GOLDEN}/raw/alice.%d.pkl:0:10") == RAW
    assert find_numbered_files(f"{GOLDEN}/raw/alice.%d.pkl:1:3") == RAW[:2]


@pytest.mark.parametrize(
    "pattern", ["a.%d.pkl", "a.%d.pkl:a:b", "a.pkl:0:1", "a.%d.pkl:5:1", "", "%d%d:1:2"]
)
def test_a_pattern_that_means_no_files_is_wrong_usage(pattern: str) -> None:
    with pytest.raises(UsageError):
        find_numbered_files(pattern)


def test_a_range_without_any_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(NothingFoundError, match="from 20 to 30"):
        find_numbered_files(f"{tmp_path}/alice.%d.pkl:20:30")


def test_definitions_are_told_by_their_files(
    tmp_path: Path, vocabularies: TaskVocabularies
) -> None:
    assert vocabularies["open_note_1"].name == "note-open"
    assert vocabularies["open_note_1"].tokens == ("milk", "##s", "open", "[CLS]")
    with pytest.raises(NothingFoundError, match=r"no \.textproto files"):
        read_vocabularies(tmp_path / "textprotos")
    for name in ("a", "b"):
        shutil.copy(GOLDEN / "tasks" / "note-open.textproto", tmp_path / f"{name}.textproto")
    with pytest.raises(ForeignDataError, match=r"b\.textproto: declares .* as .*a\.textproto"):
        read_vocabularies(tmp_path)
    (tmp_path / "a.textproto").write_text("id: {")
    with pytest.raises(BadDefinitionError, match="line 1"):
        read_vocabularies(tmp_path)


ENDS = """
event_sources { id: 7 view_hierarchy_event { selector: 'node'
  properties { property_name: "text" pattern: "^screen %s$" } } }
event_slots { episode_end_listener { events { id: 7 } transformation: "y = True" } }
"""


@pytest.mark.parametrize(("screen", "outcome"), [("2", "success"), ("99", "unknown")])
def test_a_goal_that_the_definition_proves_is_a_success(
    tmp_path: Path, screen: str, outcome: str
) -> None:
    for file in (GOLDEN / "tasks").iterdir():
        shutil.copy(file, tmp_path)
    note = tmp_path / "note-open.textproto"
    text = note.read_text()
    begin = text.index("event_sources")
    end = text.index("command:")
    note.write_text(text[:begin] + ENDS % screen + text[end:])
    reader = VocabularyReader(read_vocabularies(tmp_path), read_definitions(tmp_path))
    found = list(reader.read(RAW[0]))
    assert [one.outcome for one in found if isinstance(one, Episode)] == [outcome]
