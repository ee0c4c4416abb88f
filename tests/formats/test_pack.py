"""A store packed as a data set, and unpacked; with the traps that others' loaders set."""

import asyncio
import hashlib
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from tapwright.core.actions import Action, Finish, PressKey, Tap, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.errors import DiskError, NothingFoundError, UsageError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.pack import pack as packing
from tapwright.formats.pack.pack import PackedShard, pack_store
from tapwright.formats.pack.pictures import ImageEncoding, encode_lossless_webp
from tapwright.formats.pack.tables import TABLES
from tapwright.formats.pack.unpack import UnpackedEpisode, unpack_store
from tapwright.jobs.errors import LedgerError
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import read_tags, write_tags
from tests.strategies import EPISODES

SIZE = Size(40, 80)
MANY = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def packed(
    store: EpisodeStore, out: Path, pictures: ImageEncoding = "original"
) -> list[PackedShard]:
    async def run() -> list[PackedShard]:
        return [shard async for shard in pack_store(store, out, pictures=pictures)]

    return asyncio.run(run())


def seen(number: int) -> Observation:
    return Observation(Screenshot(painted_scene(number, SIZE).picture), SIZE, time_s=number)


def made(id_: str, steps: int = 3, *, first: int = 0) -> Episode:
    taken = tuple(
        Step(seen(first + number), Decision(Tap(at=Point(0.5, 0.1 * (number % 9)))))
        for number in range(steps)
    )
    return Episode(id_, "t", "Do it", taken, seen(first + steps), "success", "hand", "fake")


def stored(root: Path, *episodes: Episode) -> EpisodeStore:
    store = EpisodeStore(root)
    for number, episode in enumerate(episodes):
        store.write(replace(episode, created=f"2026-01-01T00:00:{number:02d}"))
    return store


def pixels(observation: Observation | None) -> bytes | None:
    return None if observation is None else observation.screenshot.image().tobytes()


