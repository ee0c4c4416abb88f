"""Directories as they come: links, half downloads, other encodings, names of other machines.

All of it is accounted for: what is seen is read or left out, with a reason and a way forward.
"""

import gzip
import json
import os
import shutil
import tempfile
import zipfile
from base64 import b64encode
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tapwright.core.actions import OpenApp, Swipe, Tap
from tapwright.core.episode import Episode
from tapwright.core.geometry import Size, from_pixel
from tapwright.formats import formats
from tapwright.formats.format import EpisodeImporter
from tapwright.formats.importers.agentnet import AGENTNET
from tapwright.formats.importers.aitz import AITZ
from tapwright.formats.importers.job import ImportResult
from tapwright.store.store import EpisodeStore
from tests.formats.foreign import picture, read_all
from tests.formats.test_imports import imported
from tests.origins import sources

IMPORTERS = [one for _, one in formats.installed() if isinstance(one, EpisodeImporter)]


def line(task: str = "t", *images: str) -> bytes:
    """An episode of AgentNet with a click on each of its pictures."""
    value = {"code": "pyautogui.click(x=0.5, y=0.25)", "thought": "why"}
    named = images or (f"{task}.png",)
    traj = [{"index": at, "image": name, "value": value} for at, name in enumerate(named)]
    return json.dumps({"task_id": task, "instruction": "Do it", "traj": traj}).encode() + b"\n"


def lay_out(folder: Path, *tasks: str) -> Path:
    """A file of such episodes, with their pictures."""
    (folder / "images").mkdir(parents=True)
    for number, task in enumerate(tasks):
        (folder / f"images/{task}.png").write_bytes(picture(number))
    file = folder / "a.jsonl"
    file.write_bytes(b"".join(map(line, tasks)))
    return file


def imported_from(
    root: Path, *, packed: bool = False
) -> tuple[list[Episode], dict[str, ImportResult]]:
    """The episodes, and the results by the paths below `root`; each account balances.

    Of a `packed` set the files in its archives are counted, too.
    """
    store = root.with_name("store")
    ended = imported(store, root, importers=IMPORTERS)
    files = sum(len(names) for _, _, names in os.walk(root))
    assert packed or sum(one.totals["files"].seen for one in ended) == files
    found = {one.source.removeprefix(f"{root}/"): one for one in ended}
    return list(EpisodeStore(store)), found


def reasons(result: ImportResult) -> str:
    unreadable = [one.reason for one in result.unreadable]
    return " ".join([*unreadable, *(one.reason for one in result.left_out)])


