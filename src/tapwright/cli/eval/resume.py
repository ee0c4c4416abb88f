"""`tapwright eval resume`: continue an interrupted run."""

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.directories import Directory
from tapwright.cli.eval.run_and_report import MAX_ROUNDS, run_and_report, run_options
from tapwright.cli.host import read_host
from tapwright.cli.options import admit_by, hook_option, parse_base_urls, web_options
from tapwright.cli.suites import read_source, suite_options
from tapwright.core.secret_destinations import NamedBy
from tapwright.errors import UsageError
from tapwright.evaluate.errors import RunLogError
from tapwright.workflows.engine import Engine
from tapwright.workflows.host import HelperRole, HostConfig
from tapwright.workflows.own_names import admit_convention, admit_device

if TYPE_CHECKING:
    from pydantic import JsonValue

    from tapwright.evaluate.combination import RunCombination
    from tapwright.evaluate.run_log import RunLog
    from tapwright.workflows.evaluate import RunSettings


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval resume runs/l1-tree\n"
    "  tapwright eval resume runs/l2-qwen --base-url http://127.0.0.1:8000/v1\n"
    "  tapwright eval resume runs/mine --hook build=mine.build --hook parse=mine.parse"
)
@click.argument("directory", metavar="RUN", type=Directory())
@click.option(
    "--base-url",
    multiple=True,
    metavar="URL",
    expose_value=False,
    callback=parse_base_urls,
    help="The model server of the run; repeatable.  [default: TAPWRIGHT_BASE_URL]",
)
@click.option(
    "--convention",
    metavar="NAME",
    callback=admit_by(admit_convention),
    help="The convention of the run; required when it is a module:attribute of yours.",
)
@click.option(
    "--device",
    multiple=True,
    metavar="NAME[:ARG]",
    callback=admit_by(admit_device),
    help="The device of the run; required for a phone or a remote device. Repeatable: the run's "
    "first one, then others.",
)
@suite_options
@click.option("--replay", metavar="STORE", help="The store of the run's replayed successes.")
@hook_option
@run_options
@web_options
def resume(
    directory: Path,
    convention: str | None,
    device: tuple[str, ...],
    suite_python: str,
    suite_settings: tuple[str, ...],
    replay: str | None,
    hooks: dict[str, str],
    concurrency: int,
    max_cost: float | None,
    envs: int | None,
    engine: Engine,
) -> None:
    """Continue an interrupted RUN as it was started; answered samples are not queried again.

    The run's log may be somebody else's, so nothing in it is imported and no key or token goes to
    an address that only the log names: give the server, the device, and functions of your
    own again. They must equal those of the log.
    """
    from tapwright.evaluate.run_log import read_run

    host = read_host()
    log = read_run(directory)
    combination, settings = _read_start(log)
    _check_hooks(combination, hooks)
    combination = _check_server(log, combination, host)
    _check_helper("grounder", settings.agent.grounder_url, host)
    _check_helper("planner", settings.agent.planner_url, host)
    logged = combination.plan.convention or settings.agent.convention
    _check_option("convention", logged, convention, is_required=lambda name: ":" in name)
    first = device[0] if device else None
    _check_option("device", settings.device, first, is_required=_is_real)
    allowed = str(log.header.config.get("allow", "all"))
    _check_option("allow", allowed, host.allow or "all", is_required=bool)
    network = str(log.header.config.get("network", ""))
    _check_option("network", network, host.network or "", is_required=bool)
    _check_option("replay", settings.agent.replay, replay, is_required=bool)
    _check_suite(combination, read_source(suite_python, suite_settings), host)
    if hooks:
        sys.path.append("")  # at the end: no file here replaces an installed module
    settings = replace(
        settings, more_devices=device[1:], concurrency=concurrency, max_cost=max_cost, envs=envs
    )
    sys.exit(run_and_report(combination, directory, settings, engine))


