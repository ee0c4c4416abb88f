"""How the answers of each suite are scored, by name: the published rules, and tapwright's own.

A number can be compared with a paper's only under the paper's rule, so the published rule is each
suite's default, and a run's plan and report have its name. Logs from before rules had names have
none; they were scored under `SuiteRules.unnamed`. The rules are rows of `score_rules.toml`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from tapwright.errors import UnknownNameError, UsageError
from tapwright.files.packaged import read_table

__all__ = [
    "CLOSED", "OWN", "SUITES", "ChoiceRule", "PointRule", "ScoreRule", "StepSuiteRule",
    "SuiteRules", "find_rule", "point_rule", "rule_of_log", "step_rule",
]  # fmt: skip

OWN = "tapwright"


@dataclass(frozen=True, slots=True)
class ChoiceRule:
    """A rule for questions with options; only what of a failed request becomes can differ.

    `source` is "owner/repository@commit path", or "tapwright" for rules of our own. With
    `counts_failures` a request that failed is a wrong answer, else it is in no score.
    """

    name: str
    source: str
    summary: str
    counts_failures: bool = False


@dataclass(frozen=True, slots=True)
class PointRule(ChoiceRule):
    """A rule for answers that point.

    With `exact` a place is the very numbers of the answer, in shares of the picture, and all four
    edges of a box are in it, or none where it is `open_box`; else a pixel means its centre. A
    refusal is both coordinates below zero when `negative_refuses`, else words count as well, and
    `prompts_refusal` adds to the prompt that there may be no such element. With `own_reader`
    answers are read as that evaluator did, by `published_readers.READERS`, and by nothing else.
    """

    exact: bool = True
    negative_refuses: bool = False
    prompts_refusal: bool = False
    own_reader: bool = False
    open_box: bool = False


@dataclass(frozen=True, slots=True)
class StepSuiteRule(ChoiceRule):
    """A rule for recorded steps: those of `step_rules.RULES` under `name`, and which are scored.

    With `adds_finish` the screen after the last step has a step, too, whose right action is to
    finish. Steps whose action is of the type that it `leaves_out` are not scored.
    """

    adds_finish: bool = False
    leaves_out: str = ""


ScoreRule: TypeAlias = ChoiceRule | PointRule | StepSuiteRule


@dataclass(frozen=True, slots=True)
class SuiteRules:
    """The rules of a suite by name; the first is the default.

    One that is named like a convention is how that family's published scores were computed: it is
    the default for answers in it.
    `unnamed` is the name of the one under which logs without a name of a rule were scored.
    """

    rules: tuple[ScoreRule, ...]
    unnamed: str
    by_name: Mapping[str, ScoreRule] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {rule.name: rule for rule in self.rules})

    @property
    def default(self) -> ScoreRule:
        """The rule when none is chosen."""
        return self.rules[0]


_TABLE = read_table("tapwright.benchmarks", "score_rules")
_KINDS: Mapping[str, type[ChoiceRule]] = {
    "choice": ChoiceRule, "point": PointRule, "steps": StepSuiteRule,
}  # fmt: skip
_RULES = {
    id_: _KINDS[kind](**{"name": id_, **facts})
    for id_, row in _TABLE["rules"].items()
    for kind, facts in [(row.pop("kind"), row)]
}
CLOSED, _OWN_POINT = (cast(PointRule, _RULES[one]) for one in ("closed", "own-point"))
"""What the published rules of answers that point have in common; and ours."""

SUITES: Mapping[str, SuiteRules] = {
    name: SuiteRules(tuple(_RULES[one] for one in row["rules"]), row["unnamed"])
    for name, row in _TABLE["suites"].items()
}


def find_rule(suite: str, name: str = "", *, convention: str = "") -> ScoreRule:
    """The rule of a suite with that name; for "" that of the convention's family, or the default.

    Raises:
        UsageError: the suite has no rules to choose from, or none of that name.
    """
    if suite not in SUITES:
        raise UsageError(
            f"rules do not apply to {suite}, which has one way of scoring",
            hint=f"suites with rules: {', '.join(SUITES)}",
        )
    rules = SUITES[suite]
    if not name:
        return rules.by_name.get(convention, rules.default)
    if name not in rules.by_name:
        error = UnknownNameError(f"rule of {suite}", name, rules.by_name)
        if not error.hint.startswith("known"):
            error.hint += f" Rules of {suite}: {', '.join(rules.by_name)}"
        raise error
    return rules.by_name[name]


def rule_of_log(suite: str, name: str) -> ScoreRule | None:
    """The rule that a log names, or, where it names none, the one of that time; None: no rules."""
    if suite not in SUITES:
        return None
    return find_rule(suite, name or SUITES[suite].unnamed)


def point_rule(suite: str, name: str = "") -> PointRule:
    """`find_rule` for a suite of answers that point; other suites have our own rule.

    Raises:
        UsageError: the suite has no rule of that name.
    """
    rule = find_rule(suite, name) if suite in SUITES or name else _OWN_POINT
    return rule if isinstance(rule, PointRule) else _OWN_POINT


def step_rule(suite: str, name: str = "") -> StepSuiteRule:
    """`find_rule` for a suite of recorded steps.

    Raises:
        UsageError: the suite has no rule of that name.
    """
    rule = find_rule(suite, name)
    if not isinstance(rule, StepSuiteRule):
        raise UsageError(f"{suite} has no recorded steps")
    return rule
