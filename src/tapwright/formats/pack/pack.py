"""Packs a store as a data set: Parquet shards that trainers load unchanged, in a resumable job.

    <pack>/README.md                 a data set card, which names the tables for `datasets`
    <pack>/episodes/00000.parquet    the tables, a file of each for every shard
    <pack>/steps/00000.parquet
    <pack>/screens/00000.parquet
    <pack>/annotate/…                the ledgers of annotators, so that no request is repeated
    <pack>/pack.jsonl                the job's own ledger

A shard has whole episodes, in the version that the store shows. One is packed again when its
contents have changed, and the same store gives the same bytes, however often it was interrupted.
"""

import hashlib
import re
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import JsonValue, TypeAdapter

from tapwright.core.screenshot import Screenshot
from tapwright.errors import StoreError, TapwrightError, UsageError
from tapwright.files.atomic import refuse_link, wrap_disk_errors, write_atomically
from tapwright.files.regular import open_regular, read_regular
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.pack.pictures import ImageEncoding, pack_pictures, replace_pictures
from tapwright.formats.pack.tables import TABLES, shard_writer
from tapwright.formats.temporary_storage import TemporaryStorage, open_encoder_pool
from tapwright.formats.told_paths import tell_names
from tapwright.jobs.cluster import RayWork
from tapwright.jobs.job import ItemDone, ItemFailed, Job, read_ledger
from tapwright.store.errors import no_episodes
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import read_tags
from tapwright.store.trash import list_trash

__all__ = [
    "LEDGER", "SHARD_STEPS", "PackedShard", "ShardPacker", "ShardPlan", "count_shards",
    "hash_shard", "pack_store", "read_annotation_files", "render_card", "shard_files",
]  # fmt: skip

