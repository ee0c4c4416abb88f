import asyncio
import json
import os
import pickle
import shutil
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tapwright.core.actions import PressKey, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import DiskError
from tapwright.formats import formats
from tapwright.formats.format import EpisodeImporter, UnreadableEpisode
from tapwright.formats.importers.foreign_record import head_contains
from tapwright.formats.importers.job import (
    LEDGER,
    UNREADABLE,
    ImportResult,
    import_order,
    import_sources,
)
from tapwright.formats.importers.screenagent import SCREENAGENT
from tapwright.formats.importers.sources import Filter, find_sources
from tapwright.formats.limits import MAX_EPISODE_STEPS, MAX_UNREADABLE
from tapwright.formats.mobiagent.importer import MOBIAGENT
from tapwright.formats.mobile_env.episodes import MOBILE_ENV
from tapwright.formats.mobile_env.resave import VocabularyReader, read_vocabularies
from tapwright.formats.osworld.importer import OSWORLD
from tapwright.store.store import EpisodeStore
from tests.formats.foreign import picture
from tests.formats.test_archives import zipped_as

GOLDEN = Path(__file__).parents[1] / "golden" / "mobile_env_pickles"


def imported(
    store: Path, *paths: Path, importers: Sequence[EpisodeImporter] = (MOBILE_ENV,)
) -> list[ImportResult]:
    async def run() -> list[ImportResult]:
        given = find_sources(paths, importers)
        return [ended async for ended in import_sources(given, EpisodeStore(store))]

    return asyncio.run(run())


def counts(ended: list[ImportResult]) -> list[tuple[int, int, int]]:
    return [(one.new, one.existing, len(one.unreadable)) for one in ended]


def unreadable(store: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (store / UNREADABLE).read_text().splitlines()]


class Counting:
    """Mobile-Env's format, which also counts how often a file is read."""

    name = "counting"

    def __init__(self) -> None:
        self.read_of: list[str] = []

    def recognizes(self, path: Path) -> bool:
        return MOBILE_ENV.recognizes(path)

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        self.read_of.append(path.name)
        return MOBILE_ENV.read(path)


def test_a_directory_is_searched_and_its_episodes_are_stored(tmp_path: Path) -> None:
    assert counts(imported(tmp_path / "store", GOLDEN / "raw")) == [(1, 0, 0)] * 3
    assert unreadable(tmp_path / "store") == []
    store = EpisodeStore(tmp_path / "store")
    (first,) = MOBILE_ENV.read(GOLDEN / "raw" / "alice.1.pkl")
    assert isinstance(first, Episode)
    assert store.read(first.id) == first


def test_a_second_run_reads_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    counting = Counting()
    for expected in ([(1, 0, 0)] * 3, [(0, 1, 0)] * 3):
        found = imported(tmp_path / "store", GOLDEN / "raw", importers=[counting])
        assert counts(found) == expected
    assert counting.read_of == ["alice.1.pkl", "alice.3.pkl", "alice.5.pkl"]
    assert len(EpisodeStore(tmp_path / "store").ids()) == 3


def test_an_episode_that_has_gone_is_imported_again(tmp_path: Path) -> None:
    imported(tmp_path / "store", GOLDEN / "raw")
    gone = EpisodeStore(tmp_path / "store").ids()[0]
    shutil.rmtree(tmp_path / "store" / gone)
    assert sorted(counts(imported(tmp_path / "store", GOLDEN / "raw"))) == [
        (0, 1, 0),
        (0, 1, 0),
        (1, 0, 0),
    ]


def test_a_file_that_grew_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "bob.1.pkl"
    shutil.copy(GOLDEN / "raw" / "alice.1.pkl", path)
    assert counts(imported(tmp_path / "store", path)) == [(1, 0, 0)]
    with path.open("ab") as file:
        file.write((GOLDEN / "raw" / "alice.5.pkl").read_bytes())
    assert counts(imported(tmp_path / "store", path)) == [(1, 1, 0)]


