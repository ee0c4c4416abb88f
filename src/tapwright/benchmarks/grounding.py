"""L2, element grounding: an instruction names an element of a screen, the answer is its place.

Data and prompt are those of https://github.com/open-compass/MMBench-GUI (896ddf1). Unlike there,
the unit of an answer is declared and never guessed from how large its numbers are.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue

from tapwright.benchmarks.answers import parse_point
from tapwright.benchmarks.benchmark import Score, Still
from tapwright.benchmarks.layout import Record, Rows
from tapwright.conventions.convention import Space
from tapwright.errors import BadBenchmarkError, OffScreenError
from tapwright.geometry import WHOLE_SCREEN, Box, Size
from tapwright.messages import Message, Picture, Text

__all__ = ["ASK", "FILE", "SYSTEM", "Grounding", "Target"]

FILE = "L2_annotations.json"
SYSTEM = (
    "You are a GUI agent. You are given a task and a screenshot of the screen. "
    "You need to finish this task following instructions from users."
)
ASK = (
    "Output only the coordinate (x,y) of one point in your response. "
    "What element matches the following task: "
)

_HAIR = 0.001


class _Row(Record):
    instruction: Annotated[str, Field(min_length=1)]
    bbox: tuple[float, float, float, float]
    data_type: Literal["icon", "text"]
    grounding_type: Literal["basic", "advanced"]


@dataclass(frozen=True, slots=True)
class Target(Still):
    """One element to be found; `box` is where it is."""

    box: Box = WHOLE_SCREEN

    @property
    def truth(self) -> JsonValue:
        """The box: left, top, right, bottom in fractions of the screen."""
        return [self.box.left, self.box.top, self.box.right, self.box.bottom]


class Grounding:
    """The elements of one directory."""

    name = "l2"

    def __init__(self, root: Path) -> None:
        self.source = str(root.resolve())
        rows = Rows(root, FILE)
        self._samples: list[Target] = []
        for where, row in rows.read(_Row):
            path, size, tree = rows.picture(where, row)
            self._samples.append(
                Target(
                    id=str(row.index),
                    instruction=row.instruction,
                    labels={
                        "platform": row.platform,
                        "app": row.app_name,
                        "grounding_type": row.grounding_type,
                        "data_type": row.data_type,
                    },
                    picture=path,
                    size=size,
                    tree=tree,
                    box=_box(where, row.bbox, size),
                )
            )
        self.data_sha256 = rows.sha256

    @classmethod
    def load(cls, source: str) -> Self:
        """The elements below the directory `source`.

        Raises:
            BadBenchmarkError: a row breaks the schema; the message names file and row.
        """
        return cls(Path(source))

    def samples(self) -> list[Target]:
        """In the order of the rows."""
        return self._samples

    def prompt(self, sample: Target) -> list[Message]:
        """The system prompt, then picture and instruction in one turn."""
        return [
            Message("system", (Text(SYSTEM),)),
            Message(
                "user",
                (Picture(sample.observe().screenshot), Text(ASK + sample.instruction)),
            ),
        ]

    def score(self, sample: Target, answer: str, *, space: Space) -> Score:
        """1 when the point lies in the box, edges included; 0 also when no point can be read."""
        found = parse_point(answer, sample.size, space=space)
        if found.point is None:
            return Score(0.0, found.status)
        hit = sample.box.contains(found.point)
        return Score(float(hit), found.status, [found.point.x, found.point.y])


def _box(where: str, edges: tuple[float, float, float, float], size: Size) -> Box:
    """The box of a row: in fractions when all four are at most 1, else in pixels, as published.

    A hair more than 1 is a rounded fraction and means the edge of the screen.
    """
    left, top, right, bottom = edges
    if not (left <= right and top <= bottom):
        raise BadBenchmarkError(
            f"{where}: bbox {list(edges)} has swapped edges; expected [left, top, right, bottom]"
        )
    if 1 + _HAIR < max(edges) < 2:
        raise BadBenchmarkError(
            f"{where}: bbox {list(edges)} is neither in fractions, of which none is more than 1, "
            "nor in pixels"
        )
    if max(edges) <= 1 + _HAIR:
        left, top, right, bottom = (min(edge, 1.0) for edge in edges)
    else:
        left, right = left / size.width, right / size.width
        top, bottom = top / size.height, bottom / size.height
    try:
        return Box(left, top, right, bottom)
    except OffScreenError as error:
        raise BadBenchmarkError(
            f"{where}: bbox {list(edges)} is outside a {size} screen"
        ) from error
