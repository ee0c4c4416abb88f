"""What a reader tells of a step says where in what was imported, and nothing of this machine."""

import asyncio
import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.core.episode import Episode
from tapwright.files.names import without_folders
from tapwright.formats import formats
from tapwright.formats.atif import ATIF
from tapwright.formats.exporters.llamafactory import LLAMAFACTORY
from tapwright.formats.format import EpisodeImporter
from tapwright.formats.pack.pack import pack_store
from tapwright.store.store import EpisodeStore
from tapwright.web.library.episodes import Episodes
from tapwright.workflows.selecting import read_explained
from tests.formats.test_imports import imported
from tests.formats.test_odd_sources import line
from tests.formats.training_sets import TWO, export
from tests.origins import sources

IMPORTERS = [one for _, one in formats.installed() if isinstance(one, EpisodeImporter)]
PICTURES = (".png", ".jpg", ".jpeg")
OLD = "/home/anna/runs of May/set/a.jsonl, line 3: no action of ours"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (OLD, "a.jsonl, line 3: no action of ours"),
        ("b.png is not in /data/set or /data/set/images", "b.png is not in set or images"),
        ("C:\\Users\\x\\a.json: odd", "a.json: odd"),
        ("('~/x/a.json')", "('a.json')"),
        ("/a/b/c.zip!/d/e.json", "e.json"),
        ("https://example.org/a/b.png", "https://example.org/a/b.png"),
        ("com.x/.Main is not there, and/or a/b is", "com.x/.Main is not there, and/or a/b is"),
    ],
)
def test_of_an_absolute_path_the_last_name_is_told(text: str, told: str) -> None:
    assert without_folders(text) == told


def texts(store: Path) -> str:
    """All that is said of the steps of a store."""
    return "".join(path.read_text() for path in sorted(store.glob("*/steps.jsonl")))


@pytest.mark.parametrize("origin", [*sources.IN_GOLDEN, *sources.MADE])
def test_no_reader_tells_where_its_files_lie(origin: str, tmp_path: Path) -> None:
    root = tmp_path / "somebodys folder/in"
    root.parent.mkdir()
    made = sources.make_source(origin, tmp_path / "made")
    if made.is_dir():
        shutil.copytree(made, root)
        for picture in [one for one in root.rglob("*") if one.suffix in PICTURES]:
            picture.unlink()
    else:
        root.mkdir()
        shutil.copy(made, root)
    imported(tmp_path / "store", root, importers=IMPORTERS)
    assert texts(tmp_path / "store")
    assert "somebodys folder" not in texts(tmp_path / "store")
    assert str(tmp_path) not in texts(tmp_path / "store")


def test_a_path_begins_at_what_was_imported(tmp_path: Path) -> None:
    (tmp_path / "in/set").mkdir(parents=True)
    (tmp_path / "in/set/a.jsonl").write_bytes(line("t").replace(b"pyautogui.click", b"odd"))
    with zipfile.ZipFile(tmp_path / "in/b.zip", "w") as file:
        file.writestr("deep/b.jsonl", line("u").replace(b"pyautogui.click", b"odd"))
    imported(tmp_path / "store", tmp_path / "in", importers=IMPORTERS)
    episodes = {one.id: one.steps[0] for one in EpisodeStore(tmp_path / "store")}
    assert episodes["agentnet-t"].refused.startswith("set/a.jsonl, line 1, step 0, odd(")
    assert episodes["agentnet-t"].log[-1] == "no picture: t.png is not in set/images or set"
    assert episodes["agentnet-u"].refused.startswith("b.zip!/deep/b.jsonl, line 1, step 0, odd(")
    imported(tmp_path / "other", tmp_path / "in/set/a.jsonl", importers=IMPORTERS)
    [episode] = EpisodeStore(tmp_path / "other")
    assert episode.steps[0].refused.startswith("a.jsonl, line 1, step 0, odd(")
    assert episode.steps[0].log[-1] == "no picture: t.png is not in images or set"


def old_store(root: Path) -> tuple[EpisodeStore, Episode]:
    """A store as earlier versions made one, with whole paths."""
    first, *others = TWO[0].steps
    told = replace(first, refused=OLD, log=("no picture: /home/anna/b.png: no file", "/home/log"))
    episode = replace(TWO[0], steps=(told, *others))
    store = EpisodeStore(root)
    store.write(episode)
    return store, episode


def test_what_is_handed_on_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    store, episode = old_store(tmp_path / "store")

    async def pack() -> None:
        async for shard in pack_store(store, tmp_path / "pack"):
            assert not shard.unreadable

    asyncio.run(pack())
    export(LLAMAFACTORY, [episode], tmp_path / "sft")
    ATIF.write([read_explained(store, episode.id)], tmp_path / "atif")
    made = [one for one in tmp_path.rglob("*") if one.is_file() and store.root not in one.parents]
    assert not [one for one in made if b"anna" in one.read_bytes()]
    manifest = json.loads((tmp_path / "sft/manifest.json").read_text())
    assert manifest["dropped"][0]["reason"] == f"it was refused: {without_folders(OLD)}"
    shown = Episodes(store).view(episode.id).steps[0]
    assert (shown.refused, *shown.log) == (
        without_folders(OLD),
        "no picture: b.png: no file",
        "/home/log",
    )
