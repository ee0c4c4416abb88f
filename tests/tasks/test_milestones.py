"""Graphs of milestones over the frames of an episode."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.core.actions import Finish, Swipe, Tap, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import FakeDevice, Scene, painted_scene
from tapwright.environment.environment import Environment
from tapwright.tasks.errors import BadMilestonesError
from tapwright.tasks.events.ocr import ScreenText
from tapwright.tasks.milestones.checks import AllChecks, AnyCheck, TextSeenCheck
from tapwright.tasks.milestones.frames import (
    CheckCost,
    FrameLook,
    FrameReader,
    MilestoneFrame,
    ScreenQuestion,
    Truth,
    make_frames,
)
from tapwright.tasks.milestones.graph import Milestone, MilestoneGraph
from tapwright.tasks.milestones.judgement import MilestonesCheck, graph_from_dict, judge, read_graph
from tapwright.tasks.milestones.rule_file import read_rule
from tapwright.tasks.milestones.rules import lint_rule
from tapwright.tasks.milestones.word_query import WordQuery
from tapwright.tasks.task import Task

CASES = json.loads(
    (Path(__file__).parents[1] / "golden/milestones/dag_cases.json").read_text(encoding="utf-8")
)["cases"]
GAPS: Mapping[str, Literal[0, 1]] = {"strict_order": 1, "same_frame_allowed": 0}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.parametrize("order", GAPS)
def test_recorded_graphs_are_judged_as_brute_force_judges_them(
    case: dict[str, JsonValue], order: str
) -> None:
    graph = graph_from_dict(case)
    frames = case["frames"]
    assert isinstance(frames, list)
    judged = judge(graph, [set(str(frame).split()) for frame in frames], gap=GAPS[order])
    expected = case["expect"]
    assert isinstance(expected, dict)
    assert {"ok": judged.success, "earliest": dict(judged.earliest)} == expected[order]


@dataclass(frozen=True)
class Given:
    """A check that answers what it is told to, at a cost."""

    answers: tuple[Truth, ...]
    costs: ClassVar[frozenset[CheckCost]] = frozenset({CheckCost.WORDS})

    def holds(self, look: FrameLook, cost: CheckCost) -> Truth:
        return self.answers[look.number]

    def evidence(self, look: FrameLook) -> tuple[str, str]:
        return "given", str(look.number)


TRUTHS = st.sampled_from([True, False, None])
FRAMES = 4


@st.composite
def graphs(draw: st.DrawFn, truths: st.SearchStrategy[Truth] = TRUTHS) -> MilestoneGraph:
    milestones = []
    for number in range(draw(st.integers(1, 4))):
        before = draw(st.lists(st.sampled_from(range(number)), unique=True)) if number else []
        parents = tuple(f"m{one}" for one in before)
        every = draw(st.booleans())
        milestones.append(
            Milestone(
                f"m{number}",
                Given(tuple(draw(st.lists(truths, min_size=FRAMES, max_size=FRAMES)))),
                all_of=parents if every else (),
                any_of=() if every else parents,
                score=draw(st.integers(0, 3)),
            )
        )
    ids = [one.id for one in milestones]
    success = draw(st.lists(st.sampled_from(ids), unique=True))
    return MilestoneGraph.of(milestones, success, needs_all=draw(st.booleans()))


def given_answers(graph: MilestoneGraph) -> list[tuple[Truth, ...]]:
    checks = [one.check for one in graph.milestones]
    assert all(isinstance(check, Given) for check in checks)
    return [check.answers for check in checks if isinstance(check, Given)]


def earliest(graph: MilestoneGraph, gap: int) -> dict[str, int | None]:
    """By the definition alone: every frame is tried against every choice of the parents'."""
    found: dict[str, int | None] = {}
    for one, answers in zip(graph.milestones, given_answers(graph), strict=True):
        before = [found[id_] for id_ in one.parents]
        possible = [
            frame
            for frame in range(FRAMES)
            if answers[frame]
            and (all if one.all_of else any)(
                parent is not None and frame >= parent + gap for parent in before or [-1]
            )
        ]
        found[one.id] = min(possible, default=None)
    return found


