"""Writes a training set: one way for every trainer's format.

    <directory>/
        …                the format's own files
        images/          the pictures, where the format keeps files: <sha256>.<ext>, once each
        manifest.json    settings, counts, hashes, and all that was left out with its reason

The same lessons and settings give the same bytes, in whatever order the lessons come. One bad step
or episode is left out and told; memory does not grow with the number of samples.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from tapwright.errors import NothingFoundError, UsageError
from tapwright.files.atomic import directory_beside
from tapwright.formats.exporters.pictures import (
    FOLDER,
    EncodePicture,
    PictureEncoder,
    encode_picture,
    image_path,
)
from tapwright.formats.exporters.samples import NO_REASONING, TrainingEpisode, make_samples
from tapwright.formats.exporters.training_set import (
    DroppedStep,
    SftFormat,
    SftReport,
    SftSettings,
    Split,
    TrainingSample,
    UnusableStepError,
)
from tapwright.formats.exporters.turns import JsonObject

__all__ = ["choose_validation_ids", "export_sft"]


def export_sft(
    format_: SftFormat,
    lessons: Iterable[TrainingEpisode],
    directory: Path,
    settings: SftSettings,
    *,
    dropped: Iterable[DroppedStep] = (),
    advance: Callable[[int], None] = lambda _: None,
    encode: EncodePicture = encode_picture,
    threads: int | None = None,
) -> SftReport:
    """Write a training set into a new `directory`, and check it by its trainer's rules.

    `dropped` is what was left out before and belongs into the manifest; `advance` is told of each
    lesson that was read. `encode` makes the pictures that are not as they were recorded, as many at
    a time as there are `threads`, by default a core's each.

    Raises:
        UsageError: `directory` is there already, or the settings cannot be.
        NothingFoundError: not one step can be a sample.
        DiskError: the disk is full or not writable; then nothing is left behind.
        BadTrainingSetError: what was written breaks the trainer's rules.
    """
    if directory.exists():
        raise UsageError(f"{directory}: is there already", hint="name a new directory")
    tally = _Tally(list(dropped))
    chosen = _ordered(lessons, tally)
    tasks = {lesson.id: lesson.task_id for lesson in chosen}
    held_out = choose_validation_ids(tasks, share=settings.val_share, seed=settings.seed)
    # All of training first: a file is finished before the next is begun.
    chosen.sort(key=lambda lesson: (lesson.id in held_out, lesson.id))

    def read() -> Iterator[TrainingEpisode]:
        for lesson in chosen:
            yield lesson
            advance(1)

    with directory_beside(directory) as beside:
        if format_.keeps_files:
            (beside / FOLDER).mkdir()
        writer = format_.writer(beside, settings)
        kept = beside if format_.keeps_files else None
        with PictureEncoder(settings, kept, encode=encode, threads=threads) as pictures:
            for made in make_samples(read(), held_out, pictures, settings):
                if isinstance(made, DroppedStep):
                    tally.dropped.append(made)
                    continue
                try:
                    writer.add(made)
                except UnusableStepError as error:
                    tally.dropped.append(
                        DroppedStep(made.episode.id, made.number, str(error), error.code)
                    )
                else:
                    tally.count(made)
        if not any(tally.samples.values()):
            raise _nothing(tally.dropped)
        writer.close()
        _sweep(beside / FOLDER, tally.images)
        report = SftReport(
            tally.samples,
            tally.episodes,
            len(tally.images),
            tuple(tally.dropped),
            checked=format_.check(beside),
        )
        _write_manifest(beside, format_, settings, report)
    return report


def choose_validation_ids(tasks: Mapping[str, str], *, share: float, seed: int) -> frozenset[str]:
    """The ids of the episodes for validation: `share` of them, rounded, whole, spread over tasks.

    `tasks` has the task's id for each episode's. With a share above 0 and two episodes or more,
    each side gets one at least. `seed` and the ids decide, the order of the episodes does not.

    Raises:
        UsageError: `share` is not at least 0 and below 1.
    """
    if not 0 <= share < 1:
        raise UsageError(f"a validation share of {share}; expected at least 0 and below 1")

    def chance(name: str) -> str:
        return hashlib.sha256(f"{seed}\n{name}".encode("utf-8", "surrogatepass")).hexdigest()

    ordered = sorted(tasks, key=lambda id_: (chance(tasks[id_]), tasks[id_], chance(id_)))
    total = len(ordered)
    if share == 0 or total < 2:
        return frozenset()
    count = min(max(round(total * share), 1), total - 1)
    # Every so many-th of a list sorted by task takes from each task its share.
    return frozenset(ordered[(2 * number + 1) * total // (2 * count)] for number in range(count))


@dataclass(slots=True)
class _Tally:
    dropped: list[DroppedStep]
    samples: dict[Split, int] = field(default_factory=lambda: {"train": 0, "val": 0})
    episodes: dict[Split, int] = field(default_factory=lambda: {"train": 0, "val": 0})
    images: set[str] = field(default_factory=set)
    last: str = ""

    def count(self, sample: TrainingSample) -> None:
        self.samples[sample.split] += 1
        self.episodes[sample.split] += sample.episode.id != self.last
        self.last = sample.episode.id
        self.images.update(image_path(picture) for picture in sample.pictures)


def _ordered(lessons: Iterable[TrainingEpisode], tally: _Tally) -> list[TrainingEpisode]:
    by_id: dict[str, TrainingEpisode] = {}
    for lesson in lessons:
        if lesson.id in by_id:
            reason = "another episode of this id is in the set already"
            tally.dropped.append(DroppedStep(lesson.id, None, reason))
        else:
            by_id[lesson.id] = lesson
    return list(by_id.values())


def _nothing(dropped: list[DroppedStep]) -> NothingFoundError:
    reasons = Counter(one.reason for one in dropped)
    why = "".join(f"; {count} times: {reason}" for reason, count in reasons.most_common(3))
    unexplained = NO_REASONING in reasons
    return NothingFoundError(
        f"not one step can be a sample{why}",
        hint="annotate the episodes first: tapwright annotate run" if unexplained else "",
    )


def _sweep(folder: Path, used: set[str]) -> None:
    """Remove the pictures of steps that became no sample after all."""
    if folder.is_dir():
        for path in folder.iterdir():
            if f"{FOLDER}/{path.name}" not in used:
                path.unlink()


def _write_manifest(
    directory: Path, format_: SftFormat, settings: SftSettings, report: SftReport
) -> None:
    manifest: JsonObject = {
        "format": format_.name,
        "convention": settings.convention.name,
        "seed": settings.seed,
        "val_share": settings.val_share,
        "history": str(settings.history),
        "scale": settings.scale,
        "max_pixels": settings.max_pixels,
        "jpeg_quality": settings.jpeg_quality,
        "weights": [
            {"field": rule.field, "pattern": rule.pattern, **rule.weights}
            for rule in settings.weights
        ],
        "paraphrased_tasks": len(settings.paraphrases),
        "samples": cast(JsonValue, dict(report.samples)),
        "episodes": cast(JsonValue, dict(report.episodes)),
        "images": report.images,
        "checked": report.checked,
        "files": dict(_hashes(directory)),
        "dropped": [asdict(one) for one in report.dropped],
    }
    text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
    # Half an emoji, in the reason for a drop, becomes the escape that JSON has for it.
    (directory / "manifest.json").write_bytes(text.encode("utf-8", "backslashreplace"))


def _hashes(directory: Path) -> Iterator[tuple[str, str]]:
    for folder, folders, names in os.walk(directory):
        folders.sort()
        below = Path(folder).relative_to(directory).as_posix()
        for name in sorted(names):
            path = name if below == "." else f"{below}/{name}"
            if below == FOLDER:
                yield path, name.partition(".")[0]  # written under the name of its hash
                continue
            with (directory / path).open("rb") as file:
                yield path, hashlib.file_digest(file, "sha256").hexdigest()