def test_json_may_begin_with_a_mark_of_its_encoding(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    file = lay_out(tmp_path, "t")
    file.write_bytes(mark + file.read_bytes().replace(b"\n", b"\r\n"))
    assert [one.id for one in read_all(AGENTNET, file)[0]] == ["agentnet-t"]
    step = {
        "episode_id": "e", "episode_length": 1, "step_id": 0, "instruction": "Go",
        "result_action_type": 5, "result_action_text": "", "result_touch_yx": "[-1, -1]",
        "result_lift_yx": "[-1, -1]", "image_path": "t.png",
    }  # fmt: skip
    (tmp_path / "e.json").write_bytes(mark + json.dumps([step]).encode())
    assert [one.id for one in read_all(AITZ, tmp_path / "e.json")[0]] == ["aitz-e"]


@pytest.mark.parametrize(
    "image",
    [
        "images\\t.png",
        "C:\\Users\\x\\set\\images\\t.png",
        "/home/x/set/images/t.png",
        "t.png",
        f"data:image/png;base64,{b64encode(picture()).decode()}",
    ],
)
def test_a_picture_is_found_by_the_name_that_another_machine_gave(
    tmp_path: Path, image: str
) -> None:
    file = lay_out(tmp_path, "t")
    file.write_bytes(line("t", image))
    [episode], bad = read_all(AGENTNET, file)
    assert not bad
    assert episode.steps[0].observation.screenshot.data == picture()


@pytest.mark.parametrize(
    ("image", "told"),
    [
        ("https://example.org/t.png", "is an address, not fetched: https://example.org/t.png"),
        ("../images/t.png", "is not the name of a file below"),
        ("..\\images\\t.png", "is not the name of a file below"),
        ("data:image/png;base64,%%%%", "no picture in base64"),
        ("x" * 5000, "not a readable image"),
        ("x" * 3000, "is not the name of a file below"),
        ("\ud83d.png", "is not in"),
    ],
)
def test_a_name_that_is_no_picture_of_the_set_has_a_stand_in(
    tmp_path: Path, image: str, told: str
) -> None:
    file = lay_out(tmp_path, "t")
    file.write_bytes(line("t", image))
    [episode], _ = read_all(AGENTNET, file)
    assert not episode.steps[0].observation.screenshot.recorded
    assert told in episode.steps[0].log[0]


def test_a_file_under_two_names_is_read_where_it_lies(tmp_path: Path) -> None:
    root = tmp_path / "in"
    lay_out(root / "set", "t")
    (root / "alias.jsonl").symlink_to(root / "set/a.jsonl")
    os.link(root / "set/a.jsonl", root / "set/same.jsonl")
    [episode], results = imported_from(root)
    assert episode.steps[0].observation.screenshot.recorded
    assert "another name of a file" in reasons(results["alias.jsonl"])
    assert results["set/same.jsonl"].existing == 1
    assert all(one.is_complete for one in results.values())


def test_a_hub_s_cache_is_read_by_its_links_and_its_blobs_are_no_files_of_their_own(
    tmp_path: Path,
) -> None:
    root = tmp_path / "in"
    shot = root / "datasets--x--y/snapshots/abc"
    blobs = root / "datasets--x--y/blobs"
    for folder in (shot / "images", blobs, root / "datasets--x--y/refs"):
        folder.mkdir(parents=True)
    (blobs / "1").write_bytes(line("t"))
    (blobs / "2").write_bytes(picture())
    (blobs / "3").write_bytes(picture(3))
    (root / "datasets--x--y/refs/main").write_text("abc")
    (shot / "a.jsonl").symlink_to("../../blobs/1")
    (shot / "images/t.png").symlink_to("../../../blobs/2")
    [episode], results = imported_from(root)
    assert episode.steps[0].observation.screenshot.recorded
    assert all(one.is_complete for one in results.values())


@pytest.mark.parametrize(
    ("name", "data", "way"),
    [
        ("b.jsonl.part", line("b"), "half a download"),
        ("b.parquet.incomplete", b"PAR1", "half a download"),
        ("b.parquet", b"PAR1 cut", "without its end: half a download"),
        ("b.jsonl.gz", gzip.compress(line("b")), "gunzip it"),
        ("b.jsonl.zst", b"\x28\xb5\x2f\xfd...", "unzstd it"),
        ("b.jsonl", line("b").decode().encode("utf-16"), "UTF-16: write it as UTF-8"),
        ("b.json", line("b").decode().encode("utf-16-le"), "UTF-16-LE: write it as UTF-8"),
        ("b.json", line("b").decode().encode("utf-32"), "UTF-32: write it as UTF-8"),
        ("b.7z", b"7z\xbc\xaf\x27\x1c", "an archive of 7-Zip"),
        ("b.rar", b"Rar!\x1a\x07", "an archive of RAR"),
    ],
)
def test_what_cannot_be_read_yet_is_told_with_the_way_forward(
    tmp_path: Path, name: str, data: bytes, way: str
) -> None:
    root = tmp_path / "in"
    lay_out(root, "t")
    (root / name).write_bytes(data)
    [episode], results = imported_from(root)
    assert episode.id == "agentnet-t"
    assert way in reasons(results[name])
    assert not results[name].is_complete


def test_names_in_capitals_are_those_of_another_system(tmp_path: Path) -> None:
    root = tmp_path / "in"
    lay_out(root, "t").rename(root / "A.JSONL")
    [_], results = imported_from(root)
    assert results["A.JSONL"].new == 1


def test_a_pipe_is_counted_and_not_waited_for(tmp_path: Path) -> None:
    root = tmp_path / "in"
    lay_out(root, "t")
    os.mkfifo(root / "b.jsonl")
    _, results = imported_from(root)
    assert "a pipe, a socket or a device" in reasons(results["**/special"])


def as_table(path: Path, rows: list[dict[str, object]], kind: str) -> Path:
    """A table of rows: Parquet, or Arrow as a file, or as the stream that `datasets` writes."""
    table = pa.Table.from_pylist(rows)
    if kind == "parquet":
        pq.write_table(table, path.with_suffix(".parquet"))
        return path.with_suffix(".parquet")
    path = path.with_suffix(".arrow")
    made = pa.ipc.new_file if kind == "arrow file" else pa.ipc.new_stream
    with pa.OSFile(str(path), "wb") as file, made(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=1)
    return path


TABLES = ("parquet", "arrow file", "arrow stream")


@pytest.mark.parametrize("kind", [*TABLES, "list", "record", "lines"])
def test_lines_are_read_from_whatever_has_the_same_records(kind: str, tmp_path: Path) -> None:
    root = tmp_path / "in"
    first = lay_out(root, "t", "u")
    rows = [json.loads(one) for one in first.read_text().splitlines()]
    first.unlink()
    named = root / "b.json"
    if kind in TABLES:
        named = as_table(named, rows, kind)
        (root / "dataset_info.json").write_text("{}")
        (root / "state.json").write_text("{}")
    elif kind == "lines":
        named.write_text("".join(f"{json.dumps(one)}\n" for one in rows))
    else:
        named.write_text(json.dumps(rows if kind == "list" else rows[0], indent=1))
    episodes, results = imported_from(root)
    assert {one.id for one in episodes} == {"agentnet-t", *(["agentnet-u"][: kind != "record"])}
    assert all(one.steps[0].observation.screenshot.recorded for one in episodes)
    assert results[named.name].is_complete


@pytest.mark.parametrize("kind", TABLES)
def test_half_a_table_is_told(kind: str, tmp_path: Path) -> None:
    root = tmp_path / "in"
    lay_out(root, "t")
    rows = [json.loads(line(name, "t.png")) for name in "bcdef"]
    path = as_table(root / "b", rows, kind)
    path.write_bytes(path.read_bytes()[:-200])
    episodes, results = imported_from(root)
    assert "agentnet-t" in {one.id for one in episodes}
    assert not results[path.name].is_complete
    assert reasons(results[path.name])


CONVERSATION: dict[str, object] = {
    "image": "a.png",
    "conversations": [{"from": "human", "value": "<image>"}, {"from": "gpt", "value": "click"}],
}
MESSAGES: dict[str, object] = {
    "messages": [{"role": "user", "content": "<image>"}, {"role": "assistant", "content": "1"}],
    "images": ["a.png"],
}
KNOWN: list[tuple[str, dict[str, object], str, str]] = [
    ("os_genesis_ac_training_data", CONVERSATION, "OS-Genesis", "a trainer's form already"),
    ("agenttrek_1207", CONVERSATION, "AgentTrek", "a trainer's form already"),
    ("uground", {**CONVERSATION, "conversations": "[]"}, "UGround", "a trainer's form already"),
    ("gui-net", MESSAGES, "GUI-Net", "a trainer's form already"),
    ("part", MESSAGES, "conversations", "a trainer's form already"),
    ("metadata", {"img_url": "a.png", "img_size": [1, 1], "element": []}, "ShowUI", "ScreenSpot"),
    ("0", {"activity_name": "a", "is_keyboard_deployed": False}, "Rico", "ScreenSpot"),
    (
        "train_0",
        {"annotation_id": "a", "confirmed_task": "b", "action_reprs": ["c"]},
        "Mind2Web",
        "data get multimodal-mind2web",
    ),
]


@pytest.mark.parametrize("kind", [*TABLES, "json", "jsonl", "zip", "tar"])
@pytest.mark.parametrize(("name", "row", "title", "way"), KNOWN)
def test_a_set_that_is_known_and_not_read_is_named_in_every_container(
    kind: str, name: str, row: dict[str, object], title: str, way: str, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    root.mkdir()
    made = root / f"{name}.json"
    made.write_text(json.dumps([row, row]))
    if kind in TABLES:
        made.unlink()
        made = as_table(made, [row, row], kind)
    elif kind == "jsonl":
        made.unlink()
        made = root / f"{name}.jsonl"
        made.write_text(f"{json.dumps(row)}\n" * 2)
    elif kind in ("zip", "tar"):
        packed = shutil.make_archive(str(tmp_path / "x"), kind, root)
        made.unlink()
        made = Path(shutil.move(packed, root))
    _, results = imported_from(root)
    assert f"it looks like {title}" in reasons(results[made.name])
    assert way in reasons(results[made.name])


def test_android_control_is_read_in_the_layout_of_the_hub(tmp_path: Path) -> None:
    nothing = dict.fromkeys(("app_name", "direction", "text", "x", "y"))
    actions: list[dict[str, object]] = [
        {**nothing, "action_type": "open_app", "app_name": "Notes"},
        {**nothing, "action_type": "click", "x": 50, "y": 100},
        {**nothing, "action_type": "scroll", "direction": "down"},
    ]
    row: dict[str, object] = {
        "episode_id": 7,
        "goal": "Open it",
        "screenshots_b64": [b64encode(picture(number)).decode() for number in range(4)],
        "actions": actions,
        "step_instructions": ["open", "touch", "scroll"],
    }
    cut = {**row, "episode_id": 8, "screenshots_b64": ["", "iVBO"], "step_instructions": ["open"]}
    for kind in TABLES:
        root = tmp_path / kind
        root.mkdir()
        path = as_table(root / "data-00000-of-00001", [row, cut], kind)
        (whole, part), results = imported_from(root)
        shutil.rmtree(root.with_name("store"))
        assert (whole.id, whole.outcome) == ("android-control-7", "success")
        done = [one.decision.action for one in whole.steps]
        assert done[:2] == [OpenApp(app="Notes"), Tap(at=from_pixel(50, 100, Size(100, 200)))]
        assert isinstance(done[2], Swipe)
        assert [one.step_instruction for one in whole.steps] == ["open", "touch", "scroll"]
        assert whole.final is not None
        assert (part.outcome, len(part.steps)) == ("interrupted", 1)
        assert not results[path.name].is_complete  # of the other steps is told


def test_ui_s1_is_read_as_datasets_saves_it(tmp_path: Path) -> None:
    nothing = dict.fromkeys(("bbox", "text", "status", "button", "coordinate2", "time"))
    click = {"action": "click", **nothing, "coordinate": [540.0, 389.5]}
    done = {"action": "terminate", **nothing, "coordinate": None, "status": "success"}
    steps = [
        {"action_content": one, "screenshot": f"/lus/images/3_{at}.png"}
        for at, one in enumerate((click, done))
    ]
    root = tmp_path / "in"
    root.mkdir()
    rows: list[dict[str, object]] = [{"goal": "Go", "is_successful": True, "steps": steps}]
    as_table(root / "data-00000-of-00001", rows, "arrow stream")
    [episode], results = imported_from(root)
    assert (episode.id, episode.outcome) == ("android-control-3", "success")
    assert [one.decision.action.type for one in episode.steps] == ["tap", "finish"]
    assert all(one.is_complete for one in results.values())


@pytest.mark.parametrize(
    "origin", ["multimodal-mind2web", "omniact", "amex", "weblinx", "gui-360", "mobiagent"]
)
def test_what_lies_beside_a_recording_is_read_by_its_own_reader(
    origin: str, tmp_path: Path
) -> None:
    root = tmp_path / "in"
    made = sources.make_source(origin, tmp_path / "made")
    shutil.copytree(made, root)
    for table in root.glob("data/*.parquet"):
        table.rename(root / table.name)
    lay_out(root / "more", "t")
    episodes, results = imported_from(root)
    assert "agentnet-t" in {one.id for one in episodes}
    assert len(episodes) > 1
    assert all(one.is_complete for one in results.values())


def test_a_link_that_leads_to_itself_is_told_as_such(tmp_path: Path) -> None:
    root = tmp_path / "in"
    lay_out(root, "t")
    (root / "self.jsonl").symlink_to("self.jsonl")
    (root / "loop").symlink_to(".")
    [_], results = imported_from(root)
    assert "a link that leads nowhere, or back to itself" in reasons(results["self.jsonl"])


def test_an_archive_that_holds_only_an_archive_says_what_to_do(tmp_path: Path) -> None:
    root = tmp_path / "in"
    lay_out(root, "t")
    inner = Path(shutil.make_archive(str(tmp_path / "inner"), "zip", root))
    shutil.rmtree(root)
    root.mkdir()
    with zipfile.ZipFile(root / "outer.zip", "w") as file:
        file.write(inner, "inner.zip")
    _, results = imported_from(root)
    assert "unpack it yourself, and import the directory" in reasons(results["outer.zip"])


def test_a_tar_of_a_whole_folder_is_read(tmp_path: Path) -> None:
    root = tmp_path / "in"
    lay_out(root, "t")
    packed = shutil.make_archive(str(tmp_path / "set"), "gztar", root)  # begins with "./"
    shutil.rmtree(root)
    root.mkdir()
    shutil.move(packed, root)
    episodes, results = imported_from(root, packed=True)
    assert [one.id for one in episodes] == ["agentnet-t"]
    assert all(one.is_complete for one in results.values())


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="Windows has no such users")
def test_what_may_not_be_read_is_told_and_the_rest_is(tmp_path: Path) -> None:
    root = Path(tempfile.mkdtemp()) / "in"
    lay_out(root, "t", "u")
    (root / "closed/deep").mkdir(parents=True)
    lay_out(root / "closed/deep", "v")
    (root / "b.jsonl").write_bytes(line("w"))
    nobody = 65534
    if os.geteuid() == 0:  # who may read everything
        for one in (root.parent, *root.parent.rglob("*")):
            os.chown(one, nobody, -1)
        os.seteuid(nobody)
    try:
        for closed in (root / "closed", root / "b.jsonl", root / "images/u.png"):
            closed.chmod(0)
        ended = imported(root.with_name("store"), root, importers=IMPORTERS)
        found = {one.source.removeprefix(f"{root}/"): one for one in ended}
        episodes = {one.id: one for one in EpisodeStore(root.with_name("store"))}
        assert set(episodes) == {"agentnet-t", "agentnet-u"}
        assert "Permission denied" in episodes["agentnet-u"].steps[0].log[0]
        assert "cannot be listed: Permission denied" in reasons(found["closed"])
        assert "cannot be read: Permission denied" in reasons(found["b.jsonl"])
        assert "cannot be read: Permission denied" in reasons(found["**/pictures"])
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        (root / "closed").chmod(0o700)
        shutil.rmtree(root.parent)
