"""The apps' state in a store: recorded once, read as it was, in every version and schema."""

import json
import shutil
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.core.episode import Episode, Step
from tapwright.curate.check.check import check_episode
from tapwright.curate.edit.edits import crop, delete, insert, merge, split
from tapwright.curate.edit.save import save_edits
from tapwright.errors import CorruptEpisodeError, StoreError
from tapwright.store.catalog import Catalog
from tapwright.store.errors import SchemaVersionError
from tapwright.store.records import SCHEMA, EpisodeWarning
from tapwright.store.store import EpisodeStore
from tapwright.store.writer import EpisodeWriter
from tests.store.episodes import episode, step
from tests.strategies import STATES

GOLDEN = Path(__file__).parents[1] / "golden" / "episodes_schema_1"
MAILS: list[JsonValue] = [{"id": number, "subject": f"Mail {number}"} for number in range(40)]


def states(steps: tuple[Step, ...]) -> list[dict[str, JsonValue]]:
    return [dict(one.state) for one in steps]


def with_states(*found: dict[str, JsonValue], id_: str = "demo") -> Episode:
    steps = tuple(replace(step(n % 5), state=state) for n, state in enumerate(found))
    return replace(episode(0, id_), steps=steps, state={"mail.items": MAILS})


def state_files(store: EpisodeStore, id_: str = "demo") -> list[Path]:
    return sorted((store.root / id_ / "state").glob("*"))


