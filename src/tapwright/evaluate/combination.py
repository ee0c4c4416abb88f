"""One model or agent on one benchmark, and the plan that it is measured under."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue, ValidationError

from tapwright.core.secret_destinations import NamedBy
from tapwright.errors import first_problem
from tapwright.evaluate.errors import PlanError
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.taken_options import kind_of_name, takes

__all__ = [
    "EvaluationConfig", "Overrides", "RunCombination", "Table", "make_plan", "read_string",
    "read_table", "taken_keys",
]  # fmt: skip

Table = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class RunCombination:
    """One model on one benchmark: what `evaluate` needs, by name.

    `spec` is "client/name" or an agent's name; `source` the benchmark's data, "" when the file does
    not say. `named_by` is who named `base_url`: a stranger's is asked nothing. `key` names the
    environment variable with the server's key. `secret` is a key that stood in the file itself; it
    is in no message and no log.
    """

    benchmark: str
    spec: str
    plan: RunPlan
    source: str = ""
    base_url: str | None = None
    named_by: NamedBy = NamedBy.ARGUMENT
    key: str = ""
    secret: str = field(default="", repr=False)
    settings: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvaluationConfig:
    """All combinations of a file, and what of it was left aside or should be changed."""

    combinations: tuple[RunCombination, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overrides:
    """Keys of plans from outside of a config file, such as the options of a command.

    `keys` replace the file's where the evaluation takes them, `defaults` of a benchmark are
    replaced by them; `price` returns the price of a model.
    """

    keys: Mapping[str, JsonValue] = field(default_factory=dict)
    defaults: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    price: Callable[[str], JsonValue] | None = None

    def plan(self, where: str, benchmark: str, spec: str, keys: Mapping[str, JsonValue]) -> RunPlan:
        """The plan for a model on a benchmark with these keys of a file.

        Raises:
            PlanError: a key is not a plan's, or a value is invalid; the message names `where`.
        """
        price = {} if self.price is None else {"price": self.price(spec)}
        own = taken_keys(benchmark, spec, self.keys)
        return make_plan(where, {**self.defaults.get(benchmark, {}), **keys, **own, **price})


def taken_keys(benchmark: str, spec: str, keys: Mapping[str, JsonValue]) -> Table:
    """Those of the keys for several evaluations that this one takes."""
    kind = kind_of_name(benchmark)
    return {name: value for name, value in keys.items() if takes(kind, spec, name)}


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
