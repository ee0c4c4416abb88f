"""Makes L1 and L2 out of recorded episodes, in MMBench-GUI's layout, with the trees beside.

Nothing is made up: the right option and the box follow from the view hierarchy or from what was
done in the recording. The same episodes and seed give the same bytes.
"""

import json
import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.benchmarks import grounding, understanding
from tapwright.benchmarks.dataset_files import PICTURES
from tapwright.benchmarks.generated_questions import QuestionGenerator
from tapwright.benchmarks.generated_screens import RecordedScreen, collect_screens, pick_screens
from tapwright.benchmarks.generated_survey import survey_screens
from tapwright.benchmarks.generated_targets import describe_targets
from tapwright.episode import Episode
from tapwright.errors import NothingFoundError
from tapwright.files.atomic import atomic_directory, check_is_new

__all__ = ["PLATFORM", "GeneratedCounts", "GeneratedLevel", "make_benchmarks"]

# Recordings are of phones, whose trees are uiautomator's.
PLATFORM = "os_android"
GeneratedLevel: TypeAlias = Literal["l1", "l2"]


@dataclass(frozen=True, slots=True)
class GeneratedCounts:
    """The size of generated benchmarks: screens used, questions of L1, elements of L2.

    `alike` is how many screens were left out as they are like those of recordings to be unlike.
    """

    screens: int
    questions: int
    targets: int
    alike: int = 0


def make_benchmarks(
    episodes: Iterable[Episode],
    out: Path,
    *,
    seed: int = 0,
    per_screen: int = 4,
    limit: int | None = None,
    levels: Collection[GeneratedLevel] = ("l1", "l2"),
    unlike: Iterable[Episode] = (),
) -> GeneratedCounts:
    """Write the benchmarks of `levels` into the new directory `out`.

    Of at most `limit` screens, taken from the apps in turn, each gets up to three questions and
    up to `per_screen` elements to find: only such as have one right answer beyond doubt. Screens
    that show what one of the recordings `unlike` shows are left out, so that a model may be trained
    on these.

    Raises:
        UsageError: `out` exists.
        NothingFoundError: there are no episodes, no screen has a view hierarchy, or all are like
            those of `unlike`.
        DiskError: the disk is full or not writable; then nothing is left behind.
    """
    check_is_new(out)
    every = collect_screens(episodes)
    if not every:
        raise NothingFoundError("no episodes, or none with a screen")
    others = _unlike(every, unlike)
    if not others:
        raise NothingFoundError(
            f"each of {len(every)} screens is like one of the recordings to be unlike",
            hint="record other seeds, or split the store by `tapwright episodes split`",
        )
    screens = pick_screens(others, limit, seed)
    survey = survey_screens(screens, every)
    questioner = QuestionGenerator(survey)
    l1: list[JsonValue] = []
    l2: list[JsonValue] = []
    used: list[RecordedScreen] = []
    questions = 0
    for screen in map(RecordedScreen.fresh, screens):
        chance = random.Random(f"{seed} {screen.sha256}")
        groups = questioner.groups(screen, chance) if "l1" in levels else []
        found = (
            list(describe_targets(screen, per_screen, survey.furniture, chance))
            if "l2" in levels
            else []
        )
        if groups:
            l1.append({**_row(screen, len(l1)), "groups": groups})
        for aim in found:
            box = aim.box
            l2.append(
                {
                    **_row(screen, len(l2)),
                    "instruction": aim.instruction,
                    "bbox": [box.left, box.top, box.right, box.bottom],
                    "data_type": aim.element.kind,
                    "grounding_type": aim.grounding_type,
                }
            )
        questions += len(groups)
        if groups or found:
            used.append(screen.fresh())
    files = {"l1": (understanding.FILE, l1), "l2": (grounding.FILE, l2)}
    _write(out, map(RecordedScreen.fresh, used), dict(files[level] for level in levels))
    return GeneratedCounts(len(used), questions, len(l2), alike=len(every) - len(others))


def _unlike(
    screens: Sequence[RecordedScreen], unlike: Iterable[Episode]
) -> Sequence[RecordedScreen]:
    """The screens that show what no screen of the other recordings shows."""
    known = {screen.fresh().likeness for screen in collect_screens(unlike)}
    if not known:
        return screens
    return [screen for screen in screens if screen.fresh().likeness not in known]


def _row(screen: RecordedScreen, index: int) -> dict[str, JsonValue]:
    size = screen.tree.size
    return {
        "index": index,
        "image_path": f"{_stem(screen)}.{screen.observation.screenshot.extension}",
        "image_size": [size.width, size.height],
        "platform": PLATFORM,
        "app_name": screen.app,
    }


def _stem(screen: RecordedScreen) -> str:
    return screen.sha256[:24]


def _write(out: Path, screens: Iterable[RecordedScreen], files: dict[str, list[JsonValue]]) -> None:
    with atomic_directory(out) as beside:
        folder = beside / PICTURES / PLATFORM
        folder.mkdir(parents=True)
        for screen in screens:
            shot = screen.observation.screenshot
            (folder / f"{_stem(screen)}.{shot.extension}").write_bytes(shot.data)
            xml = screen.tree.xml.encode("utf-8", "surrogatepass")
            (folder / f"{_stem(screen)}.xml").write_bytes(xml)
        for name, rows in files.items():
            text = json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
            # Half an emoji has no UTF-8; so written, it is the escape that JSON has for it.
            (beside / name).write_bytes(text.encode("utf-8", "backslashreplace"))
