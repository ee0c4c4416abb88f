"""Reads the rule files of milestones as graphs, and lints them; `rule_file.py` has their form.

Where a node has `deps`, nodes that name it in `next` are ignored. A graph in a program must be
right; a file is read as MobiFlow reads it, as far as that can be judged, with doubts for the lint.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue, ValidationError

from tapwright.errors import first_problem
from tapwright.tasks.errors import BadMilestonesError, BadPatternError
from tapwright.tasks.milestones.checks import (
    AllChecks,
    AnyCheck,
    MilestoneCheck,
    TextSeenCheck,
)
from tapwright.tasks.milestones.conditions import ConditionReader, Doubt, missing_pictures
from tapwright.tasks.milestones.frames import CheckCost
from tapwright.tasks.milestones.graph import Milestone, MilestoneGraph
from tapwright.tasks.milestones.rule_file import RuleFile, RuleNode, RulePart, read_rule
from tapwright.tasks.milestones.word_query import WordQuery

__all__ = ["RuleDoubt", "graph_from_dict", "lint_rule", "list_doubts", "read_graph"]


@dataclass(frozen=True, slots=True)
class RuleDoubt:
    """What is probably a mistake: the node or other part, the problem, and the way out.

    `is_beside` is set when the rule itself may be right, and a file beside it is missing.
    """

    part: str
    what: str
    hint: str = ""
    is_beside: bool = False


def read_graph(path: Path | str) -> MilestoneGraph:
    """Reads the graph of a rule file, YAML or JSON; pictures of icons are in `icons` beside it.

    What MobiFlow passes over is passed over; `lint_rule` names it.

    Raises:
        BadMilestonesError: the file cannot be read, or is not a rule; names file and line, or node.
    """
    path = Path(path)
    return _build_graph(_parse_file(read_rule(path), str(path)), str(path), [])


def graph_from_dict(rule: Mapping[str, JsonValue], *, origin: str = "the graph") -> MilestoneGraph:
    """Builds the graph of a rule in the form of MobiFlow's files.

    A node may have `any` and `all`, words on the screen, instead of a `condition`.

    Raises:
        BadMilestonesError: it is not such a rule; names `origin` and the node.
    """
    return _build_graph(_parse_file(rule, origin), origin, None)


def _build_graph(file: RuleFile, origin: str, doubts: list[RuleDoubt] | None) -> MilestoneGraph:
    """Builds the graph of a rule; with `doubts` mistakes are added there, as far as they can be."""
    after = _parents_of_next(file, origin)
    if file.success.any_of and file.success.all_of:
        raise BadMilestonesError(f"{origin}: success has any_of and all_of; expected one of them")
    milestones = [
        Milestone(
            node.id,
            _build_check(node, origin, doubts),
            all_of=node.deps,
            any_of=() if node.deps else tuple(after.get(node.id, ())),
            score=node.score,
            name=node.name,
        )
        for node in file.nodes
    ]
    success = file.success.any_of or file.success.all_of
    if doubts is not None:
        missing = [id_ for id_ in success if id_ not in {node.id for node in file.nodes}]
        doubts += [_missing_success(id_) for id_ in missing]
        if file.success.all_of or len(missing) == len(success):
            milestones += _never_passed(milestones, missing)
        else:
            success = tuple(id_ for id_ in success if id_ not in missing)
    return MilestoneGraph.of(
        milestones,
        success,
        needs_all=bool(file.success.all_of),
        task_id=file.task_id,
        app=file.app_id,
        instruction=file.description,
        origin=origin,
    )


def _parents_of_next(file: RuleFile, origin: str) -> Mapping[str, Sequence[str]]:
    after: dict[str, list[str]] = {}
    known = [node.id for node in file.nodes]
    for node in file.nodes:
        for id_ in node.next:
            if id_ not in known:
                raise BadMilestonesError(
                    f"{origin}: milestone {node.id!r} names {id_!r} as next, which does not exist",
                    hint=f"there are: {', '.join(known)}",
                )
            after.setdefault(id_, []).append(node.id)
    return after


def _missing_success(id_: str) -> RuleDoubt:
    what = f"names {id_!r}, which does not exist, so it is never reached"
    return RuleDoubt("success", what, "correct the name, or remove it")


def _never_passed(milestones: Sequence[Milestone], missing: Sequence[str]) -> Iterator[Milestone]:
    """The milestones that a success needs and that do not exist: after all that can be reached."""
    followed = {id_ for one in milestones for id_ in one.parents}
    ends = tuple(one.id for one in milestones if one.id not in followed)
    for id_ in missing:
        yield Milestone(id_, AnyCheck(()), any_of=ends)


def list_doubts(path: Path) -> list[RuleDoubt]:
    """Lists what `read_graph` passed over in a rule file.

    Raises:
        BadMilestonesError: as `read_graph` raises it.
    """
    doubts: list[RuleDoubt] = []
    _build_graph(_parse_file(read_rule(path), str(path)), str(path), doubts)
    return doubts


def lint_rule(rule: Mapping[str, JsonValue], *, origin: str = "the rule") -> Iterator[RuleDoubt]:
    """Yields what is probably a mistake in a rule, which is read from `origin`.

    Raises:
        BadMilestonesError: it is no rule, also to MobiFlow.
    """
    file = _parse_file(rule, origin)
    doubts: list[RuleDoubt] = []
    graph = _build_graph(file, origin, doubts)
    for part, name in _unknown_keys(file):
        what = f"unknown key {name!r} has no effect"
        yield RuleDoubt(part, what, "remove it, or correct its name")
    yield from doubts
    if not file.success.any_of and not file.success.all_of:
        what = f"is missing; any of {', '.join(graph.success)} is enough"
        yield RuleDoubt("success", what)
    following = {id_ for node in file.nodes for id_ in node.next}
    checks = {one.id: one.check for one in graph.milestones}
    for node in file.nodes:
        yield from _lint_node(node, checks[node.id], graph, is_next=node.id in following)
    if not any(node.score for node in file.nodes):
        yield RuleDoubt("nodes", "have no weight, so each counts the same")


def _lint_node(
    node: RuleNode, check: MilestoneCheck, graph: MilestoneGraph, *, is_next: bool
) -> Iterator[RuleDoubt]:
    if node.id not in graph.needed:
        yield RuleDoubt(node.id, "success does not depend on it, so it never counts")
    if node.deps and is_next:
        yield RuleDoubt(node.id, "has deps, so nodes that name it as next are ignored")
    if check == AllChecks(()):
        yield RuleDoubt(node.id, "has no condition, so it is passed with its parents")
    if check.costs == {CheckCost.MODEL}:
        yield RuleDoubt(node.id, "only a model can check it", "add text, xml or ocr to it")
    if node.score == 0:
        yield RuleDoubt(node.id, "has no weight in the score")
    pictures = list(dict.fromkeys(missing_pictures(check)))
    if pictures:
        names = ", ".join(one.name for one in pictures)
        what = f"pictures of icons are not there: {names}; whether they are seen stays unknown"
        yield RuleDoubt(node.id, what, f"put them into {pictures[0].parent}", is_beside=True)


def _parse_file(rule: Mapping[str, JsonValue], origin: str) -> RuleFile:
    try:
        return RuleFile.model_validate(rule)
    except ValidationError as error:
        raise BadMilestonesError(f"{origin}: {first_problem(error)}") from error


def _unknown_keys(file: RuleFile) -> Iterator[tuple[str, str]]:
    parts: list[tuple[str, RulePart]] = [("the file", file), ("success", file.success)]
    parts += [(node.id, node) for node in file.nodes]
    parts += [(node.id, node.condition) for node in file.nodes if node.condition is not None]
    for part, model in parts:
        yield from ((part, name) for name in model.model_extra or ())


def _build_check(node: RuleNode, origin: str, doubts: list[RuleDoubt] | None) -> MilestoneCheck:
    where = f"{origin}: milestone {node.id!r}, its condition"

    def doubt(what: str, way_out: str) -> None:
        assert doubts is not None
        doubts.append(RuleDoubt(node.id, what, way_out))

    of_file: Doubt | None = None if doubts is None else doubt
    checks: list[MilestoneCheck] = []
    if node.any or node.all:
        checks.append(TextSeenCheck(WordQuery(node.any, node.all)))
    try:
        if node.condition is not None:
            reader = ConditionReader(Path(origin).parent, of_file)
            checks.append(reader.read(node.condition.type, node.condition.params))
    except ValidationError as error:
        raise BadMilestonesError(f"{where}: {first_problem(error)}") from error
    except (BadMilestonesError, BadPatternError) as error:
        raise BadMilestonesError(f"{where}: {error}", hint=error.hint) from error
    return checks[0] if len(checks) == 1 else AllChecks(tuple(checks))
