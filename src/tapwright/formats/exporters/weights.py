"""The weights of samples and the paraphrases of tasks: files that people write for an export.

Weights follow the idea of MobiAgent's `augment_config.json`
(https://github.com/IPADS-SAI/MobiAgent/blob/fd5aa728/collect/augment_config.json): the first rule
whose pattern is found in a field decides. There samples are written out many times; here each is
written once, with its weight.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

from pydantic import JsonValue

from tapwright.files.regular import read_regular
from tapwright.formats.errors import SFT_FILE
from tapwright.tasks.errors import BadPatternError

__all__ = ["WeightRule", "find_weights", "read_paraphrases", "read_weights"]

_FIELDS = "instruction, reasoning, target, app, or action.type and the like"
Fields: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WeightRule:
    """A rule: samples whose `field` matches the `pattern` have these `weights`.

    "weight" is for every kind of sample; a kind may have one of its own. 0, the least,
    leaves a sample out.
    """

    field: str
    pattern: str
    weights: Mapping[str, float]


def find_weights(fields: Fields, rules: Iterable[WeightRule]) -> Mapping[str, float]:
    """Returns the weights of the first rule that matches, from 0 on; empty when none does.

    Raises:
        BadPatternError: a pattern took too long.
    """
    from tapwright.tasks.patterns import compile_pattern

    for rule in rules:
        found = fields.get(rule.field)
        if found is not None and compile_pattern(rule.pattern).search(found) is not None:
            return rule.weights
    return {}


def read_weights(path: Path) -> tuple[WeightRule, ...]:
    """Reads rules from a list of {"field": "target", "pattern": "Delete", "weight": 10}.

    Raises:
        TapwrightError: it is not such a list; names the rule.
    """
    found = _read(path)
    if not isinstance(found, list):
        raise SFT_FILE(f"{path}: not a list of rules")
    return tuple(_rule(one, f"{path}, rule {number}") for number, one in enumerate(found))


def _rule(found: JsonValue, where: str) -> WeightRule:
    from tapwright.tasks.patterns import compile_pattern

    rule = found if isinstance(found, dict) else {}
    match rule:
        case {"field": str(field), "pattern": str(pattern), "weight": _}:
            weights = {name: rule[name] for name in rule if name not in ("field", "pattern")}
        case _:
            raise SFT_FILE(
                f'{where}: expected {{"field": ..., "pattern": ..., "weight": a number}}'
            )
    if field not in ("instruction", "reasoning", "target", "app") and field[:7] != "action.":
        raise SFT_FILE(f"{where}: unknown field {field!r}; expected {_FIELDS}")
    try:
        compile_pattern(pattern)
    except BadPatternError as error:
        raise SFT_FILE(f"{where}: {error}") from error
    checked: dict[str, float] = {}
    for kind, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < 1e6:
            raise SFT_FILE(f"{where}: {kind} is {weight!r}; expected a number from 0 on")
        checked[kind] = weight
    return WeightRule(field, pattern, checked)


def read_paraphrases(path: Path) -> dict[str, tuple[str, ...]]:
    """Reads other wordings of tasks from {"task id or instruction": ["wording", ...], ...}.

    Raises:
        TapwrightError: it is not such an object; names the task.
    """
    found = _read(path)
    if not isinstance(found, dict):
        raise SFT_FILE(f"{path}: not an object of tasks")
    texts: dict[str, tuple[str, ...]] = {}
    for task, wordings in found.items():
        given = wordings if isinstance(wordings, list) else []
        if not given or not all(isinstance(one, str) and one.strip() for one in given):
            raise SFT_FILE(f"{path}, task {task!r}: expected a list of texts")
        texts[task] = tuple(cast(list[str], given))
    return texts


def _read(path: Path) -> JsonValue:
    try:
        return cast(JsonValue, json.loads(read_regular(path)))
    except OSError as error:
        raise SFT_FILE(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise SFT_FILE(f"{path}: not JSON: {error}") from error
