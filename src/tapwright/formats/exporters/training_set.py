"""What a training set is made of: settings, samples, and the formats that write them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from tapwright.conventions.convention import Convention
from tapwright.conventions.history import DEFAULT_HISTORY, HistoryPolicy
from tapwright.core.episode import Episode, Step
from tapwright.core.messages import Message, Picture, Text
from tapwright.core.outcomes import InstructionLevel
from tapwright.core.screenshot import Screenshot
from tapwright.formats.exporters.weights import WeightRule
from tapwright.formats.format import Format
from tapwright.store.ids import directory_name

__all__ = [
    "DroppedStep", "FollowUp", "SftFormat", "SftReport", "SftSettings", "SftWriter", "Split",
    "TrainingSample", "UnusableStepError",
]  # fmt: skip

Split: TypeAlias = Literal["train", "val"]


@dataclass(frozen=True, slots=True)
class SftSettings:
    """How samples are made of steps.

    Each sample prompts for one step in `convention`, with the earlier steps that `history` selects.
    `val_share` of the episodes, chosen by `seed`, are held out for validation; a group is held out
    as a whole, or not where it is much more than the share.

    Pictures are the recorded bytes, unless `scale` is below 1, `max_pixels` or `max_side` is
    less than they have, or `jpeg_quality` (1 to 95) is given; coordinates are then those of the
    scaled picture.
    `weights` lists which samples count more, in training only. `paraphrases` has other wordings of
    a task, by its id or its instruction; the seed chooses among them and the recorded one for each
    sample. With the `level` "low" a sample has its step's own instruction and no earlier steps, and
    needs no reasoning. `template` is the source of a model's chat template, for formats that render
    samples. With `actions_only` a step needs no reasoning where the convention's answers have no
    place for one. Up to `per_picture` questions about one picture are one sample.
    """

    convention: Convention
    seed: int = 0
    val_share: float = 0.1
    history: HistoryPolicy = DEFAULT_HISTORY
    scale: float = 1.0
    max_pixels: int | None = None
    max_side: int | None = None
    jpeg_quality: int | None = None
    weights: tuple[WeightRule, ...] = ()
    paraphrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    template: str = ""
    level: InstructionLevel = "high"
    per_picture: int = 1
    actions_only: bool = False

    @property
    def encodes(self) -> bool:
        """Whether a picture may have to be encoded anew."""
        asked = (self.max_pixels, self.max_side, self.jpeg_quality)
        return self.scale < 1 or asked != (None, None, None)


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A further question about a sample's picture, and its answer; `number` is that of its step."""

    number: int
    question: Message
    answer: str


@dataclass(frozen=True, slots=True)
class TrainingSample:
    """One step to train on: the prompt of a model, and the answer it should give.

    `step` is `episode.steps[number]` with marks escaped and with the `observation.size` of the
    `picture`; `before` are the steps before it, alike. `prompt` is the convention's, made of the
    `request` (the instruction, with summaries where the policy has them) and of the steps in
    `history`; its pictures are scaled. `weights` are those of the first rule that fits: "weight"
    for every kind of sample, perhaps another one for a kind. `follow_ups` go on with the
    conversation after the `answer`, and every answer is taught.
    """

    split: Split
    episode: Episode
    number: int
    step: Step
    before: tuple[Step, ...]
    picture: Screenshot
    instruction: str
    request: str
    history: tuple[Step, ...]
    prompt: tuple[Message, ...]
    answer: str
    weights: Mapping[str, float] = field(default_factory=dict)
    follow_ups: tuple[FollowUp, ...] = ()

    @property
    def weight(self) -> float:
        """How many times it counts; 1 by default."""
        return self.weights.get("weight", 1.0)

    @property
    def key(self) -> str:
        """A unique name in the set, safe as a file name and without a dot."""
        return f"{directory_name(self.episode.id).replace('.', '_')}-{self.number:05d}"

    @property
    def numbers(self) -> list[int]:
        """Those of all steps whose answers it teaches."""
        return [self.number, *(one.number for one in self.follow_ups)]

    @property
    def completion(self) -> list[Message]:
        """The turns after the prompt: the answer, then each follow-up's question and answer."""
        turns = [_say(self.answer)]
        for one in self.follow_ups:
            turns += [one.question, _say(one.answer)]
        return turns

    @property
    def pictures(self) -> list[Screenshot]:
        """The pictures of the prompt, in order."""
        return [
            part.screenshot
            for message in self.prompt
            for part in message.parts
            if isinstance(part, Picture)
        ]


def _say(answer: str) -> Message:
    return Message("assistant", (Text(answer),))


@dataclass(frozen=True, slots=True)
class DroppedStep:
    """A step that was left out, and why; a `step` of None means the whole episode.

    `code` is the error's when something was broken, and empty when it was left out on purpose.
    """

    episode: str
    step: int | None
    reason: str
    code: str = ""


class UnusableStepError(Exception):
    """A step cannot become a sample; `code` as in `DroppedStep`."""

    def __init__(self, reason: str, code: str = "") -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class SftReport:
    """What was written: samples and episodes by split, images, and everything left out.

    `asked` are the episodes it was made of, those left out included. `images` are files, each
    counted once, or those that lie in the rows.
    `checked` is how many samples passed the trainer's rules. `taught` are the steps whose answers
    the samples teach, by split: more than samples where one has several questions. `held_out`
    episodes were chosen for validation, before steps were left out; the share asked for
    `to_hold_out`, which episodes that stay together may miss. `claimed` are the episodes whose
    outcome is a claim.
    """

    samples: Mapping[Split, int]
    episodes: Mapping[Split, int]
    asked: int
    images: int
    dropped: tuple[DroppedStep, ...]
    checked: int
    taught: Mapping[Split, int]
    held_out: int
    to_hold_out: int
    claimed: int


class SftWriter(Protocol):
    """Writes one training set, sample by sample."""

    def add(self, sample: TrainingSample) -> None:
        """Write one sample; those of training come first, an episode's in the order of its steps.

        Raises:
            UnusableStepError: this trainer cannot be given it; the set is as it was.
        """

    def close(self) -> "Sequence[DroppedStep] | None":
        """Write what is buffered; the set is complete then.

        Returns:
            The samples that turned out to teach nothing beside the others, if there may be some.
        """


@runtime_checkable
class SftFormat(Format, Protocol):
    """A format of training sets for supervised fine-tuning."""

    @property
    def writes_image_files(self) -> bool:
        """Whether pictures become files in `images/`, named by `image_path`, or lie in its rows."""

    @property
    def learns_from_play(self) -> bool:
        """Whether each answer counts as it was given, also without a reasoning."""

    @property
    def takes_follow_ups(self) -> bool:
        """Whether a sample may go on with more questions, each of whose answers is taught."""

    def writer(self, directory: Path, settings: SftSettings) -> SftWriter:
        """Start a training set in an existing directory that is empty but for the images.

        Raises:
            UsageError: the settings are contradictory or out of range.
        """

    def check(self, directory: Path) -> int:
        """Check a training set by its trainer's own rules; returns its number of samples.

        Raises:
            BadTrainingSetError: a rule is broken; names file and sample.
        """
