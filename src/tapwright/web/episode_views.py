"""Episodes as the pages read them: plain data for JSON, without pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, TypeVar, cast

from pydantic import JsonValue

from tapwright.core.actions import Action, Drag, PointAction, Scroll, Swipe, TypeText
from tapwright.core.episode import Episode, EpisodeOutcome, OutcomeEvidence, Remark, Step
from tapwright.core.fit import FitKind, find_kind
from tapwright.core.geometry import Box, Point
from tapwright.core.observation import Observation, UiNode, UiTree
from tapwright.formats.told_paths import tell_step_names
from tapwright.store.catalog_entry import CatalogEntry, ListedEpisode
from tapwright.store.recording_reviews import RecordingReview, current_recording_review
from tapwright.store.versions import VersionHistory

__all__ = [
    "Edges", "EntryView", "EpisodeStepView", "EpisodeView", "ScreenView", "TreeNodeView",
    "TreeView", "VersionView", "box_edges", "entry_view", "episode_view", "node_view",
    "screen_view", "step_view", "tree_view", "view_of",
]  # fmt: skip

Edges: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom of a box in fractions of the screen."""

_MAX_LABEL = 200

View = TypeVar("View")


@dataclass(frozen=True, slots=True)
class EntryView(ListedEpisode):
    """An episode in a list. `first` and `last` are the hashes of its first and last picture.

    `fit` counts its steps by what they may be used for, `unfit` those that are no targets.
    """

    task: str
    language: str
    unfit: int
    fit: Mapping[FitKind, int]
    first: str | None
    last: str | None


@dataclass(frozen=True, slots=True)
class ScreenView:
    """A screen: the hash of its picture, its size in pixels, whether it has a view hierarchy."""

    sha: str
    width: int
    height: int
    tree: bool


@dataclass(frozen=True, slots=True)
class TabView:
    """A tab of a browser."""

    title: str
    url: str
    active: bool


@dataclass(frozen=True, slots=True)
class EpisodeStepView:
    """A step. `raw` is how many touch events were recorded for it, `reward` is in points.

    `more` are the actions that follow on the same look, and `done` counts those that were done.
    `fit` is what the step is for what teaches a reasoning.
    """

    index: int
    action: Action
    more: tuple[Action, ...]
    done: int
    step_instruction: str
    target: str
    reasoning: str
    note: str
    reward: float
    instructions: tuple[str, ...]
    log: tuple[str, ...]
    refused: str
    app: str
    fit: FitKind
    url: str
    tabs: tuple[TabView, ...]
    time_s: float
    raw: int
    by: str
    said: tuple[Remark, ...]
    before: ScreenView
    after: ScreenView | None


@dataclass(frozen=True, slots=True)
class VersionView:
    """A line of an episode's history. `parent` is the version that it was made from."""

    version: int
    change: Literal["recorded", "edit", "remove", "undo", "redo"]
    parent: int | None
    edit: str
    time: str


@dataclass(frozen=True, slots=True)
class EpisodeView:
    """An episode. `version` is the one given here, `current` the one that the store shows.

    `reviews` are what was said of the recording, oldest first; `review` is the state that holds for
    the current version, "open" while none does.
    """

    id: str
    task: str
    instruction: str
    agent: str
    device: str
    created: str
    outcome: EpisodeOutcome
    evidence: OutcomeEvidence
    version: int
    current: int
    extra: Mapping[str, JsonValue]
    log: tuple[str, ...]
    store: str
    steps: tuple[EpisodeStepView, ...]
    final: ScreenView | None
    history: tuple[VersionView, ...]
    may_edit: bool
    review: str
    reviews: tuple[RecordingReview, ...]


@dataclass(frozen=True, slots=True)
class TreeNodeView:
    """A visible node of a view hierarchy."""

    box: Edges
    label: str
    role: str
    clickable: bool
    id: str


@dataclass(frozen=True, slots=True)
class InspectedNodeView(TreeNodeView):
    """A visible node with its depth, 0 for a root, and the attributes that are not empty."""

    depth: int
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TreeView:
    """The visible nodes of a view hierarchy; `target` is the index of the one an action reaches."""

    nodes: tuple[InspectedNodeView, ...]
    target: int | None