def files(directory: Path) -> dict[str, bytes]:
    """What is in a pack, but for its ledger, which tells the time."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.name != packing.LEDGER
    }


@MANY
@given(episode=EPISODES)
@pytest.mark.slow
def test_what_is_packed_as_it_was_recorded_is_unpacked_as_it_was(
    episode: Episode, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("law")
    store = EpisodeStore(root / "store")
    store.write(episode)
    packed(store, root / "pack")
    assert list(unpack_store(root / "pack", EpisodeStore(root / "back"))) == [
        UnpackedEpisode(episode.id, True)
    ]
    assert EpisodeStore(root / "back").read(episode.id) == episode


@pytest.mark.slow
@MANY
@given(episode=EPISODES)
def test_pictures_made_small_have_the_same_pixels(
    episode: Episode, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("law")
    store = EpisodeStore(root / "store")
    store.write(episode)
    packed(store, root / "pack", "webp")
    list(unpack_store(root / "pack", EpisodeStore(root / "back")))
    back = EpisodeStore(root / "back").read(episode.id)
    for before, step in zip(episode.steps, back.steps, strict=True):
        now, then = step.observation, before.observation
        assert pixels(now) == pixels(then)
        assert replace(now, screenshot=then.screenshot) == then
        assert list(map(pixels, step.screens)) == list(map(pixels, before.screens))
        assert replace(step, observation=then, between=before.between, after=before.after) == before
    assert pixels(back.final) == pixels(episode.final)
    assert replace(back, steps=episode.steps, final=episode.final) == episode


@given(
    size=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    mode=st.sampled_from(["RGB", "RGBA"]),
    data=st.data(),
)
def test_webp_keeps_every_pixel_of_a_png_also_where_it_is_transparent(
    size: tuple[int, int], mode: str, data: st.DataObject
) -> None:
    colours = data.draw(st.lists(st.binary(min_size=4, max_size=4), min_size=1, max_size=4))
    length = len(mode) * size[0] * size[1]
    raw = b"".join(one[: len(mode)] for one in colours)
    image = Image.frombytes(mode, size, (raw * (length // len(raw) + 1))[:length])
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    webp = encode_lossless_webp(buffer.getvalue())
    if webp is not None:
        with Image.open(io.BytesIO(webp)) as back:
            assert back.convert(mode).tobytes() == image.tobytes()


@pytest.mark.parametrize("mode", ["P", "L", "1", "I;16"])
def test_pictures_that_webp_has_no_form_for_stay_as_they_are(mode: str) -> None:
    buffer = io.BytesIO()
    Image.new(mode, (64, 64)).save(buffer, "PNG")
    assert encode_lossless_webp(buffer.getvalue()) is None


def test_screens_are_packed_as_they_were_recorded_unless_asked_otherwise(tmp_path: Path) -> None:
    store = stored(tmp_path / "store", made("a"))
    packed(store, tmp_path / "pack")
    rows = pq.read_table(tmp_path / "pack" / "steps" / "00000.parquet").to_pylist()
    recorded = [step.observation.screenshot.data for step in store.read("a").steps]
    assert [row["image"]["bytes"] for row in rows] == recorded


def test_a_jpeg_stays_the_jpeg_that_it_was(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    seen(1).screenshot.image().save(buffer, "JPEG")
    step = Step(replace(seen(1), screenshot=Screenshot(buffer.getvalue())), Decision(Finish()))
    packed(stored(tmp_path / "store", Episode("a", "t", "", (step,))), tmp_path / "pack", "webp")
    (row,) = pq.read_table(tmp_path / "pack" / "steps" / "00000.parquet").to_pylist()
    assert row["image"]["bytes"] == buffer.getvalue()
    assert row["image_sha256"] == row["source_sha256"] == step.observation.screenshot.sha256


def test_the_hash_beside_a_picture_is_that_of_its_bytes_and_its_path_is_null(
    tmp_path: Path,
) -> None:
    store = stored(tmp_path / "store", made("a"))
    packed(store, tmp_path / "pack", "webp")
    rows = pq.read_table(tmp_path / "pack" / "steps" / "00000.parquet").to_pylist()
    for row, step in zip(rows, store.read("a").steps, strict=True):
        assert row["image"]["path"] is None
        assert row["image_sha256"] == hashlib.sha256(row["image"]["bytes"]).hexdigest()
        assert row["source_sha256"] == step.observation.screenshot.sha256


def test_row_groups_are_small_and_pictures_are_not_compressed_again(tmp_path: Path) -> None:
    packed(stored(tmp_path / "store", made("a", 40)), tmp_path / "pack")
    found = pq.read_metadata(tmp_path / "pack" / "steps" / "00000.parquet")
    groups = [found.row_group(number) for number in range(found.num_row_groups)]
    assert [group.num_rows for group in groups] == [16, 16, 8]
    columns = [groups[0].column(number) for number in range(groups[0].num_columns)]
    compression = {column.path_in_schema: column.compression for column in columns}
    assert compression["image.bytes"] == "UNCOMPRESSED"
    assert compression["ui_tree"] == "ZSTD"


def test_a_screen_on_which_much_was_done_is_in_a_row_group_once(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.effect_noise((1200, 1200), 90).convert("RGB").save(buffer, "JPEG", quality=99)
    shot = Screenshot(buffer.getvalue())
    steps = (Step(Observation(shot, shot.size), Decision(Tap(at=Point(0.5, 0.5)))),) * 3
    packed(stored(tmp_path / "store", Episode("a", "t", "", steps)), tmp_path / "pack")
    path = tmp_path / "pack" / "steps" / "00000.parquet"
    assert len(shot.data) > 1_100_000  # more than a dictionary holds by default
    assert path.stat().st_size < 1.1 * len(shot.data)
    rows = pq.read_table(path).to_pylist()
    assert [row["image"]["bytes"] for row in rows] == [shot.data] * 3


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A pack of actions that share no arguments."""
    actions: tuple[Action, ...] = (
        Tap(at=Point(0.25, 0.5)),
        TypeText(text="Milk"),
        PressKey(key="back"),
        Finish(),
    )
    steps = tuple(Step(seen(number), Decision(one)) for number, one in enumerate(actions))
    packed(stored(tmp_path / "store", Episode("a", "t", "Do it", steps)), tmp_path / "pack")
    return tmp_path / "pack"


def test_actions_with_other_arguments_do_not_fill_each_other_with_nulls(mixed: Path) -> None:
    rows = pq.read_table(mixed / "steps" / "00000.parquet").to_pylist()
    assert [json.loads(row["action"]) for row in rows] == [
        {"type": "tap", "at": {"x": 0.25, "y": 0.5}, "button": "left"},
        {"type": "type_text", "text": "Milk"},
        {"type": "press_key", "key": "back"},
        {"type": "finish", "outcome": "success", "reason": ""},
    ]


