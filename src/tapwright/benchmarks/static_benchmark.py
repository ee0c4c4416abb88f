"""The base of benchmarks of still pictures: samples from a directory, one query each."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import ClassVar, Generic, Self, TypeVar

from tapwright.benchmarks.benchmark import Score, StaticSample
from tapwright.benchmarks.controls import Control, with_other_pictures
from tapwright.benchmarks.dataset_files import PICTURES, DatasetFiles
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.conventions.convention import Space
from tapwright.core.messages import Message, Picture, Text

__all__ = ["StaticBenchmark"]

S = TypeVar("S", bound=StaticSample)


class StaticBenchmark(ABC, Generic[S]):
    """The samples of one directory.

    `origin` is where the data can be had, `system` the system prompt, "" for none, `pictures` the
    folder below the directory that holds the pictures, `sums` the MD5 sums of the published
    annotation files that are known. `left_out` has why rows of the data cannot be used, each with
    its place.
    """

    name: ClassVar[str]
    origin: ClassVar[str]
    system: ClassVar[str] = ""
    pictures: ClassVar[str] = PICTURES
    sums: ClassVar[Mapping[str, str]] = {}

    def __init__(self, root: Path) -> None:
        self.source = str(root.resolve())
        files = DatasetFiles(root, self.pictures, self.sums)
        self._samples = list(self._read(files))
        self.data_sha256 = files.sha256
        self.published = files.published
        self.left_out = tuple(files.left_out)
        if not self._samples:
            raise BadBenchmarkError(
                self.left_out[0] if self.left_out else f"{root}: its annotations have no rows",
                hint=f"none of {len(self.left_out)} rows can be used; the layout is that of "
                f"{self.origin}",
            )

    @classmethod
    def load(cls, source: str) -> Self:
        """The samples below the directory `source`.

        Raises:
            BadBenchmarkError: a file is missing or no list, or none of the rows can be used; the
                message names file and row.
        """
        return cls(Path(source))

    def samples(self) -> list[S]:
        """In the order of the rows."""
        return self._samples

    def under_control(self, control: Control) -> Self:
        """The same samples with blank pictures, or with those of others; "" for their own.

        Raises:
            BadBenchmarkError: a picture cannot be swapped, as no other has its size.
        """
        if not control:
            return self
        made = copy(self)
        made._samples = with_other_pictures(self._samples, control)
        return made

    def prompt(self, sample: S) -> list[Message]:
        """The system prompt, then picture and text in one turn."""
        user = Message("user", (Picture(sample.observe().screenshot), Text(self.text(sample))))
        return [Message("system", (Text(self.system),)), user] if self.system else [user]

    @abstractmethod
    def text(self, sample: S) -> str:
        """The question, beside the picture."""

    @abstractmethod
    def score(self, sample: S, answer: str, *, space: Space | str) -> Score:
        """How an answer did; pure. `space` is the unit of its places, or a convention's name."""

    @abstractmethod
    def _read(self, files: DatasetFiles) -> Iterator[S]:
        """The samples, each checked."""
