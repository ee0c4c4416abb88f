"""Who annotates: the options that say it, and the annotator that they mean."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tapwright.cli.options import make_model
from tapwright.errors import UsageError
from tapwright.store.store import EpisodeStore, directory_name

if TYPE_CHECKING:
    from tapwright.annotate.annotator import Annotator
    from tapwright.annotate.answer_book import AnswerBook
    from tapwright.annotate.vlm import ModelAnnotator
    from tapwright.models.model import Model

F = TypeVar("F", bound=Callable[..., Any])


def with_option(command: F) -> F:
    """`--with NAME`: the annotator."""
    return click.option(
        "--with",
        "annotator",
        default="rules",
        show_default=True,
        metavar="NAME",
        help="Who says why: rules (offline), or a model, such as openai/qwen2.5-vl-7b.",
    )(command)


def prices_option(command: F) -> F:
    """`--prices FILE`: a table of prices."""
    return click.option(
        "--prices",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        help='Per million tokens: JSON {"openai/name": {"input": 2.5, "output": 10}}.',
    )(command)


def model_options(command: F) -> F:
    """How a model is asked; taken by `open_annotator`."""
    for option in (
        click.option("--budget", type=click.FloatRange(0), help="Spend no more, in all runs."),
        prices_option,
        click.option(
            "--concurrency",
            type=click.IntRange(1),
            default=4,
            show_default=True,
            help="Requests at a time.",
        ),
        click.option(
            "--reasks",
            type=click.IntRange(0),
            default=2,
            show_default=True,
            help="How often to ask about a step alone when its answer was rejected.",
        ),
        click.option(
            "--overlap",
            type=click.IntRange(0),
            default=1,
            show_default=True,
            help="Steps that a window shares with the one before.",
        ),
        click.option(
            "--window",
            type=click.IntRange(1),
            default=6,
            show_default=True,
            help="Steps in one question.",
        ),
        click.option(
            "--max-pixels",
            type=click.IntRange(1000),
            default=648_000,
            show_default=True,
            help="Screens are scaled down to so many pixels before they are sent.",
        ),
        click.option(
            "--template",
            type=click.Path(path_type=Path, dir_okay=False, exists=True),
            help="Your own prompt, a Jinja template.",
        ),
        click.option(
            "--language",
            default="en",
            show_default=True,
            help='What to answer in: en, zh, or a name such as "German".',
        ),
    ):
        command = option(command)
    return command


def open_annotator(
    store: EpisodeStore, annotator: str, ids: Sequence[str], **given: Any
) -> "tuple[Annotator, Model | None]":
    """The annotator of a name, and the model to close when it is one."""
    from tapwright.annotate import annotators

    if "/" in annotator:
        return open_model(store, annotator, ids, **given)
    return annotators.get(annotator), None


def open_model(
    store: EpisodeStore,
    name: str,
    ids: Sequence[str],
    *,
    language: str,
    template: Path | None,
    max_pixels: int,
    window: int,
    overlap: int,
    reasks: int,
    concurrency: int,
    prices: Path | None,
    budget: float | None,
) -> "tuple[ModelAnnotator, Model]":
    """The model of a name as an annotator of the episodes `ids`, and the model, to be closed."""
    from tapwright.annotate.costs import Budget, read_price
    from tapwright.annotate.question import Prompt
    from tapwright.annotate.vlm import ModelAnnotator

    if budget is not None and prices is None:
        raise UsageError("a --budget needs to know the prices", hint="add --prices FILE")
    if template is None:
        prompt = Prompt(language, max_pixels=max_pixels)
    else:
        prompt = Prompt.from_file(template, language=language, max_pixels=max_pixels)

    def book(id_: str) -> "AnswerBook":
        from tapwright.annotate.answer_book import AnswerBook

        return AnswerBook.of(store.root / directory_name(id_), name)

    limit: Budget | None = None
    if budget is not None and prices is not None:
        price = read_price(prices, name)
        limit = Budget(budget, price, sum(price.paid(book(id_).all()) for id_ in ids))
    model = make_model(name)
    by = ModelAnnotator(
        model,
        book,
        prompt,
        window=window,
        overlap=min(overlap, window - 1),
        reasks=reasks,
        concurrency=concurrency,
        budget=limit,
    )
    return by, model
