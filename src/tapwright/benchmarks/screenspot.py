"""ScreenSpot and the benchmarks that grew out of it: an instruction, and a box in pixels.

    ScreenSpot       <root>/screenspot_{mobile,desktop,web}.json     screenspot_imgs/
    ScreenSpot-v2    <root>/screenspot_{mobile,desktop,web}_v2.json  screenspotv2_image/
    ScreenSpot-Pro   <root>/annotations/*.json                       images/

Boxes are [left, top, width, height] in the first two and [left, top, right, bottom] in the third.
Follows the evaluators of https://github.com/njucckevin/SeeClick and, at 588f1f2,
https://github.com/likaixin2000/ScreenSpot-Pro-GUI-Grounding. They have no prompt of their own (each
model brings one); that of MMBench-GUI's L2 is used, without its system prompt. A row of
ScreenSpot-Pro whose `gt_type` is "negative" names something that the screen does not show.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import ClassVar, Literal

from tapwright.benchmarks import dataset_files, pointing
from tapwright.benchmarks.errors import BadBenchmarkError

__all__ = ["ScreenSpot", "ScreenSpotPro", "ScreenSpotProChinese", "ScreenSpotV2"]


class _Row(dataset_files.DatasetRow):
    img_filename: dataset_files.Words
    bbox: dataset_files.Edges
    instruction: dataset_files.Words
    data_type: Literal["icon", "text"]
    data_source: str = ""


class ScreenSpot(pointing.PointingBenchmark[pointing.TargetBox]):
    """The elements of ScreenSpot, on phones, desktops and web pages."""

    name = "screenspot"
    origin = "https://github.com/njucckevin/SeeClick"
    pictures = "screenspot_imgs"
    ends: ClassVar[str] = ""

    def _read(self, files: dataset_files.DatasetFiles) -> Iterator[pointing.TargetBox]:
        for platform in ("mobile", "desktop", "web"):
            name = f"screenspot_{platform}{self.ends}.json"
            yield from files.read(name, _Row, partial(_read_target, files, platform))


def _read_target(
    files: dataset_files.DatasetFiles, platform: str, placed: dataset_files.PlacedRow[_Row]
) -> Iterator[pointing.TargetBox]:
    where, row = placed.where, placed.fields
    path, size, tree = files.picture(where, None, row.img_filename)
    left, top, width, height = row.bbox
    yield pointing.TargetBox(
        id=f"{platform}-{placed.number}",
        instruction=row.instruction,
        labels={"platform": platform, "app": row.data_source, "data_type": row.data_type},
        picture=path,
        size=size,
        tree=tree,
        box=pointing.pixel_box(where, (left, top, left + width, top + height), size),
    )


class ScreenSpotV2(ScreenSpot):
    """ScreenSpot with its wrong annotations corrected, by the makers of OS-Atlas."""

    name = "screenspot-v2"
    origin = "https://huggingface.co/datasets/OS-Copilot/ScreenSpot-v2"
    pictures = "screenspotv2_image"
    ends = "_v2"


class _ProRow(dataset_files.DatasetRow):
    id: dataset_files.Words
    img_filename: dataset_files.Words
    img_size: dataset_files.SizeField
    bbox: dataset_files.Edges | None = None
    instruction: dataset_files.Words
    instruction_cn: str = ""
    application: str
    platform: str
    ui_type: Literal["icon", "text"]
    group: str = ""
    gt_type: Literal["positive", "negative"] = "positive"


class ScreenSpotPro(pointing.PointingBenchmark[pointing.Aimed]):
    """The elements of ScreenSpot-Pro, on large screens of professional software."""

    name = "screenspot-pro"
    origin = "https://huggingface.co/datasets/likaixin/ScreenSpot-Pro"
    pictures = "images"
    chinese: ClassVar[bool] = False

    def _read(self, files: dataset_files.DatasetFiles) -> Iterator[pointing.Aimed]:
        names = sorted(path.name for path in (files.root / "annotations").glob("*.json"))
        if not names:
            raise BadBenchmarkError(
                f"{files.root}: no .json file in annotations/",
                hint="give the directory that holds annotations/ and images/",
            )
        seen: dict[str, str] = {}
        for name in names:
            make = partial(self._read_target, files, name, seen)
            yield from files.read(f"annotations/{name}", _ProRow, make, lambda row: row.id)

    def _read_target(
        self,
        files: dataset_files.DatasetFiles,
        name: str,
        seen: dict[str, str],
        placed: dataset_files.PlacedRow[_ProRow],
    ) -> Iterator[pointing.Aimed]:
        where, row = placed.where, placed.fields
        if seen.setdefault(row.id, name) != name:
            raise BadBenchmarkError(f"{where}: index {row.id!r} is in {seen[row.id]}, too")
        yield self._aimed(files, where, row)

    def _aimed(self, files: dataset_files.DatasetFiles, where: str, row: _ProRow) -> pointing.Aimed:
        path, size, tree = files.picture(where, row.img_size, row.img_filename)
        instruction = row.instruction_cn if self.chinese else row.instruction
        labels: Mapping[str, str] = {
            "platform": row.platform,
            "app": row.application,
            "data_type": row.ui_type,
            "group": row.group,
        }
        if not instruction:
            raise BadBenchmarkError(f"{where}: instruction_cn is empty")
        if row.gt_type == "negative":
            return pointing.AbsentTarget(row.id, instruction, labels, path, size, tree)
        if row.bbox is None:
            raise BadBenchmarkError(f"{where}: bbox: Field required")
        return pointing.TargetBox(
            row.id, instruction, labels, path, size, tree, pointing.pixel_box(where, row.bbox, size)
        )


class ScreenSpotProChinese(ScreenSpotPro):
    """The same, with instructions in Chinese."""

    name = "screenspot-pro-cn"
    chinese = True