LEDGER = "pack.jsonl"
SHARD_STEPS = 128
"""A shard ends with the episode that brings it to so many: about a minute of work, which is what an
interruption costs."""
_FAILED = b'"status": "failed"'
"""In a ledger's line of what failed, which says where it lies here, and is tried again anyway."""
_SHA256 = re.compile(rb"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class PackedShard:
    """A shard on disk: its episodes in order, and the numbers of their steps and bytes.

    `screens` counts the rows of the table of other screens, `sha256` is that of all its files.
    `unreadable` are the episodes that it lacks.
    """

    name: str
    episodes: tuple[str, ...]
    steps: int
    screens: int
    bytes: int
    sha256: str
    unreadable: tuple[UnreadableEpisode, ...]


_SHARD = TypeAdapter(PackedShard)


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """The episodes of a shard to be packed; `digest` changes with its contents and columns."""

    name: str
    ids: tuple[str, ...]
    digest: str


def count_shards(store: EpisodeStore, ids: Sequence[str] | None = None) -> int:
    """Returns how many shards `pack_store` will write."""
    return len(_plan_shards(store, store.scan()[0] if ids is None else ids))


class ShardPacker:
    """Packs shards of a store into a directory; close it after use."""

    def __init__(self, store: EpisodeStore, directory: Path, pictures: ImageEncoding) -> None:
        self._store = store
        self._directory = directory
        self._pictures = pictures
        self._pool = open_encoder_pool()

    async def __call__(self, plan: ShardPlan) -> JsonValue:
        """Pack a shard; returns the `PackedShard` as JSON.

        Raises:
            DiskError: the disk is full or not writable.
        """
        shard = _pack_shard(self._store, self._directory, plan, self._pictures, self._pool)
        return cast(JsonValue, _SHARD.dump_python(shard, mode="json"))

    def close(self) -> None:
        """Stop its threads."""
        self._pool.shutdown()


async def pack_store(
    store: EpisodeStore,
    directory: Path,
    ids: Sequence[str] | None = None,
    *,
    pictures: ImageEncoding = "original",
    workers: RayWork[ShardPlan, JsonValue] | None = None,
) -> AsyncIterator[PackedShard]:
    """Packs a store into a new `directory`, or continues there; yields each written shard.

    With `ids` these episodes alone are packed, in this order; what else was packed there goes.
    With `workers`, those of a cluster pack (`ShardPacker`), several shards at a time.

    An episode that cannot be packed is reported with its shard; others are unaffected. Shards of an
    earlier run are deleted when the store no longer has their episodes.

    Raises:
        UsageError: `directory` holds something else, or the pack of another store.
        NothingFoundError: the store has no episodes.
        LedgerError: `directory` was packed with other `pictures`.
        DiskError: the disk is full or not writable; the shards before it are complete.
    """
    _check_directory(store, directory)
    broken: Mapping[str, StoreError] = {}
    if ids is None:
        ids, broken = store.scan()
    if not ids and not broken:
        raise no_episodes(store.root)
    if broken:
        unreadable = (UnreadableEpisode.of(name, one) for name, one in broken.items())
        yield PackedShard("", (), 0, 0, 0, "", tuple(unreadable))
    plans, shards = _plan_shards(store, ids), list[PackedShard]()
    with closing(ShardPacker(store, directory, pictures)) as packer:
        job = Job(
            "pack",
            key=lambda plan: f"{plan.name}-{plan.digest}",
            work=workers or packer,
            config={"pictures": pictures},
            kept=lambda value: _is_intact(directory, _SHARD.validate_python(value)),
            concurrency=workers.concurrency if workers else 1,
        )
        async for ended in job.run(plans, directory / LEDGER):
            match ended:
                case ItemDone(value=value):
                    shards.append(_SHARD.validate_python(value))
                    yield shards[-1]
                case ItemFailed(key=key, code=code, message=message):
                    yield PackedShard(
                        key, (), 0, 0, 0, "", (UnreadableEpisode(key, code, message),)
                    )
    _write_set_files(store, directory, {plan.name for plan in plans}, shards)


def read_annotation_files(directory: Path) -> dict[str, bytes]:
    """Reads the annotators' files in an episode's `directory`, by name, in sorted order.

    Raises:
        StoreError: one cannot be read.
    """
    folder = directory / "annotations"
    try:
        paths = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
        return {path.name: read_regular(path) for path in paths}
    except OSError as error:
        raise StoreError(f"{folder}: cannot be read: {error.strerror}") from error


def _plan_shards(store: EpisodeStore, ids: Sequence[str]) -> list[ShardPlan]:
    plans: list[ShardPlan] = []
    held: list[str] = []
    columns = repr([sorted(kinds.items()) for kinds in TABLES.values()]).encode()
    steps, digest = 0, hashlib.sha256(columns)
    for number, id_ in enumerate(ids, start=1):
        lines, state = _episode_state(store, id_)
        held.append(id_)
        steps += lines
        digest.update(state)
        if steps >= SHARD_STEPS or number == len(ids):
            plans.append(ShardPlan(f"{len(plans):05d}", tuple(held), digest.hexdigest()[:16]))
            held, steps, digest = [], 0, hashlib.sha256(columns)
    return plans


def _episode_state(store: EpisodeStore, id_: str) -> tuple[int, bytes]:
    """Returns the number of an episode's lines, and a hash of everything that is packed of it."""
    digest = hashlib.sha256(id_.encode())
    lines = b""
    try:
        history = store.history(id_)
        place = history.version_directory(history.current) or history.directory
        lines = read_regular(place / "steps.jsonl")
        digest.update(read_regular(place / "episode.json") + lines)
        for name, data in read_annotation_files(history.directory).items():
            digest.update(name.encode() + data)
        digest.update(repr(read_tags(history.directory)).encode())
    except (OSError, StoreError):
        pass  # packing it will report the error
    return lines.count(b"\n"), digest.digest()


def _pack_shard(
    store: EpisodeStore,
    directory: Path,
    plan: ShardPlan,
    pictures: ImageEncoding,
    pool: ThreadPoolExecutor,
) -> PackedShard:
    packed: list[str] = []
    bad: list[UnreadableEpisode] = []
    steps = screens = 0
    with shard_writer(directory, plan.name) as writer:
        for id_ in plan.ids:
            try:
                episode = tell_names(store.read(id_))
                place = store.root / directory_name(id_)
                annotations, tags = read_annotation_files(place), read_tags(place)
                shots = pack_pictures(episode, pictures, pool, TemporaryStorage())
            except TapwrightError as error:
                if error.fatal:
                    raise
                bad.append(UnreadableEpisode.of(id_, error))
                continue
            told = _replace_hashes(annotations, shots)
            writer.add(episode, replace_pictures(episode, shots), told, tags)
            packed.append(id_)
            steps += len(episode.steps)
            screens += sum(len(step.screens) - 1 for step in episode.steps)
            screens += episode.final is not None
    size = sum(path.stat().st_size for path in shard_files(directory, plan.name))
    sha256 = hash_shard(directory, plan.name)
    return PackedShard(plan.name, tuple(packed), steps, screens, size, sha256, tuple(bad))


def _replace_hashes(
    annotations: Mapping[str, bytes], shots: Mapping[str, Screenshot]
) -> dict[str, bytes]:
    """Replaces the hashes of recorded screens in annotations by those of the packed ones."""
    names = {old.encode(): shot.sha256.encode() for old, shot in shots.items()}
    return {
        name: _SHA256.sub(lambda found: names.get(found[0], found[0]), data)
        for name, data in annotations.items()
    }


def shard_files(directory: Path, name: str) -> Iterator[Path]:
    """The files of a shard, one of each table."""
    for table in TABLES:
        yield directory / table / f"{name}.parquet"


def _is_intact(directory: Path, shard: PackedShard) -> bool:
    """Whether the shard exists as it was written, and no later run has changed it."""
    files = shard_files(directory, shard.name)
    whole = not shard.unreadable and all(path.is_file() for path in files)
    return whole and hash_shard(directory, shard.name) == shard.sha256


def hash_shard(directory: Path, name: str) -> str:
    """One hash of a shard's files.

    Raises:
        DiskError: one cannot be read.
    """
    digests = []
    for path in shard_files(directory, name):
        with wrap_disk_errors(path), open_regular(path) as file:
            digests.append(hashlib.file_digest(file, "sha256").digest())
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _check_directory(store: EpisodeStore, directory: Path) -> None:
    if not (directory / LEDGER).exists():
        if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
            raise UsageError(
                f"{directory}: exists but is not a packed data set", hint="choose another directory"
            )
        return
    trashed = {one.directory for one in list_trash(store.root)}
    for ended in read_ledger(directory / LEDGER).ended:
        for id_ in (
            _SHARD.validate_python(ended.value).episodes if isinstance(ended, ItemDone) else ()
        ):
            name = directory_name(id_)
            if not (store.root / name).exists() and name not in trashed:
                raise UsageError(
                    f"{directory}: holds the episode {id_!r}, which is not in {store.root}",
                    hint="pack one store into one directory",
                )


def _write_set_files(
    store: EpisodeStore, directory: Path, names: Collection[str], shards: Sequence[PackedShard]
) -> None:
    with wrap_disk_errors(directory):
        for table in TABLES:
            refuse_link(directory / table)
            for path in (directory / table).glob("*.parquet"):
                if path.stem not in names:
                    path.unlink()
            for path in (directory / table).glob(".*.part"):  # left by an interrupted run
                path.unlink()
        for path in sorted(store.root.glob("annotate-*.jsonl")):
            lines = read_regular(path).splitlines(keepends=True)
            done = b"".join(line for line in lines if _FAILED not in line)
            write_atomically(directory / "annotate" / path.name, done)
    write_atomically(directory / "README.md", render_card(shards).encode())


def render_card(shards: Sequence[PackedShard]) -> str:
    """The card of a pack of these shards, which names its tables for `datasets`."""
    rows = {
        "episodes": sum(len(shard.episodes) for shard in shards),
        "steps": sum(shard.steps for shard in shards),
        "screens": sum(shard.screens for shard in shards),
    }
    # `datasets` knows its cache of a pack by the directory's name and by what is written here.
    hashes = sorted(shard.sha256 for shard in shards)
    digest = hashlib.sha256("".join(hashes).encode()).hexdigest()
    configs = "".join(
        f"- config_name: {table}\n  description: sha256 {digest}\n"
        f"  data_files: {table}/*.parquet\n" + ("  default: true\n" if table == "steps" else "")
        for table in TABLES
        if rows[table]  # `datasets` cannot load a table without a row
    )
    return f"---\nconfigs:\n{configs}---\n\n{_CARD_TEXT}"


_CARD_TEXT = """\
# Episodes of GUI agents

Packed by tapwright; `tapwright episodes unpack` turns it into a store of episodes again.

- `steps`: one row for each step, with the screen before the action (`image`), the action as JSON
  with places in fractions of the screen, the reasoning, the target, the reward and the view
  hierarchy.
- `episodes`: one row for each episode: instruction, outcome, agent, device, annotations.
- `screens`: every other screen: the last one of an episode (its `step` is the number of steps), and
  those between a step's touch events.
"""
