"""A file that says which models are measured on which benchmarks, and how: TOML, or JSON alike.

    [plan]                                # for all; every key of `RunPlan`
    epochs = 2
    [benchmarks.l1]                       # for one benchmark; `data` is its directory
    data = "bench"
    limit = 100
    [models."openai/qwen2.5-vl-7b"]       # for one model
    base_url = "http://127.0.0.1:8000/v1"
    key = "QWEN_API_KEY"                  # the environment variable that holds the key
    settings = { temperature = 0.0 }
    space = "pixel"
    prompts = { l2 = "mine.build_l2" }    # a prompt of one's own for one benchmark

Every model is measured on every benchmark. A benchmark's keys go before a model's, and those before
the plan's. A JSON file in the shape of MMBench-GUI's is read as one (`mmbench_config`).
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue, ValidationError

from tapwright.errors import first_problem
from tapwright.evaluate.errors import PlanError
from tapwright.evaluate.plan import RunPlan

__all__ = ["EvaluationConfig", "RunCombination", "make_plan", "read_config"]

Table = dict[str, JsonValue]

_EXAMPLE = 'such as {"benchmarks": {"l1": {"data": "bench"}}, "models": {"openai/NAME": {}}}'


@dataclass(frozen=True, slots=True)
class RunCombination:
    """One model on one benchmark: what `evaluate` needs, by name.

    `spec` is "client/name" or an agent's name; `source` the benchmark's data, "" when the file does
    not say. `key` names the environment variable with the server's key. `secret` is a key that
    stood in the file itself; it is in no message and no log.
    """

    benchmark: str
    spec: str
    plan: RunPlan
    source: str = ""
    base_url: str | None = None
    key: str = ""
    secret: str = field(default="", repr=False)
    settings: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvaluationConfig:
    """All combinations of a file, and what of it was left aside or should be changed."""

    combinations: tuple[RunCombination, ...]
    notices: tuple[str, ...] = ()


def read_config(path: Path) -> EvaluationConfig:
    """The combinations that a file asks for.

    Raises:
        PlanError: the file cannot be read, or a key is not one; the message names file and key.
    """
    try:
        data = path.read_bytes()
        found = json.loads(data) if path.suffix == ".json" else tomllib.loads(data.decode())
    except OSError as error:
        raise PlanError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise PlanError(f"{path}: not {kind}: {error}") from error
    if not isinstance(found, dict):
        raise PlanError(f"{path}: expected a table with benchmarks and models")
    if "model" in found and "data" in found:
        from tapwright.evaluate.mmbench_config import read_mmbench

        return read_mmbench(path, found)
    unknown = sorted(found.keys() - {"plan", "benchmarks", "models"})
    if unknown:
        raise PlanError(
            f"{path}: {unknown[0]!r} is not a key; expected plan, benchmarks and models"
        )
    common = read_table(f"{path}: plan", found.get("plan", {}))
    combinations = [
        _combination(path, common, benchmark, of_benchmark, spec, of_model)
        for spec, of_model in _tables(path, found, "models").items()
        for benchmark, of_benchmark in _tables(path, found, "benchmarks").items()
    ]
    return EvaluationConfig(tuple(combinations))


def make_plan(where: str, keys: Mapping[str, JsonValue]) -> RunPlan:
    """The plan with these keys.

    Raises:
        PlanError: a key is not a plan's, or a value is not one; the message begins with `where`.
    """
    try:
        return RunPlan.model_validate(dict(keys))
    except ValidationError as error:
        raise PlanError(
            f"{where}: {first_problem(error)}", hint=f"keys: {', '.join(RunPlan.model_fields)}"
        ) from error


def read_table(where: str, found: object) -> Table:
    """A table of a file, copied.

    Raises:
        PlanError: it is something else.
    """
    if not isinstance(found, dict):
        raise PlanError(f"{where}: {type(found).__name__}; expected a table")
    return dict(found)


def read_string(where: str, entry: Table, name: str) -> str:
    """The text under a key, which is taken out; "" when there is none.

    Raises:
        PlanError: it is not text.
    """
    value = entry.pop(name, "")
    if not isinstance(value, str):
        raise PlanError(f"{where}.{name}: {type(value).__name__}; expected text")
    return value


def _tables(path: Path, found: Table, name: str) -> dict[str, Table]:
    entries = read_table(f"{path}: {name}", found.get(name, {}))
    if not entries:
        raise PlanError(f"{path}: no {name}", hint=_EXAMPLE)
    return {key: read_table(f"{path}: {name}.{key}", value) for key, value in entries.items()}


def _combination(
    path: Path, common: Table, benchmark: str, of_benchmark: Table, spec: str, of_model: Table
) -> RunCombination:
    where = f"{path}: models.{spec}"
    model, data = dict(of_model), dict(of_benchmark)
    source = read_string(f"{path}: benchmarks.{benchmark}", data, "data")
    base_url, key = read_string(where, model, "base_url"), read_string(where, model, "key")
    settings = read_table(f"{where}.settings", model.pop("settings", {}))
    prompts = read_table(f"{where}.prompts", model.pop("prompts", {}))
    if benchmark in prompts:
        model["build"] = prompts[benchmark]
    return RunCombination(
        benchmark=benchmark,
        spec=spec,
        plan=make_plan(f"{where} on {benchmark}", {**common, **model, **data}),
        source=source,
        base_url=base_url or None,
        key=key,
        settings=settings,
    )