@pytest.mark.slow
def test_datasets_decodes_the_pictures_by_itself(
    mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.chdir(mixed)  # where a path that names a file would win over the bytes
    found = {
        name: datasets.load_dataset(str(mixed), name, split="train", cache_dir=str(tmp_path / "c"))
        for name in ("steps", "episodes")
    }
    assert found["steps"].features["image"] == datasets.Image()
    assert found["steps"][1]["image"].convert("RGB").tobytes() == pixels(seen(1))
    assert isinstance(found["steps"][1]["action"], str)
    assert found["steps"][1]["instructions"] == []
    assert found["episodes"][0]["steps"] == 4
    assert "screens" not in (mixed / "README.md").read_text().partition("\n---")[0]


@pytest.mark.slow
def test_pandas_and_polars_read_the_tables(mixed: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pandas.read_parquet(mixed / "steps")
    assert frame["action_type"].tolist() == ["tap", "type_text", "press_key", "finish"]
    with Image.open(io.BytesIO(frame["image"][2]["bytes"])) as image:
        assert image.size == (40, 80)
    table = polars.read_parquet(mixed / "steps" / "*.parquet")
    assert table["image"].struct.field("bytes")[2] == frame["image"][2]["bytes"]


class Killed(BaseException):
    """What no code catches, as nothing does when a process is killed."""


def test_a_pack_that_was_killed_goes_on_and_has_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "SHARD_STEPS", 5)
    store = stored(tmp_path / "store", *(made(f"e{number}") for number in range(7)))
    packed(store, tmp_path / "whole")

    async def some() -> None:
        number = 0
        async for _ in pack_store(store, tmp_path / "pack"):
            number += 1
            if number == 2:
                raise Killed

    with pytest.raises(Killed):
        asyncio.run(some())
    assert len(list((tmp_path / "pack" / "steps").iterdir())) == 2
    begun = (tmp_path / "pack" / "steps" / "00000.parquet").stat().st_mtime_ns
    (tmp_path / "pack" / "steps" / ".00002.parquet.0f0f0f0f.part").write_bytes(b"PAR1")
    assert len(packed(store, tmp_path / "pack")) == 4
    assert (tmp_path / "pack" / "steps" / "00000.parquet").stat().st_mtime_ns == begun
    assert files(tmp_path / "pack") == files(tmp_path / "whole")


def test_only_what_has_changed_is_packed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "SHARD_STEPS", 3)
    store = stored(tmp_path / "store", *(made(f"e{number}") for number in range(3)))
    packed(store, tmp_path / "pack")
    before = files(tmp_path / "pack")
    episode = store.read("e1")
    store.save(episode, replace(episode, instruction="Do another thing"), edit="relabel")
    store.remove(store.read("e2"))
    packed(store, tmp_path / "pack")
    after = files(tmp_path / "pack")
    changed = {name for name in before if after.get(name) != before[name]}
    assert changed == {
        "README.md", "episodes/00001.parquet", "steps/00001.parquet",
        *(f"{table}/00002.parquet" for table in TABLES),
    }  # fmt: skip
    assert not after.keys() - before.keys()
    ids = [one.id for one in unpack_store(tmp_path / "pack", EpisodeStore(tmp_path / "back"))
           if isinstance(one, UnpackedEpisode)]  # fmt: skip
    assert ids == ["e0", "e1"]
    back = EpisodeStore(tmp_path / "back").read("e1")
    assert (back.instruction, back.version) == ("Do another thing", 2)


def test_what_an_undo_brings_back_is_packed_again_though_it_was_packed_once(
    tmp_path: Path,
) -> None:
    store = stored(tmp_path / "store", made("a"))
    packed(store, tmp_path / "pack")
    first = files(tmp_path / "pack")
    episode = store.read("a")
    store.save(episode, replace(episode, instruction="Do at"), edit="relabel")
    packed(store, tmp_path / "pack")
    assert files(tmp_path / "pack") != first
    store.undo("a")
    packed(store, tmp_path / "pack")
    assert files(tmp_path / "pack") == first


