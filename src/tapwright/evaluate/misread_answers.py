"""Why many answers are wrong for another reason than the model's skill, found by trying.

Wrong answers are read in other units, with their axes exchanged, and on the picture as providers
scale it down; unread ones by every convention and unit. Where far more are then hits, that is said.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from math import sqrt
from typing import TypeAlias, get_args

from tapwright.benchmarks.answers import parse_point
from tapwright.benchmarks.convention_answers import parse_point_in
from tapwright.conventions import conventions
from tapwright.conventions.convention import Space, to_point
from tapwright.core.geometry import Point, Size
from tapwright.errors import OffScreenError
from tapwright.evaluate.error_analysis import answered_point, target_box
from tapwright.evaluate.run_log import SampleRow

__all__ = ["UNITS", "Misreading", "Reading", "find_misreading", "find_reading"]

UNITS: Mapping[Space, str] = {
    "pixel": "pixels", "fraction": "fractions, 0-1", "permille": "0-1000", "percent": "0-100",
    "0-999": "0-999",
}  # fmt: skip
"""In this order: of two units in which as many answers are right, the first is named."""
_MOST_TRIED = 20
_Place: TypeAlias = Callable[[float, float, Size], Point]


@dataclass(frozen=True, slots=True)
class Misreading:
    """What wrong answers look like, and the keys of the rows that would then be hits.

    `what` completes "answers look like …", `way` is what makes them be read so. `space` is set when
    it is another unit.
    """

    what: str
    way: str
    keys: frozenset[str]
    space: Space | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """An option by which `read` of the unread answers are understood, `right` of them as hits."""

    option: str
    read: int
    right: int


def find_misreading(misses: Sequence[SampleRow]) -> Misreading | None:
    """The other meaning under which most of the wrong answers would be hits; None for none.

    Numbers with a unit of their own ("50%") have no other one.
    """
    guesses = _guesses()
    right: dict[str, set[str]] = {name: set() for name in guesses}
    for row in misses:
        box, size, answer = target_box(row), row.sent or row.about.size, row.answer or ""
        if box is None or size is None or "%" in answer or "px" in answer:
            continue
        found = parse_point(answer, Size(*size), space="pixel")
        if found.status == "ambiguous" or len(found.numbers) < 2:
            continue
        numbers = found.numbers
        x, y = (numbers[0] + numbers[-2]) / 2, (numbers[1] + numbers[-1]) / 2
        for name, (_, place) in guesses.items():
            try:
                point = place(x, y, Size(*size))
            except OffScreenError:
                continue
            if point != answered_point(row) and box.contains(point):
                right[name].add(row.key)
    counts = Counter({name: len(keys) for name, keys in right.items()})
    best, most = counts.most_common(1)[0]
    if not most:
        return None
    way = guesses[best][0]
    unit = next((one for one in UNITS if one == best), None)
    what = f"another unit ({UNITS[unit]}?)" if unit else best
    return Misreading(what, way, frozenset(right[best]), unit)


def _guesses() -> dict[str, tuple[str, _Place]]:
    """What wrong answers may be instead: a name, the way out, and the place that they then mean."""

    def unit(space: Space) -> _Place:
        return lambda x, y, size: to_point(x, y, size, space)

    def swapped(space: Space) -> _Place:
        return lambda x, y, size: to_point(y, x, size, space)

    def scaled(seen: Callable[[Size], Size]) -> _Place:
        def place(x: float, y: float, size: Size) -> Point:
            smaller = seen(size)
            if smaller == size:
                raise OffScreenError("it is not scaled")
            return to_point(x, y, smaller, "pixel")

        return place

    found: dict[str, tuple[str, _Place]] = {
        space: (f"--space {space}, or a --convention", unit(space)) for space in UNITS
    }
    found |= {
        f"[y, x] in place of [x, y] ({name}): swapped axes": (
            "a --convention that reads them so, or other words in the prompt", swapped(space)
        )
        for space, name in UNITS.items()
    }  # fmt: skip
    return found | {
        "pixels of a smaller picture, as Claude sees it": (
            "--max-pixels 1150000 sends what the provider would scale down to", scaled(_claude)
        ),
        "pixels of a smaller picture, as OpenAI's models see it": (
            "--max-pixels 1000000 sends what the provider would scale down to", scaled(_openai)
        ),
    }  # fmt: skip


def _claude(size: Size) -> Size:
    """https://docs.anthropic.com/en/docs/build-with-claude/vision: 1568 a side, 1.15 megapixels."""
    share = min(
        1.0, 1568 / max(size.width, size.height), sqrt(1_150_000 / (size.width * size.height))
    )
    return Size(round(size.width * share), round(size.height * share))


def _openai(size: Size) -> Size:
    """https://platform.openai.com/docs/guides/images-vision: in 2048 squared, then 768 across."""
    share = min(1.0, 2048 / max(size.width, size.height))
    share = min(share, 768 / min(size.width, size.height))
    return Size(round(size.width * share), round(size.height * share))


def find_reading(unread: Sequence[SampleRow], convention: str) -> Reading | None:
    """The option that understands most of the unread answers; None where none does.

    Hits count first, then a name like that of the `convention` by which they were not understood.
    """
    rows = [row for row in unread if target_box(row) and row.about.size][:_MOST_TRIED]
    found: list[tuple[int, int, float, str]] = []
    for option, name in _options(convention):
        points = [_read(row, option, name) for row in rows]
        read = sum(point is not None for point in points)
        right = sum(
            point is not None and (box := target_box(row)) is not None and box.contains(point)
            for row, point in zip(rows, points, strict=True)
        )
        if read:
            is_family = bool(convention) and convention.startswith(name)
            likeness = is_family + SequenceMatcher(None, name, convention).ratio()
            # An answer that is read in another way needs not be asked for again.
            found.append((right, read, likeness + 2 * (option == "--space"), f"{option} {name}"))
    if not found:
        return None
    right, read, _, option = max(found)
    return Reading(option, read, right)


def _options(convention: str) -> list[tuple[str, str]]:
    names = [name for name in conventions.names() if name != convention]
    return [
        *(("--space", name) for name in (*get_args(Space), *names)),
        *(("--convention", name) for name in names),
    ]


def _read(row: SampleRow, option: str, name: str) -> Point | None:
    size, answer = Size(*(row.about.size or (1, 1))), row.answer or ""
    if option == "--space":
        return parse_point(answer, Size(*row.sent) if row.sent else size, space=name).point
    return parse_point_in(conventions.get(name), answer, size).point
