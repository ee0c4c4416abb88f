"""What benchmarks of grounding share: an instruction names an element, the answer is its place.

An element is a box, or has an outline of its own; or there is no such element, and the right answer
is to state so. The unit of an answer is declared and never guessed from how large its numbers are.
What counts as on the element, and as such a statement, is a rule of the suite (`score_rules`).
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, TypeAlias, TypeVar

from pydantic import JsonValue

from tapwright.benchmarks.answers import PointAnswer, parse_point, points_below_zero, refuses
from tapwright.benchmarks.benchmark import Score, StaticSample
from tapwright.benchmarks.convention_answers import check_gives_places, parse_point_in
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.published_readers import READERS
from tapwright.benchmarks.score_rules import CLOSED, PointRule, point_rule
from tapwright.benchmarks.static_benchmark import StaticBenchmark
from tapwright.conventions.convention import Convention, Space
from tapwright.conventions.spoken import SpokenConvention
from tapwright.core.geometry import WHOLE_SCREEN, Box, Point, Size
from tapwright.core.messages import Message
from tapwright.errors import OffScreenError

__all__ = [
    "ASK", "AbsentTarget", "Aimed", "PointingBenchmark", "TargetBox", "TargetOutline",
    "bounding_box", "is_on", "located", "score_aim",
]  # fmt: skip

ASK = (
    "Output only the coordinate (x,y) of one point in your response. "
    "What element matches the following task: "
)
_MAY_BE_ABSENT = "If the screen has no such element, output (-1,-1). "
_HAIR = 1.5


@dataclass(frozen=True, slots=True)
class TargetBox(StaticSample):
    """One element to be found; `box` is where it is."""

    box: Box = WHOLE_SCREEN

    @property
    def truth(self) -> JsonValue:
        """The box: left, top, right, bottom in fractions of the screen."""
        return [self.box.left, self.box.top, self.box.right, self.box.bottom]

    def holds(self, point: Point) -> bool:
        """Whether a point is on the element, edges included."""
        return self.box.contains(point)


@dataclass(frozen=True, slots=True)
class TargetOutline(TargetBox):
    """An element that is no rectangle: its `corners` in order, around it; `box` just holds it."""

    corners: tuple[Point, ...] = ()

    @property
    def truth(self) -> JsonValue:
        """The corners: [x, y] in fractions of the screen."""
        return [[corner.x, corner.y] for corner in self.corners]

    def holds(self, point: Point) -> bool:
        """Whether a point is within the outline or on it, by the even-odd rule."""
        sides = zip((self.corners[-1], *self.corners), self.corners, strict=False)
        return any(_on_line(point, *side) for side in sides) or self.encloses(point)

    def encloses(self, point: Point) -> bool:
        """Whether a point is within the outline by the even-odd rule alone."""
        inside = False
        before = self.corners[-1]
        for corner in self.corners:
            if (corner.y > point.y) != (before.y > point.y):
                along = (point.y - corner.y) / (before.y - corner.y)
                inside ^= point.x < corner.x + along * (before.x - corner.x)
            before = corner
        return inside


@dataclass(frozen=True, slots=True)
class AbsentTarget(StaticSample):
    """Something that the screen does not show; the right answer is a refusal."""


Aimed: TypeAlias = TargetBox | AbsentTarget
A = TypeVar("A", bound=Aimed)


class PointingBenchmark(StaticBenchmark[A]):
    """Elements to be found on the pictures of one directory, scored by the rule of that name.

    A model is prompted in MMBench-GUI's words, or as it was trained: `in_convention`.
    """

    rules: str = ""
    _convention: Convention | None = None
    _spoken: SpokenConvention | None = None
    _max_side: int | None = None
    _max_pixels: int | None = None

    def in_pictures(self, *, max_side: int | None, max_pixels: int | None) -> Self:
        """The same elements, on pictures of at most this size, which a convention's prompt tells.

        The pictures themselves are scaled by who sends them.
        """
        made = copy(self)
        made._max_side, made._max_pixels = max_side, max_pixels
        return made

    def in_convention(self, convention: Convention, *, model: str = "") -> Self:
        """The same elements, asked for and read in a convention, as it is spoken to the `model`."""
        check_gives_places(convention)
        made = copy(self)
        made._convention = convention
        made._spoken = SpokenConvention.to(model, convention)
        return made

    def prompt(self, sample: A) -> list[Message]:
        """The system prompt, then picture and text in one turn; or what the convention sends."""
        if self._spoken is None:
            return super().prompt(sample)
        seen = sample.observe().shrink(max_side=self._max_side, max_pixels=self._max_pixels)
        return self._spoken.request_place(sample.instruction, seen)

    def under(self, rules: str) -> Self:
        """The same samples under another rule; "" for the suite's default.

        Raises:
            UsageError: the suite has no such rule.
        """
        point_rule(self.name, rules)
        made = copy(self)
        made.rules = rules
        return made

    @property
    def rule(self) -> PointRule:
        """The rule by which answers are scored."""
        return point_rule(self.name, self.rules)

    def text(self, sample: A) -> str:
        """The question; under a rule that prompts for it, with the answer when there is none.

        It is the same for every sample, so that the words reveal nothing.
        """
        if not (self.rule.prompts_refusal and self._some_absent):
            return ASK + sample.instruction
        first, _, last = ASK.partition(". ")
        return f"{first}. {_MAY_BE_ABSENT}{last}{sample.instruction}"

    @cached_property
    def _some_absent(self) -> bool:
        return any(isinstance(sample, AbsentTarget) for sample in self._samples)

    def score(self, sample: A, answer: str, *, space: Space | str) -> Score:
        """1 when the point is on the element; for an absent target, when the answer is so.

        0 also when no point can be read. The detail has what `metrics` counts: the hit by the
        seed's parser (1, 0, or -1 when that finds no point), `distance` of the point from the
        middle of the box in fractions of the screen, `box_distance` in halves of the box (at most 1
        is in it), whether the answer refuses, and why it has no point.
        """
        return score_aim(sample, answer, space=space, rule=self.rule, convention=self._convention)


def score_aim(
    sample: Aimed,
    answer: str,
    *,
    space: Space | str,
    rule: PointRule = CLOSED,
    convention: Convention | None = None,
) -> Score:
    """The score of an answer that points, as in `PointingBenchmark.score`, without the picture.

    A `convention` alone reads the answer, for "seed" too; the sample's size is then that of the
    picture before it was sent. So does the rule's own reader, if it has one.
    """
    if rule.own_reader:
        read = READERS[rule.name](answer, sample.size)
    elif convention is None:
        read = parse_point(answer, sample.size, space=space)
    else:
        read = parse_point_in(convention, answer, sample.size)
    by_words = convention is None and not rule.own_reader
    found = located(read, rule)
    if isinstance(sample, AbsentTarget):
        return _score_absent(found, answer, rule, by_words=by_words)
    seed = found
    if by_words:
        seed = parse_point(answer, sample.size, space=space, parser="seed")
    detail: dict[str, JsonValue] = {"seed": _hit(sample, seed)}
    if found.kind == "refusal":
        detail["refused"] = True
    if found.point is None:
        return Score(0.0, found.status, None, {**detail, "reason": found.reason})
    detail["distance"] = found.point.distance(sample.box.center)
    relative = _box_distance(sample.box, found.point)
    if relative is not None:
        detail["box_distance"] = relative
    parsed: JsonValue = [found.point.x, found.point.y]
    return Score(float(is_on(sample, found.point, rule)), found.status, parsed, detail)


def located(found: PointAnswer, rule: PointRule) -> PointAnswer:
    """The answer with its point where the rule has it: exactly, or at a pixel's centre."""
    if not rule.exact or found.exact is None or found.status not in ("ok", "out_of_range"):
        return found
    x, y = found.exact
    if not (0 <= x <= 1 and 0 <= y <= 1):
        return found
    return replace(found, point=Point(x, y), status="ok", reason="")


