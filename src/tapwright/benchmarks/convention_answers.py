"""Reads the place that an answer gives in the words of a convention, as a scorer wants it.

Unlike `answers`, nothing but the convention's own grammar counts, as in the runner of its family:
an answer outside of it has no place, however clear it is to a reader.
"""

from tapwright.agents.grounder import gives_places
from tapwright.benchmarks.answers import AnswerStatus, PointAnswer
from tapwright.conventions.convention import Convention, model_size
from tapwright.conventions.grounding import read_point
from tapwright.core.geometry import Point, Size
from tapwright.errors import BadAnswerError, OffScreenError, UsageError

__all__ = ["check_gives_places", "parse_point_in"]


def parse_point_in(convention: Convention, text: str, size: Size) -> PointAnswer:
    """The place that an answer means on a picture of `size`, as it was before it was sent."""
    try:
        point = read_point(convention, text, size)
    except BadAnswerError as error:
        off = isinstance(error.__cause__, OffScreenError)
        status: AnswerStatus = "out_of_range" if off else "none"
        return PointAnswer(None, status, convention.name, reason=str(error))
    if point is None:
        return PointAnswer(None, "none", "refusal", reason="the answer is that none is there")
    return PointAnswer(point, "ok", convention.name, exact=_shares(convention, point, size))


def _shares(convention: Convention, point: Point, size: Size) -> tuple[float, float]:
    """The numbers of the answer as shares of the picture: a pixel's own, and not its centre's."""
    if convention.space != "pixel":
        return point.x, point.y
    seen = model_size(convention, size)
    x, y = point.x * seen.width - 0.5, point.y * seen.height - 0.5
    return max(round(x, 6), 0.0) / seen.width, max(round(y, 6), 0.0) / seen.height


def check_gives_places(convention: Convention) -> None:
    """See that answers of a convention have places.

    Raises:
        UsageError: they only name what is meant.
    """
    if not gives_places(convention):
        raise UsageError(
            f"the convention {convention.name!r} names what is tapped and not where",
            hint="name one that gives places, such as qwen2.5-vl",
        )