@settings(max_examples=40, deadline=None)
@given(found=st.lists(STATES, max_size=6), first=STATES)
@pytest.mark.slow
def test_any_sequence_of_states_survives_step_by_step(
    found: list[dict[str, JsonValue]], first: dict[str, JsonValue]
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        store = EpisodeStore(directory)
        with store.create(
            task_id="t", instruction="i", agent="a", device="d", id="demo", state=first
        ) as writer:
            for number, state in enumerate(found):
                writer.append(replace(step(number % 5), state=state))
        read, opened = store.read("demo"), store.open("demo")
        assert read.state == first == opened.state
        assert states(read.steps) == found == states(opened.steps)
        assert not [one for one in check_episode(store, "demo") if one.severity == "error"]


def test_a_value_that_does_not_change_is_stored_once(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    same: list[dict[str, JsonValue]] = [{"mail.items": MAILS}] * 5
    store.write(with_states(*same, {"mail.items": MAILS[1:]}))
    assert len(state_files(store)) == 2
    lines = (tmp_path / "demo" / "steps.jsonl").read_bytes()
    assert b"Mail 7" not in lines + (tmp_path / "demo" / "episode.json").read_bytes()


def test_a_small_value_stays_in_its_line(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(replace(with_states({"clock": "12:30"}), state={}))
    assert not state_files(store)
    assert json.loads((tmp_path / "demo" / "steps.jsonl").read_text().splitlines()[0])["state"] == {
        "clock": "12:30"
    }


def test_a_store_is_listed_without_reading_a_state(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(with_states({"mail.items": MAILS}))
    shutil.rmtree(tmp_path / "demo" / "state")
    entries, unreadable = Catalog(store).read()
    assert [entry.steps for entry in entries] == [1]
    assert not unreadable
    assert "mail.items" in store.read("demo").steps[0].state
    with pytest.raises(CorruptEpisodeError, match=r"state.*json\.zst: cannot be read"):
        _ = store.read("demo").steps[0].state["mail.items"]


@pytest.mark.parametrize("data", [b"", b"no zstd"])
def test_a_state_that_is_damaged_is_an_error_that_names_its_file(
    tmp_path: Path, data: bytes
) -> None:
    store = EpisodeStore(tmp_path)
    store.write(with_states({"mail.items": MAILS}))
    (path,) = state_files(store)
    path.write_bytes(data)
    with pytest.raises(CorruptEpisodeError, match=path.name):
        _ = store.read("demo").steps[0].state["mail.items"]
    found = [(one.kind, one.step) for one in check_episode(store, "demo") if one.file == str(path)]
    assert found in ([("state", None)], [("hash", None)])


def test_a_state_with_a_number_that_is_none_is_refused(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    with pytest.raises(StoreError, match=r"demo, step 0: cannot be stored: .*finite"):
        store.write(with_states({"battery": [float("nan")]}))
    assert list(tmp_path.iterdir()) == []


def test_what_a_reader_does_to_a_value_changes_no_other_step(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(with_states({"mail.items": MAILS}, {"mail.items": MAILS}))
    found = store.read("demo").steps
    mails = found[0].state["mail.items"]
    assert isinstance(mails, list)
    mails.clear()
    assert states(found) == [{"mail.items": MAILS}] * 2


@pytest.mark.slow
def test_a_kill_at_any_byte_loses_no_finished_step(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "whole")
    found: list[dict[str, JsonValue]] = [{"mail.items": MAILS[n:], "n": n} for n in range(3)]
    store.write(with_states(*found))
    data = (store.root / "demo" / "steps.jsonl").read_bytes()
    whole = [0, *(at + 1 for at, byte in enumerate(data) if byte == ord("\n"))]
    for cut in range(0, len(data), 7):
        copy = EpisodeStore(tmp_path / str(cut))
        shutil.copytree(store.root, copy.root)
        (copy.root / "demo" / "steps.jsonl").write_bytes(data[:cut])
        finished = sum(end <= cut for end in whole[1:])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EpisodeWarning)
            assert states(copy.read("demo").steps) == found[:finished]
        with copy.resume("demo") as writer:
            writer.append(replace(step(4), state={"mail.items": MAILS}))
        assert states(copy.read("demo").steps) == [*found[:finished], {"mail.items": MAILS}]


def test_a_kill_before_the_line_leaves_a_state_that_the_same_step_uses(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    late = replace(step(1), state={"mail.items": MAILS[3:]})
    with store.create(task_id="t", instruction="i", agent="a", device="d", id="demo") as writer:
        writer.append(step(0))
        writer.prepare(late)
    assert len(state_files(store)) == 1
    assert len(store.read("demo").steps) == 1
    with store.resume("demo") as writer:
        writer.append(late)
    assert len(state_files(store)) == 1
    assert states(store.read("demo").steps) == [{}, {"mail.items": MAILS[3:]}]


def test_states_go_with_their_steps_through_every_edit_and_back(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    found: list[dict[str, JsonValue]] = [{"mail.items": MAILS[n:], "n": n} for n in range(6)]
    store.write(with_states(*found))
    other: list[dict[str, JsonValue]] = [{"orders": ["tea", n] * 100} for n in range(2)]
    store.write(with_states(*other, id_="other"))

    before = store.open("demo")
    save_edits(store, [before], [delete(before, 1, 2)], edit="delete")
    assert states(store.read("demo").steps) == [found[0], *found[2:]]
    before = store.open("demo")
    save_edits(store, [before], [crop(before, 1, 4)], edit="crop")
    assert states(store.read("demo").steps) == found[2:5]
    before, second = store.open("demo"), store.open("other")
    save_edits(store, [before, second], [merge(before, second)], edit="merge")
    assert states(store.read("demo").steps) == [*found[2:5], *other]
    before = store.open("demo")
    save_edits(store, [before], list(split(before, 3, "tail")), edit="split")
    assert states(store.read("tail").steps) == other
    before = store.open("demo")
    save_edits(store, [before], [insert(before, 0, before.steps[2])], edit="insert")
    assert states(store.read("demo").steps) == [found[4], *found[2:5]]
    for _ in range(5):
        store.undo("demo")
    assert states(store.read("demo").steps) == found
    for _ in range(5):
        store.redo("demo")
    assert states(store.read("demo").steps) == [found[4], *found[2:5]]
    for id_ in ("demo", "tail"):
        assert not [one for one in check_episode(store, id_) if one.severity == "error"]


@pytest.fixture
def old(tmp_path: Path) -> EpisodeStore:
    shutil.copytree(GOLDEN, tmp_path / "old")
    return EpisodeStore(tmp_path / "old")


def summary(found: Episode) -> dict[str, Any]:
    return {
        "version": found.version,
        "outcome": found.outcome,
        "state": dict(found.state),
        "steps": [
            {
                "action": one.decision.action.model_dump(mode="json"),
                "reward": one.reward,
                "note": one.note,
                "state": dict(one.state),
            }
            for one in found.steps
        ],
    }


def test_an_episode_of_the_first_schema_reads_as_before(old: EpisodeStore) -> None:
    for name, wanted in json.loads((GOLDEN / "expected.json").read_text()).items():
        id_, _, version = name.partition("@")
        assert summary(old.read(id_, int(version))) == wanted
        assert check_episode(old, id_) == [
            one for one in check_episode(old, id_) if one.kind in ("end", "repeat")
        ]


def test_an_episode_of_the_first_schema_goes_on_in_it(old: EpisodeStore) -> None:
    header = (old.root / "open" / "episode.json").read_bytes()
    with old.resume("open") as writer:
        assert isinstance(writer, EpisodeWriter)
        writer.append(replace(step(1), state={"mail.items": MAILS}))
        writer.finish("success")
    assert (old.root / "open" / "episode.json").read_bytes() == header
    assert json.loads(header)["schema"] == 1
    assert not state_files(old, "open")
    assert states(old.read("open").steps)[1] == {"mail.items": MAILS}


def test_an_edit_of_an_episode_of_the_first_schema_is_one_of_the_latest(old: EpisodeStore) -> None:
    before = old.open("mail")
    after = replace(before, steps=(*before.steps[1:], replace(before.steps[0], reward=2.0)))
    old.save(before, after, edit="any")
    assert states(old.read("mail").steps) == states(after.steps)
    directory = old.root / "mail"
    schemas = [
        json.loads((place / "episode.json").read_text())["schema"]
        for place in (directory, directory / "versions" / "2", directory / "versions" / "3")
    ]
    assert schemas == [1, 1, SCHEMA]
    assert len(state_files(old, "mail")) == 1


def test_a_schema_to_come_is_refused_by_name(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(with_states({}))
    path = tmp_path / "demo" / "episode.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": SCHEMA + 1}))
    with pytest.raises(
        SchemaVersionError, match=rf"schema {SCHEMA + 1}; this .* reads schemas 1 to {SCHEMA}"
    ):
        store.read("demo")


def test_a_steps_own_instruction_is_kept_apart_and_older_lines_have_none(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    told = replace(step(1), step_instruction="tap the search bar")
    store.write(replace(with_states({}), id="told", steps=(told, step(2))))
    read = store.read("told")
    assert [one.step_instruction for one in read.steps] == ["tap the search bar", ""]
    lines = (tmp_path / "told" / "steps.jsonl").read_text().splitlines()
    assert ["step_instruction" in line for line in lines[:2]] == [True, False]


def test_an_older_recording_takes_no_instruction_that_its_readers_refuse(
    old: EpisodeStore,
) -> None:
    with old.resume("open") as writer, pytest.raises(StoreError, match="older tapwright"):
        writer.append(replace(step(1), step_instruction="tap it"))
