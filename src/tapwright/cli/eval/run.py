"""`tapwright eval run`: measure agents and models on benchmarks."""

import os
import re
import shlex
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tapwright.cli.agent_options import AGENT_KEYS, agent_options
from tapwright.cli.eval.data import find_config_data, find_data
from tapwright.cli.eval.run_and_report import MAX_ROUNDS, run_and_report, run_options
from tapwright.cli.grouped_help import GroupedCommand
from tapwright.cli.options import (
    EXISTING_FILE,
    admit_by,
    out_option,
    price_option,
    read_price_option,
    web_options,
)
from tapwright.cli.output import print_failure, print_message
from tapwright.cli.plan_option import every_option
from tapwright.cli.project.place import of_project
from tapwright.cli.suites import read_source, suite_options
from tapwright.errors import TapwrightError, UsageError
from tapwright.files.names import portable_name
from tapwright.workflows import own_names
from tapwright.workflows.datasets import has_data_by_name
from tapwright.workflows.engine import Engine

if TYPE_CHECKING:
    from pydantic import JsonValue

    from tapwright.evaluate.combination import Overrides, RunCombination
    from tapwright.workflows.agents import AgentConfig
    from tapwright.workflows.evaluate import RunSettings


_PLAN_KEYS = (
    "epochs", "shuffle_options", "parser", "rules", "level", "annotator", "control", "system",
    "strict",
)  # fmt: skip


