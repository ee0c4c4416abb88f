"""Sets of recordings as their servers have them, each read by its format once it is downloaded."""

import io
import json
import tarfile
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.core.episode import Episode
from tapwright.datasets import datasets
from tapwright.datasets.github import GitHubSource, hash_folder
from tapwright.datasets.home import DatasetHome
from tapwright.datasets.hub import HubSource
from tapwright.formats import formats
from tapwright.formats.format import EpisodeImporter
from tapwright.formats.importers.sources import find_sources
from tests.datasets.published import parquet, zipped
from tests.datasets.servers import Public, serve
from tests.datasets.test_layouts import fetch
from tests.formats.foreign import picture, read_and_listen
from tests.origins.sources import make_source

Files = Mapping[str, bytes]


@pytest.fixture
def public() -> Iterator[Public]:
    with serve(Public()) as found:
        yield found


def below(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def in_zips(files: Files) -> Files:
    """As AMEX has its folders: a zip for each, which holds the folder."""
    folders = {name.partition("/")[0] for name in files}
    return {
        f"AMEX/{folder}.zip": zipped({k: v for k, v in files.items() if k.startswith(folder)})
        for folder in folders
    }


def in_one_zip(files: Files) -> Files:
    """As OmniACT has its folder, and the lists that are left out beside it."""
    inside = {name: data for name, data in files.items() if name.startswith("data/")}
    left_out = {"combined.json": files["train.json"], "annotation.zip": b"left out"}
    return {"train.json": files["train.json"], "data.zip": zipped(inside), **left_out}


def in_a_tar(files: Files) -> Files:
    """As GUI-360 has its pictures; runs that fail are beside those for training."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, data in files.items():
            if name.startswith("train/image/"):
                member = tarfile.TarInfo(name.removeprefix("train/"))
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    lines = {name: data for name, data in files.items() if name.startswith("train/data/")}
    failed = {name.replace("train/", "fail/"): data for name, data in lines.items()}
    return {"train/image.tar.gz": buffer.getvalue(), **lines, **failed}


def in_tables(files: Files, tmp_path: Path) -> Files:
    """As GUIAct has its pictures, and the list of another part."""
    rows = [
        {"__index_level_0__": Path(name).stem, "base64": b64encode(data).decode()}
        for name, data in files.items()
        if name.endswith(".png")
    ]
    told = {name: data for name, data in files.items() if name.endswith(".json")}
    table = parquet(rows, tmp_path / "table.parquet")
    return {"smartphone_test_images.parquet": table, "web-multi_test_data.json": b"[]", **told}


def cagui() -> Files:
    step = {
        "episode_id": "c", "episode_length": 1, "step_id": 0, "instruction": "找茶",
        "image_path": "domestic/c/c_0.jpeg", "image_width": 100, "image_height": 200,
        "ui_positions": "[[0.1, 0.2, 0.3, 0.4]]", "result_action_type": 4,
        "result_action_text": "", "result_touch_yx": "[0.5, 0.25]",
        "result_lift_yx": "[0.5, 0.25]", "duration": 100,
    }  # fmt: skip
    return {
        "CAGUI_agent/domestic/c/c.json": json.dumps([step]).encode(),
        "CAGUI_agent/domestic/c/c_0.jpeg": picture(0, kind="JPEG"),
        "CAGUI_grounding/code/cap.jsonl": b"{}",
    }


def origin(name: str, tmp_path: Path) -> Files:
    return below(make_source(name, tmp_path / "origin"))


PUBLISHED: Mapping[str, Callable[[Path], Files]] = {
    "amex": lambda path: in_zips(origin("amex", path)),
    "cagui": lambda _: cagui(),
    "gui-360": lambda path: in_a_tar(origin("gui-360", path)),
    "guiact": lambda path: in_tables(origin("guiact", path), path),
    "guiact-smartphone": lambda path: in_tables(origin("guiact", path), path),
    "multimodal-mind2web": lambda path: origin("multimodal-mind2web", path),
    "omniact": lambda path: in_one_zip(origin("omniact", path)),
    "weblinx": lambda path: origin("weblinx", path),
}


def read(root: Path, format_: str) -> list[Episode]:
    """The episodes below a root, all of one format, and with all their pictures."""
    importers = [one for _, one in formats.installed() if isinstance(one, EpisodeImporter)]
    episodes = []
    for found in find_sources([root], importers):
        if isinstance(found.reader, EpisodeImporter):
            assert found.reader.name == format_
            episodes += read_and_listen(found.reader, found.path)[0]
    steps = [step for episode in episodes for step in episode.steps]
    assert all(step.observation.screenshot.recorded for step in steps)
    return episodes


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_set_of_recordings_is_read_as_it_is_downloaded(
    public: Public, tmp_path: Path, name: str
) -> None:
    dataset = datasets.get(name)
    assert isinstance(dataset.source, HubSource)
    public.files[dataset.source.repository] = dict(PUBLISHED[name](tmp_path))
    root = fetch(dataset, DatasetHome(tmp_path / "home"), public)
    assert read(root, dataset.format)


def test_parts_of_a_set_and_files_of_other_use_are_left_on_the_hub(
    public: Public, tmp_path: Path
) -> None:
    public.files["yiye2023/GUIAct"] = dict(PUBLISHED["guiact"](tmp_path))
    public.files["openbmb/CAGUI"] = dict(cagui())
    home = DatasetHome(tmp_path / "home")
    phone = fetch(datasets.get("guiact-smartphone"), home, public)
    assert not list(phone.glob("web-*"))
    assert not (fetch(datasets.get("cagui"), home, public) / "CAGUI_grounding").exists()
    assert len(home.pin("cagui").revision) == 40  # that of the first download


@pytest.mark.parametrize("name", ["ui-s1", "agentnetbench"])
def test_a_folder_deep_in_a_repository_is_found_by_its_path(
    public: Public, tmp_path: Path, name: str
) -> None:
    dataset = datasets.get(name)
    assert isinstance(dataset.source, GitHubSource)
    commit, repository = dataset.source.revision, dataset.source.repository
    (packed,) = dataset.archives
    files = {"a.json": b"{}", "a.jsonl": b"{}", "images/a.png": b"x"}
    top = f"{repository.partition('/')[2]}-{commit}"
    deep = {f"{top}/deep/{packed.folder}/{one}": data for one, data in files.items()}
    other = {f"{top}/{Path(packed.folder).name}/b.jsonl": b"{}"}
    public.archives[f"/{repository}/zip/{commit}"] = zipped({**deep, **other}, commit)
    for one, data in files.items():
        (tmp_path / "known" / one).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "known" / one).write_bytes(data)
    dataset = replace(
        dataset,
        source=GitHubSource(repository, commit, public.hub),
        sums={"": hash_folder(tmp_path / "known")},
    )
    root = fetch(dataset, DatasetHome(tmp_path / "home"), public)
    assert below(root).keys() == files.keys() | {"dataset.json"}
