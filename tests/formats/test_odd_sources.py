"""Directories as they come: links, half downloads, other encodings, names of other machines.

All of it is accounted for: what is seen is read or left out, with a reason and a way forward.
"""

import gzip
import json
import os
from base64 import b64encode
from pathlib import Path

import pytest

from tapwright.core.episode import Episode
from tapwright.formats import formats
from tapwright.formats.format import EpisodeImporter
from tapwright.formats.importers.agentnet import AGENTNET
from tapwright.formats.importers.aitz import AITZ
from tapwright.formats.importers.job import ImportResult
from tapwright.store.store import EpisodeStore
from tests.formats.foreign import picture, read_all
from tests.formats.test_imports import imported

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


def imported_from(root: Path) -> tuple[list[Episode], dict[str, ImportResult]]:
    """The episodes, and the results by the paths below `root`; each account balances."""
    store = root.with_name("store")
    ended = imported(store, root, importers=IMPORTERS)
    files = sum(len(names) for _, _, names in os.walk(root))
    assert sum(one.totals["files"].seen for one in ended) == files
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
