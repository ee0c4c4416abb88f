"""Makes L1 and L2 out of recorded episodes, in MMBench-GUI's layout, with the trees beside.

Nothing is made up: the right option and the box follow from the view hierarchy or from what was
done in the recording. The same episodes and seed give the same bytes.
"""

import json
import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

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

__all__ = ["PLATFORM", "GeneratedCounts", "make_benchmarks"]

# Recordings are of phones, whose trees are uiautomator's.
PLATFORM = "os_android"


@dataclass(frozen=True, slots=True)
class GeneratedCounts:
    """The size of generated benchmarks: screens used, questions of L1, elements of L2."""

    screens: int
    questions: int
    targets: int


def make_benchmarks(
    episodes: Iterable[Episode],
    out: Path,
    *,
    seed: int = 0,
    per_screen: int = 4,
    limit: int | None = None,
) -> GeneratedCounts:
    """Write both benchmarks into the new directory `out`.

    Of at most `limit` screens, taken from the apps in turn, each gets up to three questions and
    up to `per_screen` elements to find: only such as have one right answer beyond doubt.

    Raises:
        UsageError: `out` exists.
        NothingFoundError: there are no episodes, or no screen has a view hierarchy.
        DiskError: the disk is full or not writable; then nothing is left behind.
    """
    check_is_new(out)
    every = collect_screens(episodes)
    if not every:
        raise NothingFoundError("no episodes, or none with a screen")
    screens = pick_screens(every, limit, seed)
    if not screens:
        raise NothingFoundError("no screen of these episodes has a view hierarchy")
    survey = survey_screens(screens, every)
    questioner = QuestionGenerator(survey)
    l1: list[JsonValue] = []
    l2: list[JsonValue] = []
    used: list[RecordedScreen] = []
    questions = 0
    for screen in map(RecordedScreen.fresh, screens):
        chance = random.Random(f"{seed} {screen.sha256}")
        groups = questioner.groups(screen, chance)
        found = list(describe_targets(screen, per_screen, survey.furniture, chance))
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
    _write(out, map(RecordedScreen.fresh, used), {understanding.FILE: l1, grounding.FILE: l2})
    return GeneratedCounts(screens=len(used), questions=questions, targets=len(l2))


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