def test_one_bad_episode_among_many_is_told_until_it_is_mended(tmp_path: Path) -> None:
    good = pickle.loads((GOLDEN / "raw" / "alice.5.pkl").read_bytes())
    bad = [good[0], good[1] | {"action_type": 9}]
    path = tmp_path / "x.pkl"
    path.write_bytes(pickle.dumps([*good]) + pickle.dumps(bad))
    (tmp_path / "hostile.pkl").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    store = tmp_path / "store"
    for new in (1, 0):
        found = counts(imported(store, path, tmp_path / "hostile.pkl"))
        assert found == [(new, 1 - new, 1), (0, 0, 1)]
        told = unreadable(store)
        assert [(one["code"], one["source"]) for one in told] == [
            ("TW800", str(path)),
            ("TW801", str(tmp_path / "hostile.pkl")),
        ]
        assert "trajectory 1, record 1: action_type is 9" in told[0]["reason"]
        assert "os.system" in told[1]["reason"]
    path.write_bytes(pickle.dumps([*good]))
    assert counts(imported(store, path)) == [(0, 1, 0)]
    assert [one["code"] for one in unreadable(store)] == ["TW801"]


def test_a_run_that_dies_loses_nothing_and_the_next_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    rename = Path.rename

    def full(path: Path, target: Path) -> Path:
        if "find-shoes" in str(target):
            raise OSError(28, os.strerror(28))
        return rename(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", full)
        with pytest.raises(DiskError):
            imported(store, GOLDEN / "raw")
    assert len(EpisodeStore(store).ids()) == 1
    assert counts(imported(store, GOLDEN / "raw")) == [(0, 1, 0), (1, 0, 0), (1, 0, 0)]


def test_an_archive_is_searched_and_a_bad_file_in_it_leaves_the_others_unaffected(
    tmp_path: Path,
) -> None:
    path = zipped_as(
        tmp_path / "dumps.zip",
        {
            "a/alice.1.pkl": (GOLDEN / "raw" / "alice.1.pkl").read_bytes(),
            "a/bad.pkl": b"",
            "a/inner.zip": b"",
            "b/alice.3.pkl": (GOLDEN / "raw" / "alice.3.pkl").read_bytes(),
        },
    )
    (ended,) = imported(tmp_path / "store", path)
    assert counts([ended]) == [(2, 0, 2)]
    told = {one.where: one.reason for one in ended.unreadable}
    assert told.keys() == {f"{path}!/a/bad.pkl", f"{path}!/a/inner.zip"}
    assert "an archive in an archive" in told[f"{path}!/a/inner.zip"]


class Named(Counting):
    """A format whose ids are names, which other data may bear as well."""

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        for found in super().read(path):
            yield replace(found, id="demo") if isinstance(found, Episode) else found


def test_every_attempt_of_one_id_comes_in_and_comes_in_once(tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert counts(imported(store, GOLDEN / "raw", importers=[Named()])) == [(1, 0, 0)] * 3
    ids = EpisodeStore(store).ids()
    assert len(ids) == 3
    assert all(id_.startswith("demo") for id_ in ids)
    (store / LEDGER).unlink()
    assert counts(imported(store, GOLDEN / "raw", importers=[Named()])) == [(0, 1, 0)] * 3


def test_a_recording_that_was_explained_since_is_told_and_another_attempt_comes_in(
    tmp_path: Path,
) -> None:
    recording = {"app_name": "a", "task_type": "b", "task_description": "c"}
    for root, actions, why in (
        ("one", [{"type": "wait"}], None),
        ("two", [{"type": "input", "text": "tea"}], None),
        ("one", [{"type": "wait"}], "It loads."),
    ):
        directory = tmp_path / root / "a" / "b" / "1"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "1.jpg").write_bytes(picture(kind="JPEG"))
        (directory / "actions.json").write_text(json.dumps({**recording, "actions": actions}))
        if why is not None:
            reason = {"reasoning": why, "action": "wait", "parameters": {}}
            (directory / "react.json").write_text(json.dumps([reason]))
        (ended,) = imported(tmp_path / "store", tmp_path / root, importers=[MOBIAGENT])
        if root == "two":
            assert counts([ended]) == [(1, 0, 0)]
            assert len(EpisodeStore(tmp_path / "store").ids()) == 2
        elif why is None:
            assert counts([ended]) == [(1, 0, 0)]
            assert counts(imported(tmp_path / "store", tmp_path / root, importers=[MOBIAGENT])) == [
                (0, 1, 0)
            ]
        else:
            assert counts([ended]) == [(0, 0, 1)]
            assert "a/b/1: the store has another episode of this id" in ended.unreadable[0].reason


def test_a_file_is_read_again_when_other_tasks_tell_its_words(tmp_path: Path) -> None:
    raw, explained = (
        GOLDEN / "raw" / "alice.1.pkl",
        VocabularyReader(read_vocabularies(GOLDEN / "tasks")),
    )
    for importer, expected in (
        (MOBILE_ENV, (1, 0, 0)),
        (explained, (1, 0, 0)),
        (MOBILE_ENV, (0, 1, 0)),
        (explained, (0, 1, 0)),
    ):
        assert counts(imported(tmp_path / "store", raw, importers=[importer])) == [expected]
    typed = [
        step.decision.action.text
        for episode in EpisodeStore(tmp_path / "store")
        for step in episode.steps
        if isinstance(step.decision.action, TypeText)
    ]
    assert sorted(typed) == ["[token 0] [token 1]", "milks"]


def test_each_episode_is_told_as_it_comes(tmp_path: Path) -> None:
    told: list[str] = []

    async def run() -> None:
        given = find_sources([GOLDEN / "two_in_one.pkl"], [MOBILE_ENV])
        store = EpisodeStore(tmp_path)
        async for _ in import_sources(given, store, on_episode=lambda: told.append("one")):
            told.append("source")  # noqa: PERF401 - the order of the two is what is tested

    asyncio.run(run())
    assert told == ["one", "one", "source"]


@pytest.mark.parametrize("name", ["missing.pkl", "missing.zip", "text.txt"])
def test_what_no_format_knows_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "text.txt").write_text("hello")
    (ended,) = imported(tmp_path / "store", tmp_path / name, importers=[MOBILE_ENV, Counting()])
    assert name in ended.unreadable[0].reason


