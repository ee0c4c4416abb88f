import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.annotate.answer_check import check_answer
from tapwright.annotate.finding_codes import REJECTIONS, REPAIRS, WARNINGS
from tapwright.core.actions import Action, Finish, LongPress, Swipe, Tap, TypeText, Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden/reasoning/react_answers.json").read_text(encoding="utf-8")
)
CASES = {case["id"]: case for case in GOLDEN["cases"]}
STEPS: list[Action] = [
    Tap(at=Point(0.5, 0.1)),
    TypeText(text="周报"),
    Swipe(start=Point(0.5, 0.75), end=Point(0.5, 0.3)),
    LongPress(at=Point(0.5, 0.6)),
    Finish(),
]
CLEAN: list[Any] = CASES["A01"]["expect"]["value"]


def told(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@given(steps=st.lists(st.sampled_from(STEPS[:4]), max_size=6), junk=st.text(max_size=200))
def test_no_text_whatever_is_stored_unless_it_fits_every_step(
    steps: list[Action], junk: str
) -> None:
    verdict = check_answer(steps, junk)
    assert verdict.status == "reject"
    assert verdict.as_react() == []


@given(cut=st.integers(0, len(told(CLEAN)) - 1))
def test_a_cut_answer_keeps_no_step_that_was_cut(cut: int) -> None:
    verdict = check_answer(STEPS, told(CLEAN)[:cut])
    if verdict.status != "reject":
        assert verdict.as_react() == CLEAN
    for one in verdict.given:
        assert one.reasoning == CLEAN[one.step]["reasoning"]
        wanted = CLEAN[one.step]["function"]["parameters"].get("target_element", "")
        assert one.target == wanted


@given(
    texts=st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).map(
            lambda text: f"Reason {text.strip()} end"
        ),
        min_size=3,
        max_size=3,
        unique_by=lambda text: "".join(char for char in text if char.isalnum()).lower(),
    )
)
def test_what_a_model_writes_well_is_stored_word_for_word(texts: list[str]) -> None:
    steps: list[Action] = [Tap(at=Point(0.5, 0.5)), Wait(), Finish()]
    calls = [("click", {"target_element": "the button"}), ("wait", {}), ("done", {})]
    answer = [
        {"reasoning": text, "function": {"name": name, "parameters": parameters}}
        for text, (name, parameters) in zip(texts, calls, strict=True)
    ]
    verdict = check_answer(steps, told(answer))
    assert (verdict.status, verdict.as_react()) == ("accept", answer)


@pytest.mark.parametrize("id_", CASES)
def test_a_recorded_answer_gets_its_verdict(id_: str) -> None:
    case = CASES[id_]
    expected = case["expect"]
    verdict = check_answer(STEPS, case["raw"])
    assert verdict.status == expected["verdict"]
    if verdict.status == "reject":
        assert {expected["code"], *expected["also_ok"]} & set(verdict.codes)
        assert len(verdict.given) == expected.get("salvage_prefix", len(verdict.given))
    else:
        assert verdict.as_react() in [expected["value"], *expected.get("value_alternatives", [])]
        assert set(expected.get("repairs", ())) <= set(verdict.repairs)
        assert set(expected.get("warnings", ())) <= set(verdict.warnings)
    assert set(verdict.codes) <= set(REJECTIONS)
    assert set(verdict.repairs) <= set(REPAIRS)
    assert set(verdict.warnings) <= set(WARNINGS)


def changed(step: int, edit: Callable[[Any], object]) -> str:
    value = json.loads(told(CLEAN))
    edit(value[step])
    return told(value)


INDENTED = json.dumps(CLEAN, ensure_ascii=False, indent=2)
MENDED = {
    "a missing comma": INDENTED.replace("},\n  {", "}\n  {", 1),
    "a missing bracket": INDENTED[:-1],
    "a trailing comma": INDENTED.replace("}\n]", "},\n]"),
    "keys without quotes": told(CLEAN).replace('"reasoning"', "reasoning"),
    "a direction without quotes": told(CLEAN).replace('"UP"', "UP"),
    "a byte order mark": "\ufeff" + told(CLEAN),
    "no-break spaces": INDENTED.replace("  ", "\u00a0 "),
    "zero-width spaces": INDENTED.replace("\n", "\u200b\n"),
    "HTML escapes": told(CLEAN).replace('"', "&quot;"),
    "comments": INDENTED.replace("},\n  {", "}, // next\n  {"),
    "thoughts without an opening": "some thought [1] {x}</think>\n" + told(CLEAN),
    "a special token": told(CLEAN) + "<|im_end|>",
    "a list in a list": told([CLEAN]),
    "steps by number": told({str(number): one for number, one in enumerate(CLEAN, start=1)}),
    "items as strings": told([told(one) for one in CLEAN]),
    "encoded twice": told(told(CLEAN)),
    "a fence for each step": "\n".join(f"```json\n{told(one)}\n```" for one in CLEAN),
    "an open fence": "```json\n" + told(CLEAN),
    "other keys": told([{"thought": one["reasoning"], "action": one["function"]} for one in CLEAN]),
    "calls spread over the item": told(
        [
            {"reasoning": one["reasoning"], "action": one["function"]["name"]}
            | one["function"]["parameters"]
            for one in CLEAN
        ]
    ),
    "a direction in Chinese": told(CLEAN).replace('"UP"', '"向上"'),
    "another name": told(CLEAN).replace('"click"', '"Tap"'),
    "the same twice": told(CLEAN) + "\n" + told(CLEAN),
    "a correction": told(CLEAN).replace('"UP"', '"DOWN"') + "\n更正：\n" + told(CLEAN),
    "numbers from 0": told([one | {"step": number} for number, one in enumerate(CLEAN)]),
    "the functions first": told([{"name": "click", "description": "x"}]) + "\n" + told(CLEAN),
}


