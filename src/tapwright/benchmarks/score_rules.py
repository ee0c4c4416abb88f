"""How the answers of each suite are scored, by name: the published rules, and tapwright's own.

A number can be compared with a paper's only under the paper's rule, so the published rule is each
suite's default, and a run's plan and report have its name. Logs from before rules had names have
none; they were scored under `SuiteRules.unnamed`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tapwright.core.actions import Action, OpenApp
from tapwright.errors import UnknownNameError, UsageError

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
    finish. Steps whose action is one of `leaves_out` are not scored.
    """

    adds_finish: bool = False
    leaves_out: tuple[type[Action], ...] = ()


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


CLOSED = PointRule("closed", OWN, "the answer's own numbers, all four edges of the box included")
"""What the published rules of answers that point have in common."""

_OWN_POINT = PointRule(
    OWN, OWN, "a pixel means its centre; refusals in words count, too", exact=False,
    prompts_refusal=True,
)  # fmt: skip
_OWN_CHOICE = ChoiceRule(OWN, OWN, "a request that failed is in no score")
_MMBENCH = "open-compass/MMBench-GUI@896ddf1 benchmarks"
_SCREENSPOT_PRO = "likaixin2000/ScreenSpot-Pro-GUI-Grounding@bd8bbbb eval_screenspot_pro.py"
_AGENTCPM = "OpenBMB/AgentCPM-GUI@acbaf50 eval/utils/evaluator.py"
_OS_ATLAS = "OS-Copilot/OS-Atlas@bad0840 eval/eval_scripts"
_OPENCUA = "evaluation/agentnetbench/eval.py"


_MAI_UI = PointRule(
    "mai-ui", "Tongyi-MAI/MAI-UI@4dd07b9 evaluation/grounding/eval_server.py",
    "the first [x,y] of the answer, divided by 1000; all four edges of the box included",
    own_reader=True,
)  # fmt: skip


_GTA1 = PointRule(
    "gta1", "Yan98/GTA1@81f0c4c README.md",
    "the first (x,y) of the answer, its thoughts included; (0, 0) where there is none or a decimal",
    own_reader=True,
)  # fmt: skip
_UI_VENUS_GROUND = PointRule(
    "ui-venus-ground", "inclusionAI/UI-Venus@fc7670d models/grounding/ui_venus_ground_7b.py",
    "the middle of the box that the whole answer is; (0, 0) for any other answer",
    own_reader=True,
)  # fmt: skip
_UI_VENUS_15 = PointRule(
    "ui-venus-1.5", "inclusionAI/UI-Venus@c3a1442 models/grounding/ui_venus1_5_gd.py",
    "the whole answer as a point or box, or what the first brackets hold; [-1,-1] refuses",
    own_reader=True,
)  # fmt: skip
_INFIGUI_G1 = PointRule(
    "infigui-g1", "InfiXAI/InfiGUI-G1@22208e4 eval/prompts.py",
    "the first point of the JSON behind the thoughts; no JSON refuses, as [] does",
    own_reader=True,
)  # fmt: skip
_GUI_R1 = PointRule(
    "gui-r1", "ritzz-ai/GUI-R1@d43eea2 guir1/inference/inference_vllm_screenspot.py, "
    "guir1/eval/eval_screenspot.py",
    "the last [x, y] in <answer>, else (0, 0), in pixels of the recorded picture; no edge of a box",
    own_reader=True, open_box=True,
)  # fmt: skip
_UI_R1 = PointRule(
    "ui-r1", "lll6gg/UI-R1@2fe9bf0 evaluation/test_screenspot.py",
    "the last [x, y] in <answer>, else (0, 0), in pixels of the recorded picture",
    own_reader=True,
)  # fmt: skip
_QWEN25_VL = PointRule(
    "qwen2.5-vl-computer", "likaixin2000/ScreenSpot-Pro-GUI-Grounding@bd8bbbb models/qwen2_5vl.py",
    "the coordinate of the first call, whatever tool and action it names",
    own_reader=True,
)  # fmt: skip
_FAMILIES = (
    _MAI_UI, _GTA1, _UI_VENUS_GROUND, _UI_VENUS_15, _INFIGUI_G1, _GUI_R1, _UI_R1, _QWEN25_VL,
)  # fmt: skip


def _point_suite(name: str, source: str, summary: str, **how: bool) -> SuiteRules:
    return SuiteRules((PointRule(name, source, summary, **how), *_FAMILIES, _OWN_POINT), OWN)


