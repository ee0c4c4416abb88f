"""A file with the models to measure, the benchmarks, and how: TOML, or JSON alike.

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
    convention = "qwen2.5-vl"             # how the model was trained: prompt, pictures, unit
    prompts = { l2 = "mine.build_l2" }    # a prompt of one's own for one benchmark

Every model is measured on every benchmark. A benchmark's keys go before a model's, and those before
the plan's. A key of all, or of a model, counts on the benchmarks that take it (`taken_options`);
one that no evaluation takes is refused, as is a benchmark's that it does not take. A JSON file in
the shape of MMBench-GUI's is read as one (`mmbench_config`).
"""

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path

from tapwright.core.secret_destinations import NamedBy
from tapwright.evaluate import combination
from tapwright.evaluate.errors import PlanError
from tapwright.evaluate.mmbench_config import read_mmbench
from tapwright.evaluate.plan import RunPlan
from tapwright.files.regular import read_regular

__all__ = ["read_config"]

_EXAMPLE = 'such as {"benchmarks": {"l1": {"data": "bench"}}, "models": {"openai/NAME": {}}}'


def read_config(
    path: Path, overrides: combination.Overrides | None = None
) -> combination.EvaluationConfig:
    """The combinations of a file, with plans that `overrides` go into.

    Raises:
        PlanError: the file cannot be read, or a key is not one; the message names file and key.
    """
    overrides = overrides or combination.Overrides()
    try:
        data = read_regular(path)
        found = json.loads(data) if path.suffix == ".json" else tomllib.loads(data.decode())
    except OSError as error:
        raise PlanError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise PlanError(f"{path}: not {kind}: {error}") from error
    if not isinstance(found, dict):
        raise PlanError(f"{path}: expected a table with benchmarks and models")
    if "model" in found and "data" in found:
        return read_mmbench(path, found, overrides)
    unknown = sorted(found.keys() - {"plan", "benchmarks", "models"})
    if unknown:
        raise PlanError(
            f"{path}: {unknown[0]!r} is not a key; expected plan, benchmarks and models"
        )
    common = combination.read_table(f"{path}: plan", found.get("plan", {}))
    combinations = [
        _combination(path, common, benchmark, of_benchmark, spec, of_model, overrides)
        for spec, of_model in _tables(path, found, "models").items()
        for benchmark, of_benchmark in _tables(path, found, "benchmarks").items()
    ]
    _check_wide_keys(path, found, common)
    return combination.EvaluationConfig(tuple(combinations))


def _check_wide_keys(path: Path, found: combination.Table, common: combination.Table) -> None:
    """Refuse keys of all, or of a model, that no evaluation of theirs takes."""
    models, names = _tables(path, found, "models"), [*_tables(path, found, "benchmarks")]

    def check(where: str, keys: Iterable[str], specs: Iterable[str]) -> None:
        pairs = [(name, spec) for name in names for spec in specs]
        for key in keys:
            if key in RunPlan.model_fields and not any(
                combination.taken_keys(name, spec, {key: None}) for name, spec in pairs
            ):
                raise PlanError(f"{where}: {key} has no effect on {', '.join(names)}")

    check(f"{path}: plan", common, models)
    for spec, keys in models.items():
        check(f"{path}: models.{spec}", keys, [spec])


def _tables(path: Path, found: combination.Table, name: str) -> dict[str, combination.Table]:
    entries = combination.read_table(f"{path}: {name}", found.get(name, {}))
    if not entries:
        raise PlanError(f"{path}: no {name}", hint=_EXAMPLE)
    return {
        key: combination.read_table(f"{path}: {name}.{key}", value)
        for key, value in entries.items()
    }


def _combination(
    path: Path,
    common: combination.Table,
    benchmark: str,
    of_benchmark: combination.Table,
    spec: str,
    of_model: combination.Table,
    overrides: combination.Overrides,
) -> combination.RunCombination:
    where = f"{path}: models.{spec}"
    model, data = dict(of_model), dict(of_benchmark)
    source = combination.read_string(f"{path}: benchmarks.{benchmark}", data, "data")
    base_url, key = (
        combination.read_string(where, model, "base_url"),
        combination.read_string(where, model, "key"),
    )
    settings = combination.read_table(f"{where}.settings", model.pop("settings", {}))
    prompts = combination.read_table(f"{where}.prompts", model.pop("prompts", {}))
    if benchmark in prompts:
        model["build"] = prompts[benchmark]
    wide = combination.taken_keys(benchmark, spec, {**common, **model})
    return combination.RunCombination(
        benchmark=benchmark,
        spec=spec,
        plan=overrides.plan(f"{where} on {benchmark}", benchmark, spec, {**wide, **data}),
        source=source,
        base_url=base_url or None,
        named_by=NamedBy.FILE,
        key=key,
        settings=settings,
    )
