"""All that the results of a run depend on, as data: it stands in the run log's header."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Generic, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    field_serializer,
    model_serializer,
    model_validator,
)

from tapwright.benchmarks.answers import Parser
from tapwright.benchmarks.benchmark import Sample
from tapwright.benchmarks.controls import Control
from tapwright.benchmarks.understanding import ChoiceQuestion
from tapwright.core.outcomes import InstructionLevel
from tapwright.errors import NothingFoundError
from tapwright.models.pricing import Price

__all__ = ["BENCHMARK_DEFAULT", "MODEL_DEFAULT", "PlannedSample", "RunPlan", "plan_samples"]

BENCHMARK_DEFAULT = "benchmark_default"
MODEL_DEFAULT = "model_default"
_SLOT = "{instruction}"

S = TypeVar("S", bound=Sample)


class RunPlan(BaseModel):
    """Which samples are measured, how they are prompted, and how answers are read.

    `convention` names the convention that a model is prompted in, sent pictures in and read by; ""
    is the benchmark's own words.

    Reading: `space` is the unit of the places in answers, or the name of the convention that
    declares it; `parser` is "robust", or "seed" for comparison with published numbers; `rules` is
    the name of the rule by which the suite scores (`score_rules`), "" for its default.

    Asking: `system` is the mode "benchmark_default" or "model_default" (no system message), or a
    text of one's own; `user_prompt` a text with "{instruction}" in place of the benchmark's words.
    Pictures with more than `max_pixels` pixels, or a side of more than `max_side`, are scaled down,
    which reading undoes. Recorded steps have the task's instruction, or, at the `level` "low",
    their own, and in their history what was recorded, or what the `annotator` wrote, of as many
    earlier steps as `step_history` says: "" for all, or a policy such as "last:3".
    `build`, `preprocess`, `generate`, `postprocess` and `parse` name functions of one's own for a
    stage of the pipeline; `hook_kwargs` are passed to `preprocess` and `postprocess` by name.

    A `control` sends a blank picture instead of each, or that of another sample.

    Choosing: the samples with the labels `only`, of them the first `limit`, or `sample` drawn by
    `seed`, `epochs` times each. With `shuffle_options` the options of a question change places,
    in each epoch anew. `price` is for adding up the cost.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    convention: str = ""
    space: str = "pixel"
    parser: Parser = "robust"
    rules: str = ""
    system: str = BENCHMARK_DEFAULT
    user_prompt: str = ""
    max_side: Annotated[int, Field(ge=28)] | None = None
    max_pixels: Annotated[int, Field(ge=1000)] | None = None
    level: InstructionLevel = "high"
    annotator: str = ""
    step_history: str = ""
    control: Control = ""
    build: str = ""
    preprocess: str = ""
    generate: str = ""
    postprocess: str = ""
    parse: str = ""
    hook_kwargs: dict[str, JsonValue] = {}
    only: dict[str, str] = {}
    limit: Annotated[int, Field(ge=1)] | None = None
    sample: Annotated[int, Field(ge=1)] | None = None
    seed: int = 0
    shuffle_options: bool = False
    epochs: Annotated[int, Field(ge=1)] = 1
    price: Price | None = None

    @model_validator(mode="after")
    def _has_its_slot(self) -> "RunPlan":
        if self.user_prompt and _SLOT not in self.user_prompt:
            raise ValueError(f"user_prompt has no {_SLOT} in it")
        return self

    @model_serializer(mode="wrap")
    def _dump(self, handler: SerializerFunctionWrapHandler) -> dict[str, JsonValue]:
        # Headers of older runs do not have them.
        dumped: dict[str, JsonValue] = handler(self)
        for name in (
            "max_pixels", "rules", "level", "annotator", "step_history", "control", "convention",
        ):  # fmt: skip
            if getattr(self, name) == RunPlan.model_fields[name].default:
                dumped.pop(name, None)
        return dumped

    @field_serializer("price")
    def _price(self, price: Price | None) -> dict[str, float] | None:
        # The price of a picture came later, and the headers of older runs do not have it.
        return None if price is None else price.model_dump(exclude_defaults=True)

    def fill_prompt(self, instruction: str) -> str:
        """The user's words when they are the plan's own; other braces are left as they are."""
        return self.user_prompt.replace(_SLOT, instruction)


@dataclass(frozen=True, slots=True)
class PlannedSample(Generic[S]):
    """A sample in one epoch, which counts from 1."""

    sample: S
    epoch: int


def plan_samples(samples: Sequence[S], plan: RunPlan) -> tuple[int, Iterator[PlannedSample[S]]]:
    """How many items the plan chooses, and the items, made as they are needed.

    Raises:
        NothingFoundError: it chooses none.
    """
    chosen = [
        sample
        for sample in samples
        if all(sample.labels.get(name) == value for name, value in plan.only.items())
    ][: plan.limit]
    if plan.sample is not None and plan.sample < len(chosen):
        drawn = random.Random(plan.seed).sample(range(len(chosen)), plan.sample)
        chosen = [chosen[number] for number in sorted(drawn)]
    if not chosen:
        raise NothingFoundError(f"none of {len(samples)} samples has the labels {plan.only}")
    made = (
        PlannedSample(
            _shuffle_options(sample, plan.seed, epoch) if plan.shuffle_options else sample, epoch
        )
        for epoch in range(1, plan.epochs + 1)
        for sample in chosen
    )
    return len(chosen) * plan.epochs, made


def _shuffle_options(sample: S, seed: int, epoch: int) -> S:
    """A question whose option texts changed places; the letters stay in order."""
    if not isinstance(sample, ChoiceQuestion):
        return sample
    texts = list(sample.options)
    random.Random(f"{seed}/{epoch}/{sample.id}").shuffle(texts)
    letters = [letter for letter, _ in sample.options]
    answer = next(new for new, (old, _) in zip(letters, texts, strict=True) if old == sample.answer)
    options = tuple((new, text) for new, (_, text) in zip(letters, texts, strict=True))
    return replace(sample, options=options, answer=answer)
