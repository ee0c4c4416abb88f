"""A run in a few lines of text."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapwright.evaluate.run_log import RunLog


def describe_score(log: "RunLog") -> str:
    """The score of a run with its 95 % interval, and how its queries ended where not all well."""
    from tapwright.benchmarks.metrics import cell

    whole = cell(log.rows)
    ended = describe_endings(log)
    if whole.value is None or whole.interval is None:
        return f"nothing scored{ended}"
    low, high = 100 * whole.interval.low, 100 * whole.interval.high
    return f"{100 * whole.value:.1f} % ({low:.0f} to {high:.0f}) of {whole.n}{ended}"


def describe_endings(log: "RunLog") -> str:
    """How the queries of a run ended, as the rest of a sentence; "" when all were answered."""
    from tapwright.benchmarks.metrics import cell

    whole = cell(log.rows)
    if whole.answered == log.header.samples:
        return ""
    others = {str(name): n for name, n in whole.endings.items() if name != "answered"}
    if missing := log.header.samples - whole.asked:
        others["not asked"] = missing
    what = "judged" if log.header.is_played else "answered"
    return f"; {what} {whole.answered} of {log.header.samples}, {_join_counts(others)}"


def rules_in_words(log: "RunLog") -> str:
    """The name of the rule that a run was scored under; "" for suites that have no rules."""
    from tapwright.evaluate.rule_choice import rule_of_header

    rule = rule_of_header(log.header)
    return rule.name if rule else ""


def describe_rules(log: "RunLog") -> list[str]:
    """The rule that a run was scored under, and where it is from; nothing where there is none."""
    from tapwright.evaluate.rule_choice import rule_of_header

    rule = rule_of_header(log.header)
    return [f"rules {rule.name}: {rule.summary} ({rule.source})"] if rule else []


def describe_attempts(log: "RunLog") -> list[str]:
    """How the attempts of a run of tasks ended and what they took; nothing for other runs."""
    from tapwright.evaluate import attempt_causes
    from tapwright.evaluate.step_efficiency import measure_step_efficiency

    lines = []
    played = measure_step_efficiency(log)
    if played is not None:
        area = played.eqa
        lines.append(
            f"EQA {area.exact:.3f} in the suite's order (101 points {area.sampled:.3f}, any order "
            f"{area.permutation_mean:.3f}, per task {area.per_task:.3f}), of {played.max_steps} "
            "steps per task"
        )
        if played.ratio is not None:
            lines.append(
                f"{played.ratio:.2f} steps for each of the script's, "
                f"over {played.compared} successes"
            )
    if ended := {
        name: count for name, count in attempt_causes.count_causes(log.rows).items() if name
    }:
        lines.append(_join_counts(ended))
    if carried_over := attempt_causes.count_carried(log.rows):
        lines.append(f"carried from app to app: {_join_counts(carried_over)}")
    if injections := attempt_causes.count_injections(log.rows):
        lines.append(f"orders on the screen: {_join_counts(injections)}")
    lines += _describe_agents(attempt_causes.sum_counts(log.rows))
    usage = log.usage
    if played is not None and usage.input_tokens:
        cost = "" if log.cost is None else f", cost {log.cost:.4g}"
        lines.append(
            f"{usage.input_tokens} input tokens, {usage.output_tokens} output tokens{cost}"
        )
    return lines


def _describe_agents(counts: Mapping[str, int]) -> list[str]:
    lines = []
    if calls := counts.get("model_calls", 0):
        lines.append(f"{calls} model calls")
    replayed, queried = counts.get("replayed", 0), counts.get("asked", 0)
    if replayed + queried:
        share = replayed / (replayed + queried)
        lines.append(
            f"{replayed} of {replayed + queried} decisions replayed ({share:.0%}) without a query"
        )
    if loops := counts.get("loops", 0):
        lines.append(f"{loops} loops detected")
    return lines


def _join_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
