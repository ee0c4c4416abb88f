"""`tapwright eval run` and `resume`: measure models and agents on benchmarks."""

import asyncio
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from pydantic import JsonValue

from tapwright.cli.casting import Cast, Company, Playing, cast_options, gathered
from tapwright.cli.engine import HERE, Engine, engine_options
from tapwright.cli.options import hook_option, make_model, open_device
from tapwright.cli.output import hint, stage
from tapwright.cli.places import Folder, named, place_of
from tapwright.errors import TapwrightError, UsageError
from tapwright.evaluate.errors import PlanError, RunLogError

if TYPE_CHECKING:
    from tapwright.evaluate.config import RunCombination
    from tapwright.evaluate.run import RunProgress
    from tapwright.evaluate.run_log import RunLog

F = TypeVar("F", bound=Callable[..., Any])
_PASSES = 3


def _going_options(command: F) -> F:
    """What may differ each time that a run goes on."""
    for option in (
        click.option("--envs", type=click.IntRange(1, 64), default=2, show_default=True,
                     help="Devices at a time (l3, l4, miniwob)."),
        click.option("--max-cost", type=click.FloatRange(0, min_open=True),
                     help="Ask nothing further once this start has cost so much; see --price."),
        click.option("--concurrency", type=click.IntRange(1), default=8, show_default=True,
                     help="Requests at a time."),
    ):  # fmt: skip
        command = option(command)
    return engine_options(command)


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval run l1 --data bench -m tree\n"
    "  tapwright eval run l1 l2 --data bench -m openai/qwen2.5-vl-7b --shuffle-options\n"
    "  tapwright eval run l2 --data bench -m openai/qwen3-vl --space permille --sample 200\n"
    "  tapwright eval run --config eval.toml --max-cost 5\n"
    "  tapwright eval run l3 -m tree --envs 4\n"
    "  tapwright eval run l3 l4 -m openai/qwen3-vl --max-steps 15 --max-seconds 300\n"
    "  tapwright eval run l4 --data l4-zh -m script --only kind=send\n"
    "  tapwright eval run l3 -m openai/decider --convention mobimind-decider "
    "--grounder openai/grounder --manners mobiagent --max-steps 35\n"
    "  tapwright eval run l3 -m openai/qwen3-vl --replay successes\n"
    "  tapwright eval run l3 -m tree --engine ray --workers 8 --envs 4\n"
    "  tapwright eval run miniwob -m tree -m random --only app=login-user"
)
@click.argument("names", nargs=-1, metavar="[BENCHMARK]...")
@click.option(
    "-m",
    "--subject",
    "subjects",
    multiple=True,
    metavar="AGENT|CLIENT/MODEL",
    help="Who is measured: an agent (random, tree, …) or a model (openai/NAME); repeatable.",
)
@click.option(
    "--data",
    "source",
    default="",
    help="The benchmarks' directory; for l3 and l4 a suite or a path of task definitions, by "
    "default the suite of that name.",
)
@click.option(
    "--config",
    "config",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A TOML or JSON file that says all of it, or one of MMBench-GUI's.",
)
@click.option(
    "-o",
    "--out",
    type=Folder(),
    help="The run; of several, the directory for them.",
)
@click.option("--limit", type=click.IntRange(1), help="Only the first samples.")
@click.option("--sample", type=click.IntRange(1), help="Only so many, drawn by --seed.")
@click.option("--only", multiple=True, metavar="LABEL=VALUE", help="Such as difficulty=easy.")
@click.option("--epochs", type=click.IntRange(1), help="Ask each sample so many times.")
@click.option("--shuffle-options", is_flag=True, help="Let options change places (l1).")
@click.option("--seed", type=int, help="For whatever is left to chance.")
@click.option(
    "--space",
    metavar="UNIT|CONVENTION",
    help="The unit of the places in answers: pixel (default), fraction, permille, percent, or a "
    "convention that declares it.",
)
@click.option("--parser", type=click.Choice(["robust", "seed"]), help="How answers are read.")
@click.option(
    "--system",
    metavar="MODE|TEXT",
    help="benchmark_default, model_default (none), or the text of a system prompt.",
)
@click.option("--max-side", type=click.IntRange(28), help="Scale larger pictures down to this.")
@click.option("--price", metavar="IN,OUT", help="What a million tokens cost, read and written.")
@click.option(
    "--max-steps",
    type=click.IntRange(1),
    help="Actions for each task (l3, l4, miniwob), instead of the task's own number.",
)
@click.option(
    "--max-seconds",
    "max_s",
    type=click.FloatRange(0, min_open=True),
    help="Wall-clock time for each task (l3, l4, miniwob).",
)
@_going_options
@cast_options
@click.option(
    "--device",
    metavar="NAME[:ARG]",
    help="The device, as `tapwright devices ls` names it; by default the one that the benchmark "
    "is for.",
)
def run(
    names: tuple[str, ...],
    subjects: tuple[str, ...],
    source: str,
    config: Path | None,
    out: Path | None,
    concurrency: int,
    max_cost: float | None,
    device: str | None,
    envs: int,
    max_steps: int | None,
    max_s: float | None,
    seed: int | None,
    only: tuple[str, ...],
    price: str | None,
    engine: Engine,
    **chosen: Any,
) -> None:
    """Measure agents or models on benchmarks, each on each.

    A run that was interrupted goes on with the same command, or with `eval resume`, and asks
    nothing twice. Ends with 1 when a sample could not be measured. The address of a server is
    TAPWRIGHT_BASE_URL, its key OPENAI_API_KEY; L2_USER_PROMPT replaces the words of L2's question.
    """
    cast = gathered(chosen)
    keys: dict[str, JsonValue] = {name: value for name, value in chosen.items() if value}
    if seed is not None:
        keys["seed"] = seed
    if only:
        keys["only"] = dict(_pair(entry) for entry in only)
    if price is not None:
        keys["price"] = _price(price)
    if config is not None:
        sys.path.append("")  # its functions lie where the command is started
    combinations = _combinations(names, subjects, source, config, keys)
    playing = Playing(cast, device, envs, max_steps, max_s)
    failed = False
    if len(combinations) == 1:
        (one,) = combinations
        place = out or _place(one, Path("runs"))
        sys.exit(_measured(one, place, concurrency, max_cost, playing, engine))
    for one in combinations:
        try:
            place = _place(one, out or Path("runs"))
            failed |= _measured(one, place, concurrency, max_cost, playing, engine)
        except TapwrightError as error:
            # The others have nothing to do with it; it is told, and counts in the end.
            failed = True
            click.echo(f"{one.spec} on {one.benchmark}: {error} [{error.code}]", err=True)
    sys.exit(failed)


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval resume runs/l1-tree\n"
    "  tapwright eval resume runs/l2-qwen --base-url http://127.0.0.1:8000/v1\n"
    "  tapwright eval resume runs/mine --hook build=mine.build --hook parse=mine.parse"
)
@click.argument("directory", metavar="RUN", type=Folder())
@click.option(
    "--base-url",
    metavar="URL",
    help="The model server of the run; by default TAPWRIGHT_BASE_URL.",
)
@click.option(
    "--device", metavar="NAME[:ARG]", help="The device of the run; needed when it is remote."
)
@click.option("--replay", metavar="STORE", help="The store of the run's replayed successes.")
@hook_option
@_going_options
def resume(
    directory: Path,
    base_url: str | None,
    device: str | None,
    replay: str | None,
    hooks: dict[str, str],
    concurrency: int,
    max_cost: float | None,
    envs: int,
    engine: Engine,
) -> None:
    """Continue an interrupted RUN as it was started; answered samples are not asked again.

    The run's log may be somebody else's, so nothing in it is imported and no key or token goes to
    an address that only the log names: give the server, a remote device, and functions of your
    own again. They must be those of the log.
    """
    from tapwright.evaluate.run_log import read_run

    log = read_run(directory)
    one, playing = _begun(log)
    _check_hooks(one, hooks)
    one = _check_server(log, one, base_url)
    _check_helpers(playing.cast)
    _check_given("device", playing.device, device, needed=_is_remote)
    _check_given("replay", playing.cast.replay, replay, needed=bool)
    if hooks:
        sys.path.append("")
    playing = replace(playing, envs=envs)
    sys.exit(_measured(one, directory, concurrency, max_cost, playing, engine))