@given(graph=graphs(st.booleans()), gap=st.sampled_from([0, 1]))
def test_a_milestone_s_frame_is_the_least_beyond_its_parents(
    graph: MilestoneGraph, gap: Literal[0, 1]
) -> None:
    judged = judge(graph, [MilestoneFrame()] * FRAMES, gap=gap)
    found = earliest(graph, gap)
    assert dict(judged.earliest) == found
    enough = all if graph.needs_all else any
    assert judged.success == enough(found[id_] is not None for id_ in graph.success)
    assert judged.unknown == ()


@given(graph=graphs(), gap=st.sampled_from([0, 1]), data=st.data())
def test_what_is_told_for_certain_holds_whatever_the_unknown_turns_out_to_be(
    graph: MilestoneGraph, gap: Literal[0, 1], data: st.DataObject
) -> None:
    judged = judge(graph, [MilestoneFrame()] * FRAMES, gap=gap)
    turned_out = [
        Milestone(
            one.id,
            Given(tuple(data.draw(st.booleans()) if each is None else each for each in answers)),
            one.all_of,
            one.any_of,
            one.score,
        )
        for one, answers in zip(graph.milestones, given_answers(graph), strict=True)
    ]
    after = judge(
        MilestoneGraph.of(turned_out, graph.success, needs_all=graph.needs_all),
        [MilestoneFrame()] * FRAMES,
        gap=gap,
    )
    if judged.success is not None:
        assert judged.success == after.success
    for id_, frame in judged.earliest.items():
        if id_ not in judged.unknown:
            assert after.earliest[id_] == frame


@given(graph=graphs())
def test_the_score_is_1_exactly_when_a_whole_path_was_passed(graph: MilestoneGraph) -> None:
    judged = judge(graph, [MilestoneFrame()] * FRAMES)
    assert 0 <= judged.score <= 1
    reached = {id_ for id_, frame in judged.earliest.items() if frame is not None}
    assert (judged.score == 1) == any(
        all(id_ in reached or graph.weight(id_) == 0 for id_ in path)
        and (sum(map(graph.weight, path)) > 0 or path <= reached)
        for path in graph.paths
    )


def test_a_path_of_all_parents_counts_each_once_and_one_of_any_only_itself() -> None:
    diamond = graph_from_dict(
        {
            "nodes": [
                {"id": "a", "any": ["a"], "score": 40},
                {"id": "b", "deps": ["a"], "any": ["b"], "score": 20},
                {"id": "c", "deps": ["a"], "any": ["c"], "score": 20},
                {"id": "d", "deps": ["b", "c"], "any": ["d"], "score": 20},
                {"id": "e", "any": ["e"], "score": 10, "next": ["f"]},
                {"id": "f", "any": ["f"], "score": 90},
            ],
            "success": {"any_of": ["d", "f"]},
        }
    )
    assert set(diamond.paths) == {frozenset("abcd"), frozenset("ef")}
    assert judge(diamond, ["", "a", "b"]).score == pytest.approx(0.6)
    assert judge(diamond, ["", "a", "e"]).score == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([], "no milestone"),
        ([{"id": "a"}, {"id": "a"}], "two milestones are called 'a'"),
        ([{"id": "a", "deps": ["b"]}], "names 'b', which does not exist"),
        ([{"id": "a", "next": ["b"]}], "names 'b' as next, which does not exist"),
        ([{"id": "a", "deps": ["b"]}, {"id": "b", "deps": ["a"]}], "comes after itself"),
        ([{"id": "a", "condition": {"type": "tea"}}], "unknown kind of condition 'tea'"),
        ([{"id": "a", "condition": {"type": "text_match", "params": {"an": []}}}], "an: Extra"),
        ([{"id": "a", "condition": {"type": "text_match"}}], "looks for no words"),
        (
            [{"id": "a", "condition": {"type": "escalate", "params": {"tea": {}}}}],
            "unknown part 'tea'",
        ),
        (
            [{"id": "a", "condition": {"type": "regex_match", "params": {"pattern": "("}}}],
            "milestone 'a', its condition: pattern",
        ),
        (
            [{"id": "a", "condition": {"type": "icons_match", "params": {"any": ["../x"]}}}],
            "is not a file name",
        ),
        ([{"id": "a", "score": -1}], "score"),
    ],
)
def test_a_rule_that_is_no_graph_is_refused_by_what_is_wrong(
    nodes: list[JsonValue], said: str
) -> None:
    with pytest.raises(BadMilestonesError) as error:
        graph_from_dict({"nodes": nodes}, origin="tea.yaml")
    assert said in str(error.value)
    assert str(error.value).startswith("tea.yaml")