def view_of(kind: type[View], source: object, /, **others: object) -> View:
    """A dataclass with the `others`; its other fields are those of `source` by the same names."""
    names = [one.name for one in fields(cast(Any, kind)) if one.name not in others]
    return kind(**{name: getattr(source, name) for name in names}, **others)


def entry_view(entry: CatalogEntry) -> EntryView:
    """An entry of the catalog, for a list."""
    first, last = entry.first or None, entry.last or None
    return view_of(EntryView, entry, task=entry.task_id, first=first, last=last)


def episode_view(
    episode: Episode,
    history: VersionHistory,
    reviews: Sequence[RecordingReview],
    *,
    store: str,
    may_edit: bool,
) -> EpisodeView:
    """An episode with its history, its reviews and the directory of its store."""
    held = current_recording_review(reviews, history.current)
    return view_of(
        EpisodeView,
        episode,
        task=episode.task_id,
        current=history.current,
        store=store,
        steps=tuple(step_view(number, step) for number, step in enumerate(episode.steps)),
        final=None if episode.final is None else screen_view(episode.final),
        history=_version_views(history),
        may_edit=may_edit,
        review="open" if held is None else held.state,
        reviews=tuple(reviews),
    )


def screen_view(observation: Observation) -> ScreenView:
    """An observation without its picture and its tree."""
    return ScreenView(
        sha=observation.screenshot.sha256,
        width=observation.size.width,
        height=observation.size.height,
        tree=observation.ui_tree is not None,
    )


def tree_view(observation: Observation, step: Step | None = None) -> TreeView:
    """The visible nodes of a screen's view hierarchy, and which of them a step's action reaches.

    Raises:
        BadTreeError: the hierarchy is broken.
    """
    if observation.ui_tree is None:
        return TreeView((), None)
    # A copy without its cache, so that the parsed trees of a cached episode do not pile up.
    tree = observation.ui_tree.unread()
    nodes = [node for node in tree.nodes if node.box is not None]
    target = None if step is None else _target(tree, step)
    return TreeView(
        nodes=tuple(view for node in nodes if (view := _inspected(node)) is not None),
        target=next((at for at, node in enumerate(nodes) if node.order == target), None),
    )


def node_view(node: UiNode) -> TreeNodeView | None:
    """A node of a view hierarchy; None when it is not visible."""
    if node.box is None:
        return None
    return TreeNodeView(
        box=box_edges(node.box),
        label=node.label[:_MAX_LABEL],
        role=node.role,
        clickable=node.is_("clickable"),
        id=node.short_id,
    )


def _inspected(node: UiNode) -> InspectedNodeView | None:
    view = node_view(node)
    attributes = {name: text[:_MAX_LABEL] for name, text in node.attributes.items() if text}
    if view is None:
        return None
    return view_of(InspectedNodeView, view, depth=node.depth, attributes=attributes)


def box_edges(box: Box) -> Edges:
    """A box as its four edges."""
    return box.left, box.top, box.right, box.bottom


def _version_views(history: VersionHistory) -> tuple[VersionView, ...]:
    """What was done to an episode, oldest first; the first line is the recording."""
    recorded = VersionView(history.recorded, "recorded", None, "", "")
    return recorded, *(view_of(VersionView, change) for change in history.changes)


def step_view(number: int, step: Step) -> EpisodeStepView:
    """A step of an episode by its number, from 0; a page that is handed on has the same."""
    step = tell_step_names(step)
    decision, seen = step.decision, step.observation
    return view_of(
        EpisodeStepView,
        step,
        index=number,
        action=decision.first,
        more=decision.actions[1:],
        target=decision.target,
        reasoning=decision.reasoning,
        app=seen.app,
        fit=find_kind(step),
        url=seen.url,
        tabs=tuple(view_of(TabView, tab) for tab in seen.tabs),
        time_s=seen.time_s,
        raw=len(step.raw),
        before=screen_view(seen),
        after=None if step.after is None else screen_view(step.after),
    )


def _target(tree: UiTree, step: Step) -> int | None:
    """The order of the node that a step's action reaches."""
    match step.decision.first:
        case (
            PointAction(at=at)
            | Scroll(at=at)
            | Swipe(start=at)
            | Drag(start=at)
            | TypeText(at=Point() as at)
        ):
            node = tree.at(at)
            return None if node is None else node.order
        case _:
            return None
