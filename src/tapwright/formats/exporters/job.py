"""Exports a training set in any trainer's format.

    <directory>/
        …                the format's own files
        images/          the images, where the format has files of them: <sha256>.<ext>, once each
        manifest.json    settings, counts, the hashes of the other files, what was left out and why

The same episodes and settings give the same bytes, in whatever order the episodes come. A bad step
or episode is left out and reported; memory does not grow with the number of samples.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias, cast

from pydantic import JsonValue

from tapwright.core.fit import UNLABELLED, UNREVIEWED
from tapwright.core.language import counted
from tapwright.core.screenshot import Screenshot
from tapwright.errors import NothingFoundError, UsageError
from tapwright.files.atomic import atomic_directory, check_is_new, disk_error
from tapwright.files.names import without_folders
from tapwright.files.regular import write_new
from tapwright.formats import formats
from tapwright.formats.exporters import training_set
from tapwright.formats.exporters.pictures import (
    FOLDER,
    EncodePicture,
    PictureEncoder,
    encode_picture,
    image_path,
)
from tapwright.formats.exporters.samples import OTHER_SCREEN, TrainingEpisode, make_samples
from tapwright.formats.exporters.turns import JsonObject
from tapwright.formats.exporters.writers import JsonRows
from tapwright.store.annotations import NO_ANNOTATIONS

__all__ = [
    "ImageFiles", "MadeRows", "MakeRows", "choose_validation_ids", "export_sft", "make_rows",
    "no_samples_error",
]  # fmt: skip


class ImageFiles:
    """The images of the set in `directory`; `count` files were written here."""

    def __init__(self, directory: Path) -> None:
        self.count = 0
        self._directory = directory
        (directory / FOLDER).mkdir(exist_ok=True)

    def keep(self, picture: Screenshot) -> None:
        """Write the file of a picture, unless the set has it.

        Raises:
            DiskError: it cannot be written.
        """
        path = f"{self._directory}/{image_path(picture)}"
        try:
            self.count += write_new(path, picture.data)
        except OSError as error:
            raise disk_error(path, error) from error


class SampleRow(NamedTuple):
    """What a sample became, as its writer takes it, and what is counted of it."""

    split: training_set.Split
    episode: str
    taught: int
    pictures: int
    row: bytes | None = None
    """Where it is not written yet."""


class MadeRows(NamedTuple):
    """The rows of some episodes with what was dropped of them, in order; `images` files are new."""

    episodes: int
    rows: Sequence[SampleRow | training_set.DroppedStep]
    images: int


MakeRows: TypeAlias = Callable[
    [Sequence[TrainingEpisode], frozenset[str], Path], Generator[MadeRows, None, None]
]
"""Makes the rows of episodes, those held out, and the image files of the set in a directory."""


def export_sft(
    format_: training_set.SftFormat,
    episodes: Iterable[TrainingEpisode],
    directory: Path,
    settings: training_set.SftSettings,
    *,
    dropped: Iterable[training_set.DroppedStep] = (),
    advance: Callable[[int], None] = lambda _: None,
    encode: EncodePicture = encode_picture,
    threads: int | None = None,
    spread: MakeRows | None = None,
) -> training_set.SftReport:
    """Writes a training set into a new `directory`, and checks it by its trainer's rules.

    `dropped` was left out earlier and goes into the manifest; `advance` is called with 1 after each
    episode. `encode` makes the pictures that differ from the recorded ones, in `threads` threads,
    by default one per core. `spread`, if it is given, makes the rows that do not need each other,
    with their pictures.

    Raises:
        UsageError: `directory` exists, the settings are out of range, or they are of several
            questions a picture, which the format does not take.
        NothingFoundError: no step can become a sample.
        DiskError: the disk is full or not writable; then nothing is left behind.
        BadTrainingSetError: what was written breaks the trainer's rules.
    """
    check_is_new(directory)
    if settings.per_picture > 1 and not format_.takes_follow_ups:
        raise UsageError(
            f"a sample of {format_.name} has one question; {settings.per_picture} about a picture "
            "are too many",
            hint=f"--to {', '.join(_list_those_with_follow_ups())}",
        )
    tally = _Tally(list(dropped))
    chosen = _unique(episodes, tally)
    asked = {one.episode for one in tally.dropped} | {one.id for one in chosen}
    tasks: dict[str, str] = {}
    for episode in chosen:
        tasks[_unit(episode)] = min(tasks.get(_unit(episode), episode.task_id), episode.task_id)
    units = choose_validation_ids(
        tasks, share=settings.val_share, seed=settings.seed, sizes=Counter(map(_unit, chosen))
    )
    held_out = frozenset(episode.id for episode in chosen if _unit(episode) in units)
    # Training first: a file is finished before the next is started.
    chosen.sort(key=lambda episode: (episode.id in held_out, episode.id))

    with atomic_directory(directory) as beside:
        images = ImageFiles(beside) if format_.writes_image_files else None
        writer = format_.writer(beside, settings)
        if spread and isinstance(writer, JsonRows):
            assert images  # rows of JSON name the files
            with closing(spread(chosen, held_out, beside)) as batches:
                for made in batches:
                    for one in made.rows:
                        tally.count(one)
                        if isinstance(one, SampleRow) and one.row:
                            writer.write(one.split, one.row)
                    images.count += made.images
                    advance(made.episodes)
        else:
            with PictureEncoder(settings, encode=encode, threads=threads) as pictures:
                read = _advancing(chosen, advance)
                found = make_samples(
                    read, held_out, pictures, settings, without_reasoning=format_.learns_from_play
                )
                for one in make_rows(found, writer.add, images):
                    tally.count(one)
        if not any(tally.samples.values()):
            raise no_samples_error(tally.dropped)
        tally.take_back(writer.close() or (), held_out)
        report = training_set.SftReport(
            tally.samples,
            tally.episodes,
            len(asked),
            images.count if images else tally.pictures,
            tuple(tally.dropped),
            checked=format_.check(beside),
            taught=tally.taught,
            held_out=len(held_out),
            to_hold_out=_count_to_hold_out(len(chosen), settings.val_share),
            claimed=sum(episode.is_claimed for episode in chosen),
        )
        _write_manifest(beside, format_, settings, report)
    return report


def make_rows(
    found: Iterable[training_set.TrainingSample | training_set.DroppedStep],
    render: Callable[[training_set.TrainingSample], bytes | None],
    images: ImageFiles | None,
) -> Iterator[SampleRow | training_set.DroppedStep]:
    """Yields the row of each sample, whose images are kept, and what was dropped."""
    for sample in found:
        if isinstance(sample, training_set.DroppedStep):
            yield sample
            continue
        try:
            row = render(sample)
        except training_set.UnusableStepError as error:
            for number in sample.numbers:
                yield training_set.DroppedStep(sample.episode.id, number, str(error), error.code)
            continue
        pictures = sample.pictures
        if images:
            for picture in pictures:
                images.keep(picture)
        yield SampleRow(sample.split, sample.episode.id, len(sample.numbers), len(pictures), row)


def _advancing(
    episodes: Iterable[TrainingEpisode], advance: Callable[[int], None]
) -> Iterator[TrainingEpisode]:
    for episode in episodes:
        yield episode
        advance(1)


def choose_validation_ids(
    tasks: Mapping[str, str], *, share: float, seed: int, sizes: Mapping[str, int] | None = None
) -> frozenset[str]:
    """Chooses the validation episodes: `share` of them, rounded, spread over tasks.

    `tasks` maps each episode id, or group of plays, to its task id; `sizes` has how many episodes a
    group is, by default 1. With a share above 0 and at least two ids of one episode, each side gets
    one at least. A group is left in training where the share would be missed by more with it than
    without it, so there may be none to hold out. `seed` and the ids decide, their order does not.

    Raises:
        UsageError: `share` is not at least 0 and below 1.
    """
    if not 0 <= share < 1:
        raise UsageError(f"validation share {share}; expected at least 0 and below 1")

    def chance(name: str) -> str:
        return hashlib.sha256(f"{seed}\n{name}".encode("utf-8", "surrogatepass")).hexdigest()

    size = {id_: (sizes or {}).get(id_, 1) for id_ in tasks}
    total = sum(size.values())
    wanted = _count_to_hold_out(total, share)

    def fits(id_: str, held: int) -> bool:
        return held + size[id_] < total and size[id_] <= 2 * (wanted - held)

    ordered = sorted(tasks, key=lambda id_: (chance(tasks[id_]), tasks[id_], chance(id_)))
    places = [id_ for id_ in ordered if fits(id_, 0) for _ in range(size[id_])]
    count = min(wanted, len(places))
    chosen: set[str] = set()
    held = 0
    for number in range(count):
        if held > number:
            continue  # an earlier group was large enough for this one, too
        # Taking every n-th of a list sorted by task takes the same share from each task.
        at = (2 * number + 1) * len(places) // (2 * count)
        for offset in range(len(places)):
            id_ = places[(at + offset) % len(places)]
            if id_ not in chosen and fits(id_, held):
                chosen.add(id_)
                held += size[id_]
                break
        else:
            break  # what does not fit now never will
    return frozenset(chosen)


def _count_to_hold_out(total: int, share: float) -> int:
    """How many of `total` episodes a share is; one at least, and one is left to train on."""
    return 0 if share == 0 or total < 2 else min(max(round(total * share), 1), total - 1)


def _list_those_with_follow_ups() -> Iterator[str]:
    """The formats that take several questions about a picture in one sample, also of one's own."""
    for name, format_ in formats.installed():
        if isinstance(format_, training_set.SftFormat) and format_.takes_follow_ups:
            yield name


