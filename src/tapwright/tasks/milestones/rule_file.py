"""The rule files of milestones, as MobiFlow writes them in YAML or JSON: their parts and types.

    task_id, app_id, task_type, description
    nodes:   id, name, deps (all of them before), next (what may come after), score (10),
             condition {type, params}; or `any` and `all`: words to be seen
    success: any_of or all_of

A file is data: aliases and tags of YAML are refused.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from tapwright.tasks.errors import BadMilestonesError
from tapwright.tasks.text_file import read_text_file

FOLDER_SUFFIXES = (".yaml", ".yml")
"""Suffixes of rule files that are found in a directory, where other files may be JSON."""
RULE_SUFFIXES = (*FOLDER_SUFFIXES, ".json")
"""Suffixes of files that may be named as rules."""


def _to_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _to_mapping(value: object) -> object:
    return {} if value is None else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_to_list)]


class RulePart(BaseModel):
    """A part of a rule file; unknown keys are kept, and reported by the lint."""

    model_config = ConfigDict(frozen=True, extra="allow")


class RuleCondition(RulePart):
    """A condition by its kind and parameters."""

    type: str
    params: Annotated[dict[str, JsonValue], BeforeValidator(_to_mapping)] = {}


class RuleNode(RulePart):
    """A milestone of the file."""

    id: str
    name: str = ""
    deps: Texts = ()
    next: Texts = ()
    condition: RuleCondition | None = None
    any: Texts = ()
    all: Texts = ()
    score: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 10.0


class RuleSuccess(RulePart):
    """The milestones that make the success: one of `any_of`, or each of `all_of`."""

    any_of: Texts = ()
    all_of: Texts = ()


class RuleFile(RulePart):
    """A whole rule file."""

    nodes: tuple[RuleNode, ...]
    success: RuleSuccess = RuleSuccess()
    task_id: str = ""
    app_id: str = ""
    task_type: JsonValue = None
    description: str = ""


class _Params(BaseModel):
    """The parameters of one kind of condition; unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class WordParams(_Params):
    """Parameters of `text_match` and `xml_text_match`."""

    any: Texts = ()
    all: Texts = ()


class RegexParams(_Params):
    """Parameters of `regex_match`."""

    pattern: str
    ignore_case: bool = False


class UiFlagParams(_Params):
    """Parameters of `ui_flag`."""

    key: str
    equals: JsonValue = None
    in_: Annotated[list[JsonValue] | None, Field(alias="in")] = None


class ActionParams(_Params):
    """Parameters of `action_match`."""

    type: str = ""
    contains: dict[str, JsonValue] = {}


class IconParams(_Params):
    """Parameters of `icons_match`; its threshold, 0 to 1, is read and not used."""

    any: Texts = ()
    all: Texts = ()
    threshold: float | None = None


class OcrParams(_Params):
    """Parameters of `ocr_match`."""

    any: Texts = ()
    all: Texts = ()
    pattern: str = ""
    ignore_case: bool = False


class ModelParams(_Params):
    """Parameters of `llm`."""

    prompt: str
    expected_true: bool = True


class TopicParams(_Params):
    """Parameters of one topic of `dynamic_match`."""

    trigger_keywords: Texts
    verify_keywords: Texts
    llm_prompt: str = ""


class DynamicParams(_Params):
    """Parameters of `dynamic_match`."""

    extract_from: Literal["task_description"] = "task_description"
    condition_patterns: dict[str, TopicParams]
    verification_fields: Texts = ()
    fallback_llm: bool = False


def read_rule(path: Path) -> dict[str, JsonValue]:
    """Reads a rule file; it may still not describe a graph.

    Raises:
        BadMilestonesError: it cannot be read, or is neither YAML nor JSON; names file and line.
    """
    text = read_text_file(path, "rule file", BadMilestonesError)
    try:
        rule = json.loads(text) if path.suffix == ".json" else yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise BadMilestonesError(
            f"{path}{line}: not YAML: {error.problem or error.context}",
            hint="put a text in quotes if it has a colon or starts with a special character",
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadMilestonesError(f"{path}: neither YAML nor JSON: {error}") from error
    if not isinstance(rule, dict):
        raise BadMilestonesError(
            f"{path}: found {type(rule).__name__}; expected a mapping with nodes"
        )
    return rule


def is_rule_file(path: Path) -> bool:
    """Whether a file has nodes, or cannot be read; other YAML lies about as settings of tools."""
    try:
        return "nodes" in read_rule(path)
    except BadMilestonesError:
        return True


class _Loader(yaml.SafeLoader):
    """Loads YAML; refuses aliases, which may expand without limit, and duplicate keys."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "an alias", event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys: Sequence[object] = [key.value for key, _ in node.value]
        for number, (key, _) in enumerate(node.value):
            if key.value in keys[:number]:
                raise yaml.constructor.ConstructorError(
                    None, None, f"duplicate key {key.value!r}", key.start_mark
                )
        return super().construct_mapping(node, deep=deep)
