"""OSWorld-G: elements of a desktop as boxes or outlines, and some that are not there.

    <root>/OSWorld-G.json  OSWorld-G_refined.json  images/

or all of it in benchmark/ below the root, as in https://github.com/xlang-ai/OSWorld-G. A `bbox` is
[left, top, width, height] in pixels, a `polygon` x1, y1, x2, y2, …; some polygons have four numbers
and are boxes. Of a `refusal` the right answer is that there is no such element, which the prompt
therefore allows. There is no prompt of its own; that of MMBench-GUI's L2 is used.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tapwright.benchmarks import dataset_files, pointing
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.errors import first_problem

__all__ = ["CATEGORIES", "OSWorldG", "OSWorldGRefined", "read_categories"]

CATEGORIES = "classification_result.json"


class _Member(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str


class _Result(BaseModel):
    model_config = ConfigDict(extra="ignore")

    classified: dict[str, list[_Member]]


def read_categories(path: Path) -> dict[str, list[str]]:
    """The capabilities by the sample's id; none without the file.

    Raises:
        BadBenchmarkError: the file is there, and is not of that form.
    """
    if not path.is_file():
        return {}
    try:
        read = _Result.model_validate_json(path.read_bytes())
    except OSError as error:
        raise BadBenchmarkError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise BadBenchmarkError(f"{path}: {first_problem(error)}") from error
    found: dict[str, list[str]] = {}
    for category, members in read.classified.items():
        for member in members:
            found.setdefault(member.id, []).append(category)
    return found


class _Row(dataset_files.DatasetRow):
    id: dataset_files.Words
    image_path: dataset_files.Words
    image_size: dataset_files.SizeField
    instruction: dataset_files.Words
    box_type: Literal["bbox", "polygon", "refusal"]
    box_coordinates: tuple[dataset_files.Edge, ...]
    GUI_types: tuple[str, ...] | str = ()


class OSWorldG(pointing.PointingBenchmark[pointing.Aimed]):
    """The elements of OSWorld-G, in the original words."""

    name = "osworld-g"
    origin = "https://github.com/xlang-ai/OSWorld-G"
    pictures = "images"
    file: ClassVar[str] = "OSWorld-G.json"

    def __init__(self, root: Path) -> None:
        inner = root / "benchmark"
        super().__init__(inner if inner.is_dir() else root)
        groups = read_categories((inner if inner.is_dir() else root) / CATEGORIES)
        self._samples = [
            replace(sample, labels={**sample.labels, "categories": ", ".join(groups[sample.id])})
            if sample.id in groups
            else sample
            for sample in self._samples
        ]

    def _read(self, files: dataset_files.DatasetFiles) -> Iterator[pointing.Aimed]:
        def make(placed: dataset_files.PlacedRow[_Row]) -> Iterator[pointing.Aimed]:
            yield _read_sample(files, placed.where, placed.fields)

        yield from files.read(self.file, _Row, make, lambda row: row.id)


def _read_sample(files: dataset_files.DatasetFiles, where: str, row: _Row) -> pointing.Aimed:
    path, size, tree = files.picture(where, row.image_size, row.image_path)
    kinds = (row.GUI_types,) if isinstance(row.GUI_types, str) else row.GUI_types
    labels = {
        "platform": "desktop",
        "app": "desktop",
        "box_type": row.box_type,
        "gui_types": ", ".join(kinds),
    }
    if row.box_type == "refusal":
        return pointing.AbsentTarget(row.id, row.instruction, labels, path, size, tree)
    if row.box_type == "polygon" and len(row.box_coordinates) != 4:
        corners = pointing.pixel_corners(where, row.box_coordinates, size)
        box = pointing.bounding_box(corners)
        return pointing.TargetOutline(
            row.id, row.instruction, labels, path, size, tree, box, corners
        )
    if len(row.box_coordinates) != 4:
        raise BadBenchmarkError(
            f"{where}: box_coordinates has {len(row.box_coordinates)} numbers; "
            "expected left, top, width, height"
        )
    left, top, width, height = row.box_coordinates
    box = pointing.pixel_box(where, (left, top, left + width, top + height), size)
    return pointing.TargetBox(row.id, row.instruction, labels, path, size, tree, box)


class OSWorldGRefined(OSWorldG):
    """The same elements, in instructions that name what they look like."""

    name = "osworld-g-refined"
    file = "OSWorld-G_refined.json"