def _unit(episode: TrainingEpisode) -> str:
    """What is held out as one: plays of a group show nearly the same, and are compared."""
    return episode.group or episode.id


@dataclass(slots=True)
class _Tally:
    dropped: list[training_set.DroppedStep]
    samples: dict[training_set.Split, int] = field(default_factory=lambda: {"train": 0, "val": 0})
    taught: dict[training_set.Split, int] = field(default_factory=lambda: {"train": 0, "val": 0})
    pictures: int = 0
    _samples_of: Counter[tuple[training_set.Split, str]] = field(default_factory=Counter)

    @property
    def episodes(self) -> dict[training_set.Split, int]:
        """How many episodes have a sample."""
        found = Counter(split for (split, _), count in self._samples_of.items() if count)
        return {split: found[split] for split in self.samples}

    def count(self, one: SampleRow | training_set.DroppedStep) -> None:
        if isinstance(one, training_set.DroppedStep):
            self.dropped.append(one)
            return
        self.samples[one.split] += 1
        self.taught[one.split] += one.taught
        self._samples_of[one.split, one.episode] += 1
        self.pictures += one.pictures

    def take_back(
        self, unused: Iterable[training_set.DroppedStep], held_out: Container[str]
    ) -> None:
        """Count samples of one step as dropped that were counted as such."""
        for one in unused:
            split: training_set.Split = "val" if one.episode in held_out else "train"
            self.samples[split] -= 1
            self.taught[split] -= 1
            self._samples_of[split, one.episode] -= 1
            self.dropped.append(one)


