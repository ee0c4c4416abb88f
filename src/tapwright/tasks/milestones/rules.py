"""Rule files of milestones, as MobiFlow writes them in YAML or JSON: read, and looked over.

    task_id, app_id, task_type, description
    nodes:   id, name, deps (all of them before), next (what may come after), score (10),
             condition {type, params}; or `any` and `all`: words to be seen
    success: any_of or all_of

`deps` wins where `next` names the node too. A file is data: aliases and tags of YAML are refused.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError

from tapwright.errors import first_problem
from tapwright.tasks.errors import BadMilestonesError, BadPatternError
from tapwright.tasks.milestones.checks import (
    ActionIs,
    AllOf,
    Always,
    AnyOf,
    Asked,
    Flag,
    Icons,
    MilestoneCheck,
    Pattern,
    Read,
    Said,
    Seen,
    Topic,
    Words,
    Xml,
)
from tapwright.tasks.milestones.frames import Cost
from tapwright.tasks.milestones.graph import Graph, Milestone
from tapwright.tasks.patterns import compile_pattern
from tapwright.tasks.text_file import read_text

__all__ = [
    "FOLDER_SUFFIXES",
    "RULE_SUFFIXES",
    "doubts",
    "graph_from_dict",
    "read_graph",
    "read_rule",
]

FOLDER_SUFFIXES = (".yaml", ".yml")
"""What the file names of rules end with; in a directory much else is JSON."""
RULE_SUFFIXES = (*FOLDER_SUFFIXES, ".json")
"""What the name of a file ends with that is said to be a rule."""

_PICTURES = (".png", ".jpg", ".jpeg", ".webp")


def _several(value: object) -> object:
    return [value] if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_several)]


class _Rule(BaseModel):
    """A part of a rule file; what it says beside is kept aside, and doubted."""

    model_config = ConfigDict(frozen=True, extra="allow")


class _Condition(_Rule):
    type: str
    params: dict[str, JsonValue] = {}


class _Node(_Rule):
    id: str
    name: str = ""
    deps: Texts = ()
    next: Texts = ()
    condition: _Condition | None = None
    any: Texts = ()
    all: Texts = ()
    score: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 10.0


class _Success(_Rule):
    any_of: Texts = ()
    all_of: Texts = ()


class _File(_Rule):
    nodes: tuple[_Node, ...]
    success: _Success = _Success()
    task_id: str = ""
    app_id: str = ""
    task_type: JsonValue = None
    description: str = ""


class _Params(BaseModel):
    """The parameters of one kind of condition; a misspelt one is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class _Words(_Params):
    any: Texts = ()
    all: Texts = ()


class _Regex(_Params):
    pattern: str
    ignore_case: bool = False


class _Flag(_Params):
    key: str
    equals: JsonValue = None
    in_: Annotated[list[JsonValue] | None, Field(alias="in")] = None


class _Action(_Params):
    type: str = ""
    contains: dict[str, JsonValue] = {}


class _Icons(_Params):
    any: Texts = ()
    all: Texts = ()
    threshold: float | None = None


class _Ocr(_Params):
    any: Texts = ()
    all: Texts = ()
    pattern: str = ""
    ignore_case: bool = False


class _Llm(_Params):
    prompt: str
    expected_true: bool = True


class _Topic(_Params):
    trigger_keywords: Texts
    verify_keywords: Texts
    llm_prompt: str = ""


class _Dynamic(_Params):
    extract_from: Literal["task_description"] = "task_description"
    condition_patterns: dict[str, _Topic]
    verification_fields: Texts = ()
    fallback_llm: bool = False