def _read_start(log: "RunLog") -> "tuple[RunCombination, RunSettings]":
    """What a run's header records about its start."""
    from tapwright.benchmarks import benchmarks
    from tapwright.evaluate.combination import RunCombination
    from tapwright.evaluate.scoring import plan_of
    from tapwright.workflows.agents import AgentConfig
    from tapwright.workflows.evaluate import RunSettings

    header, config = log.header, log.header.config
    spec, model = config.get("spec"), config.get("model") or {}
    if not isinstance(spec, str) or not spec or not isinstance(model, dict):
        raise RunLogError(
            f"{log.path}: was not started by `tapwright eval run`",
            hint="start it again in the same way: it continues",
        )
    if not benchmarks.has(header.benchmark):
        raise RunLogError(
            f"{log.path}: {header.benchmark!r} is no benchmark of tapwright's or a package's, and "
            "a log does not load one of your own",
            hint="start it again in the same way: it continues",
        )
    url = model.get("base_url")
    plan = plan_of(log)
    if "/" not in spec:  # how an agent answers was written down by the run, not chosen by anybody
        plan = plan.model_copy(update={"space": type(plan).model_fields["space"].default})
    combination = RunCombination(
        benchmark=header.benchmark,
        spec=spec,
        plan=plan,
        source=header.source,
        base_url=url if isinstance(url, str) else None,  # compared, never called: _check_server
        named_by=NamedBy.STRANGER,
        settings=_read_settings(model),
    )
    max_steps, max_s = config.get("max_steps"), config.get("max_s")
    agent = AgentConfig.from_log(
        str(config.get("convention", "json")),
        config.get("cast"),
        played="device" in config and "convention" in config,
    )
    return combination, RunSettings(
        agent=agent,
        device=str(config["device"]) if "device" in config else None,
        max_steps=max_steps if isinstance(max_steps, int) else None,
        max_s=max_s if isinstance(max_s, int | float) else None,
        max_rounds=MAX_ROUNDS,
    )


def _read_settings(model: "Mapping[str, JsonValue]") -> "dict[str, JsonValue]":
    """The settings of a logged model; what it does not name was unset."""
    if "base_url" not in model:
        return {}
    unset: dict[str, JsonValue] = {"temperature": None, "max_tokens": None}
    return {**unset, **{name: value for name, value in model.items() if name != "base_url"}}


def _check_hooks(combination: "RunCombination", given: Mapping[str, str]) -> None:
    """Check that the functions that the log names are those that were given."""
    from tapwright.evaluate.hooks import STAGES

    logged = {stage: path for stage in STAGES if (path := getattr(combination.plan, stage))}
    if logged == {stage: path for stage, path in given.items() if path}:
        return
    options = " ".join(f"--hook {stage}={path}" for stage, path in logged.items())
    raise UsageError(
        "the run uses functions that are imported only when you name them"
        if logged
        else "the run uses no functions of its own; --hook does not apply",
        hint=f"if you trust them: {options}" if logged else "",
    )


def _check_suite(combination: "RunCombination", given: str, host: HostConfig) -> None:
    """Check that the suite that the log names is the one that is installed, or named now."""
    from tapwright.harnesses import harnesses
    from tapwright.harnesses.harness import SuiteSource
    from tapwright.workflows.suites import find_suite

    if not harnesses.has(combination.benchmark):
        return
    found = find_suite(harnesses.get(combination.benchmark), given, host)
    if found != combination.source:
        logged, here = SuiteSource.read(combination.source), SuiteSource.read(found)
        words = [] if logged.python == here.python else ["--suite-python", logged.python]
        for name, value in logged.options.items():
            words += ["--suite-option", f"{name}={value}"]
        raise UsageError(
            f"the run has the suite of {combination.source}; here it is that of {found}",
            hint=f"if you trust it: {shlex.join(words)}" if words else "leave out --suite-option",
        )


def _check_server(
    log: "RunLog", combination: "RunCombination", host: HostConfig
) -> "RunCombination":
    """The combination with the server that was given now; the log's address must be the same."""
    from tapwright.workflows.models import server_client

    client = server_client(combination.spec)
    if client is None:
        return replace(combination, base_url=None)
    name = combination.spec.partition("/")[0]
    found = host.server(name)
    address = " ".join(client.addresses(found.url or client.wire.url))
    if combination.base_url is not None and combination.base_url != address:
        raise UsageError(
            f"{log.path}: the run was made with the server {combination.base_url}, "
            f"and the one given now is {address}",
            hint="keys are sent only to a server that you name: "
            "if you trust it, --base-url " + combination.base_url.replace(" ", " --base-url "),
        )
    return replace(combination, base_url=address, named_by=found.named_by)


def _check_helper(role: HelperRole, logged: str, host: HostConfig) -> None:
    """Check that the server of a helping model is the one that the environment names."""
    given = host.helper_url(role)
    if logged and logged != given:
        variable = f"TAPWRIGHT_{role.upper()}_URL"
        raise UsageError(
            f"the run's {role} is at {logged}, and {variable} is {given or 'not set'}",
            hint=f"keys are sent only to a server that you name: if you trust it, "
            f"set {variable}={logged}",
        )


def _check_option(
    name: str, logged: str | None, given: str | None, *, is_required: Callable[[str], bool]
) -> None:
    """Check an option against the log: it must be equal, and given where it `is_required`."""
    if given == logged or (given is None and not is_required(logged or "")):
        return
    raise UsageError(
        f"--{name}: the run has {logged or 'none'}, given is {given or 'none'}",
        hint=f"if you trust it: --{name} {logged}" if logged else f"leave out --{name}",
    )


def _is_real(device: str) -> bool:
    """Whether it may be somebody's: all but those that start empty in this process."""
    return device.partition(":")[0] not in ("", "fake", "miniwob", "phone")
