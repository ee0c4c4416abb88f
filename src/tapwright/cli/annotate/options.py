"""Which annotator, and how its model is queried, as options."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from tapwright.cli.options import (
    EXISTING_FILE,
    F,
    add_options,
    admit_by,
    collect_options,
    model_options,
    option,
    price_option,
    read_price_option,
)
from tapwright.workflows.own_names import admit_model

if TYPE_CHECKING:
    from tapwright.workflows.annotators import AnnotatorConfig


def annotator_option(command: F) -> F:
    """`-m/--model`, also `--with`: the annotator's name as the argument `annotator`."""
    return option(
        "-m",
        "--model",
        "--with",
        "annotator",
        default="rules",
        metavar="RULES|CLIENT/MODEL",
        callback=admit_by(admit_model),
        help="The annotator: rules, or a model such as openai/qwen2.5-vl-7b.",
    )(command)


def annotator_options(command: F) -> F:
    """The annotator and how its model is queried, as one argument `config`."""
    from tapwright.workflows.annotators import AnnotatorConfig

    options = (
        annotator_option,
        option(
            "--language",
            default="en",
            help='The language of the answers: en, zh, or a name such as "German".',
        ),
        option(
            "--template",
            type=EXISTING_FILE,
            help="A prompt of your own: a Jinja template, or one of MobiAgent's with {goal}.",
        ),
        option(
            "--max-pixels",
            type=click.IntRange(1000),
            default=648_000,
            help="Scale larger pictures down to this many pixels (width times height).",
        ),
        option("--window", type=click.IntRange(1), default=6, help="Steps per question."),
        option(
            "--overlap",
            type=click.IntRange(0),
            default=1,
            help="Steps that a window shares with the one before.",
        ),
        option(
            "--reasks",
            type=click.IntRange(0),
            default=2,
            help="Further queries about a single step whose answer was rejected.",
        ),
        option("--concurrency", type=click.IntRange(1), default=4, help="Parallel requests."),
        price_option,
        option(
            "--max-cost",
            type=click.FloatRange(0),
            help="Stop at this cost, all invocations counted; needs --price.",
        ),
    )
    names = [{"name": "annotator"}.get(one.name, one.name) for one in fields(AnnotatorConfig)]
    command = collect_options("config", names, _build_config)(command)
    return add_options(model_options(command), options)


def _build_config(annotator: str, price: str | None, **options: Any) -> "AnnotatorConfig":
    from tapwright.workflows.annotators import AnnotatorConfig

    read = None if price is None else read_price_option(price, annotator)
    return AnnotatorConfig(annotator, price=read, **options)
