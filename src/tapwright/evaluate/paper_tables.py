"""One table per benchmark, with the columns of its paper: a row for each subject, in percent.

ScreenSpot-Pro (https://arxiv.org/abs/2504.07981) has six groups of software by text and icon,
ScreenSpot (https://arxiv.org/abs/2401.10935) three platforms, OSWorld-G
(https://arxiv.org/abs/2505.13227) five capabilities, UI-Vision (https://arxiv.org/abs/2503.15661)
three kinds of wording, MMBench-GUI (https://arxiv.org/abs/2507.19478) platforms by level, with a
second table of what its code gives beyond that, and recorded steps type and exact match, on
GUI-Odyssey (https://arxiv.org/abs/2406.08451) AMS and SR of six categories. A benchmark without a
paper's table here has its score alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from pydantic import JsonValue

from tapwright.benchmarks.metrics import cell, l1_rows, l2_rows, step_scores
from tapwright.benchmarks.mmbench_scores import l1_scores, l2_scores
from tapwright.evaluate.rule_choice import rule_of_header
from tapwright.evaluate.run_log import RunLog, SampleRow

__all__ = ["Answered", "Column", "PaperTable", "paper_tables"]

Column: TypeAlias = tuple[str, str]
"""The heading that a column shares with its neighbours, and its own; the former may be empty."""

Values: TypeAlias = dict[Column, float | None]

_ELEMENTS = (("Text", "text"), ("Icon", "icon"))
_PRO_GROUPS = ("Dev", "Creative", "CAD", "Scientific", "Office", "OS")
_SCREENS = (("Mobile", "mobile"), ("Desktop", "desktop"), ("Web", "web"))
_CAPABILITIES = (
    ("Text Matching", "text_matching"), ("Element Recognition", "element_recognition"),
    ("Layout Understanding", "layout_understanding"),
    ("Fine-grained Manipulation", "fine_grained_manipulation"), ("Refusal", "refusal"),
)  # fmt: skip
_PLATFORMS = (
    ("Windows", "os_windows"), ("MacOS", "os_mac"), ("Linux", "os_linux"), ("iOS", "os_ios"),
    ("Android", "os_android"), ("Web", "os_web"),
)  # fmt: skip
_DIFFICULTIES = ("easy", "medium", "hard")
_GROUNDING = ("basic", "advanced")
_CATEGORIES = (
    ("Tool", "General_Tool"), ("Information", "Information_Management"),
    ("Shopping", "Web_Shopping"), ("Media", "Media_Entertainment"), ("Social", "Social_Sharing"),
    ("Multi-Apps", "Multi_Apps"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answered:
    """Of `samples` how many queries ended `answered`, and how many have an answer of any kind."""

    answered: int
    has_answer: int
    samples: int

    @classmethod
    def of(cls, run: RunLog) -> "Answered":
        """Those of a run."""
        whole = cell(run.rows)
        return cls(whole.answered, whole.asked - whole.failures, run.header.samples)

    @property
    def is_whole(self) -> bool:
        """Whether none is missing."""
        return self.has_answer == self.samples

    def __add__(self, other: "Answered") -> "Answered":
        return Answered(
            self.answered + other.answered,
            self.has_answer + other.has_answer,
            self.samples + other.samples,
        )


@dataclass(frozen=True, slots=True)
class PaperTable:
    """The runs on one benchmark; a row is a subject and its values, None where nothing was run.

    Values are percents, and whole numbers are counts. `rules` are the names of the rules under
    which the rows were scored. `answered` has of each row how many queries were answered, of how
    many samples.
    """

    benchmark: str
    rules: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]
    answered: tuple[Answered, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The subjects, each with how much of its run has an answer where that is not all."""
        return tuple(
            who if one.is_whole else f"{who} ({one.has_answer} of {one.samples})"
            for (who, _), one in zip(self.rows, self.answered, strict=True)
        )


