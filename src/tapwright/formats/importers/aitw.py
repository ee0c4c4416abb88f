"""Android in the Wild: TFRecord files with a step in each record.

The fields are those of
https://github.com/google-research/google-research/blob/6faa0b7/android_in_the_wild/README.md; the
steps of an episode are adjacent. A picture there is the raw values of its pixels and becomes a PNG.
Lists of the same steps as JSON, which others made of them, are read as AITZ's are.
"""

import io
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from PIL import Image

from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import MAX_PIXELS, Screenshot
from tapwright.formats.claimed_outcomes import claimed_outcome
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import dual_point, keeping
from tapwright.formats.importers.aitz import read_list
from tapwright.formats.importers.file_importer import FileImporter, FileKind
from tapwright.formats.importers.foreign_record import read_or_report
from tapwright.formats.importers.tfrecord import ExampleReader, is_example_file, read_records

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}


def _read_file(file: Path) -> Iterator[Episode | UnreadableEpisode]:
    broken: list[UnreadableEpisode] = []
    for parts in dual_point.group_by_episode(_read_step_records(file, broken)):
        yield read_or_report(parts[0].where, partial(_build_episode, parts))
        yield from broken
        broken.clear()
    yield from broken


def _read_step_records(
    file: Path, broken: list[UnreadableEpisode]
) -> Iterator[dual_point.StepRecord[ExampleReader]]:
    for record in read_records(file):
        if isinstance(record, UnreadableEpisode):
            broken.append(record)
            continue
        try:
            example = ExampleReader(record)
            yield dual_point.StepRecord(example.text("episode_id"), record.where, example)
        except ForeignDataError as error:
            broken.append(UnreadableEpisode.of(record.where, error))


def _build_episode(parts: Sequence[dual_point.StepRecord[ExampleReader]]) -> Episode:
    first, where = parts[0].content, parts[0].where
    length = max(first.integer("episode_length"), len(parts))
    order, gap = dual_point.find_order(
        [part.content.integer("step_id") for part in parts], length, where
    )
    goal = first.text("goal_info")
    looks = ((part.where, partial(_read_screen, part.content, part.where)) for part in parts)
    screens = keeping.see_screens(looks, keeping.PHONE)
    steps = tuple(
        step
        for number in order
        for step in _build_steps(screens[number], parts[number].content, parts[number].where)
    )
    episode = Episode(
        id=f"aitw-{parts[0].episode}",
        task_id=goal,
        instruction=goal,
        steps=steps,
        outcome=claimed_outcome(steps),
        agent="human",
        device=first.text("device_type") if "device_type" in first else "",
    )
    for part in parts:
        part.content.count_fields()
    return keeping.cut_short(episode, where, gap, length - len(order)) if gap else episode


def _build_steps(seen: keeping.Seen, read: ExampleReader, where: str) -> list[Step]:
    def make(observation: Observation) -> list[Step]:
        action, raw = dual_point.parse_action(
            read.integer("results/action_type"),
            "".join(read.texts("results/type_action")),
            read.numbers("results/yx_touch"),
            read.numbers("results/yx_lift"),
            where,
        )
        return [Step(observation, Decision(action), raw=raw)]

    seen = seen.with_tree(partial(_build_tree, read, where), where)
    app = read.text("current_activity") if "current_activity" in read else ""
    return keeping.keep_steps(seen.with_app(app), make, recorded="")


def _build_tree(read: ExampleReader, where: str, size: Size) -> UiTree | None:
    if "image/ui_annotations_positions" not in read:
        return None
    flat = read.numbers("image/ui_annotations_positions")
    scale = (size.height, size.width) * 2
    boxes = [
        [edge * pixels for edge, pixels in zip(flat[at : at + 4], scale, strict=False)]
        for at in range(0, len(flat), 4)
    ]
    texts = read.texts("image/ui_annotations_text")
    kinds = read.texts("image/ui_annotations_ui_types")
    return dual_point.build_detector_tree(boxes, texts, kinds, size, where)


def _read_screen(read: ExampleReader, where: str) -> Observation:
    shot, size = _read_picture(read, where)
    return Observation(screenshot=shot, size=size)


def _read_picture(read: ExampleReader, where: str) -> tuple[Screenshot, Size]:
    data = read.blob("image/encoded")
    width, height = read.integer("image/width"), read.integer("image/height")
    channels = read.integer("image/channels")
    size = Size(width, height)
    if len(data) == width * height * channels and channels in _MODES:
        if width * height > MAX_PIXELS:
            raise ForeignDataError(f"{where}: a picture of {size}; expected at most {MAX_PIXELS:,}")
        image, packed = Image.frombytes(_MODES[channels], (width, height), data), io.BytesIO()
        image.save(packed, "PNG", compress_level=1)
        data = packed.getvalue()
    shot = Screenshot(data, origin=f"{where}, image/encoded")
    if shot.size != size:
        raise ForeignDataError(f"{where}: a picture of {shot.size}; its record has {size}")
    return shot, size


AITW = FileImporter(
    "aitw",
    FileKind(
        ("*.tfrecord", "*.tfrecord.gz", "*-of-*"),
        "TFRecord",
        lambda path: is_example_file(path, b"results/action_type"),
        _read_file,
    ),
    FileKind(("*.json",), ".json file", lambda path: False, read_list),
)
