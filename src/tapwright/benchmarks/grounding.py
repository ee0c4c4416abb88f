"""L2, element grounding: an instruction names an element of a screen, the answer is its place.

Data and prompt are those of https://github.com/open-compass/MMBench-GUI (896ddf1). Unlike there,
the unit of an answer is declared and never guessed from how large its numbers are.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import ClassVar, Literal

from tapwright.benchmarks.dataset_files import DatasetFiles, Edges, PlacedRow, ScreenRow, Words
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.pointing import PointingBenchmark, TargetBox
from tapwright.core.geometry import Box, Size
from tapwright.errors import OffScreenError

__all__ = ["FILE", "SYSTEM", "GroundingBenchmark"]

FILE = "L2_annotations.json"
SYSTEM = (
    "You are a GUI agent. You are given a task and a screenshot of the screen. "
    "You need to finish this task following instructions from users."
)

_HAIR = 0.001


class _Row(ScreenRow):
    instruction: Words
    bbox: Edges
    data_type: Literal["icon", "text"]
    grounding_type: Literal["basic", "advanced"]
    target_size: Literal["", "small", "medium", "large"] = ""
    """By its share of the screen, in benchmarks of one's own; the published one does not say."""


class GroundingBenchmark(PointingBenchmark[TargetBox]):
    """The elements of one directory."""

    name = "l2"
    origin = "https://huggingface.co/datasets/OpenGVLab/MMBench-GUI"
    system = SYSTEM
    sums: ClassVar[Mapping[str, str]] = {FILE: "a2e042302ac389299873a857b7370a35"}

    def _read(self, files: DatasetFiles) -> Iterator[TargetBox]:
        yield from files.read(FILE, _Row, partial(_read_target, files), lambda row: row.index)


def _read_target(files: DatasetFiles, placed: PlacedRow[_Row]) -> Iterator[TargetBox]:
    where, row = placed.where, placed.fields
    path, size, tree = files.picture(where, row.image_size, row.platform, row.image_path)
    yield TargetBox(
        id=str(row.index),
        instruction=row.instruction,
        labels={
            "platform": row.platform,
            "app": row.app_name,
            "grounding_type": row.grounding_type,
            "data_type": row.data_type,
            **({"target_size": row.target_size} if row.target_size else {}),
        },
        picture=path,
        size=size,
        tree=tree,
        box=_box(where, row.bbox, size),
    )


def _box(where: str, edges: Edges, size: Size) -> Box:
    """The box of a row: in fractions when all four are at most 1, else in pixels, as published.

    A hair more than 1 is a rounded fraction and means the edge of the screen. An edge of -1 is 0
    there, and the others then pixels; a box that has no inside left is the corner of the screen.
    """
    if -1 in edges:
        return _box_without_edge(where, edges, size)
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


def _box_without_edge(where: str, edges: Edges, size: Size) -> Box:
    left, top, right, bottom = (0.0 if edge == -1 else edge for edge in edges)
    if left > right or top > bottom:
        return Box(0.0, 0.0, 0.0, 0.0)
    try:
        return Box(left / size.width, top / size.height, right / size.width, bottom / size.height)
    except OffScreenError as error:
        raise BadBenchmarkError(
            f"{where}: bbox {list(edges)} is outside a {size} screen"
        ) from error