_SEECLICK = _point_suite(
    "seeclick", "njucckevin/SeeClick@0ef37ac pretrain/screenspot_test.py", CLOSED.summary
)  # fmt: skip
_PRO = _point_suite("screenspot-pro", _SCREENSPOT_PRO, CLOSED.summary)
_OSWORLD_G = _point_suite(
    "osworld-g",
    # xlang-ai/OSWorld-G itself cannot be had; this is the copy of its rule that can.
    "EvolvingLMMs-Lab/lmms-eval@75571cf lmms_eval/tasks/osworld_g/utils.py",
    f"{CLOSED.summary}; both coordinates below zero refuse",
    negative_refuses=True,
)
_QWEN = StepSuiteRule(
    "qwen", f"{_AGENTCPM}, eval/eval_data/process_ac.py",
    "a tap in one of five elements, or within 0.04; waiting is an end; no open_app; a last finish",
    adds_finish=True, leaves_out=(OpenApp,),
)  # fmt: skip
_AGENTCPM_GUI = StepSuiteRule(
    "agentcpm-gui", _AGENTCPM, "a tap in an element that holds the right place, or within 0.14"
)
_OS_ATLAS_AC = StepSuiteRule(
    "os-atlas", f"{_OS_ATLAS}/android_control/evaluation_unify.py",
    "a tap within 0.14; the first word of texts and apps",
)  # fmt: skip
_OS_ATLAS_ODYSSEY = StepSuiteRule(
    "os-atlas-odyssey", f"{_OS_ATLAS}/odyssey/evaluation_unify.py",
    "a tap within 0.14; texts with an F1 above 0.5",
)  # fmt: skip
_ODYSSEY = StepSuiteRule(
    "odyssey", "OpenGVLab/GUI-Odyssey@e12788f src/eval_mm/GUIOdyssey_action_matching.py",
    "a tap in the target or within 0.14; texts half alike; a key is its own type",
)  # fmt: skip


def _own_steps(name: str, summary: str) -> StepSuiteRule:
    return StepSuiteRule(f"{name}-{OWN}", OWN, summary)


_OWN_QWEN = _own_steps("qwen", "Qwen's, each type on its own, every recorded step")
_OWN_OS_ATLAS = _own_steps("os-atlas", "OS-Atlas's, with the F1 of all words")

SUITES: Mapping[str, SuiteRules] = {
    "l1": SuiteRules(
        (
            ChoiceRule(
                "mmbench-gui", f"{_MMBENCH}/l1_content_understanding.py",
                "a request that failed is a wrong answer", counts_failures=True,
            ),
            _OWN_CHOICE,
        ),
        OWN,
    ),
    "l2": _point_suite(
        "mmbench-gui", f"{_MMBENCH}/l2_element_grounding.py",
        f"{CLOSED.summary}; a request that failed is a wrong answer",
        counts_failures=True,
    ),
    "screenspot": _SEECLICK,
    "screenspot-v2": _SEECLICK,
    "screenspot-pro": _PRO,
    "screenspot-pro-cn": _PRO,
    "osworld-g": _OSWORLD_G,
    "osworld-g-refined": _OSWORLD_G,
    "ui-vision": _point_suite(
        "ui-vision", "uivision/UI-Vision@76085a9 eval/grounding/eval_uivision.py", CLOSED.summary
    ),
    "steps-aitw": SuiteRules(
        (
            StepSuiteRule(
                "aitw",
                "google-research/google-research@1d49f2c android_in_the_wild/action_matching.py",
                "a tap within 0.14 or in the same element; the axis of a drag; no texts",
            ),
            _AGENTCPM_GUI,
        ),
        "aitw",
    ),
    "steps-aitz": SuiteRules((_AGENTCPM_GUI,), "agentcpm-gui"),
    "steps-android-control": SuiteRules((_QWEN, _OS_ATLAS_AC, _OWN_QWEN, _OWN_OS_ATLAS), "qwen"),
    "steps-os-atlas": SuiteRules(
        (_OS_ATLAS_AC, _OS_ATLAS_ODYSSEY, _OWN_OS_ATLAS), "os-atlas-tapwright"
    ),
    "steps-qwen": SuiteRules((_QWEN, _OWN_QWEN), "qwen-tapwright"),
    "steps-odyssey": SuiteRules(
        (
            _ODYSSEY,
            _AGENTCPM_GUI,
            _OS_ATLAS_ODYSSEY,
            _own_steps("odyssey", "GUI-Odyssey's, with all keys of one type"),
        ),
        "odyssey-tapwright",
    ),
    "steps-agentnet": SuiteRules(
        (
            StepSuiteRule(
                "agentnet", f"xlang-ai/OpenCUA@1d70f20 {_OPENCUA}",
                "by distance; any scroll; keys as a set; a drag by both ends",
            ),
            StepSuiteRule(
                "agentnet-60da8b9", f"xlang-ai/OpenCUA@60da8b9 {_OPENCUA}",
                "by distance; direction and amount of a scroll; keys in order",
            ),
            _own_steps("agentnet", "that of 60da8b9, with a drag by its end, and waiting right"),
        ),
        "agentnet-tapwright",
    ),
}  # fmt: skip


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