def test_a_path_that_is_given_twice_is_read_once(tmp_path: Path) -> None:
    path = GOLDEN / "raw" / "alice.1.pkl"
    assert counts(imported(tmp_path / "store", path, path, GOLDEN / "raw")) == [(1, 0, 0)] * 3


def test_imported_episodes_keep_the_order_of_their_sources(tmp_path: Path) -> None:
    imported(tmp_path / "store", GOLDEN / "two_in_one.pkl", GOLDEN / "raw")
    found = [
        one.id for one in MOBILE_ENV.read(GOLDEN / "two_in_one.pkl") if isinstance(one, Episode)
    ]
    store = EpisodeStore(tmp_path / "store")
    assert import_order(store, store.ids())[:2] == found
    assert sorted(import_order(store, store.ids())) == sorted(store.ids())
    (tmp_path / "store" / LEDGER).unlink()
    assert import_order(store, store.ids()) == store.ids()


def steps_of(count: int, shot: bytes) -> "Importing":
    return Importing(
        Episode(
            id="long",
            task_id="t",
            instruction="do it",
            steps=(
                Step(Observation(Screenshot(shot), Size(100, 200)), Decision(PressKey(key="back"))),
            )
            * count,
        )
    )


class Importing:
    """A format whose files all hold the same episode."""

    name = "importing"

    def __init__(self, *found: Episode | UnreadableEpisode) -> None:
        self._found = found

    def recognizes(self, path: Path) -> bool:
        return True

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        yield from self._found


def test_an_episode_of_more_steps_than_allowed_is_told(tmp_path: Path) -> None:
    importer = steps_of(MAX_EPISODE_STEPS + 1, picture())
    assert counts(imported(tmp_path / "store", tmp_path, importers=[importer])) == [(0, 0, 1)]
    assert "20,001 steps" in unreadable(tmp_path / "store")[0]["reason"]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("trusted", [False, True])
