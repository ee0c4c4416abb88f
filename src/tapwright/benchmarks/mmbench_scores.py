"""The scores of MMBench-GUI L1 and L2 in the shape in which they are published.

Follows `matrics.py` of https://github.com/open-compass/MMBench-GUI/tree/896ddf1, whose outputs are
equalled where it gives one. It differs where the original fails: an empty cell has no value instead
of NaN or a division by zero, a basic-only data set is scored, and a request that failed is counted
apart instead of as a wrong answer.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from pydantic import JsonValue

__all__ = ["L1Scores", "L2Scores", "l1_scores", "l2_scores"]

Row = Mapping[str, JsonValue]
Table = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class L1Scores:
    """Accuracy, 0 to 1, by difficulty and platform, plain and weighted by the number of options.

    Both tables are `{difficulty: {platform: {"score", "sample_num", …}, "level_score",
    "level_sample_num"}, "total_sample_num"}`, with None for an empty cell. In `weighted` an answer
    to a question of m options weighs (m - 1) / m: `score_weighted` is the mean as in the paper's
    equation 3, `score_base` what a perfect model has, `score` their quotient, as the code has it.
    `micro` counts every row alike, `macro` every cell of platform and difficulty. `format_errors`
    could not be read and are wrong; `failures` were never answered and are in no score.
    """

    normal: Table
    weighted: Table
    micro: float | None
    macro: float | None
    format_errors: int
    failures: int


@dataclass(frozen=True, slots=True)
class L2Scores:
    """Accuracy in percent by grounding type and platform, for icons, text and both.

    `table` is `{grounding_type: {platform: {"Total num", "Icon num", "Text num", "Total accuracy",
    "Icon accuracy", "Text accuracy", "Correct num", "Wrong num", "Error format num"},
    "accuracy", "num"}}`, with None for an empty cell. `average` is the plain mean over the types,
    as the code has it, `micro` every row's, as the paper describes it.
    """

    table: Table
    average: float | None
    micro: float | None
    format_errors: int
    failures: int


def l1_scores(rows: Iterable[Row]) -> L1Scores:
    """Score rows of L1.

    A row has `platform`, `difficulty`, `options_num`, and either `hit` (1 or 0, or -1 when there is
    no letter) or `answer` and `parsed` (letters, None when there is none); `status` "failed" means
    that there is no answer. A row without `options_num` has no weight.
    """
    answered, failures, errors = [], 0, 0
    for row in rows:
        if row.get("status") == "failed":
            failures += 1
        else:
            answered.append(row)
            errors += row.get("parsed", "") is None or row.get("hit") == -1
    normal: Table = {}
    weighted: Table = {}
    cells: list[float] = []
    for difficulty, of_level in _group_by(answered, "difficulty").items():
        plain_level: Table = {}
        weighted_level: Table = {}
        for platform, group in _group_by(of_level, "platform").items():
            hits = [_hit(row) for row in group]
            shares = [1 - 1 / max(1, _whole_number(row, "options_num")) for row in group]
            gained = fmean(hit * share for hit, share in zip(hits, shares, strict=True))
            base = fmean(shares)
            cells.append(fmean(hits))
            plain_level[platform] = {"score": cells[-1], "sample_num": len(group)}
            weighted_level[platform] = {
                "score": gained / base if base else None,
                "score_weighted": gained,
                "score_base": base,
                "sample_num": len(group),
            }
        normal[difficulty] = _level(plain_level)
        weighted[difficulty] = _level(weighted_level)
    normal["total_sample_num"] = weighted["total_sample_num"] = len(answered)
    return L1Scores(
        normal,
        weighted,
        micro=fmean(map(_hit, answered)) if answered else None,
        macro=fmean(cells) if cells else None,
        format_errors=errors,
        failures=failures,
    )


def l2_scores(rows: Iterable[Row]) -> L2Scores:
    """Score rows of L2.

    A row has `platform`, `grounding_type` (basic, advanced), `data_type` (icon, text) and `hit`: 1,
    0, or -1 (or None) when the answer could not be read; `status` "failed" means that there is
    none.
    """
    answered, failures = [], 0
    for row in rows:
        if row.get("status") == "failed":
            failures += 1
        else:
            answered.append(row)
    tables: Table = {}
    types: list[float] = []
    for kind, of_kind in _group_by(answered, "grounding_type").items():
        table: Table = {
            platform: _platform(group) for platform, group in _group_by(of_kind, "platform").items()
        }
        types.append(100 * fmean(map(_correct, of_kind)))
        tables[kind] = {**table, "accuracy": types[-1], "num": len(of_kind)}
    return L2Scores(
        tables,
        average=fmean(types) if types else None,
        micro=100 * fmean(map(_correct, answered)) if answered else None,
        format_errors=sum(_is_error(row) for row in answered),
        failures=failures,
    )


def _platform(group: list[Row]) -> Table:
    kinds = _group_by(group, "data_type")
    icons, texts = kinds.get("icon", []), kinds.get("text", [])
    correct, errors = sum(map(_correct, group)), sum(map(_is_error, group))
    return {
        "Total num": len(group),
        "Icon num": len(icons),
        "Text num": len(texts),
        "Total accuracy": _percent(group),
        "Icon accuracy": _percent(icons),
        "Text accuracy": _percent(texts),
        "Correct num": correct,
        "Wrong num": len(group) - correct - errors,
        "Error format num": errors,
    }


def _percent(rows: list[Row]) -> float | None:
    return 100 * fmean(map(_correct, rows)) if rows else None


def _level(platforms: Table) -> Table:
    cells = [cell for cell in platforms.values() if isinstance(cell, dict)]
    total = sum(_whole_number(cell, "sample_num") for cell in cells)
    scored = [(cell["score"], _whole_number(cell, "sample_num")) for cell in cells]
    weighted = [value * number for value, number in scored if isinstance(value, float)]
    known = sum(number for value, number in scored if isinstance(value, float))
    return {
        **platforms,
        "level_sample_num": total,
        "level_score": sum(weighted) / known if known else None,
    }


def _group_by(rows: Iterable[Row], key: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(str(row.get(key, "")), []).append(row)
    return groups


def _hit(row: Row) -> int:
    hit = row.get("hit")
    if hit is None:
        return int(row.get("parsed") is not None and row.get("parsed") == row.get("answer"))
    return int(hit == 1)


def _correct(row: Row) -> int:
    return int(row.get("hit") == 1)


def _is_error(row: Row) -> bool:
    return row.get("hit") in (-1, None)


def _whole_number(row: Row, key: str) -> int:
    value = row.get(key)
    return value if isinstance(value, int) else 0
