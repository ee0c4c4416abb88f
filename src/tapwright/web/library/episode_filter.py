"""Which episodes of a list are shown, and how many each value of the filter would show.

What the facets count is asked of the catalog at once: how many episodes have the same values.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tapwright.store import filters
from tapwright.store.catalog import Catalog
from tapwright.web.api import Body

__all__ = ["EpisodeFacets", "EpisodeFilter", "count_facets"]

_OPERATOR = re.compile(r"[<>=]|\bin\b *[(\[]|\" *in |^(not +)?(tag|app|annotated|fit|text) *\(")

_CONDITIONS: Mapping[str, Callable[[str], filters.Condition]] = {
    "app": filters.has_app,
    "suite": lambda value: filters.equals("suite", value),
    "outcome": lambda value: filters.equals("outcome", value),
    "agent": lambda value: filters.equals("agent", value),
    "language": lambda value: filters.equals("language", value),
    "tag": filters.has_tag,
    "review": lambda value: filters.equals("review", value),
    "fit": filters.has_fit,
}
"""What a value of each facet asks of an episode."""

_MOST_VALUES = 100


class EpisodeFilter(Body):
    """A filter of a list of episodes; what is empty fits every one.

    `q` is a text in id, task or instruction, or a filter such as `steps > 3 and app == "notes"`;
    one with an operator in it is a filter. `app` is a package or the last part of it; `fit` a
    kind of its steps; `commented`, whatever it is, those with comments.
    """

    q: str = ""
    task: str = ""
    app: str = ""
    suite: str = ""
    outcome: str = ""
    agent: str = ""
    language: str = ""
    tag: str = ""
    review: str = ""
    fit: str = ""
    commented: str = ""

    def condition(self) -> filters.Condition:
        """What an episode has to meet.

        Raises:
            UsageError: `q` is a filter that cannot be understood.
        """
        wanted = self.without_facets()
        for facet, value in self.facets().items():
            wanted = wanted & _CONDITIONS[facet](value)
        return wanted

    def without_facets(self) -> filters.Condition:
        """What `q`, `task` and `commented` ask; raises as `condition` does."""
        wanted = filters.EVERY
        if self.q:
            wanted = (
                filters.parse_filter(self.q)
                if _OPERATOR.search(self.q)
                else filters.has_text(self.q)
            )
        if self.commented:
            wanted = wanted & filters.parse_filter("comments > 0")
        return wanted & filters.equals("task", self.task) if self.task else wanted

    def facets(self) -> Mapping[str, str]:
        """The values that are wanted, by their facets."""
        values = {facet: str(getattr(self, facet)) for facet in _CONDITIONS}
        return {facet: value for facet, value in values.items() if value}


@dataclass(frozen=True, slots=True)
class EpisodeFacets:
    """How many episodes each value would show, under the filter but for its own part of it.

    The most frequent come first, 100 at most. Episodes without a value are not counted.
    """

    app: Mapping[str, int]
    suite: Mapping[str, int]
    outcome: Mapping[str, int]
    agent: Mapping[str, int]
    language: Mapping[str, int]
    tag: Mapping[str, int]
    review: Mapping[str, int]
    fit: Mapping[str, int]


def count_facets(
    catalog: Catalog, wanted: EpisodeFilter, visible: filters.Condition
) -> EpisodeFacets:
    """Count the episodes that meet `visible`; raises as `EpisodeFilter.condition` does."""
    tally = catalog.tally(tuple(_CONDITIONS), wanted.without_facets() & visible)
    chosen = wanted.facets()
    counts = {facet: Counter[str]() for facet in _CONDITIONS}
    for row, count in tally.items():
        values = dict(zip(_CONDITIONS, map(_words, _CONDITIONS, row), strict=True))
        missed = [facet for facet, value in chosen.items() if value not in values[facet]]
        if len(missed) > 1:
            continue
        for facet in missed or _CONDITIONS:
            counts[facet].update(dict.fromkeys(_told(facet, values[facet]), count))
    return EpisodeFacets(**{facet: _most_frequent(found) for facet, found in counts.items()})


def _words(facet: str, value: str) -> tuple[str, ...]:
    """The values of a row; of an app the package, then the last part of it."""
    if facet in ("app", "tag", "fit"):
        return tuple(value.strip("\n").split("\n")) if value else ()
    return (value,)


def _told(facet: str, words: tuple[str, ...]) -> tuple[str, ...]:
    return words[::2] if facet == "app" else words


def _most_frequent(counts: Counter[str]) -> Mapping[str, int]:
    found = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return {value: count for value, count in found[:_MOST_VALUES] if value}