def is_on(target: TargetBox, point: Point, rule: PointRule) -> bool:
    """Whether a point is on the element by the rule; an outline's line is not in published ones."""
    if rule.exact and isinstance(target, TargetOutline):
        return target.encloses(point)
    if rule.open_box:
        box = target.box
        return box.left < point.x < box.right and box.top < point.y < box.bottom
    return target.holds(point)


def pixel_box(where: str, edges: Sequence[float], size: Size) -> Box:
    """The box with these edges (left, top, right, bottom) in pixels; a rounded pixel more is cut.

    Raises:
        BadBenchmarkError: the edges are swapped, or one is outside the picture.
    """
    left, top, right, bottom = edges
    if not (left <= right and top <= bottom):
        raise BadBenchmarkError(
            f"{where}: bbox {list(edges)} has swapped edges; expected left <= right, top <= bottom"
        )
    if min(left, top) < -_HAIR or right > size.width + _HAIR or bottom > size.height + _HAIR:
        raise BadBenchmarkError(f"{where}: bbox {list(edges)} is outside a {size} screen")
    try:
        return Box.from_pixels(left, top, right, bottom, size)
    except OffScreenError as error:
        raise BadBenchmarkError(f"{where}: bbox {list(edges)}: {error}") from error


def pixel_corners(where: str, flat: Sequence[float], size: Size) -> tuple[Point, ...]:
    """The corners x1, y1, x2, y2, … in pixels, as points; a rounded pixel more is cut.

    Raises:
        BadBenchmarkError: they are fewer than three, or one is outside the picture.
    """
    if len(flat) < 6 or len(flat) % 2:
        raise BadBenchmarkError(
            f"{where}: an outline of {len(flat)} numbers; expected x and y of three corners or more"
        )
    pairs = list(zip(flat[::2], flat[1::2], strict=True))
    for x, y in pairs:
        inside = -_HAIR <= x <= size.width + _HAIR and -_HAIR <= y <= size.height + _HAIR
        if not inside:
            raise BadBenchmarkError(f"{where}: the corner ({x}, {y}) is outside a {size} screen")
    return tuple(
        Point(min(max(x / size.width, 0.0), 1.0), min(max(y / size.height, 0.0), 1.0))
        for x, y in pairs
    )