def _check_hooks(one: "RunCombination", given: Mapping[str, str]) -> None:
    """Check that the functions that the log names are those that were given."""
    from tapwright.evaluate.hooks import STAGES

    logged = {stage: path for stage in STAGES if (path := getattr(one.plan, stage))}
    if logged == {stage: path for stage, path in given.items() if path}:
        return
    listed = " ".join(f"--hook {stage}={path}" for stage, path in logged.items())
    raise UsageError(
        "the run uses functions that are imported only when you name them"
        if logged
        else "the run uses no function of its own; --hook does not apply",
        hint=f"if you trust them: {listed}" if logged else "",
    )


def _check_server(log: "RunLog", one: "RunCombination", given: str | None) -> "RunCombination":
    """The combination with the server that was given now; the log's address must be the same."""
    if not one.spec.startswith("openai/"):
        return replace(one, base_url=None)
    from tapwright.models.openai import DEFAULT_BASE_URL, parse_base_url

    address = parse_base_url(given or os.environ.get("TAPWRIGHT_BASE_URL") or DEFAULT_BASE_URL)
    if one.base_url is not None and one.base_url != address:
        raise UsageError(
            f"{log.path}: the run was made with the server {one.base_url}, "
            f"and the one given now is {address}",
            hint="keys are sent only to a server that you name: "
            f"if you trust it, --base-url {one.base_url}",
        )
    return replace(one, base_url=address)


