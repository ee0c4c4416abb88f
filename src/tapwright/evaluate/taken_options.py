"""What each kind of evaluation takes: one table, by which an option without effect is refused.

The names are those of `RunPlan`, of how a run is carried out (`workflows.evaluate.RunSettings`) and
of what helps an agent. A name that the table does not have is taken by all kinds.
"""

from collections.abc import Collection, Mapping
from typing import Literal, TypeAlias

from tapwright.benchmarks import benchmarks
from tapwright.conventions import conventions
from tapwright.conventions.convention import decides_size
from tapwright.errors import UnknownNameError
from tapwright.evaluate.plan import RunPlan

__all__ = ["Kind", "kind_of", "kind_of_name", "list_unused", "takes"]

Kind: TypeAlias = Literal["questions", "pointing", "steps", "tasks"]

_QUERIED = frozenset(
    {
        "system", "user_prompt", "build", "preprocess", "generate", "postprocess", "parse",
        "hook_kwargs", "max_side", "max_pixels", "concurrency",
    }
)  # fmt: skip
_PLAYED = frozenset(
    {
        "device", "envs", "max_steps", "max_s", "grounder", "grounder_convention", "planner",
        "query_policy", "history", "loops", "decision_seconds", "replay", "network", "allow",
        "profile",
    }
)  # fmt: skip
_TAKEN: Mapping[Kind, frozenset[str]] = {
    "questions": _QUERIED | {"parser", "shuffle_options", "control"},
    "pointing": _QUERIED | {"parser", "space", "convention", "control"},
    "steps": _QUERIED | {"convention", "annotator", "history", "step_history"},
    "tasks": _PLAYED | {"convention", "max_pixels"},
}
_KNOWN = frozenset[str]().union(*_TAKEN.values())
# An agent is shown the screen and answers with an action: nothing is sent to a model of the plan's.
_OF_MODELS = frozenset(
    {
        "system", "user_prompt", "build", "preprocess", "generate", "max_side", "max_pixels",
        "space", "convention", "control", "history", "step_history",
    }
)  # fmt: skip
_OF_CONVENTIONS: Mapping[Kind, frozenset[str]] = {
    "pointing": frozenset({"space", "parser", "user_prompt", "parse"}),
    "steps": frozenset({"user_prompt"}),
}
_OF_SIZING_CONVENTIONS = frozenset({"max_side", "max_pixels"})


def kind_of(benchmark: object) -> Kind | None:
    """The kind of a benchmark, or of what loads it; None for one of the user's own kind."""
    from tapwright.benchmarks.benchmark import TaskBenchmark
    from tapwright.benchmarks.pointing import PointingBenchmark
    from tapwright.benchmarks.understanding import UnderstandingBenchmark

    function = getattr(benchmark, "func", benchmark)  # of a partial
    owner = getattr(function, "__self__", function)  # of a class method
    made = owner if isinstance(owner, type) else type(owner)
    if issubclass(made, PointingBenchmark):
        return "pointing"
    if issubclass(made, UnderstandingBenchmark):
        return "questions"
    from tapwright.benchmarks.stepwise import Stepwise  # others need not wait for its rules

    if issubclass(made, Stepwise):
        return "steps"
    return "tasks" if hasattr(made, "play") or isinstance(owner, TaskBenchmark) else None


def kind_of_name(name: str) -> Kind | None:
    """The kind of a registered benchmark; None for other names."""
    try:
        return kind_of(benchmarks.get(name))
    except UnknownNameError:
        return None


def takes(kind: Kind | None, spec: str, name: str) -> bool:
    """Whether measuring `spec` on a benchmark of this kind looks at the option called `name`."""
    if "/" not in spec and name in _OF_MODELS:
        return False
    return kind is None or name not in _KNOWN or name in _TAKEN[kind]


def list_unused(kind: Kind | None, spec: str, plan: RunPlan) -> list[str]:
    """The keys of a plan that have no effect, sorted; those that its convention decides, too."""
    changed = plan.model_dump(exclude_defaults=True).keys()
    unused = {name for name in changed if not takes(kind, spec, name)}
    return sorted(unused | (changed & _decided_by_convention(kind, plan)))


def _decided_by_convention(kind: Kind | None, plan: RunPlan) -> Collection[str]:
    if not plan.convention or kind is None:
        return frozenset()
    decided = _OF_CONVENTIONS.get(kind, frozenset())
    if decides_size(conventions.get(plan.convention)):
        decided |= _OF_SIZING_CONVENTIONS
    return decided
