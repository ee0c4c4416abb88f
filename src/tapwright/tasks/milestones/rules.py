"""Reads the rule files of milestones as graphs, and lints them; `rule_file.py` has their form.

Where a node has `deps`, nodes that name it in `next` are ignored.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue, ValidationError

from tapwright.errors import first_problem
from tapwright.tasks.errors import BadMilestonesError, BadPatternError
from tapwright.tasks.milestones.checks import (
    ActionCheck,
    AgentTextCheck,
    AlwaysCheck,
    MilestoneCheck,
    PatternCheck,
    TextSeenCheck,
    TopicCheck,
    UiFlagCheck,
    XmlTextCheck,
)
from tapwright.tasks.milestones.combined_checks import AllChecks, AnyCheck
from tapwright.tasks.milestones.frames import CheckCost
from tapwright.tasks.milestones.graph import Milestone, MilestoneGraph
from tapwright.tasks.milestones.picture_checks import IconCheck, ModelCheck, OcrCheck
from tapwright.tasks.milestones.rule_file import (
    ActionParams,
    DynamicParams,
    IconParams,
    ModelParams,
    OcrParams,
    RegexParams,
    RuleFile,
    RuleNode,
    RulePart,
    UiFlagParams,
    WordParams,
    read_rule,
)
from tapwright.tasks.milestones.word_query import WordQuery
from tapwright.tasks.patterns import compile_pattern

__all__ = [
    "graph_from_dict",
    "lint_rule",
    "read_graph",
]

_PICTURES = (".png", ".jpg", ".jpeg", ".webp")


def read_graph(path: Path | str) -> MilestoneGraph:
    """Reads the graph of a rule file, YAML or JSON; pictures of icons are in `icons` beside it.

    Raises:
        BadMilestonesError: the file cannot be read, or is not a rule; names file and line, or node.
    """
    path = Path(path)
    return graph_from_dict(read_rule(path), origin=str(path))


def graph_from_dict(rule: Mapping[str, JsonValue], *, origin: str = "the graph") -> MilestoneGraph:
    """Builds the graph of a rule in the form of MobiFlow's files.

    A node may have `any` and `all`, words on the screen, instead of a `condition`.

    Raises:
        BadMilestonesError: it is not such a rule; names `origin` and the node.
    """
    file = _parse_file(rule, origin)
    after: dict[str, list[str]] = {}
    known = {node.id for node in file.nodes}
    for node in file.nodes:
        for id_ in node.next:
            if id_ not in known:
                raise BadMilestonesError(
                    f"{origin}: milestone {node.id!r} names {id_!r} as next, which does not exist",
                    hint=f"there are: {', '.join(known)}",
                )
            after.setdefault(id_, []).append(node.id)
    if file.success.any_of and file.success.all_of:
        raise BadMilestonesError(f"{origin}: success has any_of and all_of; expected one of them")
    return MilestoneGraph.of(
        [
            Milestone(
                node.id,
                _build_check(node, Path(origin).parent, f"{origin}: milestone {node.id!r}"),
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


def lint_rule(
    rule: Mapping[str, JsonValue], graph: MilestoneGraph
) -> Iterator[tuple[str, str, str]]:
    """Yields what is probably a mistake in a rule: the node, the problem, and the way out."""
    file = _parse_file(rule, "the rule")
    following = {id_ for node in file.nodes for id_ in node.next}
    checks = {one.id: one.check for one in graph.milestones}
    for part, name in _unknown_keys(file):
        yield part, f"unknown key {name!r} has no effect", "remove it, or correct its name"
    if not file.success.any_of and not file.success.all_of:
        yield "success", f"is missing; any of {', '.join(graph.success)} is enough", ""
    for node in file.nodes:
        if node.id not in graph.needed:
            yield node.id, "success does not depend on it, so it never counts", ""
        if node.deps and node.id in following:
            yield node.id, "has deps, so nodes that name it as next are ignored", ""
        if isinstance(checks[node.id], AlwaysCheck):
            yield node.id, "has no condition, so it is passed with its parents", ""
        if checks[node.id].costs == {CheckCost.MODEL}:
            yield node.id, "only a model can check it", "add text, xml or ocr to it"
        if node.score == 0:
            yield node.id, "has no weight in the score", ""
    if not any(node.score for node in file.nodes):
        yield "nodes", "have no weight, so each counts the same", ""


def _parse_file(rule: Mapping[str, JsonValue], origin: str) -> RuleFile:
    try:
        return RuleFile.model_validate(rule)
    except ValidationError as error:
        raise BadMilestonesError(f"{origin}: {first_problem(error)}") from error


def _unknown_keys(file: RuleFile) -> Iterator[tuple[str, str]]:
    parts: list[tuple[str, RulePart]] = [("the file", file), ("success", file.success)]
    parts += [(node.id, node) for node in file.nodes]
    for part, model in parts:
        yield from ((part, name) for name in model.model_extra or ())


def _build_check(node: RuleNode, folder: Path, where: str) -> MilestoneCheck:
    checks: list[MilestoneCheck] = []
    if node.any or node.all:
        checks.append(TextSeenCheck(WordQuery(node.any, node.all)))
    try:
        if node.condition is not None:
            checks.append(_build_condition(node.condition.type, node.condition.params, folder))
    except ValidationError as error:
        raise BadMilestonesError(f"{where}, its condition: {first_problem(error)}") from error
    except (BadMilestonesError, BadPatternError) as error:
        raise BadMilestonesError(f"{where}, its condition: {error}", hint=error.hint) from error
    if not checks:
        return AlwaysCheck()
    return checks[0] if len(checks) == 1 else AllChecks(tuple(checks))


_SHORT = {
    "text": "text_match", "regex": "regex_match", "ui": "ui_flag", "action": "action_match",
    "xml": "xml_text_match", "dynamic_match": "dynamic_match", "icons": "icons_match",
    "ocr": "ocr_match", "llm": "llm",
}  # fmt: skip
"""The names of the other kinds in `escalate` and `juxtaposition`."""


def _build_condition(kind: str, params: Mapping[str, JsonValue], folder: Path) -> MilestoneCheck:
    match kind:
        case "escalate":
            return AnyCheck(tuple(_build_parts(params, folder)))
        case "juxtaposition":
            return AllChecks(tuple(_build_parts(params, folder)))
        case "text_match":
            return AgentTextCheck(_word_query(WordParams.model_validate(params)))
        case "xml_text_match":
            return XmlTextCheck(_word_query(WordParams.model_validate(params)))
        case "regex_match":
            regex = RegexParams.model_validate(params)
            compile_pattern(regex.pattern)
            return PatternCheck(regex.pattern, regex.ignore_case)
        case "ui_flag":
            flag = UiFlagParams.model_validate(params)
            values = flag.in_ if flag.in_ is not None else [flag.equals]
            return UiFlagCheck(flag.key, tuple(one for one in values if one is not None))
        case "action_match":
            action = ActionParams.model_validate(params)
            return ActionCheck(action.type, tuple(sorted(action.contains.items())))
        case "icons_match":
            return _icon_check(IconParams.model_validate(params), folder)
        case "ocr_match":
            ocr = OcrParams.model_validate(params)
            compile_pattern(ocr.pattern)
            return OcrCheck(ocr.any, ocr.all, ocr.pattern, ocr.ignore_case)
        case "llm":
            model = ModelParams.model_validate(params)
            return ModelCheck(model.prompt, model.expected_true)
        case "dynamic_match":
            return _topic_check(DynamicParams.model_validate(params))
    raise BadMilestonesError(
        f"unknown kind of condition {kind!r}",
        hint=f"known: escalate, juxtaposition, {', '.join(_SHORT.values())}",
    )


def _build_parts(params: Mapping[str, JsonValue], folder: Path) -> Iterator[MilestoneCheck]:
    if not params:
        raise BadMilestonesError("it has no parts", hint=f"known: {', '.join(_SHORT)}")
    for name, inner in params.items():
        if name not in _SHORT:
            raise BadMilestonesError(f"unknown part {name!r}", hint=f"known: {', '.join(_SHORT)}")
        if not isinstance(inner, dict):
            raise BadMilestonesError(f"its {name} is not a mapping")
        if name == "action" and inner.get("type") == "action_match":
            nested = inner.get("params")
            inner = nested if isinstance(nested, dict) else {}
        yield _build_condition(_SHORT[name], inner, folder)


def _word_query(params: WordParams) -> WordQuery:
    if not params.any and not params.all:
        raise BadMilestonesError("it looks for no words", hint="give it any, or all")
    return WordQuery(params.any, params.all)


def _icon_check(params: IconParams, folder: Path) -> MilestoneCheck:
    names = params.any or params.all
    if not names:
        raise BadMilestonesError("it looks for no icons", hint="give it any, or all")
    return IconCheck(
        tuple(_find_picture(folder / "icons", name) for name in names), every=not params.any
    )


def _find_picture(folder: Path, name: str) -> Path:
    """Finds the picture of an icon, which must lie in the folder itself."""
    if Path(name).name != name:
        raise BadMilestonesError(
            f"the icon {name!r} is not a file name", hint=f"pictures: {folder}"
        )
    known = (folder / (name + suffix) for suffix in ("", *_PICTURES))
    return next((path for path in known if path.is_file()), folder / name)


def _topic_check(params: DynamicParams) -> MilestoneCheck:
    topics = tuple(
        (one.trigger_keywords, one.verify_keywords) for one in params.condition_patterns.values()
    )
    words = TopicCheck(topics)
    prompts = [one.llm_prompt for one in params.condition_patterns.values() if one.llm_prompt]
    if params.fallback_llm and len(prompts) == len(topics) == 1:
        return AnyCheck((words, ModelCheck(prompts[0])))
    return words
