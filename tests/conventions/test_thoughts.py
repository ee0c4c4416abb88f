import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.annotate.answer_check import check_answer
from tapwright.benchmarks.answers import parse_option, parse_point
from tapwright.conventions import conventions
from tapwright.conventions.json import JSON_CONVENTION
from tapwright.conventions.thoughts import split_thoughts, strip_thoughts
from tapwright.core.actions import Tap, TypeText
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.errors import BadAnswerError

SCREEN = Size(1080, 2400)
MARKS = [
    *((f"<{tag}>", f"</{tag}>") for tag in ("think", "thinking", "thought", "thoughts")),
    *((f"<{tag}>", f"</{tag}>") for tag in ("reasoning", "reflection", "seed:think")),
    ("<THINK>", "</Think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("◁think▷", "◁/think▷"),
    ("[THINK]", "[/THINK]"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
]
TAP = JSON_CONVENTION.render(Decision(Tap(at=Point(0.5, 0.5))), SCREEN)
PLAIN = st.text(st.characters(exclude_characters="<>[]|◁▷\"'", exclude_categories=["Cs"]))

every_mark = pytest.mark.parametrize(("begin", "end"), MARKS, ids=[begin for begin, _ in MARKS])


@given(text=PLAIN)
def test_a_text_without_marks_is_an_answer_as_it_stands(text: str) -> None:
    assert split_thoughts(text) == ("", text)


@every_mark
@given(thoughts=PLAIN, answer=PLAIN)
def test_an_answer_is_what_stands_behind_the_thoughts(
    begin: str, end: str, thoughts: str, answer: str
) -> None:
    assert split_thoughts(f"{begin}{thoughts}{end}{answer}") == (thoughts.strip(), answer)


@every_mark
@given(thoughts=PLAIN)
def test_thoughts_that_do_not_end_have_no_answer(begin: str, end: str, thoughts: str) -> None:
    assert split_thoughts(f"\n {begin}{thoughts}")[1] is None
    assert strip_thoughts(f"{begin}{thoughts}") == ""


@every_mark
def test_an_unfinished_thought_commits_to_nothing_anywhere(begin: str, end: str) -> None:
    with pytest.raises(BadAnswerError, match="thoughts do not end"):
        JSON_CONVENTION.parse(f"{begin} maybe {TAP}", SCREEN)
    assert parse_option(f"{begin} maybe B", "ABC").status == "none"
    assert parse_point(f"{begin} maybe (10, 20)", SCREEN, space="pixel").status == "none"
    items = json.dumps([{"reasoning": "r", "function": {"name": "click", "parameters": {}}}])
    verdict = check_answer([Tap(at=Point(0.5, 0.5))], f"{begin} maybe {items}")
    assert verdict.status == "reject"


@every_mark
def test_only_the_answer_behind_the_thoughts_counts_anywhere(begin: str, end: str) -> None:
    with pytest.raises(BadAnswerError):
        JSON_CONVENTION.parse(f"{begin} maybe {TAP} {end} I do not know.", SCREEN)
    assert parse_option(f"{begin} maybe B {end} C", "ABC").letter == "C"


@pytest.mark.parametrize("end", [end for _, end in MARKS[:-1]])
def test_a_closing_mark_is_enough_as_templates_write_the_opening_one(end: str) -> None:
    assert split_thoughts(f"Perhaps A.{end}B") == ("Perhaps A.", "B")


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("<think>a</think><think>b</think>c", ("a</think><think>b", "c")),
        ("<think>a</think>\n<think>b", ("a\nb", None)),
        ("Sure.\n<think>a</think>b", ("Sure.\na", "b")),
        ("B.\n<think>or C", ("", "B.\n")),
        ("The tag <think> begins thoughts.", ("", "The tag <think> begins thoughts.")),
        ("", ("", "")),
        ("<think></think>", ("", "")),
        ("<|channel|>commentary to=f <|constrain|>json<|message|>{}", ("", "{}")),
    ],
)
def test_marks_count_where_they_stand(text: str, split: tuple[str, str | None]) -> None:
    assert split_thoughts(text) == split


@pytest.mark.parametrize("name", ["json", "autoglm", "qwen2.5-vl", "ui-tars-1.5", "android-tools"])
def test_an_action_may_type_a_mark(name: str) -> None:
    convention = conventions.get(name)
    for action in (TypeText(text="a</think>b"), TypeText(text="<think>")):
        text = convention.render(Decision(action), SCREEN)
        read = convention.parse(text, SCREEN).action
        assert isinstance(read, TypeText)
        assert read.text == action.text


@pytest.mark.parametrize("piece", ["</think>", "<think>", "\n<think>", '"</think>"', "'</think>,"])
def test_a_megabyte_of_marks_takes_no_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    before = time.process_time()
    split_thoughts(text + '"}')
    assert time.process_time() - before < 10
