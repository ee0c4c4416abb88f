"""Makes L1 and L2 out of recorded episodes, in MMBench-GUI's layout, with the trees beside.

Nothing is made up: the right option and the box follow from the view hierarchy or from what was
done in the recording. The same episodes and seed give the same bytes.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from tapwright.benchmarks import generated_survey
from tapwright.benchmarks.generated_files import GeneratedLevel, write_benchmarks
from tapwright.benchmarks.generated_questions import QuestionGenerator
from tapwright.benchmarks.generated_reading import read_screens
from tapwright.benchmarks.generated_screens import RecordedScreen, pick_screens
from tapwright.benchmarks.generated_targets import KnownPlaces, TargetFinder
from tapwright.core.episode import Episode
from tapwright.core.language import counted
from tapwright.errors import NothingFoundError
from tapwright.files.atomic import check_is_new

__all__ = ["GeneratedCounts", "ShowScreens", "make_benchmarks"]

ShowScreens: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[int], object]]]
"""Opens the progress of a stage, from its title and the number of its screens; it yields what is
called with how many more are done."""


@dataclass(frozen=True, slots=True)
class GeneratedCounts:
    """The size of generated benchmarks: screens used, questions of L1, elements of L2.

    `alike` is how many screens were left out as they are like those of recordings to be unlike,
    `unused` how many for which other reason.
    """

    screens: int
    questions: int
    targets: int
    alike: int = 0
    unused: Mapping[str, int] = field(default_factory=dict)


def make_benchmarks(
    episodes: Iterable[Episode],
    out: Path,
    *,
    seed: int = 0,
    per_screen: int = 4,
    limit: int | None = None,
    levels: Collection[GeneratedLevel] = ("l1", "l2"),
    unlike: Iterable[Episode] = (),
    by_heart: float = 0.1,
    small: bool = False,
    show_progress: ShowScreens = lambda title, total: nullcontext(lambda count: None),
) -> GeneratedCounts:
    """Write the benchmarks of `levels` into the new directory `out`.

    Of at most `limit` screens, taken from the apps in turn, each gets up to three questions and
    up to `per_screen` elements to find: only such as have one right answer beyond doubt. Screens
    that show nearly what one of the recordings `unlike` shows are left out, so that a model may be
    trained on these. Of the elements at most the share `by_heart` stand where elements of their
    name stand on most other screens, or on those of `unlike` if there are any. With `small`, only
    those of less than 0.1 % of their screen are taken. `show_progress` is opened when all episodes
    are read.

    Raises:
        UsageError: `out` exists.
        NothingFoundError: there are no episodes, no screen has a view hierarchy, all are like
            those of `unlike`, or none has anything to ask about.
        DiskError: the disk is full or not writable; then nothing is left behind.
    """
    check_is_new(out)
    alike, known = _look_at(unlike)
    places = known or KnownPlaces(own=True)
    surveyor, furniture = generated_survey.ScreenSurveyor(), generated_survey.FurnitureFinder()
    looking: list[generated_survey.LooksAtScreens] = [surveyor] if "l1" in levels else []
    if "l2" in levels:
        looking += [furniture] if known else [furniture, places]
    kept: list[RecordedScreen] = []
    left_out = 0
    unused: Counter[str] = Counter()
    for screen in read_screens(episodes, unused):
        for one in looking:
            one.add(screen)
        if screen in alike:
            left_out += 1
        else:
            kept.append(screen.noted())
    if not kept and not left_out:
        raise _nothing_found("no screen can be used", unused)
    if not kept:
        raise NothingFoundError(
            f"each of {left_out} screens is like one of the recordings to be unlike",
            hint="record other seeds, or split the store by `tapwright episodes split`",
        )
    screens = pick_screens(kept, limit, seed)
    questioner = QuestionGenerator(surveyor.survey(screens)) if "l1" in levels else None
    finder = (
        TargetFinder(furniture.find(screens), places, by_heart, small=small)
        if "l2" in levels
        else None
    )
    with (
        write_benchmarks(out, levels) as writer,
        show_progress("make questions and targets", len(screens)) as advance,
    ):
        for screen in map(RecordedScreen.fresh, screens):
            chance = random.Random(f"{seed} {screen.sha256}")
            groups = questioner.groups(screen, chance) if questioner is not None else []
            targets = finder.find(screen, per_screen, chance) if finder is not None else ()
            aims = tuple(targets)
            if not groups and not aims:
                unused[_boxes_only(screen) or _NOTHING_TO_ASK] += 1
            writer.add(screen, groups, aims)
            advance(1)
        if not writer.screens:
            raise _nothing_found("no screen has anything to ask about", unused)
    return GeneratedCounts(
        writer.screens, writer.questions, writer.targets, alike=left_out, unused=unused
    )


_NOTHING_TO_ASK = "nothing on it has one right answer beyond doubt"


def _boxes_only(screen: RecordedScreen) -> str:
    return "its view hierarchy has boxes and no words" if screen.tree.boxes_only else ""


def _nothing_found(what: str, unused: Counter[str]) -> NothingFoundError:
    why = "; ".join(
        f"{counted(count, 'screen')}: {reason}" for reason, count in unused.most_common()
    )
    lacks = any("view hierarchy" in reason for reason in unused)
    record = "record with a device that has view hierarchies, or import them beside the pictures"
    return NothingFoundError(
        f"{what}: {why or 'there are no episodes'}",
        hint=f"{record}; `eval run steps-…` needs none" * lacks,
    )


def _look_at(unlike: Iterable[Episode]) -> tuple[generated_survey.AlikeScreens, KnownPlaces | None]:
    """What finds the screens that are like those of recordings, and their places if there are any.

    Each is parsed once for both.
    """
    alike, places = generated_survey.AlikeScreens(), KnownPlaces(own=False)
    known = False
    for screen in read_screens(unlike):
        known = True
        alike.add(screen)
        places.add(screen)
    return alike, places if known else None
