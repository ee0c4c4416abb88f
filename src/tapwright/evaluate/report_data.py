"""The data of a report: every number, computed from run logs and recordings alone."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import TypeAlias

from pydantic import JsonValue

from tapwright.benchmarks import metrics
from tapwright.benchmarks.answers import Parser
from tapwright.core.episode import Episode
from tapwright.errors import UsageError
from tapwright.evaluate import attempt_causes, error_analysis
from tapwright.evaluate.compare import compare, describe_data
from tapwright.evaluate.learning_curve import learning_curves
from tapwright.evaluate.log_warnings import log_warnings
from tapwright.evaluate.paper_tables import PaperTable, paper_tables
from tapwright.evaluate.rule_choice import rule_of_header
from tapwright.evaluate.run_log import RunLog, SampleRow
from tapwright.evaluate.run_tally import RunTally
from tapwright.evaluate.scoring import plan_of, rescore
from tapwright.evaluate.step_efficiency import StepEfficiency, measure_step_efficiency
from tapwright.evaluate.tables import column_name, run_matrix
from tapwright.models.query_endings import ENDINGS

Json: TypeAlias = dict[str, JsonValue]

LEVELS: Mapping[str, tuple[str, str]] = {
    "l1": ("L1 · Understanding", "questions about a screen, one option right"),
    "l2": ("L2 · Grounding", "an instruction names an element, the answer is its place"),
    "l3": ("L3 · Automation", "tasks played from start to end on a device"),
    "l4": ("L4 · Collaboration", "tasks across apps, played from start to end on a device"),
}
_DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "l1": ("difficulty",),
    "l2": ("grounding_type", "data_type"),
    "l3": ("difficulty", "kind", "language"),
    "l4": ("difficulty", "kind", "language"),
}
_MOST_GROUPS = 12
_AREAS = (
    (0.001, "< 0.1 %"),
    (0.003, "0.1–0.3 %"),
    (0.01, "0.3–1 %"),
    (0.03, "1–3 %"),
    (1.1, "> 3 %"),
)


def report_data(runs: Sequence[RunLog], recorded: Iterable[Episode]) -> Json:
    """All of them, as JSON: the runs, the levels with their tables, the data, and warnings."""
    names = sorted({run.header.benchmark for run in runs})
    tallies = [RunTally.of(run.rows) for run in runs]
    counted = list(zip(runs, tallies, strict=True))
    return {
        "runs": [_run_data(run) for run in runs],
        "matrix": _matrix_data(runs),
        "levels": [
            _level_data(name, [one for one in counted if one[0].header.benchmark == name])
            for name in names
        ],
        "comparisons": list(_comparison_data(runs)),
        "data": _episode_data(list(recorded)),
        "warnings": list(log_warnings(runs, tallies)),
    }


def _run_data(run: RunLog) -> Json:
    rows, usage = run.rows, run.usage
    whole, rule = metrics.cell(rows), rule_of_header(run.header)
    played = measure_step_efficiency(run)
    clustered = metrics.cluster_bootstrap(rows) if played is None else None
    steps = [n for row in rows if isinstance(n := row.detail.get("steps"), int)]
    latencies = [row.latency_s for row in rows if row.status != "failed"]
    errors = Counter(row.error.code for row in rows if row.error is not None)
    return {
        "benchmark": run.header.benchmark,
        "subject": run.header.subject,
        "data": describe_data(run.header),
        "played": played is not None or run.header.is_played,
        "rules": _rule_data(run),
        "score": _cell_data(whole),
        "counts_failures": rule is not None and rule.counts_failures,
        "clustered": _pair(clustered.low, clustered.high) if clustered else None,
        "answered": whole.answered,
        "expected": run.header.samples,
        "endings": {name: whole.endings.get(name, 0) for name in ENDINGS},
        "not_asked": run.header.samples - whole.asked,
        "complete": run.complete,
        "wall_s": round(run.wall_s, 3),
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost": run.cost,
        "latency_s": round(median(latencies), 4) if latencies else None,
        "steps": dict(asdict(metrics.step_counts(steps))),
        "effort": _efficiency_data(played) if played is not None else None,
        "causes": dict(attempt_causes.count_causes(rows)),
        "artefacts": dict(attempt_causes.count_carried(rows)),
        "injections": dict(attempt_causes.count_injections(rows)),
        "tallies": dict(attempt_causes.sum_counts(rows)),
        "errors": dict(sorted(errors.items())),
        "parsers": _parser_data(run),
        "distances": dict(asdict(metrics.distances(rows))),
        "published": _mmbench_data(run),
        "confusion": _confusion_data(run),
        "mistakes": dict(
            Counter(
                why for row in rows if (why := error_analysis.diagnose(row)) is not None
            ).most_common()
        ),
        "created": run.created,
        "sent": _sent_data(run),
        "header": run.header.model_dump(mode="json"),
    }


def _matrix_data(runs: Sequence[RunLog]) -> Json:
    """The runs by suite: a row for each subject."""
    matrix = run_matrix(runs)
    return {
        "suites": list(matrix.suites),
        "rows": [
            {
                "subject": who,
                "cells": [
                    None
                    if one is None
                    else {
                        **_cell_data(one.score),
                        "rules": one.rules,
                        "answered": one.answered.answered,
                        "has_answer": one.answered.has_answer,
                        "expected": one.answered.samples,
                    }
                    for one in cells
                ],
            }
            for who, cells in matrix.rows
        ],
    }


def _sent_data(run: RunLog) -> Json:
    """What requests held in place of the settings in the header, and how many of them."""
    changes = Counter(
        f"{name} {'left out' if value is None else json.dumps(value)}"
        for row in run.rows
        for name, value in row.changed.items()
    )
    return dict(changes.most_common())


def _rule_data(run: RunLog) -> Json | None:
    """The rule that the run was scored under, and where it is from; None: there is one way."""
    rule = rule_of_header(run.header)
    return {"name": rule.name, "summary": rule.summary, "source": rule.source} if rule else None


def _efficiency_data(found: StepEfficiency) -> Json:
    return {
        "eqa": dict(asdict(found.eqa)),
        "max_steps": found.max_steps,
        "used": found.used,
        "curve": [_pair(*corner) for corner in found.curve],
        "ratio": found.ratio,
        "ratio_median": found.ratio_median,
        "compared": found.compared,
        "attempts": [dict(asdict(one)) for one in found.attempts],
    }


def _parser_data(run: RunLog) -> Json | None:
    """The score by the other parser, when the log alone gives both and they differ.

    Answers that were read by functions of a user's own keep the scores that they gave.
    """
    plan = plan_of(run)
    if (
        plan.postprocess
        or plan.parse
        or plan.convention
        or not run.rows
        or any(row.about.size is None for row in run.rows)
    ):
        return None
    other: Parser = "seed" if plan.parser == "robust" else "robust"
    try:
        again = rescore(run, plan.model_copy(update={"parser": other}))
    except UsageError:  # such as a convention of a plug-in that is not installed here
        return None
    changed = sum(old.score != new.score for old, new in zip(run.rows, again.rows, strict=True))
    if not changed:
        return None
    return {
        "used": plan.parser,
        "other": other,
        "score": _cell_data(metrics.cell(again.rows)),
        "changed": changed,
    }


def _mmbench_data(run: RunLog) -> Json | None:
    """The scores in MMBench-GUI's own shape."""
    if run.header.benchmark == "l1":
        return asdict(metrics.l1_scores(metrics.l1_rows(run.rows)))
    if run.header.benchmark == "l2":
        return asdict(metrics.l2_scores(metrics.l2_rows(run.rows)))
    return None