def paper_tables(runs: Sequence[RunLog]) -> list[PaperTable]:
    """A table for each benchmark of the runs, or two, in the order in which they are met.

    Runs of one subject share a row when no column has a value from both, as those on the two
    levels of AndroidControl have; a subject measured under two rules has two rows.
    """
    by_benchmark: dict[str, list[RunLog]] = {}
    for run in runs:
        by_benchmark.setdefault(run.header.benchmark, []).append(run)
    return [
        _table(f"{name}{more}", group, values)
        for name, group in by_benchmark.items()
        for more, values in {"": _PIVOTS.get(name, _score_alone), **_FURTHER.get(name, {})}.items()
    ]


def _table(name: str, runs: Sequence[RunLog], values_of: Callable[[RunLog], Values]) -> PaperTable:
    used = [rule.name if (rule := rule_of_header(run.header)) else "" for run in runs]
    several = len(set(used)) > 1
    rows: list[tuple[str, Values]] = []
    answered: list[Answered] = []
    for run, name_of_rule in zip(runs, used, strict=True):
        who = run.header.subject
        subject = f"{who} ({name_of_rule})" if several else who
        values = values_of(run)
        shared = next(
            (
                at
                for at, (row, one) in enumerate(rows)
                if row == subject and not one.keys() & values.keys()
            ),
            None,
        )
        if shared is None:
            rows.append((subject, values))
            answered.append(Answered.of(run))
        else:
            rows[shared][1].update(values)
            answered[shared] += Answered.of(run)
    columns = tuple(dict.fromkeys(column for _, values in rows for column in values))
    return PaperTable(
        name,
        tuple(dict.fromkeys(filter(None, used))),
        columns,
        tuple((who, tuple(values.get(column) for column in columns)) for who, values in rows),
        tuple(answered),
    )


def _percent(rows: Sequence[SampleRow]) -> float | None:
    value = cell(rows).value
    return None if value is None else 100 * value


def _having(rows: Sequence[SampleRow], **labels: str) -> list[SampleRow]:
    """The rows with these labels, in any case of letters."""
    return [
        row
        for row in rows
        if all(row.labels.get(key, "").lower() == value.lower() for key, value in labels.items())
    ]


def _by_element(rows: Sequence[SampleRow], heading: str) -> Iterator[tuple[Column, float | None]]:
    for word, kind in _ELEMENTS:
        yield (heading, word), _percent(_having(rows, data_type=kind))
    yield (heading, "Avg"), _percent(rows)


def _screenspot_pro(run: RunLog) -> Values:
    found: Values = {}
    for group in _PRO_GROUPS:
        found.update(_by_element(_having(run.rows, group=group), group))
    return found | dict(_by_element(run.rows, "Overall"))


def _screenspot(run: RunLog) -> Values:
    found: Values = {
        (screen, word): _percent(_having(run.rows, platform=platform, data_type=kind))
        for screen, platform in _SCREENS
        for word, kind in _ELEMENTS
    }
    # SeeClick's average is that of the six columns, later papers' that of all samples.
    return found | {
        ("Average", "Columns"): _mean(found),
        ("Average", "Samples"): _percent(run.rows),
    }


def _osworld_g(run: RunLog) -> Values:
    found: Values = {
        ("", word): _percent(
            [row for row in run.rows if name in row.labels.get("categories", "").split(", ")]
        )
        for word, name in _CAPABILITIES
    }
    return found | {("", "Overall"): _percent(run.rows)}


def _ui_vision(run: RunLog) -> Values:
    found: Values = {
        ("", kind.capitalize()): _percent(_having(run.rows, grounding_type=kind))
        for kind in ("basic", "functional", "spatial")
    }
    return found | {("", "Average"): _mean(found)}


def _platforms(run: RunLog, label: str, levels: Sequence[str]) -> Values:
    found: Values = {}
    for word, platform in _PLATFORMS:
        of_platform = _having(run.rows, platform=platform)
        for level in levels:
            group = _having(of_platform, **{label: level})
            found[word, level.capitalize()] = _percent(group)
    for level in levels:
        found["Overall", level.capitalize()] = _percent(_having(run.rows, **{label: level}))
    return found


