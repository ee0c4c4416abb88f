"""Which rule a run is scored under: what its plan names, its log, or the suite's default."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, cast

from tapwright.benchmarks.benchmark import SampleSource
from tapwright.benchmarks.pointing import PointingBenchmark
from tapwright.benchmarks.score_rules import SUITES, ScoreRule, find_rule, rule_of_log
from tapwright.benchmarks.static_benchmark import StaticBenchmark
from tapwright.conventions.history import HistoryPolicy
from tapwright.errors import UsageError
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run_log import RunHeader, has_begun, read_run, rules_of_header
from tapwright.evaluate.taken_options import kind_of

if TYPE_CHECKING:
    from tapwright.benchmarks.stepwise import Stepwise

__all__ = ["rule_of_header", "settle_rules", "under_plan"]

B = TypeVar("B", bound=SampleSource[Any])


def settle_rules(plan: RunPlan, suite: str, out: Path) -> RunPlan:
    """The plan with the name of the rule that a run of `suite` in `out` is scored under.

    A run that is continued keeps the one of its log, and has none if its log has none.

    Raises:
        UsageError: the plan names a rule that the suite does not have.
    """
    if plan.rules:
        find_rule(suite, plan.rules)
        return plan
    if suite not in SUITES:
        return plan
    if has_begun(out):
        name = rules_of_header(read_run(out).header)
    else:
        name = find_rule(suite, convention=plan.convention).name
    return plan.model_copy(update={"rules": name})


def under_plan(benchmark: B, plan: RunPlan) -> B:
    """The benchmark with all that a plan changes of its samples, the plan's rule settled.

    Raises:
        UsageError: the benchmark has no such rule, no levels, or no control; or there is no such
            history policy.
        BadBenchmarkError: the level is low, and a step has no instruction of its own; or the
            plan's annotator has annotated no episode.
    """
    made: SampleSource[Any] = benchmark
    if isinstance(made, PointingBenchmark) or _is_of_steps(made):
        rule = rule_of_log(made.name, plan.rules)
        made = made.under(rule.name) if rule else made
        made = made.in_pictures(max_side=plan.max_side, max_pixels=plan.max_pixels)
    elif plan.rules:
        find_rule(made.name, plan.rules)
    if isinstance(made, StaticBenchmark):
        made = made.under_control(plan.control)
    elif plan.control:
        raise UsageError(f"the control {plan.control} does not apply to {made.name}")
    if _is_of_steps(made):
        made = made.at_level(plan.level).annotated_by(plan.annotator)
        if plan.step_history:
            made = made.with_history(HistoryPolicy.from_text(plan.step_history))
    elif plan.level != "high":
        raise UsageError(
            f"a level does not apply to {made.name}: only recorded steps have instructions",
            hint="steps-android-control has them",
        )
    return cast(B, made)


def _is_of_steps(benchmark: object) -> "TypeGuard[Stepwise]":
    return kind_of(benchmark) == "steps"


def rule_of_header(header: RunHeader) -> ScoreRule | None:
    """The rule under which a run was scored; None for suites that have no rules.

    Raises:
        UsageError: the suite has no rule of the name that the header has.
    """
    return rule_of_log(header.benchmark, rules_of_header(header))