def test_success_that_names_no_milestone_is_refused() -> None:
    with pytest.raises(BadMilestonesError, match="success names 'b'"):
        graph_from_dict({"nodes": [{"id": "a"}], "success": {"any_of": ["b"]}})


SIZE = Size(100, 200)


def screen(*texts: str, tree: bool = True) -> Observation:
    nodes = "".join(
        f'<node text="{text}" class="android.widget.TextView" bounds="[0,0][9,9]" />'
        for text in texts
    )
    return Observation(
        Screenshot(painted_scene(0, SIZE).picture),
        SIZE,
        UiTree(f"<hierarchy>{nodes}</hierarchy>", SIZE) if tree else None,
        app="com.example.shop",
    )


class Reader:
    """Reads what it was told that is on every picture, and counts how often it was asked."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.asked = 0

    def read(self, screenshot: Screenshot) -> list[ScreenText]:
        self.asked += 1
        return [ScreenText(text, Box(0, 0, 1, 1)) for text in self.texts]


def rule(kind: str, params: JsonValue, **more: JsonValue) -> MilestoneGraph:
    return graph_from_dict(
        {"nodes": [{"id": "a", "condition": {"type": kind, "params": params}, **more}]}
    )


def recorded() -> list[MilestoneFrame]:
    steps = (
        Step(screen("Shop"), Decision(TypeText(text="green tea"), reasoning="I look for tea")),
        Step(
            screen("Cart", "2 items"), Decision(Swipe(start=Point(0.5, 0.9), end=Point(0.5, 0.1)))
        ),
        Step(screen("Paid"), Decision(Tap(at=Point(0.5, 0.5)))),
    )
    return make_frames(Episode("e", "t", "Buy green tea", steps, final=screen("Thank you")))


@pytest.mark.parametrize(
    ("kind", "params", "frame"),
    [
        ("text_match", {"any": ["tea", "milk"]}, 1),
        ("text_match", {"all": ["tea", "milk"]}, None),
        ("regex_match", {"pattern": "GREEN +tea", "ignore_case": True}, 1),
        ("xml_text_match", {"all": ["Cart", "2 items"]}, 2),
        ("ui_flag", {"key": "package", "equals": "com.example.shop"}, 1),
        ("ui_flag", {"key": "package", "in": ["com.example.mail"]}, None),
        ("action_match", {"type": "input", "contains": {"text": "green tea"}}, 1),
        ("action_match", {"type": "swipe", "contains": {"direction": "up"}}, 2),
        ("action_match", {"type": "click"}, 3),
        ("escalate", {"text": {"any": ["never"]}, "xml": {"any": ["Paid"]}}, 3),
        ("juxtaposition", {"action": {"type": "click"}, "xml": {"any": ["Paid"]}}, 3),
        (
            "escalate",
            {"action": {"type": "action_match", "params": {"type": "click"}}},
            3,
        ),
        (
            "dynamic_match",
            {"condition_patterns": {
                "milk": {"trigger_keywords": ["milk"], "verify_keywords": ["click"]},
                "tea": {"trigger_keywords": ["Tea"], "verify_keywords": ["I look"]},
            }},
            1,
        ),
    ],
)  # fmt: skip
def test_each_kind_of_condition_finds_its_frame(
    kind: str, params: dict[str, JsonValue], frame: int | None
) -> None:
    judged = judge(rule(kind, params), recorded())
    assert judged.earliest == {"a": frame}
    assert judged.success == (frame is not None)


def test_what_nobody_can_look_at_is_unknown_and_not_false() -> None:
    wanted: dict[str, JsonValue] = {
        "ocr_match": {"any": ["Paid"]},
        "llm": {"prompt": "Is it paid?"},
        "icons_match": {"any": ["cart"]},
        "ui_flag": {"key": "battery"},
        "escalate": {"text": {"any": ["never"]}, "ocr": {"any": ["Paid"]}},
    }
    for kind, params in wanted.items():
        judged = judge(rule(kind, params), recorded())
        assert (judged.success, judged.unknown) == (None, ("a",)), kind


def test_a_screen_is_read_only_when_cheaper_looks_do_not_settle_it() -> None:
    reader = Reader("Thank you")
    both: JsonValue = {"xml": {"any": ["Shop"]}, "ocr": {"any": ["Thank you"]}}
    assert judge(rule("escalate", both), recorded(), reader=FrameReader(reader)).success
    assert reader.asked == 0
    only: JsonValue = {"xml": {"any": ["never"]}, "ocr": {"any": ["Thank you"]}}
    assert judge(rule("escalate", only), recorded(), reader=FrameReader(reader)).earliest == {
        "a": 1
    }
    assert reader.asked == 1


def test_letters_that_look_alike_are_taken_for_each_other_when_a_screen_is_read() -> None:
    watch = FrameReader(Reader("Ｔ0tal: l2 itens in the b4sket"))
    for wanted in ("Total", "12 items", "in the basket"):
        assert judge(rule("ocr_match", {"any": [wanted]}), recorded(), reader=watch).success, wanted
    assert judge(rule("ocr_match", {"any": ["refund"]}), recorded(), reader=watch).success is False


def test_a_model_is_asked_last_with_the_screen_and_the_one_after_it() -> None:
    asked: list[ScreenQuestion] = []

    def ask(question: ScreenQuestion) -> Truth:
        asked.append(question)
        return question.frames[question.target].tree_texts == ("Paid",)

    graph = rule("llm", {"prompt": "Is it paid?", "expected_true": True})
    judged = judge(graph, recorded(), reader=FrameReader(ask=ask))
    assert judged.earliest == {"a": 3}
    assert [[frame.tree_texts for frame in one.frames] for one in asked][-1] == [
        ("Paid",),
        ("Thank you",),
    ]
    assert judged.evidence["a"].kind == "llm"
    no = rule("llm", {"prompt": "Is it paid?", "expected_true": False})
    assert judge(no, recorded(), reader=FrameReader(ask=ask)).earliest == {"a": 1}


def test_words_are_looked_for_in_the_tree_and_without_one_on_the_picture() -> None:
    graph = MilestoneGraph.of([Milestone("a", TextSeenCheck(WordQuery(any_of=("2 items",))))])
    assert judge(graph, recorded()).earliest == {"a": 2}
    blind = [MilestoneFrame(screen=screen(tree=False))]
    assert judge(graph, blind).success is None
    assert judge(graph, blind, reader=FrameReader(Reader("2 items"))).success


def test_checks_together_know_what_unknown_parts_leave_open() -> None:
    for first, second in product([True, False, None], repeat=2):
        checks = Given((first,)), Given((second,))
        look = FrameLook([MilestoneFrame()], 0, FrameReader())
        either = AnyCheck(checks).holds(look, CheckCost.MODEL)
        every = AllChecks(checks).holds(look, CheckCost.MODEL)
        certain = {first, second}
        assert either == (True if True in certain else None if None in certain else False)
        assert every == (False if False in certain else None if None in certain else True)


def test_milestones_judge_a_task_while_it_is_played() -> None:
    device = FakeDevice(
        [
            Scene(painted_scene(number).picture, screen(text).ui_tree.xml)  # type: ignore[union-attr]
            for number, text in enumerate(["Shop", "Cart", "Paid"])
        ]
    )
    graph = graph_from_dict(
        {
            "description": "Buy tea",
            "nodes": [
                {"id": "cart", "any": ["Cart"], "next": ["paid"]},
                {"id": "paid", "any": ["Paid"], "score": 30},
            ],
        }
    )
    environment = Environment(device, Task("buy", "Buy tea", (), MilestonesCheck(graph)))
    tap = Tap(at=Point(0.5, 0.5))
    assert environment.reset()[1]["score"] == 0
    steps = [environment.step(action) for action in (tap, tap, Finish())]
    assert [info["score"] for *_, info in steps] == [0.25, 1.0, 1.0]
    assert [reward for _, reward, *_ in steps] == [0.25, 0.75, 0]
    assert steps[-1][4]["outcome"] == "success"
    environment.reset()
    assert environment.step(Finish())[4]["outcome"] == "failure"


def test_a_hierarchy_that_has_only_boxes_leaves_words_and_app_unknown() -> None:
    box = '<hierarchy><node clickable="true" bounds="[0,0][9,9]" /></hierarchy>'
    seen = Observation(Screenshot(painted_scene(0, SIZE).picture), SIZE, UiTree(box, SIZE))
    frames = [MilestoneFrame(screen=seen)]
    for graph in (
        graph_from_dict({"nodes": [{"id": "a", "any": ["Paid"]}]}),
        rule("xml_text_match", {"any": ["Paid"]}),
        rule("ui_flag", {"key": "package", "equals": "com.example.shop"}),
    ):
        assert judge(graph, frames).success is None


def test_the_app_in_front_is_read_from_the_hierarchy_where_nothing_else_names_it() -> None:
    xml = '<hierarchy><node class="a.View" package="com.example.shop" /></hierarchy>'
    seen = Observation(Screenshot(painted_scene(0, SIZE).picture), SIZE, UiTree(xml, SIZE))
    flag = rule("ui_flag", {"key": "package", "equals": "com.example.shop"})
    assert judge(flag, [MilestoneFrame(screen=seen)]).success


@dataclass(frozen=True)
class Costly:
    """A check that answers only when this much may be spent."""

    answers: tuple[bool, ...]
    cost: CheckCost

    @property
    def costs(self) -> frozenset[CheckCost]:
        return frozenset({self.cost})

    def holds(self, look: FrameLook, cost: CheckCost) -> Truth:
        return self.answers[look.number] if cost >= self.cost else None

    def evidence(self, look: FrameLook) -> tuple[str, str]:
        return "costly", str(look.number)


COSTLY = st.builds(
    Costly,
    st.tuples(*[st.booleans()] * FRAMES),
    st.sampled_from([CheckCost.WORDS, CheckCost.READING, CheckCost.MODEL]),
)


@given(checks=st.lists(COSTLY, min_size=1, max_size=4))
def test_the_score_does_not_depend_on_when_the_judging_could_have_stopped(
    checks: list[Costly],
) -> None:
    def score(checks: Sequence[Costly]) -> float:
        names = [str(number) for number in range(len(checks))]
        graph = MilestoneGraph.of(
            [
                Milestone(name, check, any_of=(names[number - 1],) if number else ())
                for number, (name, check) in enumerate(zip(names, checks, strict=True))
            ]
        )
        return judge(graph, [MilestoneFrame()] * FRAMES).score

    cheap = [Costly(one.answers, CheckCost.WORDS) for one in checks]
    assert score(checks) == score(cheap)


def rule_file(root: Path, text: str) -> Path:
    path = root / "rule.yaml"
    path.write_text(text, encoding="utf-8")
    return path


WORDS_AT_LAST = """
task_id: t
description: d
nodes:
- id: a
  any: [Shop]
  next: [b]
