"""Which steps of the review queue are shown, and how many each value of the filter would show."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias

from tapwright.web.library.review_index import IndexedEpisode, QueuedStep

__all__ = ["AGES_H", "ReviewFacets", "ShownState", "StepFilter", "count_facets", "hours_before"]

ShownState: TypeAlias = Literal["open", "accept", "edit", "reject", "any"]

AGES_H = (1, 24, 7 * 24, 30 * 24)
"""The ages that are counted, in hours."""

_CONDITIONS = ("state", "code", "app", "differs", "age")


@dataclass(frozen=True, slots=True)
class StepFilter:
    """A filter of one annotator's steps; "", False and 0 leave a condition out.

    `app` was in front at any step of the episode. With `differs` another annotator wrote other
    words. `before` is an ISO 8601 time in UTC, before which the step was annotated.
    """

    show: ShownState = "open"
    code: str = ""
    app: str = ""
    differs: bool = False
    before: str = ""

    def selects(self, step: QueuedStep, apps: Iterable[str]) -> bool:
        """Whether a step of an episode with these apps is shown."""
        return not self.misses(step, apps)

    def misses(self, step: QueuedStep, apps: Iterable[str]) -> list[str]:
        """The names of the conditions that a step does not meet."""
        missed = []
        if self.show not in ("any", step.state):
            missed.append("state")
        if self.code and self.code not in step.codes:
            missed.append("code")
        if self.app and self.app not in apps:
            missed.append("app")
        if self.differs and not step.differs:
            missed.append("differs")
        if self.before and not is_before(step.time, self.before):
            missed.append("age")
        return missed


@dataclass(frozen=True, slots=True)
class ReviewFacets:
    """How many steps are `found`, and how many each value of one condition shows with the others.

    `waiting_h` counts by hours since the annotation; `differs` those that others wrote differently.
    """

    found: int
    state: Mapping[str, int]
    code: Mapping[str, int]
    app: Mapping[str, int]
    waiting_h: Mapping[str, int]
    differs: int


def count_facets(
    episodes: Iterable[IndexedEpisode], annotator: str, wanted: StepFilter, now: datetime
) -> ReviewFacets:
    """Count an annotator's steps; of each episode that has not changed the counts are kept."""
    now = now.replace(second=0, microsecond=0)
    ages = {str(hours): hours_before(now, hours) for hours in AGES_H}
    total: Counter[tuple[str, str]] = Counter()
    for episode in episodes:
        steps = episode.steps.get(annotator, ())
        key = annotator, wanted, now
        counts = episode.memo.get(key)
        if not isinstance(counts, Counter):
            counts = _count(steps, episode.entry.apps, wanted, ages)
            episode.memo.clear()
            episode.memo[key] = counts
        total.update(counts)
    return ReviewFacets(
        found=total["found", ""],
        state=_values(total, "state"),
        code=_values(total, "code"),
        app=_values(total, "app"),
        waiting_h={hours: total["age", hours] for hours in ages},
        differs=total["differs", ""],
    )


def hours_before(now: datetime, hours: int) -> str:
    """The ISO 8601 time in UTC that was some hours ago."""
    return (now.astimezone(UTC) - timedelta(hours=hours)).isoformat(timespec="seconds")


def is_before(time: str, other: str) -> bool:
    """Whether an ISO 8601 time in UTC is before another, to the second; an unknown one is."""
    return time[:19] < other[:19]


def _count(
    steps: Iterable[QueuedStep], apps: tuple[str, ...], wanted: StepFilter, ages: Mapping[str, str]
) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for step in steps:
        missed = wanted.misses(step, apps)
        if len(missed) > 1:
            continue
        facets = missed or _CONDITIONS
        counts["found", ""] += not missed
        for facet in facets:
            match facet:
                case "state":
                    counts.update((("state", step.state), ("state", "any")))
                case "code":
                    counts.update(("code", code) for code in step.codes)
                case "app":
                    counts.update(("app", app) for app in apps)
                case "differs":
                    counts["differs", ""] += step.differs
                case _:
                    counts.update(
                        ("age", hours) for hours, at in ages.items() if is_before(step.time, at)
                    )
    return counts


def _values(counts: Mapping[tuple[str, str], int], facet: str) -> Mapping[str, int]:
    found = {value: count for (name, value), count in counts.items() if name == facet and count}
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))
