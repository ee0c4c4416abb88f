"""A store packed as a data set: Parquet shards that trainers load as they are, a job to go on with.

    <pack>/README.md                 a data set card, which tells `datasets` the tables
    <pack>/episodes/00000.parquet    the tables, a file of each for every shard
    <pack>/steps/00000.parquet
    <pack>/screens/00000.parquet
    <pack>/annotate/…                the ledgers of annotators, so that nothing is paid for twice
    <pack>/pack.jsonl                the job's own ledger

A shard has whole episodes, in the version that the store shows. One is packed again when what it
holds has changed since, and the same store gives the same bytes, however often it was interrupted.
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

from tapwright.errors import NothingFoundError, StoreError, TapwrightError, UsageError
from tapwright.files.atomic import disk, write_beside
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.pack.pictures import ImageEncoding, pack_pictures, replace_pictures
from tapwright.formats.pack.tables import TABLES, shard_writer
from tapwright.formats.temporary_storage import TemporaryStorage, open_encoder_pool
from tapwright.jobs.cluster import RayWork
from tapwright.jobs.job import Done, Failed, Job, read_ledger
from tapwright.screenshot import Screenshot
from tapwright.store.store import EpisodeStore, directory_name

__all__ = [
    "LEDGER",
    "PackedShard",
    "ShardPacker",
    "ShardPlan",
    "count_shards",
    "pack_store",
    "read_annotation_files",
]

LEDGER = "pack.jsonl"
_SHARD_STEPS = 128  # some minute's work, which is what a kill costs
_SHA256 = re.compile(rb"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class PackedShard:
    """A shard that is written: its episodes in order, how many steps and bytes they are.

    `screens` counts the rows of the table of other screens, `sha256` is that of all its files.

    `unreadable` are the episodes that it should have had.
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
    """What a shard is to hold; `digest` changes with anything that would be in it."""

    name: str
    ids: tuple[str, ...]
    digest: str


def count_shards(store: EpisodeStore) -> int:
    """How many shards `pack_store` will write."""
    return len(_plan_shards(store, store.survey()[0]))


class ShardPacker:
    """Packs shards of a store into a directory; to be closed."""

    def __init__(self, store: EpisodeStore, directory: Path, pictures: ImageEncoding) -> None:
        self._store = store
        self._directory = directory
        self._pictures = pictures
        self._pool = open_encoder_pool()

    async def __call__(self, plan: ShardPlan) -> JsonValue:
        """The `PackedShard`, as JSON.

        Raises:
            DiskError: the disk is full or not writable.
        """
        shard = _pack_shard(self._store, self._directory, plan, self._pictures, self._pool)
        return cast(JsonValue, _SHARD.dump_python(shard, mode="json"))

    def close(self) -> None:
        """End its threads."""
        self._pool.shutdown()


async def pack_store(
    store: EpisodeStore,
    directory: Path,
    *,
    pictures: ImageEncoding = "webp",
    elsewhere: RayWork[ShardPlan, JsonValue] | None = None,
) -> AsyncIterator[PackedShard]:
    """Pack a store into a new `directory`, or go on with it; yields each shard as it is there.

    With `elsewhere`, workers of a cluster pack (`ShardPacker`), several shards at a time.

    An episode that cannot be packed is told with its shard, and hides no other. Shards of an
    earlier run that the store has no episodes for any more are taken away.

    Raises:
        UsageError: `directory` holds something else, or the pack of another store.
        NothingFoundError: the store has no episodes.
        LedgerError: `directory` was packed with other `pictures`.
        DiskError: the disk is full or not writable; the shards before are whole.
    """
    _check_directory(store, directory)
    ids, broken = store.survey()
    if not ids and not broken:
        raise NothingFoundError(
            f"{store.root}: no episodes", hint=f"tapwright record --agent script -o {store.root}"
        )
    if broken:
        told = (UnreadableEpisode(name, one.code, str(one)) for name, one in broken.items())
        yield PackedShard("", (), 0, 0, 0, "", tuple(told))
    plans, shards = _plan_shards(store, ids), list[PackedShard]()
    with closing(ShardPacker(store, directory, pictures)) as here:
        job = Job(
            "pack_store",
            key=lambda plan: f"{plan.name}-{plan.digest}",
            work=elsewhere or here,
            config={"pictures": pictures},
            kept=lambda value: _is_intact(directory, _SHARD.validate_python(value)),
            concurrency=elsewhere.concurrency if elsewhere else 1,
        )
        async for ended in job.run(plans, directory / LEDGER):
            match ended:
                case Done(value=value):
                    shards.append(_SHARD.validate_python(value))
                    yield shards[-1]
                case Failed(key=key, code=code, message=message):
                    yield PackedShard(
                        key, (), 0, 0, 0, "", (UnreadableEpisode(key, code, message),)
                    )
    _write_set_files(store, directory, {plan.name for plan in plans}, shards)


def read_annotation_files(directory: Path) -> dict[str, bytes]:
    """The files of annotators in an episode's `directory`, by name, in its order.

    Raises:
        StoreError: one cannot be read.
    """
    folder = directory / "annotations"
    try:
        paths = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
        return {path.name: path.read_bytes() for path in paths}
    except OSError as error:
        raise StoreError(f"{folder}: cannot be read: {error.strerror}") from error


