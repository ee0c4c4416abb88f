"""UI-Vision, element grounding on desktop software: by name, by function, by surroundings.

    <root>/annotations/element_grounding/element_grounding_{basic,functional,spatial}.json
    <root>/images/

As https://github.com/uivision/UI-Vision reads it at 76085a9: boxes are two opposite corners in
pixels, of which either may come first. The wording of the prompt is that of MMBench-GUI's L2.
"""

from collections.abc import Iterator

from tapwright.benchmarks.dataset_files import DatasetFiles, DatasetRow, Edges, SizeField, Words
from tapwright.benchmarks.pointing import PointingBenchmark, TargetBox, pixel_box

__all__ = ["UiVision"]


class _Row(DatasetRow):
    image_path: Words
    image_size: SizeField
    bbox: Edges
    prompt_to_evaluate: Words
    platform: str
    element_type: str = ""


class UiVision(PointingBenchmark[TargetBox]):
    """The elements of UI-Vision; their label "grounding_type" is the file's."""

    name = "ui-vision"
    origin = "https://huggingface.co/datasets/ServiceNow/ui-vision"
    pictures = "images"

    def _read(self, files: DatasetFiles) -> Iterator[TargetBox]:
        for kind in ("basic", "functional", "spatial"):
            name = f"annotations/element_grounding/element_grounding_{kind}.json"
            for number, (where, row) in enumerate(files.read(name, _Row, lambda _: None)):
                path, size, tree = files.picture(where, row.image_size, row.image_path)
                x, y = sorted(row.bbox[::2]), sorted(row.bbox[1::2])
                yield TargetBox(
                    id=f"{kind}-{number}",
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
                    box=pixel_box(where, (x[0], y[0], x[1], y[1]), size),
                )