def test_one_bad_episode_is_told_and_the_others_are_packed(tmp_path: Path) -> None:
    store = stored(tmp_path / "store", made("a"), made("b", first=10), made("c", first=20))
    store.write(made("d"))
    (frame, *_) = sorted((store.root / "b" / "frames").iterdir())
    frame.write_bytes(frame.read_bytes()[:-9])
    (store.root / "d" / "episode.json").write_text("{}")
    headless, shard = packed(store, tmp_path / "pack")
    assert [one.where for one in headless.unreadable] == ["d"]
    assert shard.episodes == ("a", "c")
    (bad,) = shard.unreadable
    assert (bad.where, bad.code) == ("b", "TW204")
    assert frame.name in bad.reason
    found = list(unpack_store(tmp_path / "pack", EpisodeStore(tmp_path / "back")))
    assert found == [UnpackedEpisode("a", True), UnpackedEpisode("c", True)]


def test_what_was_paid_for_travels_along_and_names_the_packed_screens(tmp_path: Path) -> None:
    store = stored(tmp_path / "store", made("a", 1))
    (step,) = store.read("a").steps
    recorded = step.observation.screenshot.sha256
    (store.root / "a" / "annotations").mkdir()
    line = json.dumps({"step": 0, "frame": recorded, "reasoning": "\ud83d", "hash": "f" * 64})
    (store.root / "a" / "annotations" / "rules.jsonl").write_text(line + "\n")
    (store.root / "annotate-rules-1.jsonl").write_text("{}\n")
    packed(store, tmp_path / "pack", "webp")
    back = EpisodeStore(tmp_path / "back")
    list(unpack_store(tmp_path / "pack", back))
    now = back.read("a").steps[0].observation.screenshot.sha256
    assert now != recorded
    text = (back.root / "a" / "annotations" / "rules.jsonl").read_text()
    assert text == line.replace(recorded, now) + "\n"
    assert (back.root / "annotate-rules-1.jsonl").read_text() == "{}\n"


def test_tags_travel_along_and_a_change_of_them_is_packed_again(tmp_path: Path) -> None:
    store = stored(tmp_path / "store", made("a"))
    packed(store, tmp_path / "pack")
    write_tags(tmp_path / "store/a", add=["split:train", "good"])
    packed(store, tmp_path / "pack")
    list(unpack_store(tmp_path / "pack", EpisodeStore(tmp_path / "back")))
    assert read_tags(tmp_path / "back/a") == ("good", "split:train")
    path = tmp_path / "pack/episodes/00000.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["tags"]), path)
    list(unpack_store(tmp_path / "pack", EpisodeStore(tmp_path / "early")))
    assert read_tags(tmp_path / "early/a") == ()


def test_unpacking_again_adds_what_is_missing_and_repeats_nothing(tmp_path: Path) -> None:
    packed(stored(tmp_path / "store", made("a"), made("b", first=9)), tmp_path / "pack")
    back = EpisodeStore(tmp_path / "back")
    list(unpack_store(tmp_path / "pack", back))
    shutil.rmtree(back.root / "a")
    assert list(unpack_store(tmp_path / "pack", back)) == [
        UnpackedEpisode("a", True),
        UnpackedEpisode("b", False),
    ]
    other = stored(tmp_path / "other", replace(made("a"), instruction="Something else"))
    first, second = unpack_store(tmp_path / "pack", other)
    assert isinstance(first, UnreadableEpisode)
    assert first.code == "TW202"
    assert second == UnpackedEpisode("b", True)


@pytest.mark.parametrize("table", list(TABLES))
@pytest.mark.parametrize("length", [-50, 0, None])
def test_a_broken_shard_is_told_and_leaves_the_others_unaffected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, length: int | None
) -> None:
    monkeypatch.setattr(packing, "SHARD_STEPS", 3)
    packed(stored(tmp_path / "store", made("a"), made("b", first=9)), tmp_path / "pack")
    path = tmp_path / "pack" / table / "00000.parquet"
    if length is not None:
        path.write_bytes(path.read_bytes()[:length])
    elif table != "episodes":
        path.unlink()
    else:
        path.write_bytes(b"PAR1")
    bad, good = unpack_store(tmp_path / "pack", EpisodeStore(tmp_path / "back"))
    assert isinstance(bad, UnreadableEpisode)
    assert bad.code == "TW830"
    assert good == UnpackedEpisode("b", True)


