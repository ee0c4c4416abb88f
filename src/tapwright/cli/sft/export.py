"""`tapwright sft export`: a training set out of episodes."""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.data import push_if_asked, push_options
from tapwright.cli.grouped_help import GroupedCommand
from tapwright.cli.options import engine_options, option, out_option
from tapwright.cli.output import hint, print_line, print_message, print_reasons, show_progress
from tapwright.cli.sft.options import print_broken, sample_options
from tapwright.core.language import counted
from tapwright.workflows.engine import Engine

if TYPE_CHECKING:
    from tapwright.formats.exporters.training_set import SftReport
    from tapwright.workflows.sft import SampleConfig


@click.command(
    cls=GroupedCommand,
    first="to convention annotator out where max-pixels jpeg val-share level push-to",
    epilog="\b\nExample:\n"
    "  tapwright sft export episodes --to llamafactory --convention json --annotator rules -o sft\n"
    "  tapwright sft export a b --to trl --convention json --scale 0.5 --jpeg 90 -o sft\n"
    "  tapwright sft export bench --targets l2 --to trl --convention mmbench-gui -o sft\n"
    "  tapwright sft export bench --targets l2 --per-picture 6 --to trl --convention json -o sft",
)
@sample_options
@option(
    "--to",
    "format_name",
    required=True,
    metavar="FORMAT",
    help="The trainer's format: axolotl, easyr1, hf, lerobot, llamafactory, llamafactory-alpaca, "
    "mobiagent-sft, ms-swift, rendered, trl, trl-dpo, trl-grpo, trl-kto, trl-rollouts, verl-rl, "
    "verl-sft or webdataset.",
)
@option(
    "--val-share",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.1,
    help="Share of the episodes for validation; plays of one group, and episodes that are nearly "
    "the same, stay together, also those of several stores.",
)
@out_option(default="sft")
@engine_options
@push_options
def export(
    stores: tuple[Path, ...],
    format_name: str,
    val_share: float,
    out: Path,
    engine: Engine,
    push_to: str | None,
    public: bool,
    config: "SampleConfig",
) -> None:
    """Write the episodes of STORES as training data, and check it by the trainer's rules.

    manifest.json lists counts, hashes, and every omitted step with the reason; the most frequent
    reasons are printed, too. Ends with 1 when an episode or a picture was broken; the rest is
    written. With --push-to the set is pushed to the hub; `data push` continues that.
    """
    from tapwright.workflows.sft import (
        export_training_set,
        find_annotators,
    )

    report = export_training_set(
        stores,
        out,
        replace(config, val_share=val_share),
        format_name=format_name,
        engine=engine,
        show_progress=show_progress,
    )
    counts = ", ".join(f"{count} {split}" for split, count in sorted(report.samples.items()))
    images = counted(report.images, "image")
    print_message(f"{counts} samples, {images}, {_count_dropped(report)} dropped")
    reasons = Counter(one.reason for one in report.dropped if not one.code)
    print_reasons(reasons, f"{out}/manifest.json")
    taught = sum(report.taught.values())
    what = "elements" if config.targets else "steps"
    made = "" if report.checked == taught else f", made of {taught} {what}"
    print_message(f"checked by the rules of {format_name}: {report.checked} good{made}")
    if report.claimed:
        print_message(
            f"the outcomes of {counted(report.claimed, 'episode')} are claimed; "
            "--where 'evidence == \"proved\"' takes those that a check proved"
        )
    for line in _tell_validation(report, val_share):
        print_message(line)
    broken = [one for one in report.dropped if one.code]
    print_broken(broken)
    if not config.annotator and (names := find_annotators(stores, report.dropped)):
        hint(f"{', '.join(names)} explained steps that have none here: --annotator {names[0]}")
    push_if_asked(out, push_to, public=public)
    print_line(out)
    sys.exit(1 if broken else 0)


def _count_dropped(report: "SftReport") -> str:
    """How many steps and whole episodes were left out: "3" steps, or "3 and 1 of 4 episodes"."""
    steps = sum(1 for one in report.dropped if one.step is not None)
    whole = len(report.dropped) - steps
    if not whole:
        return str(steps)
    return f"{counted(steps, 'step')} and {whole} of {report.asked} episodes"


def _tell_validation(report: "SftReport", share: float) -> Iterator[str]:
    """What is not as the share of validation asked for, and why."""
    if share and not report.to_hold_out:
        yield "no validation samples: there is one episode"
    elif report.to_hold_out and not report.held_out:
        yield f"no validation samples: too many episodes stay together for a share of {share:.1%}"
    elif report.held_out and not report.samples["val"]:
        held_out = counted(report.held_out, "episode")
        yield f"no validation samples: every step of the {held_out} held out was left out"
    elif report.held_out != report.to_hold_out:
        yield (
            f"{report.held_out} episodes are held out, {report.to_hold_out} were asked for: "
            "some stay together"
        )