def _unique(episodes: Iterable[TrainingEpisode], tally: _Tally) -> list[TrainingEpisode]:
    by_id: dict[str, TrainingEpisode] = {}
    for episode in episodes:
        if episode.id in by_id:
            reason = "another episode of this id is already in the set"
            tally.dropped.append(training_set.DroppedStep(episode.id, None, reason))
        else:
            by_id[episode.id] = episode
    return list(by_id.values())


def no_samples_error(dropped: Iterable[training_set.DroppedStep]) -> NothingFoundError:
    """The error that nothing can be taught; the commonest reasons, and what helps against them."""
    dropped = list(dropped)
    reasons = Counter(one.reason.removeprefix(f"{one.episode}: ") for one in dropped)
    why = "".join(
        f"; {counted(count, 'time')}: {reason}" for reason, count in reasons.most_common(3)
    )
    hint = ""
    if any(reason.startswith(UNLABELLED) for reason in reasons):
        hint = "tapwright annotate run STORE, and then --annotator NAME"
        hint += "; or --actions-only" * (UNLABELLED in reasons)
    elif any(reason.startswith(NO_ANNOTATIONS) for reason in reasons):
        hint = "tapwright annotate status STORE lists who explained what"
    elif any(reason.endswith(OTHER_SCREEN) for reason in reasons):
        hint = "tapwright conventions ls tells which screen each is for"
    elif UNREVIEWED in reasons:
        hint = "accept what is right: tapwright serve, or tapwright annotate review STORE"
    elif any(one.code for one in dropped):
        hint = "tapwright episodes check names the files that are broken or missing"
    return NothingFoundError(f"no step can become a sample{why}", hint=hint)


def _write_manifest(
    directory: Path,
    format_: training_set.SftFormat,
    settings: training_set.SftSettings,
    report: training_set.SftReport,
) -> None:
    manifest: JsonObject = {
        "format": format_.name,
        "convention": settings.convention.name,
        "seed": settings.seed,
        "val_share": settings.val_share,
        "history": str(settings.history),
        "scale": settings.scale,
        "max_pixels": settings.max_pixels,
        "max_side": settings.max_side,
        "jpeg_quality": settings.jpeg_quality,
        "per_picture": settings.per_picture,
        "weights": [
            {"field": rule.field, "pattern": rule.pattern, **rule.weights}
            for rule in settings.weights
        ],
        "paraphrased_tasks": len(settings.paraphrases),
        "samples": cast(JsonValue, dict(report.samples)),
        **_tell_taught(settings, report),
        "episodes": cast(JsonValue, dict(report.episodes)),
        "images": report.images,
        "checked": report.checked,
        "files": dict(_hash_files(directory)),
    }
    head = json.dumps(manifest, ensure_ascii=False, indent=1).removesuffix("\n}")
    # Half an emoji in the reason for a drop becomes its JSON escape.
    path = directory / "manifest.json"
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(head + ',\n "dropped": [')
        for number, one in enumerate(report.dropped):  # as many as the steps of a large store
            file.write((",\n  " if number else "\n  ") + _to_json(one))
        file.write("\n ]\n}\n" if report.dropped else "]\n}\n")


def _tell_taught(settings: training_set.SftSettings, report: training_set.SftReport) -> JsonObject:
    """How many questions the samples have, where that is not one each."""
    return {"taught": cast(JsonValue, dict(report.taught))} if settings.per_picture > 1 else {}


def _to_json(dropped: training_set.DroppedStep) -> str:
    told = replace(dropped, reason=without_folders(dropped.reason))
    return json.dumps(asdict(told), ensure_ascii=False)


def _hash_files(directory: Path) -> Iterator[tuple[str, str]]:
    """The files of a set but for its images, whose names are their hashes."""
    for folder, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if name != FOLDER)
        folder_name = Path(folder).relative_to(directory).as_posix()
        for name in sorted(names):
            path = name if folder_name == "." else f"{folder_name}/{name}"
            with (directory / path).open("rb") as file:
                yield path, hashlib.file_digest(file, "sha256").hexdigest()
