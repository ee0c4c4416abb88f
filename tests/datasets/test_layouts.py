"""The layouts that servers have: tables, archives, split archives, the hub's cache of links."""

import asyncio
import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.benchmarks.osworld_g import OSWorldG
from tapwright.benchmarks.screenspot import ScreenSpot
from tapwright.datasets import datasets
from tapwright.datasets.benchmark_tables import TableWarning
from tapwright.datasets.buckets import FileSource
from tapwright.datasets.dataset import Access, Dataset
from tapwright.datasets.errors import BadLayoutError, DownloadError, WrongHashError
from tapwright.datasets.github import GitHubSource, hash_folder
from tapwright.datasets.home import DatasetHome
from tapwright.datasets.plan import download, plan_download
from tapwright.datasets.prepared import prepare_directory
from tests.cli.running import tapwright
from tests.datasets.published import noise, parquet, png, screenspot_rows, screenspot_v2, zipped
from tests.datasets.servers import Public, serve
from tests.formats.test_gui_odyssey import lay_out

AITZ, OSWORLD_G, SCREENAGENT, SCREENSPOT, SCREENSPOT_V2 = map(
    datasets.get, ("aitz", "osworld-g", "screenagent", "screenspot", "screenspot-v2")
)


@pytest.fixture
def public() -> Iterator[Public]:
    with serve(Public()) as found:
        yield found


def fetch(dataset: Dataset, home: DatasetHome, public: Public) -> Path:
    access = Access(hub=public.hub, storage=public.hub)
    plan = plan_download(dataset, home, access)
    assert plan is not None
    return asyncio.run(download(plan, access))


def osworld_rows() -> list[dict[str, object]]:
    return [
        {
            "image": {"bytes": png(), "path": None},
            "image_size": [40, 30],
            "instruction": "the bell",
            "box_type": "bbox",
            "box_coordinates": [4.0, 3.0, 8.0, 6.0],
        }
    ]


def test_a_table_with_pictures_becomes_the_benchmarks_own_files(
    public: Public, tmp_path: Path
) -> None:
    rows = screenspot_rows()
    public.files["bevaya/ScreenSpot"] = {
        "data/test-00000-of-00002.parquet": parquet(rows[:2], tmp_path / "1"),
        "data/test-00001-of-00002.parquet": parquet(rows[2:], tmp_path / "2"),
        "README.md": b"left out",
    }
    root = fetch(SCREENSPOT, DatasetHome(tmp_path / "home"), public)
    lists = {f"screenspot_{one}.json" for one in ("desktop", "mobile", "web")}
    assert {path.name for path in root.iterdir()} == {"dataset.json", "screenspot_imgs", *lists}
    (row,) = json.loads((root / "screenspot_web.json").read_text())
    assert row["bbox"] == [4, 3, 8, 6]  # [0.1, 0.1, 0.3, 0.3] of 40x30
    samples = ScreenSpot(root).samples()
    assert [one.id for one in samples] == ["mobile-0", "desktop-0", "web-0"]