def _check_helpers(cast: Cast) -> None:
    """Check that the servers of the helping models are those that the environment names."""
    for role, logged in (("grounder", cast.grounder_url), ("planner", cast.planner_url)):
        variable = f"TAPWRIGHT_{role.upper()}_URL"
        given = os.environ.get(variable, "")
        if logged and logged != given:
            raise UsageError(
                f"the run's {role} is at {logged}, and {variable} is {given or 'not set'}",
                hint=f"keys are sent only to a server that you name: if you trust it, "
                f"set {variable}={logged}",
            )


def _check_given(
    option: str, logged: str | None, given: str | None, *, needed: Callable[[str], bool]
) -> None:
    """Check an option against the log: it must be the same, and given where it is `needed`."""
    if given == logged or (given is None and not needed(logged or "")):
        return
    raise UsageError(
        f"--{option}: the run has {logged or 'none'}, given is {given or 'none'}",
        hint=f"if you trust it: --{option} {logged}" if logged else f"leave out --{option}",
    )


def _is_remote(device: str) -> bool:
    return device.partition(":")[0] == "remote"


def _begun(log: "RunLog") -> "tuple[RunCombination, Playing]":
    """What a run's header says of how it was begun."""
    from tapwright.evaluate.config import RunCombination, make_plan

    header, config = log.header, log.header.config
    spec, plan, settings = config.get("spec"), config.get("plan"), config.get("model") or {}
    if not isinstance(spec, str) or not spec or not isinstance(settings, dict):
        raise RunLogError(
            f"{log.path}: was not begun by `tapwright eval run`",
            hint="start it again in the way in which it was begun: it goes on where it stood",
        )
    url = settings.get("base_url")
    keys = plan if isinstance(plan, dict) else {}
    one = RunCombination(
        benchmark=header.benchmark,
        spec=spec,
        plan=make_plan(str(log.path), keys),
        source=header.source,
        base_url=url if isinstance(url, str) else None,  # compared, never called: `_check_server`
        settings={name: value for name, value in settings.items() if name != "base_url"}
        if spec.startswith("openai/")
        else {},
    )
    max_steps, max_s = config.get("max_steps"), config.get("max_s")
    return one, Playing(
        cast=Cast.read(str(config.get("convention", "json")), config.get("cast")),
        device=str(config["device"]) if "device" in config else None,
        max_steps=max_steps if isinstance(max_steps, int) else None,
        max_s=max_s if isinstance(max_s, int | float) else None,
    )