def altered(pack_: Path, table: str, column: str, value: object) -> None:
    path = pack_ / table / "00000.parquet"
    found = pq.read_table(path)
    rows = found.to_pylist()
    rows[0][column] = value
    pq.write_table(found.from_pylist(rows, found.schema), path)


@pytest.mark.parametrize(
    ("table", "column", "value", "told"),
    [
        ("steps", "image", {"bytes": b"no picture", "path": None}, "not the packed one"),
        ("steps", "image", {"bytes": None, "path": "/etc/passwd"}, "not the packed one"),
        ("steps", "line", "{}", "not an episode's records"),
        ("steps", "line", '{"type":"end","outcome":"success"}', "2 rows of steps; expected 3"),
        ("steps", "episode_id", "z", "0 rows of steps; expected 3"),
        ("steps", "action", None, "the column action has gaps"),
        ("episodes", "episode_id", "z", "0 rows of steps; expected 3"),
        ("episodes", "header", "[" * 100_000, "not an episode's records"),
        ("episodes", "steps", 5, "3 rows of steps; expected 5"),
        ("episodes", "annotations", [{"name": "../../x.jsonl", "bytes": b""}], "the plain name"),
        ("screens", "episode_id", "z", "no row has the file"),
    ],
)
def test_a_pack_that_was_changed_is_told(
    mixed: Path, tmp_path: Path, table: str, column: str, value: object, told: str
) -> None:
    shutil.rmtree(mixed)
    packed(stored(tmp_path / "stored", made("a")), mixed)
    altered(mixed, table, column, value)
    (found,) = unpack_store(mixed, EpisodeStore(tmp_path / "back"))
    assert isinstance(found, UnreadableEpisode)
    assert told in found.reason


def test_a_directory_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    store = stored(tmp_path / "store", made("a"))
    with pytest.raises(UsageError, match="not a packed data set"):
        packed(store, store.root)
    packed(store, tmp_path / "pack")
    with pytest.raises(LedgerError, match="pictures was 'original' and is 'webp'"):
        packed(store, tmp_path / "pack", "webp")
    with pytest.raises(UsageError, match="holds the episode 'a'"):
        packed(stored(tmp_path / "other", made("b")), tmp_path / "pack")
    with pytest.raises(NothingFoundError):
        packed(EpisodeStore(tmp_path / "none"), tmp_path / "new")
    (tmp_path / "file").write_text("")
    with pytest.raises((DiskError, UsageError)):
        packed(store, tmp_path / "file")


def test_the_instruction_of_a_step_is_a_column_and_packs_without_it_are_unpacked(
    tmp_path: Path,
) -> None:
    episode = made("a")
    told = replace(episode.steps[1], step_instruction="Tap the bell \ud83d")
    store = stored(
        tmp_path / "s", replace(episode, steps=(episode.steps[0], told, *episode.steps[2:]))
    )
    packed(store, tmp_path / "pack")
    path = tmp_path / "pack" / "steps" / "00000.parquet"
    table = pq.read_table(path)
    assert table["step_instruction"].to_pylist() == ["", "Tap the bell ?", ""]
    pq.write_table(table.drop_columns(["step_instruction"]), path)
    back = EpisodeStore(tmp_path / "back")
    assert list(unpack_store(tmp_path / "pack", back)) == [UnpackedEpisode("a", True)]
    assert back.read("a").steps[1].step_instruction == "Tap the bell \ud83d"


def test_shards_of_other_columns_are_packed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = stored(tmp_path / "s", made("a"))
    columns = {**TABLES["steps"]}
    del columns["step_instruction"]
    with monkeypatch.context() as earlier:
        earlier.setitem(TABLES, "steps", columns)
        packing_before = packed_names(store, tmp_path / "pack")
    assert packed_names(store, tmp_path / "pack") == [*packing_before, "step_instruction"]


def packed_names(store: EpisodeStore, out: Path) -> list[str]:
    """The columns of steps once a store is packed, the one that came last at the end."""
    packed(store, out)
    names = pq.read_schema(out / "steps" / "00000.parquet").names
    return sorted(names, key=lambda name: name == "step_instruction")
