"""UI-Vision, element grounding on desktop software: by name, by function, by surroundings.

    <root>/annotations/element_grounding/element_grounding_{basic,functional,spatial}.json
    <root>/images/

As https://github.com/uivision/UI-Vision reads it at 76085a9: boxes are two opposite corners in
pixels, of which either may come first. Boxes that reach over the edge of the picture, as some of
the published ones do, are cut, as long as their middle is on it. The wording of the prompt is that
of MMBench-GUI's L2.
"""

from collections.abc import Iterator
from functools import partial

from tapwright.benchmarks import dataset_files
from tapwright.benchmarks.pointing import PointingBenchmark, TargetBox, pixel_box
from tapwright.core.geometry import Size

__all__ = ["UiVision"]


class _Row(dataset_files.DatasetRow):
    image_path: dataset_files.Words
    image_size: dataset_files.SizeField
    bbox: dataset_files.Edges
    prompt_to_evaluate: dataset_files.Words
    platform: str
    element_type: str = ""


class UiVision(PointingBenchmark[TargetBox]):
    """The elements of UI-Vision; their label "grounding_type" is the file's."""

    name = "ui-vision"
    origin = "https://huggingface.co/datasets/ServiceNow/ui-vision"
    pictures = "images"

    def _read(self, files: dataset_files.DatasetFiles) -> Iterator[TargetBox]:
        for kind in ("basic", "functional", "spatial"):
            name = f"annotations/element_grounding/element_grounding_{kind}.json"
            yield from files.read(name, _Row, partial(_read_target, files, kind))


def _read_target(
    files: dataset_files.DatasetFiles, kind: str, placed: dataset_files.PlacedRow[_Row]
) -> Iterator[TargetBox]:
    where, row = placed.where, placed.fields
    path, size, tree = files.picture(where, row.image_size, row.image_path)
    x, y = sorted(row.bbox[::2]), sorted(row.bbox[1::2])
    yield TargetBox(
        id=f"{kind}-{placed.number}",
        instruction=row.prompt_to_evaluate,
        labels={
            "platform": "desktop",
            "app": row.platform,
            "grounding_type": kind,
            "data_type": row.element_type,
        },
        picture=path,
        size=size,
        tree=tree,
        box=pixel_box(where, _cut(x[0], y[0], x[1], y[1], size), size),
    )


def _cut(left: float, top: float, right: float, bottom: float, size: Size) -> dataset_files.Edges:
    """The part of a box that is on the picture; one whose middle is not there stays as it is."""
    if not (0 <= left + right <= 2 * size.width and 0 <= top + bottom <= 2 * size.height):
        return left, top, right, bottom
    return max(left, 0.0), max(top, 0.0), min(right, size.width), min(bottom, size.height)
