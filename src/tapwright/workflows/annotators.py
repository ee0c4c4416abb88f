"""Annotators by name: rules, or a model with how it is queried."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.errors import UsageError
from tapwright.store.ids import directory_name
from tapwright.workflows.host import HostConfig
from tapwright.workflows.models import open_model

if TYPE_CHECKING:
    from tapwright.annotate.annotator import Annotator
    from tapwright.annotate.answer_book import AnswerBook
    from tapwright.annotate.vlm import ModelAnnotator
    from tapwright.models.model import Model
    from tapwright.models.pricing import Price
    from tapwright.store.store import EpisodeStore

__all__ = ["AnnotatorConfig", "open_annotator", "open_model_annotator"]


@dataclass(frozen=True, slots=True)
class AnnotatorConfig:
    """Which annotator reconstructs the reasoning; all but `name` is for models, "client/name".

    `language` is what is answered in ("en", "zh", or a name). Screens are scaled down to
    `max_pixels` (width times height). A question covers `window` steps, of which `overlap` are in
    the window before, too; a step whose answer was rejected is queried alone up to `reasks`
    times. The model is not queried beyond `max_cost`, in the currency of `price`, all runs counted.
    """

    name: str = "rules"
    language: str = "en"
    template: Path | None = None
    max_pixels: int = 648_000
    window: int = 6
    overlap: int = 1
    reasks: int = 2
    concurrency: int = 4
    price: "Price | None" = None
    max_cost: float | None = None

    @property
    def is_model(self) -> bool:
        """Whether a model is queried."""
        return "/" in self.name


def open_annotator(
    store: "EpisodeStore", config: AnnotatorConfig, ids: Sequence[str], host: HostConfig
) -> "tuple[Annotator, Model | None]":
    """The annotator of a configuration, and the model to close when it has one.

    Raises:
        UsageError: `--set` or `--timeout` is given, and no model is queried.
    """
    from tapwright.annotate import annotators

    if config.is_model:
        return open_model_annotator(store, config, ids, host)
    unused = "--set" if host.models.settings else "--timeout" if host.models.timeout_s else ""
    if unused:
        raise UsageError(
            f"the annotator {config.name!r} queries no model, so {unused} has no effect",
            hint="name a model, such as openai/NAME",
        )
    return annotators.get(config.name), None


def open_model_annotator(
    store: "EpisodeStore",
    config: AnnotatorConfig,
    ids: Sequence[str],
    host: HostConfig,
    *,
    sends: bool = True,
) -> "tuple[ModelAnnotator, Model]":
    """A model as an annotator of the episodes `ids`, and the model, to be closed.

    One that `sends` nothing is asked what it would send, and needs no key.

    Raises:
        UsageError: there is a cost limit and no price.
    """
    from tapwright.annotate.answer_book import AnswerBook
    from tapwright.annotate.question import Prompt
    from tapwright.annotate.vlm import ModelAnnotator
    from tapwright.models.pricing import Budget

    if config.max_cost is not None and config.price is None:
        raise UsageError("--max-cost needs the price of tokens", hint="add --price INPUT,OUTPUT")
    if config.template is None:
        prompt = Prompt(config.language, max_pixels=config.max_pixels)
    else:
        prompt = Prompt.from_file(
            config.template, language=config.language, max_pixels=config.max_pixels
        )

    def open_book(id_: str) -> "AnswerBook":
        return AnswerBook.of(store.root / directory_name(id_), config.name)

    budget: Budget | None = None
    price = config.price
    if config.max_cost is not None and price is not None:
        spent = sum(price.total(open_book(id_).all()) for id_ in ids)
        budget = Budget(
            price, config.max_cost, spent_before=spent, hint="give a larger --max-cost to continue"
        )
    model = open_model(config.name, host, api_key=None if sends else "none")
    annotator = ModelAnnotator(
        model,
        open_book,
        prompt,
        window=config.window,
        overlap=min(config.overlap, config.window - 1),
        reasks=config.reasks,
        concurrency=config.concurrency,
        budget=budget,
    )
    return annotator, model