def _combinations(
    names: Sequence[str],
    subjects: Sequence[str],
    source: str,
    config: Path | None,
    keys: Mapping[str, JsonValue],
) -> "list[RunCombination]":
    from tapwright.evaluate.config import RunCombination, make_plan, read_config
    from tapwright.tasks import suites

    if config is None:
        # A benchmark that is called like a suite of tasks has that for its data.
        if not (names and subjects and (source or {*names} <= {*suites.names()})):
            raise UsageError(
                "give benchmarks, --data and -m, or a --config that has them",
                hint="tapwright eval run l1 --data bench -m tree",
            )
        plan = make_plan("options", keys)
        found = [RunCombination(name, who, plan, source) for who in subjects for name in names]
    else:
        if subjects:
            raise UsageError("-m and --config: the models are those of the file")
        read = read_config(config)
        for notice in read.notices:
            click.echo(notice, err=True)
        found = [
            replace(
                one,
                source=source or one.source or _data_of(one.benchmark, {*suites.names()}),
                plan=make_plan("options", {**one.plan.model_dump(mode="json"), **keys}),
            )
            for one in read.combinations
            if not names or one.benchmark in names
        ]
        if not found:
            raise UsageError(f"{config}: has none of the benchmarks {', '.join(names)}")
    return [_with_env_prompt(one) for one in found]


def _with_env_prompt(one: "RunCombination") -> "RunCombination":
    words = os.environ.get("L2_USER_PROMPT")
    if one.benchmark != "l2" or not words or one.plan.user_prompt:
        return one
    from tapwright.evaluate.config import make_plan

    keys = {**one.plan.model_dump(mode="json"), "user_prompt": words}
    return replace(one, plan=make_plan("L2_USER_PROMPT", keys))


def _data_of(benchmark: str, suites: Collection[str]) -> str:
    """What a config file means that does not say: a suite of the name, or MMBench-GUI's data."""
    if benchmark in suites:
        return ""
    root = os.environ.get("LMUData")  # noqa: SIM112 - the original's spelling
    if not root:
        raise PlanError("the config says no data", hint="--data DIR, or set LMUData")
    return str(Path(root) / "MMBench-GUI")


def _measured(
    one: "RunCombination",
    out: Path,
    concurrency: int,
    max_cost: float | None,
    playing: Playing,
    engine: Engine,
) -> bool:
    """Measure one combination and tell about it; whether something failed."""
    log = asyncio.run(
        run_benchmark(
            one,
            out,
            concurrency=concurrency,
            max_cost=max_cost,
            playing=playing,
            passes=_PASSES,
            engine=engine,
        )
    )
    from tapwright.cli.eval import told, told_of_attempts

    failed = [row for row in log.rows if row.error is not None]
    for row in failed:
        if row.error is not None:
            click.echo(f"{row.key}: {row.error.message} [{row.error.code}]", err=True)
    click.echo(f"{log.header.subject} on {one.benchmark}: {told(log)}", err=True)
    for line in told_of_attempts(log):
        click.echo(line, err=True)
    click.echo(named(out))
    if failed:
        hint(f"tapwright eval resume {out}")
    else:
        hint(f"tapwright report {out}")
    return bool(failed)