def _l1(run: RunLog) -> Values:
    return _platforms(run, "difficulty", _DIFFICULTIES) | {("Overall", "Avg"): _percent(run.rows)}


def _l1_weighted(run: RunLog) -> Values:
    """An answer to one of m options weighs (m - 1) / m, in shares of what a perfect model has."""
    table = l1_scores(l1_rows(run.rows)).weighted
    found: Values = {
        (word, level.capitalize()): _scaled(_number(table, level, platform, "score"))
        for word, platform in _PLATFORMS
        for level in _DIFFICULTIES
    }
    return found | {
        ("Overall", level.capitalize()): _scaled(_number(table, level, "level_score"))
        for level in _DIFFICULTIES
    }


def _l2(run: RunLog) -> Values:
    """The average is that of the levels, however many samples each has, as its code has it."""
    average = l2_scores(l2_rows(run.rows)).average
    return _platforms(run, "grounding_type", _GROUNDING) | {("Overall", "Avg"): average}


def _l2_kinds(run: RunLog) -> Values:
    scores = l2_scores(l2_rows(run.rows))
    found: Values = {
        (f"{word}, {level}", name): _number(scores.table, level, platform, key)
        for word, platform in _PLATFORMS
        for level in _GROUNDING
        for name, key in (
            ("Text", "Text accuracy"), ("Icon", "Icon accuracy"), ("No place", "Error format num"),
        )
    }  # fmt: skip
    return found | {("Overall", "No place"): scores.format_errors}


def _number(table: JsonValue, *keys: str) -> float | None:
    """The number under these keys, one in another; None where there is none."""
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, int | float) else None


def _steps(run: RunLog, heading: str = "") -> Values:
    scores = step_scores(run.rows)
    taps = _having(run.rows, action="tap")
    right_type = [row for row in taps if row.detail.get("type_match") is True]
    return {
        (heading, "Type"): _scaled(scores.type_accuracy),
        (heading, "Grounding"): _percent(right_type),
        (heading, "Exact"): _scaled(scores.accuracy),
        (heading, "Episodes"): _scaled(scores.success_rate),
    }


def _android_control(run: RunLog) -> Values:
    match run.header.config.get("plan"):
        case {"level": "low"}:
            return _steps(run, "Low")
        case _:
            return _steps(run, "High")


def _odyssey(run: RunLog) -> Values:
    """AMS and SR are means over the categories, of which a store imported long ago has none."""
    found: Values = {}
    rates: Values = {}
    for word, name in _CATEGORIES:
        rows = _having(run.rows, category=name)
        found["AMS", word] = _percent(rows)
        rates["SR", word] = _scaled(step_scores(rows).success_rate)
    known = any(row.labels.get("category") for row in run.rows)
    whole = step_scores(run.rows)
    ams = _mean(found) if known else _scaled(whole.accuracy)
    rate = _mean(rates) if known else _scaled(whole.success_rate)
    return found | {("Overall", "AMS"): ams, ("Overall", "SR"): rate}


def _score_alone(run: RunLog) -> Values:
    if run.header.benchmark.startswith("steps-"):
        return _steps(run)
    return {("", "Score"): _percent(run.rows)}


def _scaled(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _mean(found: Values) -> float | None:
    values = [value for value in found.values() if value is not None]
    return fmean(values) if values else None


_FURTHER: Mapping[str, Mapping[str, Callable[[RunLog], Values]]] = {
    "l1": {", weighted by options": _l1_weighted},
    "l2": {", text and icon": _l2_kinds},
}

_PIVOTS: Mapping[str, Callable[[RunLog], Values]] = {
    "l1": _l1,
    "l2": _l2,
    "screenspot": _screenspot,
    "screenspot-v2": _screenspot,
    "screenspot-pro": _screenspot_pro,
    "screenspot-pro-cn": _screenspot_pro,
    "osworld-g": _osworld_g,
    "osworld-g-refined": _osworld_g,
    "ui-vision": _ui_vision,
    "steps-android-control": _android_control,
    "steps-odyssey": _odyssey,
}