def bounding_box(corners: Sequence[Point]) -> Box:
    """The smallest box that holds all corners."""
    across, down = [one.x for one in corners], [one.y for one in corners]
    return Box(min(across), min(down), max(across), max(down))


def _score_absent(found: PointAnswer, answer: str, rule: PointRule, *, by_words: bool) -> Score:
    if found.point is not None:
        return Score(0.0, "ok", [found.point.x, found.point.y])
    refused = found.kind == "refusal" or (by_words and refuses(answer))
    below_zero = rule.negative_refuses and points_below_zero(answer)
    if below_zero or (refused and not (rule.negative_refuses and by_words)):
        return Score(1.0, "ok", "absent", {"refused": True})
    return Score(0.0, found.status, None, {"reason": found.reason})


def _hit(target: TargetBox, found: PointAnswer) -> int:
    if found.status == "none":
        return -1
    return int(found.point is not None and target.holds(found.point))


def _box_distance(box: Box, point: Point) -> float | None:
    half_width, half_height = (box.right - box.left) / 2, (box.bottom - box.top) / 2
    if not half_width or not half_height:
        return None
    middle = box.center
    return max(abs(point.x - middle.x) / half_width, abs(point.y - middle.y) / half_height)


def _on_line(point: Point, start: Point, end: Point) -> bool:
    across = (point.x - start.x) * (end.y - start.y) - (point.y - start.y) * (end.x - start.x)
    return (
        abs(across) <= 1e-12
        and min(start.x, end.x) <= point.x <= max(start.x, end.x)
        and min(start.y, end.y) <= point.y <= max(start.y, end.y)
    )
