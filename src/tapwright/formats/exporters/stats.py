"""What the samples of a training set are: how many, how long, of which apps and actions; its card.

Lengths are in characters, or in tokens of a tokenizer.json
(https://huggingface.co/docs/tokenizers). Pictures are no text: what they cost depends on the model,
so their sizes are counted apart.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from tapwright.core.messages import Text
from tapwright.errors import MissingExtraError, UsageError
from tapwright.formats.exporters.check import read_json
from tapwright.formats.exporters.training_set import DroppedStep, TrainingSample

__all__ = [
    "SampleCount", "SampleFacet", "SampleStats", "collect_sample_stats", "open_token_counter",
    "render_training_card",
]  # fmt: skip

SampleFacet: TypeAlias = Literal["prompt", "answer", "pictures", "size", "action", "app", "dropped"]
CountLength: TypeAlias = Callable[[str], int]

_FACETS: tuple[SampleFacet, ...] = (
    "prompt", "answer", "pictures", "size", "action", "app", "dropped",
)  # fmt: skip
_LONG = 64


@dataclass(frozen=True, slots=True)
class SampleCount:
    """How many samples have a value of a facet; of "dropped", how many steps have that reason."""

    facet: SampleFacet
    name: str
    samples: int


@dataclass(slots=True)
class SampleStats:
    """The statistics of samples; lengths are of what is asked and of what is answered.

    A sample of several questions counts with the action of the first. `broken` are the episodes and
    steps that cannot be read; they are among the dropped, too.
    """

    samples: int = 0
    prompt: list[int] = field(default_factory=list)
    answer: list[int] = field(default_factory=list)
    broken: list[DroppedStep] = field(default_factory=list)
    _counts: Counter[tuple[SampleFacet, str]] = field(default_factory=Counter)

    def counts(self) -> Iterator[SampleCount]:
        """Histograms of lengths, by powers of two; of other facets the most frequent first."""
        for facet in _FACETS:
            found = {name: count for (one, name), count in self._counts.items() if one == facet}
            if facet in ("prompt", "answer"):
                lengths = self.prompt if facet == "prompt" else self.answer
                yield from _histogram(facet, lengths)
            else:
                for name in sorted(found, key=lambda name: (-found[name], name)):
                    yield SampleCount(facet, name, found[name])

    def add(self, sample: TrainingSample, count_length: CountLength) -> None:
        """Count a sample."""
        asked = [*sample.prompt, *(one.question for one in sample.follow_ups)]
        texts = [part.text for one in asked for part in one.parts if isinstance(part, Text)]
        answers = [sample.answer, *(one.answer for one in sample.follow_ups)]
        self.samples += 1
        self.prompt.append(sum(map(count_length, texts)))
        self.answer.append(sum(map(count_length, answers)))
        self._counts["pictures", str(len(sample.pictures))] += 1
        self._counts["size", str(sample.picture.size)] += 1
        for action in sample.step.decision.actions:
            self._counts["action", action.type] += 1
        self._counts["app", sample.step.observation.app] += 1

    def drop(self, step: DroppedStep) -> None:
        """Count a step that is no sample."""
        self._counts["dropped", step.reason] += 1
        if step.code:
            self.broken.append(step)


def collect_sample_stats(
    samples: Iterable[TrainingSample | DroppedStep], count_length: CountLength = len
) -> SampleStats:
    """Counts samples, and the steps that are none."""
    stats = SampleStats()
    for one in samples:
        if isinstance(one, DroppedStep):
            stats.drop(one)
        else:
            stats.add(one, count_length)
    return stats


def open_token_counter(directory: Path) -> CountLength:
    """The function that counts a text's tokens, by the tokenizer.json in a model's directory.

    Raises:
        MissingExtraError: tokenizers is not installed.
        UsageError: there is no such file, or it is not a tokenizer.
    """
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise MissingExtraError("counting tokens", "hf") from error
    path = directory / "tokenizer.json" if directory.is_dir() else directory
    if not path.is_file():
        raise UsageError(
            f"{path}: no such file", hint="the directory of a model, with its tokenizer.json"
        )
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:
        raise UsageError(f"{path}: not a tokenizer: {error}") from error
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _histogram(facet: SampleFacet, lengths: Iterable[int]) -> Iterator[SampleCount]:
    """Counts of lengths from one power of two to below the next; below 64 is one bucket."""
    buckets = Counter(max(length, _LONG - 1).bit_length() for length in lengths)
    for bits in range(min(buckets, default=0), max(buckets, default=-1) + 1):
        low, high = 1 << (bits - 1), (1 << bits) - 1
        name = f"below {_LONG}" if high < _LONG else f"{low} to {high}"
        yield SampleCount(facet, name, buckets[bits])


_COUNTS = {"samples": "samples", "episodes": "episodes"}


def render_training_card(directory: Path) -> str:
    """The card of a training set, from its manifest.json; "" for a directory without one.

    It is for the hub's page: https://huggingface.co/docs/hub/datasets-cards

    Raises:
        BadTrainingSetError: the manifest is not JSON.
    """
    if not (directory / "manifest.json").is_file():
        return ""
    manifest = read_json(directory / "manifest.json")
    if not isinstance(manifest, dict):
        return ""
    rows = "".join(
        f"| {split} {what} | {count} |\n"
        for what, name in _COUNTS.items()
        for split, count in sorted(_counts(manifest.get(name)).items())
    )
    dropped = manifest.get("dropped")
    return (
        "---\ntags:\n- gui-agent\n---\n\n# Training samples of GUI agents\n\n"
        f"Written by tapwright in the format `{manifest.get('format')}`, in the words of the "
        f"convention `{manifest.get('convention')}`.\n\n"
        f"| | |\n|---|---|\n{rows}| images | {manifest.get('images')} |\n"
        f"| steps left out | {len(dropped) if isinstance(dropped, list) else 0} |\n\n"
        "`manifest.json` has the settings, the hash of each file (an image is named by its own), "
        "and every step that was left out with its reason.\n"
    )


def _counts(value: object) -> dict[str, object]:
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}