@click.command(
    cls=GroupedCommand,
    first="model data out limit sample convention space base-url device max-cost",
    rare=(*_PLAN_KEYS, *AGENT_KEYS),
    epilog="\b\nExamples:\n"
    "  tapwright eval run l1 --data bench -m tree\n"
    "  tapwright eval run l1 l2 --data bench -m openai/qwen2.5-vl-7b --plan shuffle_options=true\n"
    "  tapwright eval run l2 --data bench -m openai/qwen3-vl --space permille --sample 200\n"
    "  tapwright eval run screenspot-pro --data sspro -m openai/qwen2.5-vl-7b "
    "--convention qwen2.5-vl\n"
    "  tapwright eval run l2 --data bench -m openai/qwen3-vl --plan control=blank\n"
    "  tapwright eval run l2 --data bench -m words/training-bench\n"
    "  tapwright eval run --config eval.toml --price 2.5,10 --max-cost 5\n"
    "  tapwright eval run l3 -m tree --envs 4\n"
    "  tapwright eval run l3 l4 -m openai/qwen3-vl --max-steps 15 --max-seconds 300\n"
    "  tapwright eval run l4 --data phone-l4-zh -m script --only kind=send\n"
    "  tapwright eval run l3 -m openai/decider --convention mobimind-decider "
    "--plan grounder=openai/grounder --plan query_policy=mobiagent --max-steps 35\n"
    "  tapwright eval run l3 -m openai/qwen3-vl --plan replay=successes\n"
    "  tapwright eval run l3 -m tree --engine ray --workers 8 --envs 4\n"
    "  tapwright eval run miniwob -m tree -m random --only app=login-user\n"
    "  tapwright eval run androidworld -m openai/ui-tars --convention ui-tars-1.5 "
    "--device adb:emulator-5554 --device adb:emulator-5556 --seed 30",
)
@click.argument(
    "names", nargs=-1, metavar="[BENCHMARK]...", callback=admit_by(own_names.admit_benchmark)
)
@click.option(
    "-m",
    "--model",
    "specs",
    multiple=True,
    metavar="AGENT|CLIENT/MODEL",
    callback=admit_by(own_names.admit_subject),
    help="What to measure: a model (openai/NAME), or an agent: script, tree, random, or "
    "MODULE:NAME of yours; repeatable.",
)
@click.option(
    "--data",
    "source",
    default="",
    metavar="DIRECTORY|SUITE",
    help="The benchmarks' directory, by default what `tapwright data get` downloaded; for l3 and "
    "l4 a suite or a path of task definitions, by default phone-l3 and phone-l4.",
)
@suite_options
@click.option(
    "--config",
    "config",
    type=EXISTING_FILE,
    help="A TOML or JSON file with benchmarks, models and plans, or one of MMBench-GUI's; as you "
    "name it, it is yours: keys go to the addresses in it.",
)
@out_option("The output directory of the run; of several runs, their parent.")
@click.option("--limit", type=click.IntRange(1), help="Only the first N samples.")
@click.option("--sample", type=click.IntRange(1), help="Only N samples, drawn by --seed.")
@click.option("--only", multiple=True, metavar="LABEL=VALUE", help="Such as difficulty=easy.")
@click.option("--epochs", type=click.IntRange(1), help="Query each sample N times.")
@click.option("--shuffle-options", is_flag=True, help="Shuffle the options of questions (l1).")
@click.option("--seed", type=int, help="Random seed.")
@click.option(
    "--space",
    metavar="UNIT|CONVENTION",
    callback=admit_by(own_names.admit_convention),
    help="The unit of coordinates in answers: pixel (default), fraction, permille, percent, or a "
    "convention that declares it.",
)
@click.option("--parser", type=click.Choice(["robust", "seed"]), help="How answers are parsed.")
@click.option(
    "--rules",
    metavar="NAME",
    help="How the suite scores: by default as published; a wrong name lists the right ones.",
)
@click.option(
    "--level",
    type=click.Choice(["high", "low"]),
    help="Prompt recorded steps with the task's instruction, or (low) with their own (steps-*).",
)
@click.option(
    "--annotator",
    metavar="NAME",
    help="Whose reasoning and targets are in the history of recorded steps, as in `sft export "
    "--annotator`; by default the recorded (steps-*).",
)
@click.option(
    "--control",
    type=click.Choice(["blank", "swapped"]),
    help="Show blank pictures, or those of other samples: what is still right, words alone tell.",
)
@click.option(
    "--system",
    metavar="MODE|TEXT",
    help="benchmark_default, model_default (none), or the text of a system prompt.",
)
@click.option(
    "--max-pixels",
    type=click.IntRange(1000),
    help="Scale larger pictures down to this many pixels (width times height).",
)
@price_option
@click.option(
    "--max-steps",
    type=click.IntRange(1),
    help="Actions per task (l3, l4, miniwob), instead of the task's own limit.",
)
@click.option(
    "--max-seconds",
    "max_s",
    type=click.FloatRange(0, min_open=True),
    help="Wall-clock limit per task (l3, l4, miniwob).",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Refuse data of which a row cannot be used, instead of leaving the row out.",
)
@run_options
@web_options
@agent_options
@click.option(
    "--device",
    multiple=True,
    metavar="NAME[:ARG]",
    callback=admit_by(own_names.admit_device),
    help="The device, as `tapwright devices ls` lists it; by default the benchmark's own. "
    "Repeatable: each plays one attempt at a time, in place of --envs.",
)
@click.pass_context
def run(
    context: click.Context,
    /,
    names: tuple[str, ...],
    specs: tuple[str, ...],
    source: str,
    suite_python: str,
    suite_settings: tuple[str, ...],
    config: Path | None,
    out: Path | None,
    concurrency: int,
    max_cost: float | None,
    device: tuple[str, ...],
    envs: int | None,
    max_steps: int | None,
    max_s: float | None,
    strict: bool,
    agent_config: "AgentConfig",
    engine: Engine,
    **plan_options: Any,
) -> None:
    """Measure models or agents on benchmarks, each on each.

    --convention asks a model as it was trained, and reads its answers so; --space is for answers to
    the benchmark's own words. An option that no evaluation of the command takes is refused.
    An interrupted run continues with the same command, or with `eval resume`, and repeats no query.
    Ends with 1 when a sample could not be measured. TAPWRIGHT_BASE_URL is the address of the model
    server, OPENAI_API_KEY its key; L2_USER_PROMPT replaces the prompt of L2.
    """
    from tapwright.cli.project.defaults import project_runs
    from tapwright.workflows.agents import AgentConfig
    from tapwright.workflows.evaluate import RunSettings
    from tapwright.workflows.suites import admit_source

    typed = _typed(context)
    if config is not None and of_project(context, "specs"):
        specs = ()  # the models are those of the file
    if "convention" in typed or (
        of_project(context, "convention") and _reach(names, specs, "convention")
    ):
        plan_options["convention"] = agent_config.convention
    if agent_config.history != AgentConfig().history:
        plan_options["step_history"] = agent_config.history
    if named := read_source(suite_python, suite_settings):
        admit_source(named)
        source = named
    combinations = _read_combinations(names, specs, source, config, _overrides(**plan_options))
    _check_taken(typed, combinations)
    if config is not None:
        sys.path.append("")  # its functions lie where the command is started
        for one in combinations:
            own_names.admit_subject(one.spec)
            own_names.admit_benchmark(one.benchmark)
            own_names.admit_convention(one.plan.space)
            own_names.admit_convention(one.plan.convention)
    settings = RunSettings(
        agent_config,
        device[0] if device else None,
        envs,
        max_steps,
        max_s,
        concurrency,
        max_cost,
        MAX_ROUNDS,
        strict,
        device[1:],
    )
    if len(combinations) == 1:
        (one,) = combinations
        directory = out or _run_directory(one, project_runs())
        sys.exit(run_and_report(one, directory, _settings_for(one, settings), engine))
    failed = False
    for one in combinations:
        try:
            directory = _run_directory(one, out or project_runs())
            failed |= run_and_report(one, directory, _settings_for(one, settings), engine)
        except TapwrightError as error:
            # The others do not depend on it; it counts in the end.
            failed = True
            print_failure(f"{one.spec} on {one.benchmark}", error, error.code)
    sys.exit(failed)