def _plan_shards(store: EpisodeStore, ids: Sequence[str]) -> list[ShardPlan]:
    plans: list[ShardPlan] = []
    held: list[str] = []
    steps, digest = 0, hashlib.sha256()
    for number, id_ in enumerate(ids, start=1):
        lines, state = _episode_state(store, id_)
        held.append(id_)
        steps += lines
        digest.update(state)
        if steps >= _SHARD_STEPS or number == len(ids):
            plans.append(ShardPlan(f"{len(plans):05d}", tuple(held), digest.hexdigest()[:16]))
            held, steps, digest = [], 0, hashlib.sha256()
    return plans


def _episode_state(store: EpisodeStore, id_: str) -> tuple[int, bytes]:
    """The number of an episode's lines, and a hash of all that is packed of it."""
    digest = hashlib.sha256(id_.encode())
    lines = b""
    try:
        history = store.history(id_)
        place = history.place(history.shown) or history.directory
        lines = (place / "steps.jsonl").read_bytes()
        digest.update((place / "episode.json").read_bytes() + lines)
        for name, data in read_annotation_files(history.directory).items():
            digest.update(name.encode() + data)
    except (OSError, StoreError):
        pass  # packing it will tell
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
                episode = store.read(id_)
                annotations = read_annotation_files(store.root / directory_name(id_))
                shots = pack_pictures(episode, pictures, pool, TemporaryStorage())
            except TapwrightError as error:
                if error.fatal:
                    raise
                bad.append(UnreadableEpisode(id_, error.code, str(error)))
                continue
            writer.add(
                episode, replace_pictures(episode, shots), _replace_hashes(annotations, shots)
            )
            packed.append(id_)
            steps += len(episode.steps)
            screens += sum(len(step.screens) - 1 for step in episode.steps)
            screens += episode.final is not None
    size = sum(path.stat().st_size for path in _shard_files(directory, plan.name))
    sha256 = _hash_shard(directory, plan.name)
    return PackedShard(plan.name, tuple(packed), steps, screens, size, sha256, tuple(bad))


def _replace_hashes(
    annotations: Mapping[str, bytes], shots: Mapping[str, Screenshot]
) -> dict[str, bytes]:
    """The files with the packed screens' hashes, by which they name what they are about."""
    names = {old.encode(): shot.sha256.encode() for old, shot in shots.items()}
    return {
        name: _SHA256.sub(lambda found: names.get(found[0], found[0]), data)
        for name, data in annotations.items()
    }


def _shard_files(directory: Path, name: str) -> Iterator[Path]:
    for table in TABLES:
        yield directory / table / f"{name}.parquet"


def _is_intact(directory: Path, shard: PackedShard) -> bool:
    """Whether the shard is there as it was written, and not as a later run wrote it."""
    files = _shard_files(directory, shard.name)
    whole = not shard.unreadable and all(path.is_file() for path in files)
    return whole and _hash_shard(directory, shard.name) == shard.sha256


def _hash_shard(directory: Path, name: str) -> str:
    digests = []
    for path in _shard_files(directory, name):
        with disk(path), path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").digest())
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _check_directory(store: EpisodeStore, directory: Path) -> None:
    if not (directory / LEDGER).exists():
        if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
            raise UsageError(
                f"{directory}: is there, and no packed data set", hint="choose another directory"
            )
        return
    for ended in read_ledger(directory / LEDGER).ended:
        for id_ in _SHARD.validate_python(ended.value).episodes if isinstance(ended, Done) else ():
            if not (store.root / directory_name(id_)).exists():
                raise UsageError(
                    f"{directory}: holds the episode {id_!r}, which is not in {store.root}",
                    hint="pack one store into one directory",
                )


def _write_set_files(
    store: EpisodeStore, directory: Path, names: Collection[str], shards: Sequence[PackedShard]
) -> None:
    with disk(directory):
        for table in TABLES:
            for path in (directory / table).glob("*.parquet"):
                if path.stem not in names:
                    path.unlink()
            for path in (directory / table).glob(".*.part"):  # what a kill left
                path.unlink()
        for path in sorted(store.root.glob("annotate-*.jsonl")):
            write_beside(directory / "annotate" / path.name, path.read_bytes())
    write_beside(directory / "README.md", _render_card(shards).encode())


def _render_card(shards: Sequence[PackedShard]) -> str:
    rows = {
        "episodes": sum(len(shard.episodes) for shard in shards),
        "steps": sum(shard.steps for shard in shards),
        "screens": sum(shard.screens for shard in shards),
    }
    configs = "".join(
        f"- config_name: {table}\n  data_files: {table}/*.parquet\n"
        + ("  default: true\n" if table == "steps" else "")
        for table in TABLES
        if rows[table]  # `datasets` cannot load a table without a row
    )
    return f"---\nconfigs:\n{configs}---\n\n{_CARD_TEXT}"


_CARD_TEXT = """\
# Episodes of GUI agents

Packed by tapwright; `tapwright episodes unpack` makes a store of episodes of it again.

- `steps`: one row for each step, with the screen before the action (`image`), the action as JSON
  with places in fractions of the screen, the reasoning, the target, the reward and the view
  hierarchy.
- `episodes`: one row for each episode: instruction, outcome, agent, device, annotations.
- `screens`: every other screen: the last one of an episode (its `step` is the number of steps), and
  those between a step's touch events.
"""
