"""Checks one item of a model's answer against its recorded step.

The recording has every parameter but the description of the element; an item is compared with it.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from tapwright.annotate import answer_items, reasoning_checks
from tapwright.annotate.function_calls import PARAMETERS, TARGET, FunctionCall, function_name
from tapwright.core.language import Language, language_of

__all__ = ["CheckedItem", "check_item"]

_ALIASES: Mapping[str, tuple[str, ...]] = {
    TARGET: (TARGET, "target", "element", "elementdescription", "目标元素"),
    "text": ("text", "content", "value", "inputtext", "文本", "内容"),
    "direction": ("direction", "dir", "swipedirection", "方向"),
    "app_name": ("app_name", "appname", "app", "name", "应用名称"),
    "key": ("key", "button", "keys"),
}
_DIRECTIONS = {
    **{word: word for word in ("UP", "DOWN", "LEFT", "RIGHT")},
    **{f"{word}WARD": word for word in ("UP", "DOWN", "LEFT", "RIGHT")},
    **{f"SWIPE{word}": word for word in ("UP", "DOWN", "LEFT", "RIGHT")},
    "↑": "UP",
    "↓": "DOWN",
    "←": "LEFT",
    "→": "RIGHT",
    **{f"{word}WARDS": word for word in ("UP", "DOWN", "LEFT", "RIGHT")},
    **{
        f"{before}{char}{after}": word
        for char, word in (("上", "UP"), ("下", "DOWN"), ("左", "LEFT"), ("右", "RIGHT"))
        for before in ("", "向", "往", "朝")
        for after in ("", "滑", "滑动", "划", "划动")
    },
    **{
        f"{before}{start}{between}{end}": word
        for start, end, word in (
            ("下", "上", "UP"),
            ("上", "下", "DOWN"),
            ("右", "左", "LEFT"),
            ("左", "右", "RIGHT"),
        )
        for before in ("从", "由")
        for between in ("到", "往", "向", "至")
    },
}
_QUOTES = "\"'“”‘’「」『』《》`"
_SUCCESS = (
    "success", "succeeded", "successful", "completed", "complete", "done", "finished", "ok", "true",
    "成功", "完成", "已完成",
)  # fmt: skip
_OUTCOMES = ("status", "state", "outcome", "success")


@dataclass(frozen=True, slots=True)
class CheckedItem:
    """The checked explanation of step `step` (from 0), or why it was rejected.

    `codes` is empty if it was accepted.
    """

    step: int
    reasoning: str = ""
    target: str = ""
    codes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def check_item(
    item: JsonValue,
    step: int,
    call: FunctionCall,
    *,
    language: Language | None = None,
    extra_keys: Collection[str] = (),
) -> CheckedItem:
    """Checks an item for the step `step` (from 0), whose recorded action is `call`.

    `extra_keys` are the keys that the item may have besides the contract's.
    """
    if not isinstance(item, dict):
        return CheckedItem(step, codes=("ITEM_NOT_OBJECT",))
    repairs: list[str] = []
    codes: list[str] = []
    reasoning = _read_reasoning(item, codes, repairs)
    name, parameters = answer_items.find_call(item, repairs, extra_keys)
    if not isinstance(name, str) or not name.strip():
        codes.append("FUNCTION_MISSING")
    elif (function := function_name(name)) is None:
        codes.append("UNKNOWN_FUNCTION")
    elif function != call.name:
        codes.append("TYPE_MISMATCH")
    elif len({*map(function_name, answer_items.find_function_names(item))} - {None}) > 1:
        codes.append("AMBIGUOUS")
    else:
        if name != function:
            repairs.append("NAME_NORMALISE")
        target = _check_parameters(parameters, call, codes, repairs)
        if not codes and reasoning_checks.is_contradictory(reasoning, call):
            codes.append("REASONING_CONTRADICTS")
        if (
            not codes
            and language is not None
            and not reasoning_checks.is_in_language(reasoning, language)
        ):
            codes.append("LANGUAGE")
        if not codes:
            warnings = tuple(reasoning_checks.find_warnings(reasoning, call))
            return CheckedItem(step, reasoning, target, (), tuple(repairs), warnings)
    return CheckedItem(step, codes=tuple(codes))


def _read_reasoning(item: Mapping[str, JsonValue], codes: list[str], repairs: list[str]) -> str:
    key, value = answer_items.find_key(item, answer_items.REASONING)
    if key is None or value is None:
        codes.append("REASONING_MISSING")
        return ""
    if key != "reasoning":
        repairs.append("KEY_ALIAS")
    if sum(answer_items.fold_key(one) in answer_items.REASONING for one in item) > 1:
        repairs.append("DROP_EXTRA")
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        parts = [str(part) for part in value]
        value = ("" if language_of("".join(parts)) == "zh" else " ").join(parts)
        repairs.append("JOIN")
    if not isinstance(value, str):
        codes.append("REASONING_TYPE")
        return ""
    if not value.strip():
        codes.append("REASONING_EMPTY")
    elif reasoning_checks.is_placeholder(value):
        codes.append("REASONING_PLACEHOLDER")
    if value != value.strip():
        repairs.append("TRIM")
    return value.strip()


def _check_parameters(
    parameters: JsonValue, call: FunctionCall, codes: list[str], repairs: list[str]
) -> str:
    """Compares the parameters with the recording; returns the model's target."""
    if not isinstance(parameters, dict):
        codes.append("PARAM_TYPE")
        return ""
    used: set[str] = set()
    target = ""
    for wanted in PARAMETERS[call.name]:
        key, value = answer_items.find_key(parameters, _ALIASES[wanted])
        if key is None or value is None or (isinstance(value, str) and not value.strip()):
            codes.append("PARAM_MISSING")
            continue
        used.add(key)
        if key != wanted:
            repairs.append("KEY_ALIAS")
        if not isinstance(value, str):
            codes.append("PARAM_TYPE")
        elif wanted == TARGET:
            target = _check_target(value, codes, repairs)
        else:
            for given in _given_values(parameters, _ALIASES[wanted]):
                _compare(wanted, given, call.known[wanted], codes, repairs)
    extra = {
        answer_items.fold_key(key): value for key, value in parameters.items() if key not in used
    }
    if call.name == "done" and call.outcome == "success":
        outcomes = {str(extra[key]).strip().lower() for key in _OUTCOMES if key in extra}
        if not outcomes <= set(_SUCCESS) or reasoning_checks.mentions_failure(
            str(extra.get("result", ""))
        ):
            codes.append("REASONING_CONTRADICTS")
    if extra:
        repairs.append("DROP_EXTRA")
    return target