async def run_benchmark(
    one: "RunCombination",
    out: Path,
    *,
    concurrency: int = 8,
    max_cost: float | None = None,
    playing: Playing | None = None,
    passes: int = 1,
    engine: Engine = HERE,
) -> "RunLog":
    """Measure under a progress bar."""
    from tapwright.benchmarks import benchmarks
    from tapwright.benchmarks.benchmark import Benchmark, TaskBenchmark
    from tapwright.cli.elsewhere import open_asking, open_playing, server
    from tapwright.evaluate.plan import plan_samples
    from tapwright.evaluate.run import evaluate, evaluate_tasks

    playing = playing or Playing()
    loaded = benchmarks.get(one.benchmark)(one.source)
    company = company_of(one, playing.cast)
    sent = _without_secret(one) if engine.far else one
    total = plan_samples(loaded.samples(), one.plan)[0]
    try:
        with stage(f"{one.benchmark} ({one.spec})", total) as advance:

            def tick(_: "RunProgress") -> None:
                advance(1)

            if isinstance(loaded, TaskBenchmark):
                _refuse_unplayed(one)
                device = playing.device or loaded.device
                config: dict[str, JsonValue] = {"device": device, "spec": one.spec}
                envs = min(playing.envs, total)
                there = replace(playing, device=device, envs=envs)
                open_work = partial(open_playing, sent, there, place_of(out), server())
                async with engine.work(open_work, items=total, each=envs) as players:
                    return await evaluate_tasks(
                        loaded,
                        company.make,
                        lambda: open_device(device),
                        out,
                        one.plan,
                        config=config | company.config,
                        envs=envs,
                        max_steps=playing.max_steps,
                        max_s=playing.max_s,
                        max_cost=max_cost,
                        elsewhere=players,
                        on_progress=tick,
                    )
            if not isinstance(loaded, Benchmark):
                raise UsageError(f"{one.benchmark} can neither be asked nor played")
            if playing.cast.chosen:
                strange = ", ".join(f"--{name.replace('_', '-')}" for name in playing.cast.chosen)
                raise UsageError(f"{one.benchmark} is asked, not played, and takes no {strange}")
            open_asked = partial(open_asking, sent, server())
            async with engine.work(open_asked, items=total, each=concurrency) as askers:
                return await evaluate(
                    loaded,
                    company.model or company.make(None, one.plan.seed),
                    out,
                    one.plan,
                    spec=one.spec,
                    concurrency=concurrency,
                    max_cost=max_cost,
                    passes=passes,
                    elsewhere=askers,
                    on_progress=tick,
                )
    finally:
        await company.close()


def _without_secret(one: "RunCombination") -> "RunCombination":
    """What may be sent to workers."""
    if one.secret:
        raise UsageError(
            f"{one.spec}: the key that stands in the config is not sent to a cluster's workers",
            hint="put it into the environment of every machine, and its name into the config",
        )
    return one


def company_of(one: "RunCombination", cast: Cast) -> Company:
    """Who plays or is asked; to be closed."""
    if "/" not in one.spec:
        return Company(one.spec, cast)
    key = one.secret or (os.environ.get(one.key) if one.key else None)
    model = make_model(one.spec, base_url=one.base_url, api_key=key, settings=one.settings)
    return Company(one.spec, cast, model)


def _refuse_unplayed(one: "RunCombination") -> None:
    """Tasks are played, not asked: of a plan, what chooses them and the price have a meaning."""
    chooses = {"only", "limit", "sample", "seed", "epochs", "price"}
    asked = one.plan.model_dump(exclude_defaults=True).keys() - chooses
    if asked:
        raise UsageError(f"{one.benchmark} is played and takes no {', '.join(sorted(asked))}")


def _place(one: "RunCombination", directory: Path) -> Path:
    return directory / f"{one.benchmark}-{one.spec.replace('/', '-')}"


def _pair(entry: str) -> tuple[str, str]:
    name, equals, value = entry.partition("=")
    if not equals:
        raise UsageError(f"--only {entry}: expected LABEL=VALUE", hint="difficulty=easy")
    return name, value


def _price(text: str) -> JsonValue:
    try:
        read, written = (float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--price {text}: expected two numbers", hint="--price 2.5,10") from None
    return {"input": read, "output": written}
