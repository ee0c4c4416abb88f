import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.core.actions import TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.errors import BadImageError, CorruptEpisodeError, DiskError, StoreError
from tapwright.store.errors import (
    BadIdError,
    EditConflictError,
    EpisodeExistsError,
    EpisodeMissingError,
    SchemaVersionError,
)
from tapwright.store.ids import directory_name, new_id
from tapwright.store.records import EpisodeWarning
from tapwright.store.store import EpisodeStore
from tests.store.episodes import SIZE, episode, step
from tests.strategies import EPISODES


def stored(tmp_path: Path, steps: int = 3) -> tuple[EpisodeStore, Path]:
    store = EpisodeStore(tmp_path)
    store.write(episode(steps))
    return store, tmp_path / "demo"


@settings(deadline=None, max_examples=40)
@given(episode=EPISODES)
@pytest.mark.slow
def test_an_episode_survives_the_trip_through_the_disk(episode: Episode) -> None:
    with tempfile.TemporaryDirectory() as directory:
        store = EpisodeStore(directory)
        store.write(episode)
        found = store.read(episode.id)
        assert found == episode
        assert [one.observation.screenshot.data for one in found.steps] == [
            one.observation.screenshot.data for one in episode.steps
        ]


IDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=300)


@given(id_=IDS)
def test_an_id_of_any_script_becomes_one_safe_file_name(id_: str) -> None:
    name = directory_name(id_)
    assert "/" not in name
    assert not name.startswith(".")
    assert name.isascii()
    assert len(name) <= 80


@given(ids=st.lists(IDS, unique=True, min_size=2, max_size=5))
def test_different_ids_never_share_a_directory(ids: list[str]) -> None:
    assert len({directory_name(id_) for id_ in ids}) == len(ids)


@pytest.mark.parametrize("id_", ["../../evil", "a/b", "演示 一", "with space", "x" * 300, ".", "A"])
def test_an_id_from_outside_is_stored_inside_the_store(tmp_path: Path, id_: str) -> None:
    root = tmp_path / "store"
    EpisodeStore(root).write(episode(1, id_))
    assert [path.parent for path in tmp_path.rglob("episode.json")] == [root / directory_name(id_)]
    assert EpisodeStore(root).read(id_).id == id_
    assert EpisodeStore(root).ids() == [id_]


@pytest.mark.parametrize("name", ["record.jsonl", "annotate-rules-1.jsonl"])
def test_an_id_never_takes_the_place_of_a_ledger(tmp_path: Path, name: str) -> None:
    store = EpisodeStore(tmp_path)
    store.write(episode(1, name))
    (tmp_path / name).write_text("a ledger\n")
    assert store.ids() == [name]
    assert store.read(name).id == name


@pytest.mark.parametrize("id_", ["", "a\0b", "a\nb", "x" * 1001, "\ud800"])
def test_an_id_that_cannot_be_stored_is_refused(tmp_path: Path, id_: str) -> None:
    with pytest.raises(BadIdError):
        EpisodeStore(tmp_path).write(episode(1, id_))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("id_", ["con", "nul.txt", "com1", "lpt9.a", "ends in."])
def test_a_name_that_windows_takes_for_something_else_is_never_given(id_: str) -> None:
    assert "~" in directory_name(id_)
    assert directory_name("console.log") == "console.log"


def test_new_ids_sort_by_age_and_differ() -> None:
    ids = [new_id() for _ in range(100)]
    assert len(set(ids)) == 100
    assert [id_[:12] for id_ in ids] == sorted(id_[:12] for id_ in ids)


