"""Rows of what was recorded are the same out of a store, a shared store and a pack."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from tapwright.core.episode import Episode
from tapwright.errors import NothingFoundError, UsageError
from tapwright.files.place import Place
from tapwright.formats.errors import BrokenPackError
from tapwright.formats.loading.rows import SCHEMAS, Unit, list_parts
from tapwright.formats.pack.pack import pack_store
from tapwright.formats.shared.log import make_shared
from tapwright.formats.shared.push import WorkingCopy
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import write_tags


@pytest.fixture
def root(episodes: list[Episode], tmp_path: Path) -> Path:
    """A store, with its pack and a shared store of the same episodes beside it."""
    make_shared(Place((tmp_path / "shared").as_uri()))
    copy = WorkingCopy((tmp_path / "shared").as_uri(), tmp_path / "copy")
    for name in ("store", "copy"):
        for number, one in enumerate(episodes):
            made = replace(one, created=f"2026-01-01T00:00:0{number}+00:00")
            EpisodeStore(tmp_path / name).write(made)
        write_tags(tmp_path / name / "a", add=["good"])
    copy.push()

    async def pack() -> None:
        async for _ in pack_store(EpisodeStore(tmp_path / "store"), tmp_path / "pack"):
            pass

    asyncio.run(pack())
    return tmp_path


def rows(location: Path, unit: Unit, columns: list[str], where: str = "") -> pa.Table:
    parts = list_parts(location, unit, where=where)
    tables = [table for part in parts for table in part.read(columns)]
    found = pa.concat_tables([SCHEMAS[unit].empty_table().select(columns), *tables])
    assert len(found) == sum(part.rows for part in parts)
    return found


@pytest.mark.parametrize("unit", ["steps", "episodes"])
def test_rows_are_the_same_wherever_they_lie(root: Path, unit: Unit) -> None:
    names = SCHEMAS[unit].names
    stored = rows(root / "store", unit, names)
    for other in ("pack", "shared"):
        found = rows(root / other, unit, names)
        assert found.schema.equals(stored.schema)
        assert found.to_pylist() == stored.to_pylist()


def test_columns_that_nobody_takes_are_not_there_and_sizes_know(root: Path) -> None:
    (part,) = list_parts(root / "pack", "steps")
    large, small = part.size_bytes(["image"]), part.size_bytes(["action"])
    assert large is not None
    assert small is not None
    assert large > small > 0
    assert rows(root / "pack", "steps", ["action", "outcome"]).column_names == ["action", "outcome"]
    assert rows(root / "store", "episodes", ["tags"]).to_pylist()[0] == {"tags": ["good"]}


def test_only_episodes_that_fit_are_read(root: Path) -> None:
    for place in ("store", "shared"):
        found = rows(root / place, "steps", ["episode_id"], 'tag("good")')
        assert found.to_pylist() == [{"episode_id": "a"}]
        with pytest.raises(NothingFoundError, match="that fit"):
            list_parts(root / place, "steps", where='tag("none")')
    with pytest.raises(UsageError, match="no catalog to filter by"):
        list_parts(root / "pack", "steps", where='tag("good")')


def test_half_a_pack_is_named(root: Path) -> None:
    (file,) = (root / "pack/steps").iterdir()
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(BrokenPackError, match=r"steps/00000\.parquet"):
        list_parts(root / "pack", "episodes")