@pytest.mark.parametrize("name", MENDED)
def test_what_loses_nothing_is_mended(name: str) -> None:
    verdict = check_answer(STEPS, MENDED[name])
    assert (verdict.status, verdict.codes) == ("repair", ())
    assert verdict.as_react() == CLEAN


WRONG = {
    "TEXT_MISMATCH": told(CLEAN).replace('"text": "周报"', '"text": "weekly report"'),
    "PARAM_MISSING": changed(0, lambda one: one["function"]["parameters"].clear()),
    "PARAM_TYPE": changed(0, lambda one: one["function"]["parameters"].update(target_element=5)),
    "TARGET_COORDINATES": changed(
        0, lambda one: one["function"]["parameters"].update(target_element="坐标 [500, 98]")
    ),
    "REASONING_MISSING": changed(0, lambda one: one.update(reasoning=None)),
    "REASONING_COPIED": changed(1, lambda one: one.update(reasoning=CLEAN[0]["reasoning"])),
    "REASONING_CONTRADICTS": told(CLEAN).replace("向上滑动", "向下滑动"),
    "UNKNOWN_FUNCTION": told(CLEAN).replace('"swipe"', '"pinch"'),
    "TYPE_MISMATCH": told([CLEAN[1], CLEAN[0], *CLEAN[2:]]),
    "STEP_NUMBERS": told([one | {"step": 1} for one in CLEAN]),
    "COUNT_HIGH": told(CLEAN * 20),
    "API_ERROR": '{"detail": "Internal Server Error", "error": {}}',
    "EMPTY": "  \n",
    "NO_JSON": "[]",
    "TRUNCATED": told(CLEAN)[: told(CLEAN).rindex("三月周报已被") + 2],
    "TOO_LONG": '{"a":' * 400_000,
    "SCHEMA_ECHO": told([{"name": "click", "description": "x", "parameters": {}}]),
}


@pytest.mark.parametrize("code", WRONG)
def test_what_is_wrong_is_rejected_with_its_reason(code: str) -> None:
    verdict = check_answer(STEPS, WRONG[code])
    assert verdict.status == "reject"
    assert code in verdict.codes


def test_reasoning_in_another_language_is_rejected_where_one_is_asked_for() -> None:
    assert check_answer(STEPS, told(CLEAN), language="zh").status == "accept"
    assert check_answer(STEPS, told(CLEAN), language="en").codes == ("LANGUAGE",)


def test_steps_with_numbers_are_kept_when_others_are_wrong() -> None:
    numbered = [
        json.loads(told(one | {"step": number})) for number, one in enumerate(CLEAN, start=7)
    ]
    del numbered[1]
    numbered[2]["function"]["parameters"]["target_element"] = ""
    verdict = check_answer(STEPS, told(numbered), first=7)
    assert verdict.status == "reject"
    assert [one.step for one in verdict.given] == [0, 2, 4]


def test_nothing_is_kept_of_an_answer_that_may_have_slipped() -> None:
    doubled = [CLEAN[0], *CLEAN]
    assert check_answer(STEPS, told(doubled)).given == ()


def test_nothing_is_kept_of_an_answer_without_a_step_in_its_middle() -> None:
    steps: list[Action] = [*[Tap(at=Point(0.5, 0.5))] * 4, Finish()]
    items = [
        {
            "reasoning": f"Reason {number}",
            "function": {"name": "click", "parameters": {"target_element": f"tile {number}"}},
        }
        for number in (0, 2, 3)
    ]
    assert check_answer(steps, told([*items, CLEAN[4]])).given == ()


def test_broken_json_is_mended_only_while_no_letter_is_lost() -> None:
    quoted = told(CLEAN).replace("输入关键词周报", '输入"周报"这个词')
    verdict = check_answer(STEPS, quoted)
    assert verdict.status == "repair"
    assert verdict.as_react()[1]["reasoning"] == '搜索框已激活且键盘弹出，输入"周报"这个词。'


@pytest.mark.parametrize("second", ["swipe", {"name": "swipe", "parameters": {"direction": "UP"}}])
def test_an_item_with_two_calls_that_differ_says_neither(second: object) -> None:
    verdict = check_answer(STEPS, changed(0, lambda one: one.update(action=second)))
    assert (verdict.status, verdict.codes) == ("reject", ("AMBIGUOUS",))


@pytest.mark.parametrize(("recorded", "way"), [("step", "UP"), ("action", "LEFT")])
def test_a_slanted_swipe_goes_where_its_recorder_said(recorded: str, way: str) -> None:
    # 400 pixels to the left and 500 up: as fractions of a tall screen it would go to the left.
    swipe = Swipe(start=Point(0.7, 0.5), end=Point(0.7 - 400 / 1080, 0.5 - 500 / 2400))
    screenshot = Screenshot.stand_in(Size(1080, 2400))
    step = Step(Observation(screenshot, Size(1080, 2400)), Decision(swipe))
    answer = changed(2, lambda one: one["function"]["parameters"].update(direction=way))
    answer = answer.replace("需要向上滑动", "继续浏览列表")
    steps: list[Action | Step] = [*STEPS[:2], step if recorded == "step" else swipe, *STEPS[3:]]
    assert check_answer(steps, answer).codes == ()
