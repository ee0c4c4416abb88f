"""`tapwright tasks judge`: judge a recorded episode by a task's events or milestones."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from tapwright.cli.directories import open_store
from tapwright.cli.host import read_host
from tapwright.cli.options import FILE, PATH, admit_by, model_options, option
from tapwright.cli.output import Cell, Format, format_option, print_message, print_rows
from tapwright.errors import UsageError
from tapwright.workflows.own_names import admit_model

if TYPE_CHECKING:
    from tapwright.core.episode import Episode, EpisodeOutcome
    from tapwright.tasks.events.graph import Compat
    from tapwright.tasks.events.tree import EventOutcome
    from tapwright.tasks.milestones.judgement import MilestoneJudgement


_EPILOG = """\b
Examples:
  tapwright tasks judge buy_milk.textproto recordings/01k9x3v8tq40
  tapwright tasks judge milestones.yaml recordings/01k9x3v8tq40 -m openai/qwen2.5-vl-7b
"""


@click.command(epilog=_EPILOG)
@click.argument("task", type=FILE)
@click.argument("episode", metavar="STORE/ID", type=PATH)
@option(
    "--compat",
    type=click.Choice(["mobile-env"]),
    help="Judge as Mobile-Env does, with its defects.",
)
@option(
    "--gap",
    type=click.IntRange(0, 1),
    default=1,
    help="Minimum screens between a milestone and the previous ones; 0: they may share one.",
)
@option(
    "-m",
    "--model",
    metavar="CLIENT/MODEL",
    callback=admit_by(admit_model),
    help="The model to query about milestones that need one; without it they stay unknown.",
)
@model_options
@format_option
def judge(
    task: Path, episode: Path, compat: str | None, gap: int, model: str | None, format_: Format
) -> None:
    """Show which events or milestones of TASK fire at which step of a recorded episode.

    TASK is a definition in text format, or milestones in a rule file (*.yaml, *.json); STORE/ID is
    an episode as `tapwright record` writes it. Step 0 is the screen after the reset. What the
    recording lacks, or cannot be decided, is reported on stderr; the command then ends with 1.
    """
    from tapwright.store.addresses import split_address
    from tapwright.tasks.milestones.rule_file import RULE_SUFFIXES

    if not episode.name:
        raise UsageError(
            f"{episode}: does not name an episode", hint="STORE/ID, as episodes ls lists them"
        )
    store, id_ = split_address(episode)
    recorded = open_store(store).read(id_)
    if task.suffix in RULE_SUFFIXES:
        _judge_milestones(task, recorded, 1 if gap else 0, model, format_)
    else:
        _judge_events(task, recorded, "mobile-env" if compat else None, format_)


def _judge_events(
    task: Path, recorded: "Episode", compat: "Compat | None", format_: Format
) -> None:
    from tapwright.tasks.definitions.textproto import read_task
    from tapwright.tasks.episode_judge import judge_episode

    judged = judge_episode(recorded, read_task(task), folder=task.parent, compat=compat)
    rows: list[dict[str, Cell]] = [
        {
            "step": row.number,
            "action": row.action,
            "fired": ", ".join(map(str, row.outcome.fired)),
            "reward": row.outcome.reward,
            "instructions": " ".join(row.outcome.instructions),
            "extras": ", ".join(sorted(row.outcome.extras)),
            "end": _end(row.outcome),
        }
        for row in judged.steps
    ]
    print_rows(rows, format_, key="step")
    for missing in judged.missing:
        print_message(f"not recorded: {missing}")
    print_message(_compare(judged.outcome, recorded))
    if judged.missing:
        sys.exit(1)


def _compare(outcome: "EpisodeOutcome | None", recorded: "Episode") -> str:
    """What became of the attempt, beside what the store says of it."""
    if outcome is None:
        return f"undecided: too little was recorded; the store says {recorded.outcome}"
    if outcome == recorded.outcome:
        return outcome
    return f"{outcome}; the store says {recorded.outcome}"


def _judge_milestones(
    task: Path, recorded: "Episode", gap: Literal[0, 1], model: str | None, format_: Format
) -> None:
    from tapwright.evaluate.vlm_judge import VlmJudge
    from tapwright.tasks.events.ocr import RapidReader
    from tapwright.tasks.milestones.frames import FrameReader, make_frames
    from tapwright.tasks.milestones.judgement import judge, read_graph
    from tapwright.tasks.milestones.rules import list_doubts
    from tapwright.workflows.models import open_model

    graph = read_graph(task)
    for doubt in list_doubts(task):
        print_message(f"warning: {task}, {doubt.part}: {doubt.what}")
    with ExitStack() as stack:
        vlm_judge = stack.enter_context(VlmJudge(open_model(model, read_host()))) if model else None
        judged = judge(
            graph, make_frames(recorded), gap=gap, reader=FrameReader(RapidReader(), vlm_judge)
        )
    rows: list[dict[str, Cell]] = [
        {
            "milestone": one.id,
            # Frame 0 is empty, frame 1 the screen after the reset.
            "step": None if (frame := judged.earliest[one.id]) is None else frame - 1,
            "seen": "unknown" if one.id in judged.unknown else "no" if frame is None else "yes",
            "by": judged.evidence[one.id].kind if one.id in judged.evidence else "",
            "found": judged.evidence[one.id].found if one.id in judged.evidence else "",
            "score": one.score,
        }
        for one in graph.milestones
    ]
    print_rows(rows, format_, key="milestone")
    print_message(f"{_verdict(judged)}, {judged.score:.0%} of the way")
    if judged.success is None:
        sys.exit(1)


def _verdict(judged: "MilestoneJudgement") -> str:
    if judged.success is None:
        return f"to be reviewed: undecided are {', '.join(judged.unknown)}"
    return "success" if judged.success else "failure"


def _end(outcome: "EventOutcome") -> str:
    if not outcome.ended:
        return ""
    if outcome.success is None:
        return "truncated"
    return "success" if outcome.success else "failure"