def read_rule(path: Path) -> dict[str, JsonValue]:
    """What a rule file says; it may still be no graph.

    Raises:
        BadMilestonesError: it cannot be read, or is neither YAML nor JSON; names file and line.
    """
    text = read_text(path, "rule file", BadMilestonesError)
    try:
        rule = json.loads(text) if path.suffix == ".json" else yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise BadMilestonesError(
            f"{path}{line}: no YAML: {error.problem or error.context}",
            hint="a text with a colon, or one that begins with a mark, stands in quotes",
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadMilestonesError(f"{path}: neither YAML nor JSON: {error}") from error
    if not isinstance(rule, dict):
        raise BadMilestonesError(f"{path}: says {type(rule).__name__}, and no mapping with nodes")
    return rule


def read_graph(path: Path | str) -> Graph:
    """The graph in a rule file, YAML or JSON; pictures of icons are in `icons` beside it.

    Raises:
        BadMilestonesError: the file cannot be read, or is no rule; names file and line, or node.
    """
    path = Path(path)
    return graph_from_dict(read_rule(path), origin=str(path))


def graph_from_dict(rule: Mapping[str, JsonValue], *, origin: str = "the graph") -> Graph:
    """The graph that a rule says, in the form of MobiFlow's files.

    A node may say what is to be seen by `any` and `all`, instead of a `condition`.

    Raises:
        BadMilestonesError: it is no such rule; `origin` and the node say where.
    """
    file = _parsed(rule, origin)
    after: dict[str, list[str]] = {}
    known = {node.id for node in file.nodes}
    for node in file.nodes:
        for id_ in node.next:
            if id_ not in known:
                raise BadMilestonesError(
                    f"{origin}: milestone {node.id!r} names {id_!r} as next, which is not there",
                    hint=f"there are: {', '.join(known)}",
                )
            after.setdefault(id_, []).append(node.id)
    if file.success.any_of and file.success.all_of:
        raise BadMilestonesError(f"{origin}: success has any_of and all_of; one of them is meant")
    return Graph.of(
        [
            Milestone(
                node.id,
                _check(node, Path(origin).parent, f"{origin}: milestone {node.id!r}"),
                all_of=node.deps,
                any_of=() if node.deps else tuple(after.get(node.id, ())),
                score=node.score,
                name=node.name,
            )
            for node in file.nodes
        ],
        file.success.any_of or file.success.all_of,
        needs_all=bool(file.success.all_of),
        task_id=file.task_id,
        app=file.app_id,
        instruction=file.description,
        origin=origin,
    )


def doubts(rule: Mapping[str, JsonValue], graph: Graph) -> Iterator[tuple[str, str, str]]:
    """What a rule says that is probably not meant: of which node, what, and the way out."""
    file = _parsed(rule, "the rule")
    following = {id_ for node in file.nodes for id_ in node.next}
    checks = {one.id: one.check for one in graph.milestones}
    for part, name in _unknown(file):
        yield part, f"{name!r} is read by nobody", "take it out, or mend its name"
    if not file.success.any_of and not file.success.all_of:
        yield "success", f"is not said; any of {', '.join(graph.success)} is taken", ""
    for node in file.nodes:
        if node.id not in graph.needed:
            yield node.id, "success does not hang on it, so it never counts", ""
        if node.deps and node.id in following:
            yield node.id, "has deps, so that others name it as next counts nothing", ""
        if isinstance(checks[node.id], Always):
            yield node.id, "has no condition, so it is passed with its parents", ""
        if checks[node.id].costs == {Cost.MODEL}:
            yield node.id, "only a model can tell it", "add text, xml or ocr to it"
        if node.score == 0:
            yield node.id, "weighs nothing in the score", ""
    if not any(node.score for node in file.nodes):
        yield "nodes", "weigh nothing, so each counts the same", ""


def _parsed(rule: Mapping[str, JsonValue], origin: str) -> _File:
    try:
        return _File.model_validate(rule)
    except ValidationError as error:
        raise BadMilestonesError(f"{origin}: {first_problem(error)}") from error


def _unknown(file: _File) -> Iterator[tuple[str, str]]:
    parts: list[tuple[str, _Rule]] = [("the file", file), ("success", file.success)]
    parts += [(node.id, node) for node in file.nodes]
    for part, model in parts:
        yield from ((part, name) for name in model.model_extra or ())


def _check(node: _Node, folder: Path, where: str) -> MilestoneCheck:
    checks: list[MilestoneCheck] = []
    if node.any or node.all:
        checks.append(Seen(Words(node.any, node.all)))
    try:
        if node.condition is not None:
            checks.append(_condition(node.condition.type, node.condition.params, folder))
    except ValidationError as error:
        raise BadMilestonesError(f"{where}, its condition: {first_problem(error)}") from error
    except (BadMilestonesError, BadPatternError) as error:
        raise BadMilestonesError(f"{where}, its condition: {error}", hint=error.hint) from error
    if not checks:
        return Always()
    return checks[0] if len(checks) == 1 else AllOf(tuple(checks))


_SHORT = {
    "text": "text_match", "regex": "regex_match", "ui": "ui_flag", "action": "action_match",
    "xml": "xml_text_match", "dynamic_match": "dynamic_match", "icons": "icons_match",
    "ocr": "ocr_match", "llm": "llm",
}  # fmt: skip
"""How `escalate` and `juxtaposition` call the other kinds."""


def _condition(kind: str, params: Mapping[str, JsonValue], folder: Path) -> MilestoneCheck:
    match kind:
        case "escalate":
            return AnyOf(tuple(_parts(params, folder)))
        case "juxtaposition":
            return AllOf(tuple(_parts(params, folder)))
        case "text_match":
            return Said(_words(_Words.model_validate(params)))
        case "xml_text_match":
            return Xml(_words(_Words.model_validate(params)))
        case "regex_match":
            regex = _Regex.model_validate(params)
            compile_pattern(regex.pattern)
            return Pattern(regex.pattern, regex.ignore_case)
        case "ui_flag":
            flag = _Flag.model_validate(params)
            values = flag.in_ if flag.in_ is not None else [flag.equals]
            return Flag(flag.key, tuple(one for one in values if one is not None))
        case "action_match":
            action = _Action.model_validate(params)
            return ActionIs(action.type, tuple(sorted(action.contains.items())))
        case "icons_match":
            return _icons(_Icons.model_validate(params), folder)
        case "ocr_match":
            ocr = _Ocr.model_validate(params)
            compile_pattern(ocr.pattern)
            return Read(ocr.any, ocr.all, ocr.pattern, ocr.ignore_case)
        case "llm":
            asked = _Llm.model_validate(params)
            return Asked(asked.prompt, asked.expected_true)
        case "dynamic_match":
            return _topic(_Dynamic.model_validate(params))
    raise BadMilestonesError(
        f"there is no kind of condition {kind!r}",
        hint=f"there are: escalate, juxtaposition, {', '.join(_SHORT.values())}",
    )


def _parts(params: Mapping[str, JsonValue], folder: Path) -> Iterator[MilestoneCheck]:
    if not params:
        raise BadMilestonesError("it has no parts", hint=f"there are: {', '.join(_SHORT)}")
    for name, inner in params.items():
        if name not in _SHORT:
            raise BadMilestonesError(
                f"has no part {name!r}", hint=f"there are: {', '.join(_SHORT)}"
            )
        if not isinstance(inner, dict):
            raise BadMilestonesError(f"its {name} is no mapping")
        if name == "action" and inner.get("type") == "action_match":
            nested = inner.get("params")
            inner = nested if isinstance(nested, dict) else {}
        yield _condition(_SHORT[name], inner, folder)


def _words(given: _Words) -> Words:
    if not given.any and not given.all:
        raise BadMilestonesError("it looks for no words", hint="give it any, or all")
    return Words(given.any, given.all)


def _icons(given: _Icons, folder: Path) -> MilestoneCheck:
    names = given.any or given.all
    if not names:
        raise BadMilestonesError("it looks for no icons", hint="give it any, or all")
    return Icons(tuple(_picture(folder / "icons", name) for name in names), every=not given.any)


def _picture(folder: Path, name: str) -> Path:
    """The picture of an icon: a file of the folder, nothing else."""
    if Path(name).name != name:
        raise BadMilestonesError(f"the icon {name!r} is no file's name", hint=f"pictures: {folder}")
    known = (folder / (name + suffix) for suffix in ("", *_PICTURES))
    return next((path for path in known if path.is_file()), folder / name)


def _topic(given: _Dynamic) -> MilestoneCheck:
    topics = tuple(
        (one.trigger_keywords, one.verify_keywords) for one in given.condition_patterns.values()
    )
    words = Topic(topics)
    prompts = [one.llm_prompt for one in given.condition_patterns.values() if one.llm_prompt]
    if given.fallback_llm and len(prompts) == len(topics) == 1:
        return AnyOf((words, Asked(prompts[0])))
    return words


class _Loader(yaml.SafeLoader):
    """YAML without what data does not need: aliases, which may swell, and keys given twice."""

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
                    None, None, f"the key {key.value!r} a second time", key.start_mark
                )
        return super().construct_mapping(node, deep=deep)