def _confusion_data(run: RunLog) -> Json | None:
    pairs = error_analysis.count_confusions(run.rows)
    if not pairs:
        return None
    names = error_analysis.list_letters(pairs)
    right = [name for name in names if name != error_analysis.NO_LETTER]
    return {
        "letters": list(names),
        "rows": [{"right": one, "counts": [pairs[one, other] for other in names]} for one in right],
        "answered": [sum(pairs[one, other] for one in right) for other in names],
        "expected": [sum(pairs[one, other] for other in names) for one in names],
    }


def _comparison_data(runs: Sequence[RunLog]) -> Iterable[JsonValue]:
    """Each further run on some data against the first one, which is the best."""
    first: dict[tuple[str, str], RunLog] = {}
    for run in runs:
        best = first.setdefault((run.header.benchmark, run.header.data_sha256), run)
        keys = {row.key for row in best.rows if row.score is not None}
        if best is run or not any(row.key in keys for row in run.rows if row.score is not None):
            continue
        found = compare(best, run)
        yield {
            "benchmark": run.header.benchmark,
            "best": best.header.subject,
            "subject": run.header.subject,
            "difference": found.difference,
            "interval": _pair(found.interval.low, found.interval.high) if found.interval else None,
            "p_value": found.p_value,
            "gained": len(found.gained),
            "lost": len(found.lost),
            "paired": found.n,
        }


def _level_data(name: str, counted: Sequence[tuple[RunLog, RunTally]]) -> Json:
    title, what = LEVELS.get(name, (name, ""))
    runs, tallies = [run for run, _ in counted], [tally for _, tally in counted]
    return {
        "name": name,
        "title": title,
        "what": what,
        "subjects": [run.header.subject for run in runs],
        "tables": list(level_tables(name, runs, tallies)),
        "papers": [_paper_data(one) for one in paper_tables(runs)],
        "learning": [
            {
                "model": curve.model,
                "samples": curve.samples,
                "points": [{"steps": steps, **_cell_data(one)} for steps, one in curve.points],
            }
            for curve in learning_curves(runs)
        ],
        "played": any(
            run.header.is_played or measure_step_efficiency(run) is not None for run in runs
        ),
        "sizes": _size_table(runs, tallies),
    }