def _typed(context: click.Context) -> set[str]:
    """The names of the options that were given and are not at their default."""
    sources = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)
    names = (one.name or "" for one in every_option(context.command))
    return {name for name in names if context.get_parameter_source(name) in sources}


def _reach(names: Sequence[str], specs: Sequence[str], option: str) -> bool:
    """Whether a project's default has an effect on an evaluation of the command."""
    from tapwright.evaluate.taken_options import kind_of_name, takes

    return any(takes(kind_of_name(name), spec, option) for name in names for spec in specs)


def _check_taken(typed: Collection[str], combinations: "Sequence[RunCombination]") -> None:
    """Refuse options that none of the evaluations takes."""
    from tapwright.evaluate.taken_options import kind_of_name, takes
    from tapwright.workflows.evaluate import option_of

    pairs = {(one.benchmark, one.spec): kind_of_name(one.benchmark) for one in combinations}
    for name in sorted(typed):
        if not any(takes(kind, spec, name) for (_, spec), kind in pairs.items()):
            what = ", ".join(f"{spec} on {benchmark}" for benchmark, spec in pairs)
            option = option_of(name)
            raise UsageError(f"{option} has no effect: {what}", hint=f"leave out {option}")


def _settings_for(one: "RunCombination", settings: "RunSettings") -> "RunSettings":
    """The settings without those that are for other combinations of the same command."""
    from tapwright.evaluate.taken_options import kind_of_name
    from tapwright.workflows.agents import AgentConfig

    agent = replace(settings.agent, convention=AgentConfig().convention)  # the plan has it
    if kind_of_name(one.benchmark) in (None, "tasks"):
        return replace(settings, agent=agent)
    return replace(
        settings, agent=AgentConfig(), device=None, more_devices=(), max_steps=None, max_s=None
    )


def _overrides(
    only: Sequence[str], price: str | None, seed: int | None, **options: "JsonValue"
) -> "Overrides":
    """The keys of the plan that the options give."""
    from tapwright.evaluate.combination import Overrides

    keys = {name: value for name, value in options.items() if value}
    if seed is not None:
        keys["seed"] = seed
    if only:
        keys["only"] = dict(_parse_label(entry) for entry in only)
    prompt = os.environ.get("L2_USER_PROMPT")
    return Overrides(
        keys,
        defaults={"l2": {"user_prompt": prompt}} if prompt else {},
        price=None if price is None else partial(_read_price, price),
    )


def _read_price(text: str, spec: str) -> "JsonValue":
    price = read_price_option(text, spec)
    return {"input": price.input, "output": price.output}


def _read_combinations(
    names: Sequence[str],
    specs: Sequence[str],
    source: str,
    config: Path | None,
    overrides: "Overrides",
) -> "list[RunCombination]":
    from tapwright.evaluate.combination import RunCombination
    from tapwright.evaluate.config import read_config

    if config is None:
        by_name = not source and names and all(map(has_data_by_name, names))
        given = {"a benchmark": names, "--data": source or by_name or not names, "-m": specs}
        if missing := [what for what, value in given.items() if not value]:
            data = () if by_name else ("--data", source or "bench")
            models = [word for spec in specs or ["tree"] for word in ("-m", spec)]
            raise UsageError(
                f"expected {' and '.join(missing)}, or a --config",
                hint=f"tapwright eval run {shlex.join([*(names or ['l1']), *data, *models])}",
            )
        sources = {name: find_data(name, source) for name in names}
        return [
            RunCombination(name, spec, overrides.plan("options", name, spec, {}), sources[name])
            for spec in specs
            for name in names
        ]
    if specs:
        raise UsageError("-m and --config: the models are those of the file")
    read = read_config(config, overrides)
    for notice in read.notices:
        print_message(notice)
    selected = [
        replace(one, source=find_config_data(one.benchmark, source or one.source))
        for one in read.combinations
        if not names or one.benchmark in names
    ]
    if not selected:
        raise UsageError(f"{config}: has none of the benchmarks {', '.join(names)}")
    return selected


def _run_directory(one: "RunCombination", parent: Path) -> Path:
    name = f"{one.benchmark}-{one.spec}" + (f"-{one.plan.control}" if one.plan.control else "")
    before = parent / name.replace("/", "-")
    if before.is_dir():  # of a run begun when names had colons; it goes on there
        return before
    return parent / portable_name(re.sub("[/:=]", "-", name))


def _parse_label(entry: str) -> tuple[str, str]:
    name, equals, value = entry.partition("=")
    if not equals:
        raise UsageError(f"--only {entry}: expected LABEL=VALUE", hint="difficulty=easy")
    return name, value