def test_a_picture_that_was_cut_is_told_unless_pictures_are_trusted(
    tmp_path: Path, kind: str, trusted: bool
) -> None:
    noise = Image.effect_noise((100, 200), 50).convert("RGB")
    made = BytesIO()
    noise.save(made, kind)
    cut = made.getvalue()[: len(made.getvalue()) // 2]
    importer = steps_of(1, cut)

    async def run() -> list[ImportResult]:
        given = find_sources([tmp_path], [importer])
        into = EpisodeStore(tmp_path / "store")
        return [one async for one in import_sources(given, into, trust_pictures=trusted)]

    whole_header = kind != "WEBP"  # its header tells the length
    ended = asyncio.run(run())
    if trusted and not whole_header:
        assert counts(ended) == [(0, 0, 1)]
        return
    assert counts(ended) == [(1, 0, 0)]
    (step,) = EpisodeStore(tmp_path / "store").read("long").steps
    assert step.observation.screenshot.recorded is trusted
    assert ended[0].totals["pictures"].left_out == (not trusted)
    assert bool(step.log) is not trusted


def test_what_follows_too_many_unreadable_episodes_is_not_read(tmp_path: Path) -> None:
    bad = UnreadableEpisode("here", "TW800", "bad")
    importer = Importing(*[bad] * (MAX_UNREADABLE + 5))
    (result,) = imported(tmp_path / "store", tmp_path, importers=[importer])
    assert len(result.unreadable) == MAX_UNREADABLE + 1
    assert "what follows was not read" in result.unreadable[-1].reason


LONG = "I think. " * 6000
STEP = {"step_num": 1, "action": "pyautogui.click(1, 2)", "screenshot_file": "1.png"}
ELEMENTS = [{"bounds": [0, 0, 9, 9], "text": f"element {number}"} for number in range(600)]
LATE = {
    "osworld": ("task/traj.jsonl", {"response": LONG, **STEP}),
    "aitz": ("one.json", [{"ui_elements": ELEMENTS, "result_action_type": 4}]),
    "agentnet": ("all.jsonl", {"instruction": LONG, "traj": [{"code": "x"}]}),
    "agentnetbench": ("a.json", {"about": LONG, "high_level_task_description": "", "steps": []}),
    "gui-odyssey": ("a.json", {"about": LONG, "device_info": {}, "task_info": {}}),
    "android-control": ("c.jsonl", {"goal": LONG, "steps": [{"action_content": {}}]}),
    "inspect": ("log.json", {"about": LONG, "status": "", "eval": {"run_id": ""}}),
    "screenagent": ("session/a.json", {"about": LONG, "task_prompt": "", "send_prompt": ""}),
}


@pytest.mark.parametrize("name", LATE)
@pytest.mark.parametrize("before", ["", "\n\n"])
def test_a_recording_is_recognized_however_long_what_comes_first_is(
    tmp_path: Path, name: str, before: str
) -> None:
    place, record = LATE[name]
    file = tmp_path / place
    file.parent.mkdir(exist_ok=True)
    file.write_text(before + json.dumps(record))
    members = [one for _, one in formats.installed()]
    importers = [one for one in members if isinstance(one, EpisodeImporter)]
    (source,) = find_sources([tmp_path], importers)
    assert not isinstance(source.reader, tuple)
    assert source.reader.name == name


def test_a_marker_that_lies_across_two_pieces_is_found(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    for length in range(4070, 4100):
        file.write_bytes(b" " * length + b'"result_action_type"')
        assert head_contains(file, ".json", b'"result_action_type"')
        assert not head_contains(file, ".json", b'"result_action_types"')


def test_a_marker_is_looked_for_in_every_line(tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    lines.write_bytes(b'{"about": 1}\n{"traj": 1, "code": 2}\n')
    assert head_contains(lines, ".jsonl", b'"traj"', b'"code"')
    assert not head_contains(lines, ".jsonl", b'"traj"', b'"about"')


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
STRANGERS = {
    "train.parquet": "PAR1",
    "mind2web.json": '[{"annotation_id": "1", "actions": []}]',
    "more.pkl": POINTER,
    "other.jsonl": POINTER,
    "shard-00000-of-00020": "not a TFRecord",
}


@pytest.mark.parametrize("archived", [False, True])
def test_what_no_format_reads_is_named_beside_what_one_reads(
    tmp_path: Path, archived: bool
) -> None:
    root = tmp_path / "given"
    (root / "crashed").mkdir(parents=True)
    shutil.copy(GOLDEN / "raw" / "alice.1.pkl", root)
    for name, text in STRANGERS.items():
        (root / name).write_text(text)
    companions = ["README", "notes.md", "shot.png", "uv.lock", "args.json", "dataset.json", "i.z01"]
    for name in companions:
        (root / name).write_text("x")
    given = root
    if archived:
        given = tmp_path / "given.zip"
        with zipfile.ZipFile(given, "w") as archive:
            for file in sorted(root.rglob("*")):
                archive.write(file, file.relative_to(root))
    store = tmp_path / "store"
    ended = imported(store, given, importers=[MOBILE_ENV, MOBIAGENT, OSWORLD])
    assert sum(one.new for one in ended) == 1
    bad = unreadable(store)
    assert len(bad) == len(STRANGERS)
    for name, text in STRANGERS.items():
        (line,) = [one for one in bad if name in one["reason"]]
        assert ("git lfs pull" if text == POINTER else "no format recognizes") in line["reason"]
    total = [one.totals["files"] for one in ended]
    files = [one for one in root.rglob("*") if one.is_file()]
    assert sum(one.seen for one in total) == len(files) + archived
    assert sum(one.read for one in total) == 1 + archived
    left = {Path(one.where).name for result in ended for one in result.left_out}
    assert left >= set(companions)


def test_only_what_is_chosen_is_read_and_the_rest_is_counted(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN / "raw", tmp_path / "given/raw")
    (tmp_path / "given/raw/odd.bin").write_text("x")

    def read(chosen: Filter) -> tuple[list[str], int]:
        found = list(find_sources([tmp_path / "given"], [MOBILE_ENV, MOBIAGENT], chosen))
        read = [one.path.name for one in found if one.reader is MOBILE_ENV]
        return read, sum(len(one.files) for one in found)

    every = ["alice.1.pkl", "alice.3.pkl", "alice.5.pkl"]
    assert read(Filter()) == (every, 4)
    assert read(Filter(only=("*.1.pkl",))) == (every[:1], 4)
    assert read(Filter(exclude=("raw/*.1.pkl", "*.bin"))) == (every[1:], 4)
    assert read(Filter(exclude=("raw",))) == ([], 4)


def test_of_a_directory_whose_recording_is_left_out_nothing_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "app/type/1"
    folder.mkdir(parents=True)
    (folder / "actions.json").write_text("{}")
    (folder / "1.jpg").write_bytes(picture())
    found = list(find_sources([tmp_path], [MOBIAGENT], Filter(exclude=("actions.json",))))
    assert [(one.path.name, len(one.files)) for one in found] == [("excluded", 2)]


def test_a_store_and_a_pack_are_told_apart_from_what_is_imported(tmp_path: Path) -> None:
    store = tmp_path / "store"
    imported(store, GOLDEN / "raw")
    (tmp_path / "pack/episodes").mkdir(parents=True)
    (tmp_path / "pack/pack.jsonl").write_text("{}")
    given = [store, EpisodeStore(store).root / EpisodeStore(store).ids()[0], tmp_path / "pack"]
    ended = imported(tmp_path / "again", *given, importers=[MOBILE_ENV, MOBIAGENT])
    assert ["episodes copy" in one.unreadable[0].reason for one in ended] == [True, True, False]
    assert "episodes unpack" in ended[2].unreadable[0].reason


def test_many_files_of_a_kind_are_told_together_until_they_are_read(tmp_path: Path) -> None:
    root, store = tmp_path / "given", tmp_path / "store"
    for number in range(25):
        (root / f"{number}").mkdir(parents=True)
        (root / f"{number}/a.json").write_text("{}")
    for number in range(8):
        (root / f"{number}.pkl.bin").write_text("x")
    shutil.copy(GOLDEN / "raw" / "alice.1.pkl", root)
    imported(store, root)
    assert {Path(one["source"]).relative_to(root).as_posix() for one in unreadable(store)} == {
        "**/*.json",
        "*.bin",
    }
    reasons = " ".join(one["reason"] for one in unreadable(store))
    assert "25 files" in reasons
    assert "8 files" in reasons
    for file in (*root.glob("*.bin"), *root.glob("*/*.json")):
        shutil.copy(GOLDEN / "raw" / "alice.1.pkl", file)
    imported(store, root, importers=[ByContent()])
    assert unreadable(store) == []


class ByContent(Counting):
    """Reads pickles whatever their names are."""

    def recognizes(self, path: Path) -> bool:
        return path.is_file()


def test_what_lies_in_a_session_and_is_none_of_it_is_told(tmp_path: Path) -> None:
    session = tmp_path / "given/s"
    (session / "images").mkdir(parents=True)
    record = {
        "session_id": "s", "task_prompt": "Go", "send_prompt": "", "saved_image_name": "1.jpg",
        "video_width": 100, "video_height": 200, "unknown": 1,
        "actions": [{"action_type": "WaitAction", "wait_time": 1}],
    }  # fmt: skip
    (session / "1_translate.json").write_text(json.dumps(record))
    (session / "1_translate_neg_plan.json").write_text(json.dumps(record))
    (session / "images/1.jpg").write_bytes(picture(kind="JPEG"))
    for name in (".DS_Store", "notes.txt", "images/2.jpg", "rows.parquet"):
        (session / name).write_text("x")
    (ended,) = imported(tmp_path / "store", tmp_path / "given", importers=[SCREENAGENT, MOBIAGENT])
    files = {Path(one.where).name: one for one in ended.left_out if one.kind == "files"}
    assert files.keys() == {
        *("1_translate_neg_plan.json", ".DS_Store", "notes.txt", "2.jpg", "rows.parquet")
    }
    assert [name for name, one in files.items() if one.is_fault] == ["rows.parquet"]
    assert ended.totals["files"].read == 2
    fields = {one.where: one.reason for one in ended.left_out if one.kind == "fields"}
    assert "does not know" in fields["record.unknown"]
    assert "does not use" not in fields["record.send_prompt"]
    assert not ended.is_complete


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("train_0.json", '[{"annotation_id": "1", "confirmed_task": "", "action_reprs": []}]',
         "take Multimodal-Mind2Web, which has them (tapwright data get multimodal-mind2web)"),
        ("valid.json", '[{"turn_info": {}, "action_history": ""}]', "tapwright data get weblinx"),
        ("a.json", '[{"img_url": "a.png", "img_size": [1, 2], "element": []}]', "ShowUI-desktop"),
        ("1.json", '{"activity_name": "a", "is_keyboard_deployed": false}', "Rico"),
        ("meta/info.json", '{"codebase_version": "v3.0", "robot_type": "x"}', "LeRobot"),
        ("set.json", '[{"conversations": [{"from": "human", "value": ""}]}]', "conversations"),
        ("OS-Genesis/set.json", '[{"conversations": [{"from": "", "value": ""}]}]', "OS-Genesis"),
        ("recording.db", "SQLite format 3\0", "OpenAdapt"),
        (
            "cap.jsonl",
            '{"task": "bbox2function", "abs_position": "<1, 2, 3, 4>", "rel_position": "<0, 0>"}',
            "it looks like CAGUI's grounding; has elements, not recordings",
        ),
        ("G.json", '[{"box_type": "", "box_coordinates": []}]', "eval run osworld-g --data"),
        ("v.json", '[{"image_path": "a.png", "prompt_to_evaluate": ""}]', "--targets ui-vision"),
        ("a.json", '[{"img_filename": "", "ui_type": "", "application": ""}]', "screenspot-pro"),
        ("m.json", '[{"img_filename": "", "data_type": "icon"}]', "eval run screenspot-v2 --data"),
        ("L2.json", '[{"grounding_type": "basic", "bbox": []}]', "--targets l2"),
        ("L1.json", '[{"difficulty": "", "question": "", "options": {}}]', "eval run l1 --data"),
    ],
)  # fmt: skip
def test_a_data_set_that_is_known_and_not_read_gets_a_way_forward(
    tmp_path: Path, name: str, text: str, told: str
) -> None:
    file = tmp_path / "given" / name
    file.parent.mkdir(parents=True)
    file.write_text(text)
    members = [one for _, one in formats.installed()]
    importers = [one for one in members if isinstance(one, EpisodeImporter)]
    (ended,) = imported(tmp_path / "store", tmp_path / "given", importers=importers)
    assert told in ended.unreadable[0].reason
    assert not ended.is_complete


@pytest.mark.parametrize("name", ["a.pkl.old", "a.pkl.old.2"])
def test_a_pickle_as_it_was_before_an_edit_is_left_out(tmp_path: Path, name: str) -> None:
    (tmp_path / "given").mkdir()
    shutil.copy(GOLDEN / "raw" / "alice.1.pkl", tmp_path / "given" / "a.pkl")
    shutil.copy(GOLDEN / "raw" / "alice.3.pkl", tmp_path / "given" / name)
    recording, ended = imported(tmp_path / "store", tmp_path / "given")
    assert (recording.new, ended.new) == (1, 0)
    (left,) = ended.left_out
    assert left.reason == "what a recording was before it was edited"
    assert ended.is_complete


def test_a_store_in_an_archive_is_to_be_unpacked_first(tmp_path: Path) -> None:
    shutil.make_archive(str(tmp_path / "s"), "zip", GOLDEN.parent / "episodes_schema_5")
    (ended,) = imported(tmp_path / "store", tmp_path / "s.zip")
    (bad,) = ended.unreadable
    assert "tapwright episodes copy" in bad.reason
    assert bad.hint == "unpack the archive first"


def test_a_picture_is_opened_once(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN.parent / "osworld", tmp_path / "in")
    opened: list[str] = []

    def listen(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and str(arguments[0]).endswith(".png"):
            opened.append(str(arguments[0]))

    sys.addaudithook(listen)  # for good, as no hook can be taken back
    imported(tmp_path / "store", tmp_path / "in", importers=[OSWORLD])
    ours = Counter(name for name in opened if name.startswith(str(tmp_path / "in")))
    assert ours
    assert set(ours.values()) == {1}
