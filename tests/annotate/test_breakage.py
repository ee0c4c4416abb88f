"""Every way in which real answers break the contract, tried on the clean answer of the recording.

The verdict is the golden file's policy: what loses nothing is mended, all else is refused.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tapwright.annotate.answer_check import check_answer
from tapwright.formats.mobiagent.importer import actions_from_json

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden/reasoning/react_answers.json").read_text(encoding="utf-8")
)
STEPS = actions_from_json(GOLDEN["contract"]["actions"], screen=(1080, 2400))
CLEAN: list[Any] = next(one for one in GOLDEN["cases"] if one["id"] == "A01")["expect"]["value"]
TARGET = CLEAN[0]["function"]["parameters"]["target_element"]


NOTHING: list[Any] = [None, "", [], "null", "无"]
NO_TEXT: list[Any] = [5, False, [], {"a": "b"}]


def told(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def changed(step: int, edit: Callable[[Any], object]) -> str:
    value = json.loads(told(CLEAN))
    edit(value[step])
    return told(value)


def parameters(step: int, value: Any) -> str:
    return changed(step, lambda one: one["function"].update(parameters=value))


def reasoning(step: int, value: Any) -> str:
    return changed(step, lambda one: one.update(reasoning=value))


def call(step: int, value: Any) -> str:
    return changed(step, lambda one: one.update(function=value))


def each(edit: Callable[[Any, str, Any], Any]) -> str:
    return told(
        [
            {"reasoning": one["reasoning"]}
            | edit(one["function"], one["function"]["name"], one["function"]["parameters"])
            for one in CLEAN
        ]
    )


C = told(CLEAN)
I = json.dumps(CLEAN, ensure_ascii=False, indent=4)  # noqa: E741
DOWN = C.replace('"UP"', '"DOWN"')
OTHER = C.replace(TARGET, "底部的搜索按钮")

MENDED = [
    # wrapper
    *(f"```{label}\n{I}\n```" for label in ("", "python", "JSON5")),
    f'[注意] 动作 {{click, input}} 与 ["click"] 如下：\n{I}\n以上 [1]。',
    f"```json\n{I}",
    f"<think>{DOWN}</think>```json\n{I}\n```",
    f"先看 {DOWN}\n</think>\n{I}",
    f"<think>a</think><answer>{C}</answer>",
    f"<|begin_of_box|>{C}<|end_of_box|>",
    told({"task": "搜索", "count": 5, "trajectory": CLEAN}),
    told([[CLEAN]]),
    told([[one] for one in CLEAN]),
    told({f"第{number}步": one for number, one in enumerate(CLEAN, start=1)}),
    told({str(5 - number): one for number, one in enumerate(reversed(CLEAN))}),
    told([told(one) if one["function"]["parameters"] else one for one in CLEAN]),
    f"```json\n{told(C)}\n```",
    C.replace('"', '\\"'),
    "\n".join(f"{number}. {told(one)}" for number, one in enumerate(CLEAN, start=1)),
    "\n".join(f"```json\n[{told(one)}]\n```" for one in CLEAN),
    ",\n".join(map(told, CLEAN)),
    "\ufeff" + I.replace("    ", "\u3000"),
    C.replace('"function"', '\u200b"function"'),
    f'<pre><code class="a">{C.replace(chr(34), "&#34;")}</code></pre>',
    # syntax
    I.replace("}\n]", "},\n]"),
    repr(CLEAN).replace("{}", "None"),
    I.replace('": ', '"：').replace('",\n', '"，\n'),
    re.sub(r'"([^"]*)"', r"“\1”", C),
    C.replace("target_element", "target\\_element"),
    I.replace('"swipe"', '"swipe" /* 手指 */'),
    I.replace("},\n    {", "}\n    {"),
    I[:-1] + "\n\n以上是结果。",
    C[:-2],
    C + "}]",
    C[1:-1],
    re.sub(r'"(\w+)":', r"\1:", C),
    # shape
    each(lambda _, name, given: {"type": name, "parameters": given}),
    each(lambda _, name, given: {"action": name, **given}),
    each(lambda function, *_: {"function": told(function)}),
    each(lambda _, name, given: {"function": {name: given}}),
    each(lambda _, name, given: {"function": [{"name": name, "arguments": told(given)}]}),
    each(lambda _, name, given: {"function": {"name": name, "parameters": [given]}}),
    C.replace('"reasoning"', '"Thought"').replace('"function"', '"Action"'),
    C.replace('"reasoning"', '"thought_process"').replace('"name"', '"action_type"'),
    *(
        C.replace('"name": "long_press"', f'"name": {told(name)}')
        for name in ("LONG PRESS", "longPress", "long-click", "press_and_hold", "长按")
    ),
    *(C.replace('"click"', told(name)) for name in ("Tap", " click", "functions.click", "click()")),
    *(C.replace('"UP"', told(way)) for way in (" up ", "向上滑动", "↑", "从下往上", "swipe up")),
    *(parameters(4, nothing) for nothing in NOTHING),
    *(parameters(4, {"status": said}) for said in ("SUCCESS", "已完成", True)),
    parameters(4, {"experience": "先搜索，失败则重试", "message": "ok"}),
    parameters(0, {"target_element": TARGET, "x": 540, "bbox": [1, 2, 3, 4]}),
    parameters(0, {"目标元素": TARGET}),
    parameters(1, {"内容": "周报", "text": "周报"}),
    *(parameters(1, {"text": said}) for said in ("周报\n", "‘周报’", "《周报》")),
    changed(0, lambda one: one.update(thought="another thought")),
    told([{"index": number, **CLEAN[number]} for number in (3, 0, 4, 1, 2)]),
    f"```json\n{DOWN}\n```\n抱歉，上面第三步有误，修正如下：\n{C}",
    C + "\n" + I,
]
REFUSED = {
    "EMPTY": ["", " \n"],
    "NO_JSON": [
        "I'm sorry, but I can't help with that.",
        "第一步点击搜索框。",
        "{}",
        "5",
        "[1, 2]",
    ],
    "API_ERROR": ['{"error": {"message": "x", "code": 500}}'],
    "AMBIGUOUS": [f"方案一：{C}\n方案二：{OTHER}", f"{C}\n更正：\n{DOWN}", f"{C}\n{OTHER}\n{C}"],
    "TRUNCATED": [
        f"<think>{C}",
        I[: I.index("标题为三月") + 3],
        C[: C.index('"done"') + 6],
        told(CLEAN[:4])[:-1] + ", {",
        told(CLEAN[:4])[:-1] + ",\n\n",
    ],
    "TOO_LONG": [C[:-1] + "," + "搜索框" * 20_000, f"{C}\n{'好的。' * 20_000}"],
    "SCHEMA_ECHO": [told([{"name": "click", "description": "x", "parameters": {}}] * 5)],
    "COUNT_LOW": [
        told(CLEAN[1:]),
        told(CLEAN[:4]),
        told(CLEAN[:2])[:-1] + ", // 其余省略\n]",
        told([{"reasoning": "点击并输入", "function": CLEAN[0]["function"]}, *CLEAN[2:]]),
    ],
    "COUNT_HIGH": [told([CLEAN[0], *CLEAN]), told(CLEAN * 3), told([*CLEAN, CLEAN[4]])],
    "STEP_NUMBERS": [
        told([one | {"step": number} for number, one in zip((1, 2, 2, 3, 4), CLEAN, strict=True)]),
        told({str(number): one for number, one in enumerate(CLEAN, start=2)}),
    ],
    "ITEM_NOT_OBJECT": [told([*CLEAN[:2], other, *CLEAN[3:]]) for other in (None, "...", [1])],
    "DONE_MISSING": [call(4, CLEAN[0]["function"]), call(4, {"name": "wait", "parameters": {}})],
    "DONE_DUPLICATE": [call(3, CLEAN[4]["function"])],
    "DONE_NOT_LAST": [told([CLEAN[number] for number in (4, 0, 1, 2, 3)])],
    "FUNCTION_MISSING": [call(0, None), call(0, {}), call(0, [one["function"] for one in CLEAN])],
    "UNKNOWN_FUNCTION": [
        C.replace('"click"', told(name)) for name in ("pinch", "click+input", "click|long_press")
    ],
    "TYPE_MISMATCH": [
        told([CLEAN[number] for number in (0, 1, 3, 2, 4)]),
        C.replace('"long_press"', '"click"'),
        call(2, {"name": "scroll", "parameters": {"direction": "DOWN"}}),
        told([one | {"step": n} for n, one in zip((2, 1, 3, 4, 5), CLEAN, strict=True)]),
    ],
    "PARAM_MISSING": [
        *(parameters(0, {"target_element": said}) for said in (None, "", " ", "N/A", "unknown")),
        *(parameters(3, {"target_element": said}) for said in ("<target_element>", "…", "未知")),
        *(parameters(step, {}) for step in (0, 1, 2, 3)),
        parameters(0, None),
    ],
    "PARAM_TYPE": [
        *(parameters(0, {"target_element": said}) for said in (5, True, ["框"], {"text": "框"})),
        parameters(0, "搜索框"),
        parameters(1, {"text": ["周报"]}),
        parameters(2, {"direction": 1}),
    ],
    "TEXT_MISMATCH": [
        *(parameters(1, {"text": said}) for said in ("日报", "weekly report", "周 报", "周报。")),
        parameters(1, {"text": "周报", "content": "日报"}),
    ],
    "DIRECTION_INVALID": [C.replace('"UP"', told(way)) for way in ("斜上", "UP/DOWN", "上下")],
    "DIRECTION_MISMATCH": [
        *(C.replace('"UP"', told(way)) for way in ("DOWN", "向左", "从上往下")),
        parameters(2, {"direction": "UP", "dir": "DOWN"}),
    ],
    "TARGET_COORDINATES": [
        parameters(0, {"target_element": said})
        for said in (
            "(540, 236)",
            "540px, 236px",
            "坐标540,236处",
            "位于(540, 236)",
            "<point>540 236</point>",
            "<|box_start|>(48,180),(1032,292)<|box_end|>",
            '{"x":540,"y":236}',
        )
    ],
    "REASONING_MISSING": [reasoning(2, None), changed(0, lambda one: one.pop("reasoning"))],
    "REASONING_EMPTY": [reasoning(0, " \u3000\n"), reasoning(0, ["", ""])],
    "REASONING_TYPE": [reasoning(0, value) for value in NO_TEXT],
    "REASONING_PLACEHOLDER": [
        reasoning(1, said)
        for said in (
            "同上。",
            "与上一步相同",
            "（略）",
            "Same as step 1.",
            "(same as above)",
            "<reasoning>",
            "...",
            "\u200b",
        )
    ],
    "REASONING_COPIED": [
        reasoning(1, CLEAN[0]["reasoning"].rstrip("。") + " "),
        told([one | {"reasoning": "继续执行任务。"} for one in CLEAN]),
    ],
    "REASONING_CONTRADICTS": [
        reasoning(2, "应当手指从上往下划动列表"),
        reasoning(2, "I swipe down to see more"),
        *(parameters(4, {"status": said}) for said in ("failed", "未完成", False, "partial")),
        parameters(4, {"success": False}),
        parameters(4, {"result": "failed"}),
    ],
}


@pytest.mark.parametrize("raw", MENDED, ids=range(len(MENDED)))
def test_what_loses_nothing_is_stored_as_the_clean_answer(raw: str) -> None:
    verdict = check_answer(STEPS, raw)
    assert (verdict.status, verdict.codes) == ("repair", ())
    assert verdict.as_react() == CLEAN


@pytest.mark.parametrize(
    ("code", "raw"),
    [(code, raw) for code, answers in REFUSED.items() for raw in answers],
    ids=[f"{code}-{at}" for code, answers in REFUSED.items() for at in range(len(answers))],
)
def test_what_is_wrong_is_refused_for_its_reason_first_of_all(code: str, raw: str) -> None:
    verdict = check_answer(STEPS, raw)
    assert verdict.status == "reject"
    assert verdict.codes[0] == code
    assert verdict.as_react() == []


@pytest.mark.parametrize(
    "said",
    [
        "向下滚动页面",
        "Swipe up to reveal the notes below",
        "刚才向下滑动没找到，现在向上滑动",
        "看到```json```字样，有,]和,}在里面",
        "it's the list, I go on there",
    ],
)
def test_a_reasoning_is_stored_as_it_was_written(said: str) -> None:
    verdict = check_answer(STEPS, reasoning(2, said))
    assert verdict.status == "accept"
    assert verdict.as_react()[2]["reasoning"] == said


def test_a_number_that_was_asked_for_is_no_key_too_many() -> None:
    numbered = told([one | {"step": number} for number, one in enumerate(CLEAN, start=1)])
    assert check_answer(STEPS, numbered).repairs == ("DROP_EXTRA",)
    assert check_answer(STEPS, numbered, numbered_by="step").status == "accept"


def test_an_element_may_be_called_by_a_number() -> None:
    assert check_answer(STEPS, parameters(0, {"target_element": "7"})).status == "accept"