- id: b
  condition: {}
success: {}
"""


@pytest.mark.parametrize(
    ("condition", "success", "doubt"),
    [
        ("{type: escalate, llm: {prompt: p}}", "", "unknown key 'llm' has no effect"),
        ("{type: escalate, llm: {prompt: p}}", "", "it has no parts, so it never holds"),
        ("{type: escalate, params: }", "", "it has no parts, so it never holds"),
        (
            "{type: juxtaposition, params: {ocr: {'all:': [x]}, llm: {prompt: p}}}",
            "",
            "unknown key 'all:' has no effect",
        ),
        ("{type: text_match, params: {an: [x]}}", "", "it looks for no words, so it never holds"),
        ("{type: escalate, params: {tea: {}}}", "", "unknown part 'tea' has no effect"),
        ("{type: ui_flag, params: {key: package}}", "any_of: [c]", "names 'c', which does not"),
        ("{type: ui_flag, params: {key: package}}", "all_of: [b, c]", "names 'c', which does not"),
    ],
)
def test_a_file_is_read_as_mobiflow_reads_it_and_the_lint_says_what_never_holds(
    condition: str, success: str, doubt: str, tmp_path: Path
) -> None:
    text = WORDS_AT_LAST.replace("condition: {}", f"condition: {condition}")
    path = rule_file(tmp_path, text.replace("success: {}", f"success: {{{success}}}"))
    judged = judge(read_graph(path), recorded())
    assert judged.success is False
    assert judged.earliest["a"] == 1
    assert any(doubt in one.what for one in lint_rule(read_rule(path), origin=str(path)))


def test_a_success_that_exists_beside_one_that_does_not_can_be_reached(tmp_path: Path) -> None:
    text = WORDS_AT_LAST.replace("success: {}", "success: {any_of: [a, c]}")
    path = rule_file(tmp_path, text.replace("condition: {}", "any: [Paid]"))
    assert judge(read_graph(path), recorded()).success