def _paper_data(found: PaperTable) -> Json:
    """A paper's table with a row for each of its columns, for there are more of these."""
    return {
        "name": found.benchmark,
        "subjects": list(found.names),
        "rows": [
            {"name": column_name(column), "values": [values[at] for _, values in found.rows]}
            for at, column in enumerate(found.columns)
        ],
    }


def level_tables(name: str, runs: Sequence[RunLog], tallies: Sequence[RunTally] = ()) -> list[Json]:
    """The scores of runs on one benchmark by each of its dimensions, by platform and by app.

    Without `tallies` their rows are counted here.
    """
    counted = tallies or [RunTally.of(run.rows) for run in runs]
    subjects = [run.header.subject for run in runs]

    def by_label(name: str) -> Json:
        return _table_data(name, subjects, counted, [one.cells(name) for one in counted])

    tables = [by_label(dimension) for dimension in _DIMENSIONS.get(name) or _dimensions(counted)]
    if len({value for one in counted for value in one.cells("platform")}) > 1:
        tables.append(by_label("platform"))
    tables.append(by_label("app"))
    # A table with one group repeats the headline.
    return [entry for entry in tables if _group_count(entry) > 1] or tables[-1:]


def _dimensions(tallies: Sequence[RunTally]) -> list[str]:
    """The labels, but for platform and app, that a table can have as its columns."""
    values: dict[str, set[str]] = {}
    for tally in tallies:
        for name, groups in tally.labels.items():
            values.setdefault(name, set()).update(filter(None, groups))
    return [
        name
        for name, met in values.items()
        if name not in ("platform", "app") and len(met) <= _MOST_GROUPS
    ]


def _size_table(runs: Sequence[RunLog], tallies: Sequence[RunTally]) -> Json | None:
    """The scores by the size of the target; None where no row has one."""
    found = [metrics.table(run.rows, _area) for run in runs]
    if not any(name for cells in found for name in cells):
        return None
    subjects = [run.header.subject for run in runs]
    return _table_data("size of the target", subjects, tallies, found, [name for _, name in _AREAS])


def _table_data(
    dimension: str,
    subjects: Sequence[str],
    tallies: Sequence[RunTally],
    found: Sequence[Mapping[str, metrics.Cell]],
    order: Sequence[str] = (),
) -> Json:
    met = {name for cells in found for name in cells}
    known = [name for name in order if name in met] or _sort_names(met)
    return {
        "dimension": dimension.replace("_", " "),
        "groups": list(known),
        "rows": [
            {
                "subject": subject,
                "cells": [_cell_data(cells.get(name, metrics.cell(()))) for name in known],
                "micro": _cell_data(tally.whole.cell()),
                "macro": metrics.macro(cells),
            }
            for subject, tally, cells in zip(subjects, tallies, found, strict=True)
        ],
    }


def _group_count(entry: Json) -> int:
    groups = entry["groups"]
    return len(groups) if isinstance(groups, list) else 0


def _sort_names(names: Iterable[str]) -> list[str]:
    fixed = ["easy", "medium", "hard", "basic", "advanced", "icon", "text"]
    return sorted(names, key=lambda name: (fixed.index(name) if name in fixed else 99, name))


def _area(row: SampleRow) -> str:
    box = error_analysis.target_box(row)
    if box is None:
        return ""
    return next((name for limit, name in _AREAS if box.area < limit), "")


def _cell_data(entry: metrics.Cell) -> Json:
    return {
        "n": entry.n,
        "value": entry.value,
        "interval": _pair(entry.interval.low, entry.interval.high) if entry.interval else None,
        "format_errors": entry.format_errors,
        "failures": entry.failures,
    }


def _pair(low: float, high: float) -> list[JsonValue]:
    return [low, high]


def _episode_data(episodes: Sequence[Episode]) -> Json:
    steps = [step for episode in episodes for step in episode.steps]
    lengths = metrics.step_counts([len(episode.steps) for episode in episodes])
    apps = Counter(step.observation.app.rpartition(".")[2] or "unknown" for step in steps)
    actions = Counter(one.type for step in steps for one in step.decision.actions)
    return {
        "episodes": len(episodes),
        "steps": len(steps),
        "steps_mean": lengths.mean,
        "steps_median": lengths.median,
        "tasks": len({episode.task_id for episode in episodes}),
        "with_reasoning": sum(bool(step.decision.reasoning) for step in steps),
        "outcomes": dict(Counter(episode.outcome for episode in episodes).most_common()),
        "apps": dict(apps.most_common()),
        "actions": dict(actions.most_common()),
    }