def test_a_table_without_the_columns_is_one_line_that_names_them(
    public: Public, tmp_path: Path
) -> None:
    rows = [{"image": {"bytes": png(), "path": "a.png"}, "label": 3}]
    data = {"data/test-0.parquet": parquet(rows, tmp_path / "1")}
    public.files["bevaya/ScreenSpot"] = data
    words = ("data", "get", "screenspot", "--yes", "--dir", str(tmp_path / "home"))
    run = tapwright(*words, HF_ENDPOINT=public.hub)
    assert run.returncode == 1
    assert "lacks the columns file_name, bbox, instruction, data_type, data_source" in run.stderr
    assert "it has image, label [TW845]" in run.stderr
    assert not (tmp_path / "home/screenspot").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data_source": "toaster"}, r"row 0: data_source: Input should be"),
        ({"bbox": [0.1, 0.2]}, r"row 0: bbox: "),
        ({"file_name": "../a.png"}, r"row 0: '\.\./a\.png' is not the name of a picture"),
        ({"image": {"bytes": b"no picture", "path": "a.png"}}, r"row 0: "),
    ],
)
def test_a_row_that_breaks_its_columns_is_left_out_by_name(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    rows = [screenspot_rows()[0] | change, *screenspot_rows()]
    home = DatasetHome(tmp_path / "home")
    (tmp_path / "some").mkdir()
    parquet(rows, tmp_path / "some/x.parquet")
    with pytest.warns(TableWarning, match=message):
        root = prepare_directory(SCREENSPOT, tmp_path / "some", home)
    assert len(ScreenSpot(root).samples()) == 3
    (tmp_path / "none").mkdir()
    parquet(rows[:1], tmp_path / "none/x.parquet")
    with pytest.raises(BadLayoutError, match=message):
        prepare_directory(SCREENSPOT, tmp_path / "none", home)
    assert len(list((tmp_path / "home/.prepared").iterdir())) == 1


def test_a_file_that_is_no_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(BadLayoutError, match=r"x\.parquet: not a Parquet file"):
        prepare_directory(SCREENSPOT, tmp_path, DatasetHome(tmp_path / "home"))


def test_the_table_of_osworld_g_is_read_in_the_hubs_layout(tmp_path: Path) -> None:
    (tmp_path / "given/data").mkdir(parents=True)
    parquet(osworld_rows(), tmp_path / "given/data/test.parquet")
    home = DatasetHome(tmp_path / "home")
    root = prepare_directory(OSWORLD_G, tmp_path / "given", home)
    (sample,) = OSWorldG(root).samples()
    assert (sample.instruction, sample.size.width) == ("the bell", 40)
    assert prepare_directory(OSWORLD_G, tmp_path / "given", home) == root
    parquet(osworld_rows() * 2, tmp_path / "given/data/test.parquet")
    again = prepare_directory(OSWORLD_G, tmp_path / "given", home)
    assert again != root
    assert len(OSWorldG(again).samples()) == 2


def test_a_zip_in_the_hubs_cache_of_links_is_read_and_the_cache_is_left_as_it_is(
    tmp_path: Path,
) -> None:
    cache = tmp_path / "datasets--OS-Copilot--ScreenSpot-v2"
    snapshot = cache / "snapshots/5efbb1f"
    (cache / "blobs").mkdir(parents=True)
    (cache / "refs").mkdir()
    (cache / "refs/main").write_text("5efbb1f")
    snapshot.mkdir(parents=True)
    for number, (name, data) in enumerate(screenspot_v2().items()):
        (cache / f"blobs/{number}").write_bytes(data)
        (snapshot / name).symlink_to(f"../../blobs/{number}")
    before = sorted(tmp_path.rglob("*"))
    run = tapwright(
        "eval", "run", "screenspot-v2", "-m", "random", "--data", str(cache),
        "-o", str(tmp_path / "run"), TAPWRIGHT_DATA=str(tmp_path / "home"),
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    ours = (tmp_path / "run", tmp_path / "home")
    assert before == [
        path for path in sorted(tmp_path.rglob("*"))
        if not any(path.is_relative_to(one) for one in ours)
    ]  # fmt: skip


def test_a_directory_that_can_be_read_is_used_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "screenspotv2_image").mkdir()
    (tmp_path / "screenspotv2_image/a.png").write_bytes(png())
    (tmp_path / "screenspot_web_v2.json").write_text("[]")
    home = DatasetHome(tmp_path / "home")
    assert prepare_directory(SCREENSPOT_V2, tmp_path, home) == tmp_path
    assert prepare_directory(SCREENSPOT_V2, tmp_path / "nothing", home) == tmp_path / "nothing"


def test_an_archive_whose_folder_has_another_name_is_taken_whole(
    public: Public, tmp_path: Path
) -> None:
    for number, top in enumerate(("", "MMBench-GUI-OfflineImages/offline_images/")):
        public.files["OpenGVLab/MMBench-GUI"] = {
            "L1_annotations.json": b"[]",
            "L2_annotations.json": b"[]",
            "MMBench-GUI-OfflineImages.zip": zipped({f"{top}os_web/a.png": png()}),
        }
        root = fetch(datasets.get("mmbench-gui"), DatasetHome(tmp_path / str(number)), public)
        assert (root / "offline_images/os_web/a.png").read_bytes() == png()


@pytest.mark.skipif(shutil.which("zip") is None, reason="the program zip")
def test_a_split_archive_is_joined_and_its_parts_are_removed(
    public: Public, tmp_path: Path
) -> None:
    source = tmp_path / "screenshots"
    source.mkdir()
    for number in range(20):
        (source / f"{number}.png").write_bytes(noise(9000))
    command = ["zip", "-q", "-r", "-s", "64k", "screenshots.zip", "screenshots"]
    subprocess.run(command, cwd=tmp_path, check=True)
    parts = {f"screenshots/{one.name}": one.read_bytes() for one in tmp_path.glob("screenshots.z*")}
    assert len(parts) > 2
    annotation = b'{"device_info": {}, "task_info": {}}'
    public.files["hflqf88888/GUIOdyssey"] = {"annotations/1.json": annotation, **parts}
    root = fetch(datasets.get("gui-odyssey"), DatasetHome(tmp_path / "home"), public)
    names = sorted(path.name for path in (root / "screenshots").iterdir())
    assert names == sorted(f"{number}.png" for number in range(20))


def archive(commit: str, readme: bytes = b"x") -> bytes:
    top = f"ScreenAgent-{commit}/data/ScreenAgent"
    return zipped({f"{top}/train/1/a.json": b"{}", f"{top}/test.zip": readme}, commit)


def test_a_folder_of_a_repository_is_checked_by_its_commit_and_its_content(
    public: Public, tmp_path: Path
) -> None:
    commit = "2312c852908dda5fbc43d903fad5929a9dec649d"
    address = f"/niuzaisheng/ScreenAgent/zip/{commit}"
    source = GitHubSource("niuzaisheng/ScreenAgent", commit, public.hub)
    known = tmp_path / "known"
    (known / "train/1").mkdir(parents=True)
    (known / "train/1/a.json").write_bytes(b"{}")
    (known / "test.zip").write_bytes(b"x")
    dataset = replace(SCREENAGENT, source=source, sums={"": hash_folder(known)})
    home = DatasetHome(tmp_path / "home")
    for wrong, message in [
        (archive("0" * 40), "is of the commit 0000"),
        (b"<html>", "is of the commit no archive"),
        (archive(commit, b"another"), "the content has the hash"),
    ]:
        public.archives[address] = wrong
        with pytest.raises(WrongHashError, match=message):
            fetch(dataset, home, public)
        assert not home.has(dataset)
    public.archives[address] = archive(commit)
    root = fetch(dataset, home, public)
    assert sorted(path.name for path in root.iterdir()) == ["dataset.json", "test.zip", "train"]


def test_the_first_download_of_a_file_without_a_hash_fixes_it(
    public: Public, tmp_path: Path
) -> None:
    source = FileSource(f"{public.hub}/aitz", "android_in_the_zoo.zip", "https://drive.google.com")
    dataset = replace(AITZ, source=source)
    home = DatasetHome(tmp_path / "home")
    public.archives["/aitz"] = zipped({"android_in_the_zoo/train/a/a.json": b"[]"})
    root = fetch(dataset, home, public)
    assert (root / "train/a/a.json").is_file()
    shutil.rmtree(root)
    public.archives["/aitz"] = zipped({"android_in_the_zoo/train/b/b.json": b"[]"})
    with pytest.raises(WrongHashError, match="the sha256 is"):
        fetch(dataset, home, public)
    assert not home.has(dataset)


def test_a_page_in_place_of_an_archive_is_removed_and_says_where_the_archive_is(
    public: Public, tmp_path: Path
) -> None:
    source = FileSource(f"{public.hub}/aitz", "android_in_the_zoo.zip", "https://drive.google.com")
    home = DatasetHome(tmp_path / "home")
    public.archives["/aitz"] = b"<html>Google Drive can't scan this file for viruses</html>"
    with pytest.raises(DownloadError, match="sends no archive that can be read") as caught:
        fetch(replace(AITZ, source=source), home, public)
    assert caught.value.hint.startswith("download it from https://drive.google.com in a browser")
    assert not list(tmp_path.rglob("*.zip"))


def test_episodes_are_imported_by_the_name_of_their_data_set(tmp_path: Path) -> None:
    out, home = str(tmp_path / "episodes"), tmp_path / "home"
    words = ("episodes", "import", "gui-odyssey", "-o", out, "--format", "json")
    run = tapwright(*words, TAPWRIGHT_DATA=str(home))
    assert run.returncode == 2
    assert "hint: tapwright data get gui-odyssey" in run.stderr
    lay_out(home / "gui-odyssey", {"action": "CLICK", "info": [[250, 1000]]})
    run = tapwright(*words, TAPWRIGHT_DATA=str(home))
    assert run.returncode == 0, run.stderr
    assert sum(row["new"] for row in json.loads(run.stdout)) == 1


def test_every_name_leads_to_facts_that_hold_together() -> None:
    from tapwright.benchmarks import benchmarks
    from tapwright.formats import formats

    for name in datasets.names():
        one = datasets.get(name)
        assert one.name == name
        assert len(one.source.revision) in (0, 40)
        assert one.licence
        assert one.citation
        assert one.evidence
        assert {*one.benchmarks} <= {*benchmarks.names()}
        assert not one.format or one.format in formats.names()
        assert one.benchmarks or one.format