def test_equal_frames_and_trees_are_stored_once(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(replace(episode(0), steps=(step(1), step(1), step(2))))
    assert len(list((tmp_path / "demo" / "frames").iterdir())) == 2
    assert len(list((tmp_path / "demo" / "ui").iterdir())) == 2


def test_frames_are_the_bytes_that_the_device_gave(tmp_path: Path) -> None:
    _, directory = stored(tmp_path, 1)
    (frame,) = (directory / "frames").iterdir()
    assert frame.read_bytes() == painted_scene(0, SIZE).picture


WRITER = """
import sys
from pathlib import Path
from tapwright.store.store import EpisodeStore
from dataclasses import replace

from tests.store.episodes import step

store = EpisodeStore(sys.argv[1])
writer = store.create(task_id="t", instruction="i", agent="a", device="d", id="demo")
for number in range(1000):
    writer.append(replace(step(number % 5), state={"mails": [number] * 200}))
    print(number, flush=True)
"""


@pytest.mark.parametrize("steps", [1, 7])
def test_a_writer_killed_after_n_steps_leaves_n_readable_steps(tmp_path: Path, steps: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    with process:
        assert process.stdout is not None
        for _ in range(steps):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        acknowledged = steps + len(process.stdout.read().splitlines())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EpisodeWarning)  # the kill may have torn the next line
        found = EpisodeStore(tmp_path).read("demo")
    assert acknowledged <= len(found.steps) <= acknowledged + 1
    assert found.outcome == "interrupted"
    assert all(one.observation.screenshot.image() for one in found.steps)
    assert all(one.state["mails"] == [n] * 200 for n, one in enumerate(found.steps))


def test_a_half_written_last_line_is_ignored_and_reported(tmp_path: Path) -> None:
    store, directory = stored(tmp_path)
    path = directory / "steps.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][:40])
    with pytest.warns(EpisodeWarning, match=r"steps\.jsonl, line 3: half-written"):
        found = store.read("demo")
    assert len(found.steps) == 2


@pytest.mark.parametrize("damage", [b"{not json}", b"", b'{"type":"step"}', b"\xff\xfe", b"[]"])
def test_a_bad_line_in_the_middle_is_an_error_that_names_it(tmp_path: Path, damage: bytes) -> None:
    store, directory = stored(tmp_path)
    path = directory / "steps.jsonl"
    lines = path.read_bytes().splitlines()
    lines[1] = damage
    path.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(CorruptEpisodeError, match=r"steps\.jsonl, line 2: ") as caught:
        store.read("demo")
    assert "1 lines before it are intact" in caught.value.hint


def test_coordinates_out_of_range_in_a_file_are_an_error_that_names_the_line(
    tmp_path: Path,
) -> None:
    store, directory = stored(tmp_path)
    path = directory / "steps.jsonl"
    path.write_text(path.read_text().replace('"x":0.5', '"x":1.5', 1))
    with pytest.raises(CorruptEpisodeError, match=r"steps\.jsonl, line 1: .*off the screen"):
        store.read("demo")


def test_another_schema_version_is_refused_with_the_way_out(tmp_path: Path) -> None:
    store, directory = stored(tmp_path)
    path = directory / "episode.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 99}))
    with pytest.raises(SchemaVersionError, match="schema 99") as caught:
        store.read("demo")
    assert "install the newer tapwright" in caught.value.hint


@pytest.mark.parametrize("text", ["", "[]", "{", '{"schema": 1}', "null"])
def test_a_broken_header_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    store, directory = stored(tmp_path)
    (directory / "episode.json").write_text(text)
    with pytest.raises(CorruptEpisodeError, match=r"episode\.json"):
        store.read("demo")


def damage_header(directory: Path, text: str | None) -> None:
    (directory / "episode.json").unlink()
    if text is None:
        (directory / "episode.json").mkdir()
    else:
        (directory / "episode.json").write_text(text)


@pytest.mark.parametrize(
    "text",
    [None, "", "[" * 200_000, '{"schema": 99}', '{"id": "\\ud83d' + "[" * 200_000],
    ids=["a directory", "empty", "deep", "another schema", "half"],
)
def test_one_broken_header_hides_no_other_episode(tmp_path: Path, text: str | None) -> None:
    store = EpisodeStore(tmp_path)
    for id_ in "abc":
        store.write(episode(1, id_))
    damage_header(tmp_path / "b", text)
    with pytest.warns(EpisodeWarning, match=r"b/episode\.json: .*; the episode is skipped"):
        assert store.ids() == ["a", "c"]
    with pytest.warns(EpisodeWarning, match=r"b/episode\.json"):
        assert [one.id for one in store] == ["a", "c"]
    with pytest.raises((CorruptEpisodeError, SchemaVersionError), match=r"b/episode\.json: "):
        store.read("b")


@pytest.mark.parametrize("line", ["[" * 200_000, '{"type": "\\ud83d' + "[" * 200_000])
def test_a_line_that_is_too_deep_is_an_error_that_names_it(tmp_path: Path, line: str) -> None:
    store, directory = stored(tmp_path)
    (directory / "steps.jsonl").write_text(line + "\n")
    with pytest.raises(CorruptEpisodeError, match=r"steps\.jsonl, line 1: "):
        store.read("demo")


def test_steps_that_cannot_be_read_are_an_error_that_names_the_file(tmp_path: Path) -> None:
    store, directory = stored(tmp_path)
    (directory / "steps.jsonl").unlink()
    (directory / "steps.jsonl").mkdir()
    with pytest.raises(CorruptEpisodeError, match=r"steps\.jsonl: cannot be read: Is a directory"):
        store.read("demo")


@settings(deadline=None, max_examples=25)
@given(made=st.lists(st.sampled_from(["", "2020", "2021"]), min_size=1, max_size=6))
def test_episodes_are_listed_by_age_and_then_by_id(made: list[str]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        store = EpisodeStore(directory)
        # Stored under a hash, the ids come from the disk in another order than their own.
        given = {f"E {number}": created for number, created in enumerate(made)}
        for id_, created in given.items():
            store.write(replace(episode(0, id_), created=created))
        assert store.ids() == sorted(given, key=lambda id_: (given[id_], id_))


def test_a_missing_frame_is_an_error_that_names_it_when_it_is_looked_at(tmp_path: Path) -> None:
    store, directory = stored(tmp_path, 1)
    (frame,) = (directory / "frames").iterdir()
    frame.unlink()
    found = store.read("demo")
    with pytest.raises(CorruptEpisodeError, match=frame.name):
        _ = found.steps[0].observation.screenshot.data


def test_a_corrupt_tree_is_an_error_that_names_it(tmp_path: Path) -> None:
    store, directory = stored(tmp_path, 1)
    (tree,) = (directory / "ui").iterdir()
    tree.write_bytes(b"not zstd")
    found = store.read("demo").steps[0].observation.ui_tree
    assert found is not None
    with pytest.raises(CorruptEpisodeError, match=tree.name):
        _ = found.nodes


def test_an_episode_is_on_disk_before_its_first_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: set[int] = set()
    sync = os.fsync

    def noting(handle: int) -> None:
        synced.add(os.fstat(handle).st_ino)
        sync(handle)

    monkeypatch.setattr(os, "fsync", noting)
    store = EpisodeStore(tmp_path / "new" / "store")
    store.create(task_id="t", instruction="i", agent="a", device="d", id="demo").close()
    assert store.read("demo").steps == ()
    everything = {path.stat().st_ino for path in [tmp_path, *tmp_path.rglob("*")]}
    assert everything <= synced


def test_an_episode_whose_steps_are_gone_is_corrupt(tmp_path: Path) -> None:
    store, directory = stored(tmp_path)
    (directory / "steps.jsonl").unlink()
    with pytest.raises(CorruptEpisodeError, match=r"steps\.jsonl: cannot be read: No such file"):
        store.read("demo")


def test_of_two_that_begin_one_episode_at_once_one_is_told(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    barrier = threading.Barrier(8)

    def create() -> str:
        barrier.wait()
        try:
            store.create(task_id="t", instruction="i", agent="a", device="d", id="demo").close()
        except EpisodeExistsError:
            return "told"
        return "made"

    with ThreadPoolExecutor(8) as pool:
        ended = [future.result() for future in [pool.submit(create) for _ in range(8)]]
    assert sorted(ended) == ["made"] + ["told"] * 7
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


def test_a_whole_episode_appears_in_one_move_or_not_at_all(tmp_path: Path) -> None:
    bad = replace(step(1), observation=replace(step(1).observation, screenshot=Screenshot(b"GIF")))
    with pytest.raises(BadImageError):
        EpisodeStore(tmp_path).write(replace(episode(), steps=(step(0), bad)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_none_is_refused_before_anything_is_written(
    tmp_path: Path, number: float
) -> None:
    store = EpisodeStore(tmp_path)
    odd = replace(step(1), reward=number)
    late = replace(step(1), observation=replace(step(1).observation, time_s=number))
    with store.create(task_id="t", instruction="i", agent="a", device="d", id="demo") as writer:
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(StoreError, match=r"demo, step 0: cannot be stored: reward: .*finite"):
            writer.append(odd)
        with pytest.raises(StoreError, match=r"demo, step 0: cannot be stored: time_s: .*finite"):
            writer.append(late)
        with pytest.raises(StoreError, match=r"demo, its end: cannot be stored: time_s"):
            writer.finish("success", late.observation)
        assert sorted(tmp_path.rglob("*")) == before
        writer.append(step(0))
    assert len(store.read("demo").steps) == 1
    with pytest.raises(StoreError, match="other, step 1: cannot be stored: reward"):
        store.write(replace(episode(1, "other"), steps=(step(0), odd)))
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


@pytest.mark.parametrize("field", ["width", "height"])
def test_a_screen_without_pixels_is_an_error_that_names_the_line(
    tmp_path: Path, field: str
) -> None:
    store, directory = stored(tmp_path)
    path = directory / "steps.jsonl"
    found = re.sub(rf'"{field}":\d+', f'"{field}":0', path.read_text(), count=1)
    path.write_text(found)
    with pytest.raises(CorruptEpisodeError, match=rf"steps\.jsonl, line 1: .*{field}: "):
        store.read("demo")


def test_half_an_emoji_is_kept_wherever_a_model_wrote_it(tmp_path: Path) -> None:
    half = "ok \ud83d"
    seen = replace(step(0).observation, app=half)
    said = Step(
        seen,
        Decision(TypeText(text=half), half, half),
        log=(half,),
        state={half: "in a key", "�": half},
        refused=half,
    )
    given = replace(
        episode(0), instruction=half, agent=half, steps=(said, step(1)), extra={half: half}
    )
    EpisodeStore(tmp_path).write(given)
    assert EpisodeStore(tmp_path).read("demo") == given


def test_an_id_is_used_once(tmp_path: Path) -> None:
    store, directory = stored(tmp_path)
    before = (directory / "steps.jsonl").read_bytes()
    with pytest.raises(EpisodeExistsError, match="demo"):
        store.write(episode())
    assert (directory / "steps.jsonl").read_bytes() == before


def test_an_unknown_episode_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(EpisodeMissingError, match="nowhere") as caught:
        EpisodeStore(tmp_path).read("nowhere")
    assert "episodes ls" in caught.value.hint


def test_an_ended_episode_takes_no_more_steps(tmp_path: Path) -> None:
    writer = EpisodeStore(tmp_path).create(task_id="t", instruction="i", agent="a", device="d")
    with writer:
        writer.finish("success")
        with pytest.raises(StoreError, match="has ended"):
            writer.append(step(0))


def test_a_screenshot_that_is_no_image_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    with store.create(task_id="t", instruction="i", agent="a", device="d", id="demo") as writer:
        writer.append(step(0))
        bad = replace(step(1).observation, screenshot=Screenshot(b"GIF89a"))
        with pytest.raises(BadImageError):
            writer.append(Step(bad, Decision(TypeText(text="x"))))
        writer.append(step(2))
    assert len(store.read("demo").steps) == 2


FULL = """
import resource, signal, sys
from tapwright.errors import DiskError
from tapwright.store.store import EpisodeStore
from tests.store.episodes import step

store = EpisodeStore(sys.argv[1])
writer = store.create(task_id="t", instruction="i", agent="a", device="d", id="demo")
writer.append(step(0))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), hard))
try:
    writer.append(step(1))
except DiskError as error:
    print(error, flush=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
writer.append(step(2))
"""


@pytest.mark.parametrize("limit", ["1", "700"], ids=["no frame fits", "half a line fits"])
def test_a_full_disk_is_an_error_and_leaves_every_step_whole(tmp_path: Path, limit: str) -> None:
    # A limit on file sizes makes the kernel refuse to write, as a full disk does.
    run = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path), limit],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert "cannot be written" in run.stdout
    found = EpisodeStore(tmp_path).read("demo")
    assert [one.decision.reasoning for one in found.steps] == ["because 0", "because 2"]
    assert not list(tmp_path.rglob("*.part"))


def test_a_store_that_cannot_be_written_is_an_error_with_the_path(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    with pytest.raises(DiskError, match="file"):
        EpisodeStore(blocked).write(episode())


def test_a_directory_without_episodes_is_an_empty_store(tmp_path: Path) -> None:
    (tmp_path / "something else").mkdir()
    assert EpisodeStore(tmp_path).ids() == []
    assert list(EpisodeStore(tmp_path / "missing")) == []


def recorded(tmp_path: Path, steps: int = 3) -> EpisodeStore:
    store = EpisodeStore(tmp_path)
    with store.create(task_id="t", instruction="i", agent="a", device="d", id="demo") as writer:
        for number in range(steps):
            writer.append(step(number))
    return store


@given(turns=st.lists(st.sampled_from(["append", "undo", "redo", "note", "resume"]), max_size=12))
@settings(max_examples=40, deadline=None)
@pytest.mark.slow
def test_a_recording_reads_as_if_nothing_taken_back_had_been_done(turns: list[str]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        store = recorded(Path(directory), 1)
        there, undone = [step(0)], list[Step]()
        writer = store.resume("demo")
        for number, turn in enumerate(turns, start=1):
            match turn:
                case "append":
                    there.append(step(number % 5))
                    undone.clear()
                    writer.append(there[-1])
                case "undo" if there:
                    undone.append(there.pop())
                    writer.undo()
                case "redo" if undone:
                    there.append(undone.pop())
                    writer.redo()
                case "note" if there:
                    there[-1] = replace(there[-1], note=f"note {number}")
                    writer.note(len(there) - 1, f"note {number}")
                case "resume":
                    writer.close()
                    writer = store.resume("demo")
            assert (writer.steps, writer.undone) == (len(there), len(undone))
        writer.finish("success")
        writer.close()
        assert list(store.read("demo").steps) == there
        assert list(store.open("demo").steps) == there
        edited = replace(store.read("demo"), steps=store.read("demo").steps[1:])
        store.save(store.read("demo"), edited, edit="delete")
        assert list(store.read("demo").steps) == there[1:]


def test_a_recording_that_was_killed_in_a_line_goes_on_after_the_last_whole_one(
    tmp_path: Path,
) -> None:
    store = recorded(tmp_path)
    path = tmp_path / "demo" / "steps.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    with store.resume("demo") as writer:
        assert writer.steps == 2
        writer.append(step(4))
    assert list(store.read("demo").steps) == [step(0), step(1), step(4)]


def test_nothing_is_taken_back_or_brought_back_that_is_not_there(tmp_path: Path) -> None:
    store = recorded(tmp_path, 0)
    with store.resume("demo") as writer:
        with pytest.raises(StoreError):
            writer.undo()
        with pytest.raises(StoreError):
            writer.redo()
        with pytest.raises(StoreError, match="no step 0"):
            writer.note(0, "")


@pytest.mark.slow
def test_an_episode_that_is_being_recorded_has_no_other_writer_or_editor(tmp_path: Path) -> None:
    store = recorded(tmp_path)
    with store.resume("demo"):
        with pytest.raises(EditConflictError):
            store.resume("demo")
        with pytest.raises(EditConflictError):
            store.remove(store.read("demo"))
    store.remove(store.read("demo"))
    with pytest.raises(StoreError, match="edited since"):
        store.resume("demo")


def test_an_episode_that_has_ended_takes_nothing_more(tmp_path: Path) -> None:
    store, _ = stored(tmp_path)
    with store.resume("demo") as writer, pytest.raises(StoreError, match="has ended"):
        writer.undo()


def test_a_line_that_takes_back_what_is_not_there_is_told_with_its_number(tmp_path: Path) -> None:
    store = recorded(tmp_path, 1)
    path = tmp_path / "demo" / "steps.jsonl"
    path.write_bytes(path.read_bytes() + b'{"type":"undo"}\n{"type":"undo"}\n')
    with pytest.raises(CorruptEpisodeError, match="line 3"):
        store.read("demo")
