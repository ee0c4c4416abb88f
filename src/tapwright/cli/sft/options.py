"""Which episodes become training samples, and how, as options."""

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import click

from tapwright.cli.directories import Directory
from tapwright.cli.options import EXISTING_FILE, F, add_options, admit_by, collect_options, option
from tapwright.cli.output import print_failure
from tapwright.cli.selecting import fetch_selected, selection_options
from tapwright.core.outcomes import EpisodeOutcome
from tapwright.workflows.own_names import admit_benchmark, admit_convention

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tapwright.formats.exporters.training_set import DroppedStep
    from tapwright.workflows.sft import SampleConfig

_NAMES = (
    "convention", "annotator", "only", "outcome", "seed", "history", "scale", "max_pixels",
    "max_side", "jpeg", "weights", "paraphrases", "template", "level", "selection", "targets",
    "per_picture", "actions_only",
)  # fmt: skip


def sample_options(command: F) -> F:
    """The argument `stores`, and how their samples are made as one argument `config`."""
    options = (
        click.argument("stores", nargs=-1, required=True, type=Directory("selected")),
        option(
            "--convention",
            required=True,
            metavar="NAME",
            callback=admit_by(admit_convention),
            help="Convention of the training texts, as `tapwright conventions ls` lists them.",
        ),
        option(
            "--level",
            type=click.Choice(["high", "low"]),
            default="high",
            help="The instruction of the task; or of each step, which then needs no reasoning.",
        ),
        option(
            "--targets",
            default="",
            metavar="BENCHMARK",
            callback=admit_by(admit_benchmark),
            help="STORES are data of this grounding benchmark: l2, screenspot, screenspot-v2, "
            "screenspot-pro, screenspot-pro-cn, osworld-g, osworld-g-refined or ui-vision; teach "
            "where each of its elements is.",
        ),
        option(
            "--per-picture",
            type=click.IntRange(1),
            default=1,
            help="Ask for up to this many of --targets in one conversation about their picture.",
        ),
        option(
            "--actions-only",
            is_flag=True,
            help="Also steps without a reasoning, where an answer of the convention has no place "
            "for one.",
        ),
        option("--annotator", help="Whose reasoning to use; by default the recorded."),
        option("--only", type=click.Choice(["approved"]), help="Only approved steps."),
        option(
            "--outcome",
            type=click.Choice([*get_args(EpisodeOutcome), "any"]),
            default="success",
            metavar="OUTCOME",
            help="Only episodes with this outcome: success, failure, infeasible, truncated, asked, "
            "interrupted, unknown; or any.",
        ),
        option("--seed", default=0, help="Random seed."),
        option(
            "--history",
            default="full",
            help="Earlier steps in the prompt: none, full, last:K, summaries:K, pictures:K.",
        ),
        option(
            "--scale",
            type=click.FloatRange(0, 1, min_open=True),
            default=1.0,
            help="Scale pictures; coordinates follow. The longest side is rounded, and the other "
            "keeps the shape as with --max-side; 0.5 makes of a phone's screen the half that "
            "MobiAgent makes. Of several limits, the smallest of each side counts.",
        ),
        option(
            "--max-pixels",
            type=click.IntRange(1),
            help="Scale larger pictures down to this many pixels (width times height), sides "
            "rounded down, exactly as eval run --max-pixels does.",
        ),
        option(
            "--max-side",
            type=click.IntRange(1),
            help="Scale larger pictures down to this longest side, as MMBench-GUI does, and a "
            "config file's max_side in eval run.",
        ),
        option(
            "--jpeg", type=click.IntRange(1, 95), help="Encode pictures as JPEG of this quality."
        ),
        option(
            "--weights",
            type=EXISTING_FILE,
            help='Weights of samples: JSON [{"field", "pattern", "weight"}].',
        ),
        option(
            "--paraphrases",
            type=EXISTING_FILE,
            help='Other wordings of tasks: JSON {"task id": ["words", ...]}.',
        ),
        option(
            "--template",
            type=EXISTING_FILE,
            help="The model's chat template (Jinja), for rendered samples.",
        ),
    )
    command = collect_options("config", _NAMES, _build_config)(_fetch_first(command))
    return add_options(selection_options(command), options)


def _fetch_first(command: F) -> F:
    """The command, once the episodes that it selects of shared stores are here."""

    @wraps(command)
    def wrapped(
        *args: Any, stores: tuple[Path, ...], config: "SampleConfig", **options: Any
    ) -> Any:
        for store in stores:
            fetch_selected(store, config.selection)
        return command(*args, stores=stores, config=config, **options)

    return cast(F, wrapped)


def _build_config(only: str | None, jpeg: int | None, **options: Any) -> "SampleConfig":
    from tapwright.workflows.sft import SampleConfig

    return SampleConfig(approved_only=only is not None, jpeg_quality=jpeg, **options)


def print_broken(broken: "Sequence[DroppedStep]") -> None:
    """Tell which episodes and steps are no samples because they cannot be read."""
    for one in broken:
        where = one.episode if one.step is None else f"{one.episode}, step {one.step}"
        print_failure(where, one.reason, one.code)
