"""The protocols of benchmarks: samples, how one is measured, how its outcome counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from pydantic import JsonValue

from tapwright.agents.agent import Agent
from tapwright.benchmarks.answers import AnswerStatus
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.conventions.convention import Convention, Space
from tapwright.core.episode import Episode
from tapwright.core.geometry import Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.device import Device
from tapwright.files.regular import read_regular
from tapwright.tasks.task import Task

if TYPE_CHECKING:
    from tapwright.store.store import EpisodeStore

__all__ = [
    "Benchmark", "BenchmarkFactory", "ConventionBenchmark", "DecisionBenchmark", "Sample",
    "SampleSource", "Score", "StaticSample", "TaskBenchmark", "TaskSample",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sample:
    """One thing to be measured.

    `id` is the same in every run. `labels` name where it belongs ("platform", "app",
    "difficulty", …): results are grouped by them.
    """

    id: str
    instruction: str
    labels: Mapping[str, str]

    @property
    def truth(self) -> JsonValue:
        """The ground truth for run logs; None when only a rollout can show it."""
        return None

    @property
    def cluster(self) -> str:
        """What samples that are not independent have in common, such as their screenshot."""
        return self.id


@dataclass(frozen=True, slots=True)
class StaticSample(Sample):
    """A sample about one picture, whose files are read each time they are needed.

    `tree` is the view hierarchy that belongs to it, for agents that read one; models never see it.
    `shown` is what is shown instead of it, where the score is to be controlled (`controls`).
    """

    picture: Path
    size: Size
    tree: Path | None = None
    shown: Path | Screenshot | None = field(default=None, kw_only=True)

    @property
    def cluster(self) -> str:
        """The name of the picture."""
        return self.picture.name

    def observe(self) -> Observation:
        """The picture and its tree, as a device would show them.

        The tree is read when it is looked at; the latest few pictures are kept, as several samples
        share one.

        Raises:
            BadBenchmarkError: a file that was there when the benchmark was loaded has gone.
        """
        shown = self.shown or self.picture
        shot = shown if isinstance(shown, Screenshot) else _read_picture(shown)
        tree = None
        if self.tree is not None:
            path = self.tree
            tree = UiTree.lazy(lambda: read_tree(path), self.size, origin=str(path))
        return Observation(shot, self.size, tree, app=self.labels.get("app", ""))


def _read_picture(path: Path) -> Screenshot:
    try:
        stamp = path.stat()
        return _picture(path, stamp.st_mtime_ns, stamp.st_size)
    except OSError as error:
        raise BadBenchmarkError(f"{path}: cannot be read: {error.strerror}") from error


@lru_cache(maxsize=32)
def _picture(path: Path, changed_ns: int, length: int) -> Screenshot:
    """The picture in a file that was last changed then and has this length."""
    return Screenshot(read_regular(path), origin=str(path))


@dataclass(frozen=True, slots=True)
class TaskSample(Sample):
    """One task to be played."""

    task: Task


@dataclass(frozen=True, slots=True)
class Score:
    """How one answer did.

    `value` is 0 to 1, 1 for a hit and 0 for a miss; None means not scorable, which is counted
    apart. `status` is how the answer could be read, `parsed` what it was read as.
    """

    value: float | None
    status: AnswerStatus
    parsed: JsonValue = None
    detail: Mapping[str, JsonValue] = field(default_factory=dict)


def read_tree(path: Path) -> str:
    """The XML of a view hierarchy as it was recorded: newlines kept, lone surrogates, too.

    Raises:
        BadBenchmarkError: the file cannot be read, or is not UTF-8.
    """
    try:
        return read_regular(path).decode("utf-8", "surrogatepass")
    except OSError as error:
        raise BadBenchmarkError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadBenchmarkError(f"{path}: not UTF-8: byte {error.start}: {error.reason}") from error


S = TypeVar("S", bound=Sample)
S_contra = TypeVar("S_contra", bound=Sample, contravariant=True)
S_co = TypeVar("S_co", bound=Sample, covariant=True)


class SampleSource(Protocol[S_co]):
    """What all benchmarks have in common."""

    @property
    def name(self) -> str:
        """Its short name: "l1"."""

    @property
    def source(self) -> str:
        """Where its data is: a directory, or the name of a task suite."""

    @property
    def data_sha256(self) -> str:
        """Changes when the samples do; the same wherever the files lie."""

    def samples(self) -> Sequence[S_co]:
        """All samples, in the same order every time."""


@runtime_checkable
class Benchmark(SampleSource[S], Protocol[S]):
    """Samples that are answered in one turn."""

    def prompt(self, sample: S) -> list[Message]:
        """The messages for a model."""

    def score(self, sample: S, answer: str, *, space: Space | str) -> Score:
        """The score of an answer, whatever it holds; pure.

        `space` is the unit of places in it, or the name of the convention that declares it.
        """


@runtime_checkable
class ConventionBenchmark(Protocol[S]):
    """A benchmark whose models may be prompted as they were trained."""

    def in_convention(self, convention: Convention, *, model: str = "") -> Benchmark[S]:
        """The same samples, prompted for and read in a convention, as it is spoken to the `model`.

        Raises:
            UsageError: it cannot answer what the benchmark wants.
        """


@runtime_checkable
class DecisionBenchmark(Protocol[S_contra]):
    """A benchmark that an agent answers with a decision and not with text."""

    async def decide(self, sample: S_contra, agent: Agent) -> str:
        """The agent's decision, as the answer that `score` reads.

        Raises:
            ModelError: the agent's query failed.
            UnsupportedByConventionError: the benchmark's convention has no words for the action.
        """


@runtime_checkable
class TaskBenchmark(SampleSource[TaskSample], Protocol):
    """Tasks that are played from start to end on a device."""

    @property
    def device(self) -> str:
        """The name of the device that they are for, unless another is named."""

    async def play(
        self,
        sample: TaskSample,
        agent: Agent,
        device: Device,
        store: "EpisodeStore",
        *,
        max_s: float | None = None,
        seed: int = 0,
        epoch: int = 1,
    ) -> Episode:
        """One attempt by a fresh agent, who has `max_s` seconds; its steps are kept in `store`.

        What a task leaves to chance is drawn by the run's `seed`, and in each `epoch` anew.

        Raises:
            DeviceError: the device failed; the steps so far are in the store.
            ModelError: the agent's query failed.
        """

    def score(self, sample: TaskSample, episode: Episode) -> Score:
        """How an attempt did; pure."""


class BenchmarkFactory(Protocol):
    """Loads a benchmark."""

    def __call__(self, source: str) -> SampleSource[Sample]:
        """The benchmark whose data is at `source`: a directory, or a task suite's name.

        Raises:
            BadBenchmarkError: its data breaks the schema.
        """
