"""What a training set is made of: settings, samples, and the formats that write them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from tapwright.conventions.convention import Convention
from tapwright.conventions.history import USUAL, History
from tapwright.episode import Episode, Step
from tapwright.formats.exporters.weights import WeightRule
from tapwright.formats.format import Format
from tapwright.messages import Message, Picture
from tapwright.screenshot import Screenshot
from tapwright.store.store import directory_name

__all__ = [
    "DroppedStep",
    "SftFormat",
    "SftReport",
    "SftSettings",
    "SftWriter",
    "Split",
    "TrainingSample",
    "UnusableStepError",
]

Split: TypeAlias = Literal["train", "val"]


@dataclass(frozen=True, slots=True)
class SftSettings:
    """How samples are made of steps.

    Each sample asks for one step in `convention`, telling `history`. `val_share` of the episodes,
    chosen by `seed`, are kept apart for validation.

    Pictures are the recorded bytes, unless `scale` is below 1, `max_pixels` is smaller than they
    are, or `jpeg_quality` (1 to 95) is given; places are then told for the picture as it became.
    `weights` says which samples count more, in training only. `paraphrases` has other words for a
    task, by its id or its instruction; the seed chooses among them and the recorded ones for each
    sample. `template` is a model's own chat template, for who renders samples with one.
    """

    convention: Convention
    seed: int = 0
    val_share: float = 0.1
    history: History = USUAL
    scale: float = 1.0
    max_pixels: int | None = None
    jpeg_quality: int | None = None
    weights: tuple[WeightRule, ...] = ()
    paraphrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    template: str = ""


@dataclass(frozen=True, slots=True)
class TrainingSample:
    """One step to learn from: what a model is asked, and what it should answer.

    `step` is `episode.steps[number]`, with words in which nothing stands for a picture, and with
    the `observation.size` of the picture as it is taught; `before` are the steps before it, alike.
    `prompt` is the convention's, made of `asked` (the instruction, with summaries where the policy
    has them) and of the steps `told`; it holds pictures as they are taught. `weights` is what the
    first rule that fits says: "weight" for every kind of sample, perhaps another one for a kind.
    """

    split: Split
    episode: Episode
    number: int
    step: Step
    before: tuple[Step, ...]
    picture: Screenshot
    instruction: str
    asked: str
    told: tuple[Step, ...]
    prompt: tuple[Message, ...]
    answer: str
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def weight(self) -> float:
        """How many times it counts, 1 where nothing else was asked for."""
        return self.weights.get("weight", 1.0)

    @property
    def key(self) -> str:
        """A name of its own in the set, fit for a file name; it has no dot."""
        return f"{directory_name(self.episode.id).replace('.', '_')}-{self.number:05d}"

    @property
    def pictures(self) -> list[Screenshot]:
        """The prompt's pictures, in order."""
        return [
            part.screenshot
            for message in self.prompt
            for part in message.parts
            if isinstance(part, Picture)
        ]


@dataclass(frozen=True, slots=True)
class DroppedStep:
    """What became no sample, and why; a `step` of None means the whole episode.

    `code` is the error's when something was broken, and empty when it was left out on purpose.
    """

    episode: str
    step: int | None
    reason: str
    code: str = ""


class UnusableStepError(Exception):
    """A step cannot be a sample, for the reason given; `code` as in `DroppedStep`."""

    def __init__(self, reason: str, code: str = "") -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class SftReport:
    """What was written: samples and episodes by split, pictures, and everything left out.

    `checked` is how many samples the trainer's rules found good.
    """

    samples: Mapping[Split, int]
    episodes: Mapping[Split, int]
    images: int
    dropped: tuple[DroppedStep, ...]
    checked: int


class SftWriter(Protocol):
    """A training set that is being written."""

    def add(self, sample: TrainingSample) -> None:
        """Write one sample; all of training come first, an episode's in the order of its steps.

        Raises:
            UnusableError: this trainer cannot be given it; the set is as it was.
        """

    def close(self) -> None:
        """Write what is left; the set is whole then."""


@runtime_checkable
class SftFormat(Format, Protocol):
    """A format of training sets for supervised fine-tuning."""

    @property
    def keeps_files(self) -> bool:
        """Whether pictures are files below `images/`, named by `image_path`, or in its rows."""

    def writer(self, directory: Path, settings: SftSettings) -> SftWriter:
        """Begin a training set in a directory that is there and empty but for the pictures.

        Raises:
            UsageError: the settings cannot be.
        """

    def check(self, directory: Path) -> int:
        """Check a training set by its trainer's own rules; the number of samples in it.

        Raises:
            BadTrainingSetError: it breaks one; names file and sample.
        """
