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
from tapwright.formats.episode_format import Unreadable
from tapwright.formats.pack.pictures import Pictures, pack_pictures, with_pictures
from tapwright.formats.pack.tables import TABLES, shard_writer
from tapwright.formats.temporary_storage import Spool, frame_pool
from tapwright.jobs.cluster import RayWork
from tapwright.jobs.job import Done, Failed, Job, read_ledger
from tapwright.screenshot import Screenshot
from tapwright.store.store import EpisodeStore, directory_name

__all__ = [
    "LEDGER",
    "Packing",
    "Shard",
    "ShardPlan",
    "annotation_files",
    "pack",
    "shard_count",
]

LEDGER = "pack.jsonl"
_SHARD_STEPS = 128  # some minute's work, which is what a kill costs
_SHA256 = re.compile(rb"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Shard:
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
    unreadable: tuple[Unreadable, ...]


_SHARD = TypeAdapter(Shard)


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """What a shard is to hold; `digest` changes with anything that would be in it."""

    name: str
    ids: tuple[str, ...]
    digest: str


def shard_count(store: EpisodeStore) -> int:
    """How many shards `pack` will write."""
    return len(_plans(store, store.survey()[0]))


class Packing:
    """Packs shards of a store into a directory; to be closed."""

    def __init__(self, store: EpisodeStore, directory: Path, pictures: Pictures) -> None:
        self._store = store
        self._directory = directory
        self._pictures = pictures
        self._pool = frame_pool()

    async def __call__(self, plan: ShardPlan) -> JsonValue:
        """The `Shard`, as JSON.

        Raises:
            DiskError: the disk is full or not writable.
        """
        shard = _pack(self._store, self._directory, plan, self._pictures, self._pool)
        return cast(JsonValue, _SHARD.dump_python(shard, mode="json"))

    def close(self) -> None:
        """End its threads."""
        self._pool.shutdown()


async def pack(
    store: EpisodeStore,
    directory: Path,
    *,
    pictures: Pictures = "webp",
    elsewhere: RayWork[ShardPlan, JsonValue] | None = None,
) -> AsyncIterator[Shard]:
    """Pack a store into a new `directory`, or go on with it; yields each shard as it is there.

    With `elsewhere`, workers of a cluster pack (`Packing`), several shards at a time.

    An episode that cannot be packed is told with its shard, and hides no other. Shards of an
    earlier run that the store has no episodes for any more are taken away.

    Raises:
        UsageError: `directory` holds something else, or the pack of another store.
        NothingFoundError: the store has no episodes.
        LedgerError: `directory` was packed with other `pictures`.
        DiskError: the disk is full or not writable; the shards before are whole.
    """
    _refuse_strangers(store, directory)
    ids, broken = store.survey()
    if not ids and not broken:
        raise NothingFoundError(
            f"{store.root}: no episodes", hint=f"tapwright record --agent script -o {store.root}"
        )
    if broken:
        told = (Unreadable(name, one.code, str(one)) for name, one in broken.items())
        yield Shard("", (), 0, 0, 0, "", tuple(told))
    plans, shards = _plans(store, ids), list[Shard]()
    with closing(Packing(store, directory, pictures)) as here:
        job = Job(
            "pack",
            key=lambda plan: f"{plan.name}-{plan.digest}",
            work=elsewhere or here,
            config={"pictures": pictures},
            kept=lambda value: _kept(directory, _SHARD.validate_python(value)),
            concurrency=elsewhere.concurrency if elsewhere else 1,
        )
        async for ended in job.run(plans, directory / LEDGER):
            match ended:
                case Done(value=value):
                    shards.append(_SHARD.validate_python(value))
                    yield shards[-1]
                case Failed(key=key, code=code, message=message):
                    yield Shard(key, (), 0, 0, 0, "", (Unreadable(key, code, message),))
    _finish(store, directory, {plan.name for plan in plans}, shards)


def annotation_files(directory: Path) -> dict[str, bytes]:
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


def _plans(store: EpisodeStore, ids: Sequence[str]) -> list[ShardPlan]:
    plans: list[ShardPlan] = []
    held: list[str] = []
    steps, digest = 0, hashlib.sha256()
    for number, id_ in enumerate(ids, start=1):
        lines, state = _state(store, id_)
        held.append(id_)
        steps += lines
        digest.update(state)
        if steps >= _SHARD_STEPS or number == len(ids):
            plans.append(ShardPlan(f"{len(plans):05d}", tuple(held), digest.hexdigest()[:16]))
            held, steps, digest = [], 0, hashlib.sha256()
    return plans


def _state(store: EpisodeStore, id_: str) -> tuple[int, bytes]:
    """The number of an episode's lines, and a hash of all that is packed of it."""
    digest = hashlib.sha256(id_.encode())
    lines = b""
    try:
        history = store.history(id_)
        place = history.place(history.shown) or history.directory
        lines = (place / "steps.jsonl").read_bytes()
        digest.update((place / "episode.json").read_bytes() + lines)
        for name, data in annotation_files(history.directory).items():
            digest.update(name.encode() + data)
    except (OSError, StoreError):
        pass  # packing it will tell
    return lines.count(b"\n"), digest.digest()


def _pack(
    store: EpisodeStore,
    directory: Path,
    plan: ShardPlan,
    pictures: Pictures,
    pool: ThreadPoolExecutor,
) -> Shard:
    packed: list[str] = []
    bad: list[Unreadable] = []
    steps = screens = 0
    with shard_writer(directory, plan.name) as writer:
        for id_ in plan.ids:
            try:
                episode = store.read(id_)
                annotations = annotation_files(store.root / directory_name(id_))
                shots = pack_pictures(episode, pictures, pool, Spool())
            except TapwrightError as error:
                if error.fatal:
                    raise
                bad.append(Unreadable(id_, error.code, str(error)))
                continue
            writer.add(episode, with_pictures(episode, shots), _renamed(annotations, shots))
            packed.append(id_)
            steps += len(episode.steps)
            screens += sum(len(step.screens) - 1 for step in episode.steps)
            screens += episode.final is not None
    size = sum(path.stat().st_size for path in _files(directory, plan.name))
    sha256 = _sha256(directory, plan.name)
    return Shard(plan.name, tuple(packed), steps, screens, size, sha256, tuple(bad))


def _renamed(annotations: Mapping[str, bytes], shots: Mapping[str, Screenshot]) -> dict[str, bytes]:
    """The files with the packed screens' hashes, by which they name what they are about."""
    names = {old.encode(): shot.sha256.encode() for old, shot in shots.items()}
    return {
        name: _SHA256.sub(lambda found: names.get(found[0], found[0]), data)
        for name, data in annotations.items()
    }


def _files(directory: Path, name: str) -> Iterator[Path]:
    for table in TABLES:
        yield directory / table / f"{name}.parquet"


def _kept(directory: Path, shard: Shard) -> bool:
    """Whether the shard is there as it was written, and not as a later run wrote it."""
    files = _files(directory, shard.name)
    whole = not shard.unreadable and all(path.is_file() for path in files)
    return whole and _sha256(directory, shard.name) == shard.sha256


def _sha256(directory: Path, name: str) -> str:
    digests = []
    for path in _files(directory, name):
        with disk(path), path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").digest())
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _refuse_strangers(store: EpisodeStore, directory: Path) -> None:
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


def _finish(
    store: EpisodeStore, directory: Path, names: Collection[str], shards: Sequence[Shard]
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
    write_beside(directory / "README.md", _card(shards).encode())


def _card(shards: Sequence[Shard]) -> str:
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
    return f"---\nconfigs:\n{configs}---\n\n{_WORDS}"


_WORDS = """\
# Episodes of GUI agents

Packed by tapwright; `tapwright episodes unpack` makes a store of episodes of it again.

- `steps`: one row for each step, with the screen before the action (`image`), the action as JSON
  with places in fractions of the screen, the reasoning, the target, the reward and the view
  hierarchy.
- `episodes`: one row for each episode: instruction, outcome, agent, device, annotations.
- `screens`: every other screen: the last one of an episode (its `step` is the number of steps), and
  those between a step's touch events.
"""
