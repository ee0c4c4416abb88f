"""Reads published answers with their verdicts again, and says where ours differ.

The rows are those that evaluators in the manner of ScreenSpot-Pro's write
(likaixin2000/ScreenSpot-Pro-GUI-Grounding@bd8bbbb, `eval_screenspot_pro.py`,
and Tongyi-MAI/MAI-UI@4dd07b9, `evaluation/grounding/eval_server.py`): the raw
answer, the box in pixels, the picture's size and the verdict. ScreenSpot-Pro's own
do not tell the size; its annotations do. GUI-R1's (ritzz-ai/GUI-R1@d43eea2,
`guir1/eval/eval_screenspot.py`) have the place that was read instead of a verdict,
which is whether it lies inside the box. No model is asked.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any, TypeGuard

from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.pointing import AbsentTarget, Aimed, TargetBox, pixel_box, score_aim
from tapwright.benchmarks.score_rules import OWN, SUITES, PointRule, find_rule
from tapwright.conventions.convention import Convention
from tapwright.core.geometry import Size
from tapwright.core.screenshot import MAX_SIDE
from tapwright.errors import UnknownNameError
from tapwright.files.regular import open_regular

__all__ = [
    "Difference", "Replay", "find_point_rule", "picture_sizes", "replay", "rules_that_differ",
]  # fmt: skip

_ANSWERS = ("raw_response", "response", "raw_output", "output", "answer", "pred")
_SIZES = ("img_size", "image_size")
_SUITE = "screenspot-pro"
"""Whose rule is that of all suites' papers: the answer's own numbers, closed boxes."""
_PICTURES = ("img_filename", "img_path")
_VERDICTS = {
    "correct": True, "wrong": False, "incorrect": False, "wrong_format": False,
}  # fmt: skip


_NO_SIZES: Mapping[str, Size] = {}


@dataclass(frozen=True, slots=True)
class Difference:
    """A row whose published verdict (`theirs`) is not ours; `reason` is why ours found no place."""

    id: str
    theirs: bool
    ours: bool
    answer: str
    reason: str = ""


@dataclass
class Replay:
    """The account of a file: `rows` is the sum of those that are equal, different and left out.

    `published` counts the hits by the published verdicts, `hits` those by ours, of the same rows.
    """

    rows: int = 0
    equal: int = 0
    published: int = 0
    hits: int = 0
    different: list[Difference] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Published:
    aim: Aimed
    answer: str
    correct: bool


class _NoRowError(ValueError):
    """A row lacks what a verdict needs; says what."""


def find_point_rule(name: str) -> PointRule:
    """The rule of that name for answers that point, of whichever suite has it.

    Raises:
        UnknownNameError: no suite has one.
    """
    rules = {
        rule.name: rule
        for suite in SUITES.values()
        for rule in suite.rules
        if isinstance(rule, PointRule)
    }
    if name not in rules:
        raise UnknownNameError("rule of answers that point", name, rules)
    return rules[name]


def rules_that_differ(convention: str) -> list[PointRule]:
    """The rules that may give answers in a convention different scores.

    The family's own evaluator, if it has one, that of the suites' papers, and ours.
    """
    own = find_rule(_SUITE, convention=convention).name
    return [find_point_rule(name) for name in dict.fromkeys((own, _SUITE, OWN))]


def picture_sizes(annotations: Path) -> dict[str, Size]:
    """The sizes of pictures by the ends of their names, from a file or a folder of them.

    Raises:
        BadBenchmarkError: a file is neither JSON nor lines of it.
    """
    files = sorted(annotations.glob("*.json")) if annotations.is_dir() else [annotations]
    return {
        name: size
        for file in files
        for row in _read(file)
        if isinstance(row, dict) and (size := _size(row)) and (name := _names(row)[0])
    }


def replay(
    path: Path, convention: Convention, rule: PointRule, sizes: Mapping[str, Size] = _NO_SIZES
) -> Replay:
    """Judge each published answer by our reading, and compare it with the published verdict.

    `sizes` are those of pictures whose rows do not tell it: `picture_sizes`.

    Raises:
        BadBenchmarkError: the file is neither JSON nor lines of it.
    """
    found = Replay()
    for number, row in enumerate(_read(path), 1):
        found.rows += 1
        try:
            published = _published(row, number, sizes)
        except _NoRowError as error:
            found.left_out[str(error)] += 1
            continue
        score = score_aim(
            published.aim,
            published.answer,
            space=convention.space,
            rule=rule,
            convention=convention,
        )
        ours = score.value == 1
        found.published += published.correct
        found.hits += ours
        if ours == published.correct:
            found.equal += 1
            continue
        reason = str(score.detail.get("reason", ""))
        found.different.append(
            Difference(published.aim.id, published.correct, ours, published.answer, reason)
        )
    return found


def _read(path: Path) -> Iterator[Any]:
    """The rows: lines of JSON, a list, or the `details` of an object."""
    try:
        opened = open_regular(path)
    except OSError as error:
        raise BadBenchmarkError(f"{path}: cannot be read: {error.strerror}") from error
    with opened as file:
        first = file.readline()
        file.seek(0)
        try:
            json.loads(first)
        except (ValueError, RecursionError):
            content = file.read()
        else:
            yield from _read_lines(path, file)
            return
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadBenchmarkError(f"{path}: {error}; expected JSON, or lines of it") from error
    rows = data.get("details") if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise BadBenchmarkError(f"{path}: has no rows; expected a list, or one under `details`")
    yield from rows


def _read_lines(path: Path, file: Any) -> Iterator[Any]:
    for number, line in enumerate(file, 1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise BadBenchmarkError(f"{path}, line {number}: {error}") from error
            details = row.get("details") if isinstance(row, dict) else None
            yield from details if isinstance(details, list) else [row]


def _published(row: Any, number: int, sizes: Mapping[str, Size]) -> _Published:
    if not isinstance(row, dict):
        raise _NoRowError("is no object")
    answer = next((row[name] for name in _ANSWERS if isinstance(row.get(name), str)), None)
    if answer is None:
        raise _NoRowError(f"no answer as text: none of {', '.join(_ANSWERS)}")
    correct = _verdict(row)
    id_ = str(row.get("id", number))
    instruction = str(row.get("instruction") or row.get("prompt_to_evaluate") or "")
    if row.get("gt_type") == "negative":
        return _Published(AbsentTarget(id_, instruction, {}, Path(), Size(1, 1)), answer, correct)
    edges = row.get("bbox", row.get("gt_bbox"))
    if isinstance(edges, list) and len(edges) > 4:
        raise _NoRowError("its outline is judged there by the first four numbers as if by a box")
    if not (_are_numbers(edges) and len(edges) == 4):
        raise _NoRowError("no box of four numbers: bbox, gt_bbox")
    size = _size(row) or next((sizes[one] for one in _names(row) if one in sizes), None)
    if size is None:
        raise _NoRowError(
            f"no size of the picture: none of {', '.join(_SIZES)}, nor in --annotations"
        )
    if "pred_coord" in row:
        # The box is in pixels of the recorded picture, whose size the row has rounded.
        size = Size(max(size.width, ceil(edges[2])), max(size.height, ceil(edges[3])))
    try:
        box = pixel_box("row", edges, size)
    except BadBenchmarkError as error:
        raise _NoRowError(f"its box: {str(error).partition('] ')[2]}") from error
    aim = TargetBox(id_, instruction, {}, Path(), size, box=box)
    return _Published(aim, answer, correct)


def _verdict(row: Mapping[str, Any]) -> bool:
    if "pred_coord" in row:
        return _read_inside(row)
    said = row.get("correctness", row.get("correct"))
    verdict = _VERDICTS.get(said) if isinstance(said, str) else said
    if not isinstance(verdict, bool):
        raise _NoRowError("no verdict: correctness is one of " + ", ".join(_VERDICTS))
    return verdict


def _read_inside(row: Mapping[str, Any]) -> bool:
    """Whether the place that was read there lies inside the box, which has no edge."""
    scale = row.get("scale")
    if isinstance(scale, list) and any(one != 1 for one in scale):
        raise _NoRowError("its picture was scaled for the model by an amount of its own: scale")
    place, edges = row["pred_coord"], row.get("gt_bbox")
    if not (_are_numbers(place) and _are_numbers(edges) and len(place) > 1 and len(edges) > 3):
        raise _NoRowError("no place and no box of numbers: pred_coord, gt_bbox")
    (x, y), (left, top, right, bottom) = place[:2], edges[:4]
    return bool(left < x < right and top < y < bottom)


def _size(row: Mapping[str, Any]) -> Size | None:
    return next((read for name in _SIZES if (read := _pair(row.get(name)))), None)


def _names(row: Mapping[str, Any]) -> tuple[str, str]:
    """The last two parts of the picture's name, and the last: annotations have either."""
    named = next((row[name] for name in _PICTURES if isinstance(row.get(name), str)), "")
    parts = named.split("/")
    return "/".join(parts[-2:]), parts[-1]


def _pair(value: Any) -> Size | None:
    whole = isinstance(value, list) and len(value) == 2
    if not whole or not all(isinstance(one, int) and 0 < one <= MAX_SIDE for one in value):
        return None
    return Size(*value)


def _are_numbers(value: Any) -> TypeGuard[list[float]]:
    return isinstance(value, list) and all(map(_is_number, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 10**9
