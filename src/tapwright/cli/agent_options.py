"""Options that say how an agent plays."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import (
    FOLDER,
    F,
    add_options,
    admit_by,
    collect_options,
    model_options,
    option,
)
from tapwright.workflows.own_names import admit_convention, admit_model

if TYPE_CHECKING:
    from tapwright.workflows.agents import AgentConfig

AGENT_KEYS = (
    "grounder", "grounder_convention", "planner", "query_policy", "history", "loops",
    "decision_seconds", "replay",
)  # fmt: skip
"""The options of an agent that are keys of `--plan`."""


def convention_option(command: F) -> F:
    """`--convention NAME`."""
    return option(
        "--convention",
        default="json",
        metavar="NAME",
        callback=admit_by(admit_convention),
        help="Convention of the model, as `tapwright conventions ls` lists them: its prompt, "
        "pictures and grammar. One for phones is refused on a computer's screen, and the other way "
        "round. Unless it is given, benchmarks of pictures ask in words of their own.",
    )(command)


def agent_options(command: F) -> F:
    """How an agent plays and what helps it, as one argument `agent_config`."""
    from tapwright.workflows.agents import AgentConfig, LoopHandling, QueryPolicyName

    options = (
        convention_option,
        option(
            "--grounder",
            default="",
            metavar="CLIENT/MODEL",
            callback=admit_by(admit_model),
            help="A second model that locates what the first one names; its server may be another: "
            "TAPWRIGHT_GROUNDER_URL.",
        ),
        option(
            "--grounder-convention",
            default="mobimind-grounder-qwen3",
            callback=admit_by(admit_convention),
            help="Convention of the grounder, as `tapwright conventions ls` lists them.",
        ),
        option(
            "--planner",
            default="",
            metavar="CLIENT/MODEL",
            callback=admit_by(admit_model),
            help="A model that splits a task into subtasks, one app each; its server may be "
            "another: TAPWRIGHT_PLANNER_URL.",
        ),
        option(
            "--query-policy",
            type=click.Choice(get_args(QueryPolicyName)),
            default="plain",
            help="How models are queried: plain, or as MobiAgent's runner does (half resolution, "
            "5 tries, rising temperature).",
        ),
        option(
            "--history",
            default="full",
            help="Earlier steps in the prompt: none, full, last:K, summaries:K, pictures:K. "
            "Recorded steps (steps-*) are asked so, too.",
        ),
        option(
            "--loops",
            type=click.Choice(get_args(LoopHandling)),
            default="off",
            help="On a loop: warn the agent, or end the attempt.",
        ),
        option(
            "--decision-seconds",
            type=click.FloatRange(0, min_open=True),
            help="Wall-clock limit for each decision.",
        ),
        option(
            "--replay",
            type=FOLDER,
            metavar="STORE",
            help="Replay stored successes, query the model when a target is missing, and store new "
            "successes.",
        ),
    )
    names = [one.name for one in fields(AgentConfig) if not one.name.endswith("_url")]
    command = collect_options("agent_config", names, _build_agent_config)(command)
    return add_options(model_options(command), options)


def _build_agent_config(replay: Path | None, **options: Any) -> "AgentConfig":
    from tapwright.workflows.agents import AgentConfig

    host = read_host()
    return AgentConfig(
        replay="" if replay is None else str(replay),
        grounder_url=host.helper_url("grounder") if options["grounder"] else "",
        planner_url=host.helper_url("planner") if options["planner"] else "",
        **options,
    )
