"""The files of generated benchmarks, written screen by screen: what is written is not kept."""

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Literal, TypeAlias

from pydantic import JsonValue

from tapwright.benchmarks import grounding, understanding
from tapwright.benchmarks.dataset_files import PICTURES
from tapwright.benchmarks.generated_screens import RecordedScreen
from tapwright.benchmarks.generated_targets import TargetDescription
from tapwright.benchmarks.platforms import target_size
from tapwright.files.atomic import atomic_directory

__all__ = ["BenchmarkWriter", "GeneratedLevel", "write_benchmarks"]

GeneratedLevel: TypeAlias = Literal["l1", "l2"]
_FILES: dict[GeneratedLevel, str] = {"l1": understanding.FILE, "l2": grounding.FILE}


class BenchmarkWriter:
    """Writes pictures, trees and rows as they come, and counts screens, questions and targets."""

    def __init__(self, pictures: Path, lists: dict[GeneratedLevel, "_JsonList"]) -> None:
        self._pictures = pictures
        self._lists = lists
        self.screens = self.questions = self.targets = 0

    def add(
        self,
        screen: RecordedScreen,
        groups: Sequence[JsonValue],
        targets: Sequence[TargetDescription],
    ) -> None:
        """A screen with its questions of L1 and its targets of L2; nothing when it has neither."""
        if not groups and not targets:
            return
        stem = screen.sha256[:24]
        shot = screen.observation.screenshot
        platform = screen.platform
        pictures = self._pictures / platform
        pictures.mkdir(exist_ok=True)
        (pictures / f"{stem}.{shot.extension}").write_bytes(shot.data)
        xml = screen.tree.xml.encode("utf-8", "surrogatepass")
        (pictures / f"{stem}.xml").write_bytes(xml)
        size = screen.tree.size
        row: dict[str, JsonValue] = {
            "image_path": f"{stem}.{shot.extension}",
            "image_size": [size.width, size.height],
            "platform": platform,
            "app_name": screen.app,
        }
        if groups:
            questions = self._lists["l1"]
            questions.add({"index": questions.count, **row, "groups": list(groups)})
        for aim in targets:
            self._lists["l2"].add(
                {
                    "index": self.targets,
                    **row,
                    "instruction": aim.instruction,
                    "bbox": [aim.box.left, aim.box.top, aim.box.right, aim.box.bottom],
                    "data_type": aim.element.kind,
                    "grounding_type": aim.grounding_type,
                    "target_size": target_size(aim.box.area),
                }
            )
            self.targets += 1
        self.screens += 1
        self.questions += len(groups)


@contextmanager
def write_benchmarks(out: Path, levels: Collection[GeneratedLevel]) -> Iterator[BenchmarkWriter]:
    """The files of `levels` in the new directory `out`, which is there when all of it is.

    Raises:
        DiskError: the disk is full or not writable; then nothing is left behind.
    """
    with atomic_directory(out) as beside, ExitStack() as opened:
        pictures = beside / PICTURES
        pictures.mkdir(parents=True)
        # Half an emoji has no UTF-8; so written, it is the escape that JSON has for it.
        lists = {
            level: _JsonList(
                opened.enter_context(
                    (beside / _FILES[level]).open(
                        "w", encoding="utf-8", errors="backslashreplace", newline="\n"
                    )
                )
            )
            for level in levels
        }
        yield BenchmarkWriter(pictures, lists)
        for rows in lists.values():
            rows.end()


class _JsonList:
    """A JSON list in a file, as `json.dumps` writes one with an indent of 1."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self.count = 0

    def add(self, row: JsonValue) -> None:
        text = json.dumps(row, ensure_ascii=False, indent=1).replace("\n", "\n ")
        self._file.write(f"{',' if self.count else '['}\n {text}")
        self.count += 1

    def end(self) -> None:
        self._file.write("\n]\n" if self.count else "[]\n")
