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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from tapwright.errors import NothingFoundError, UsageError
from tapwright.files.atomic import directory_beside
from tapwright.formats.exporters.pictures import FOLDER, Encode, Pictures, encoded, image_path
from tapwright.formats.exporters.samples import UNEXPLAINED, Lesson, make_samples
from tapwright.formats.exporters.split import validation_ids
from tapwright.formats.exporters.turns import JsonObject
from tapwright.formats.format import (
    Dropped,
    Sample,
    SftFormat,
    SftReport,
    SftSettings,
    Split,
    UnusableError,
)

__all__ = ["export_sft"]


def export_sft(
    format_: SftFormat,
    lessons: Iterable[Lesson],
    directory: Path,
    settings: SftSettings,
    *,
    dropped: Iterable[Dropped] = (),
    advance: Callable[[int], None] = lambda _: None,
    encode: Encode = encoded,
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
    held_out = validation_ids(tasks, share=settings.val_share, seed=settings.seed)
    # All of training first: a file is finished before the next is begun.
    chosen.sort(key=lambda lesson: (lesson.id in held_out, lesson.id))

    def read() -> Iterator[Lesson]:
        for lesson in chosen:
            yield lesson
            advance(1)

    with directory_beside(directory) as beside:
        if format_.keeps_files:
            (beside / FOLDER).mkdir()
        writer = format_.writer(beside, settings)
        kept = beside if format_.keeps_files else None
        with Pictures(settings, kept, encode=encode, threads=threads) as pictures:
            for made in make_samples(read(), held_out, pictures, settings):
                if isinstance(made, Dropped):
                    tally.dropped.append(made)
                    continue
                try:
                    writer.add(made)
                except UnusableError as error:
                    tally.dropped.append(
                        Dropped(made.episode.id, made.number, str(error), error.code)
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


@dataclass(slots=True)
class _Tally:
    dropped: list[Dropped]
    samples: dict[Split, int] = field(default_factory=lambda: {"train": 0, "val": 0})
    episodes: dict[Split, int] = field(default_factory=lambda: {"train": 0, "val": 0})
    images: set[str] = field(default_factory=set)
    last: str = ""

    def count(self, sample: Sample) -> None:
        self.samples[sample.split] += 1
        self.episodes[sample.split] += sample.episode.id != self.last
        self.last = sample.episode.id
        self.images.update(image_path(picture) for picture in sample.pictures)


def _ordered(lessons: Iterable[Lesson], tally: _Tally) -> list[Lesson]:
    by_id: dict[str, Lesson] = {}
    for lesson in lessons:
        if lesson.id in by_id:
            reason = "another episode of this id is in the set already"
            tally.dropped.append(Dropped(lesson.id, None, reason))
        else:
            by_id[lesson.id] = lesson
    return list(by_id.values())


def _nothing(dropped: list[Dropped]) -> NothingFoundError:
    reasons = Counter(one.reason for one in dropped)
    why = "".join(f"; {count} times: {reason}" for reason, count in reasons.most_common(3))
    unexplained = UNEXPLAINED in reasons
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