def _given_values(parameters: Mapping[str, JsonValue], names: Collection[str]) -> list[str]:
    """Returns all values of one parameter, under any of its names."""
    values = [
        value
        for key, value in parameters.items()
        if answer_items.fold_key(key) in map(answer_items.fold_key, names)
    ]
    return [value for value in values if isinstance(value, str) and value.strip()]


def _check_target(value: str, codes: list[str], repairs: list[str]) -> str:
    if reasoning_checks.is_coordinates(value):
        codes.append("TARGET_COORDINATES")
    elif reasoning_checks.is_no_element(value):
        codes.append("PARAM_MISSING")
    if value != value.strip():
        repairs.append("TRIM")
    return value.strip()


def _compare(name: str, value: str, recorded: str, codes: list[str], repairs: list[str]) -> None:
    if value == recorded:
        return
    if name == "direction":
        direction = _DIRECTIONS.get(re.sub(r"[\s_-]+", "", value).upper())
        if direction is None:
            codes.append("DIRECTION_INVALID")
        elif direction != recorded:
            codes.append("DIRECTION_MISMATCH")
        else:
            repairs.append("DIRECTION_NORMALISE")
    elif _strip_quotes(value) == _strip_quotes(recorded) or value.strip() == recorded.strip():
        repairs.append("TEXT_FROM_GROUND_TRUTH")
    else:
        codes.append("TEXT_MISMATCH" if name == "text" else "PARAM_MISMATCH")


def _strip_quotes(text: str) -> str:
    """Strips blanks and quotes around a text."""
    return text.strip().strip(_QUOTES).strip()
