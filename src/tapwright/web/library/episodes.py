"""Episodes as the pages show them: words as JSON, pictures as the bytes that were recorded.

An episode of a run is looked at with the name of that run, and cannot be changed: it is evidence.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from typing import Literal, TypeAlias

from PIL import Image
from pydantic import JsonValue

from tapwright.actions import (
    ActionAdapter,
    DoubleTap,
    Drag,
    Hover,
    LongPress,
    Scroll,
    Swipe,
    Tap,
    describe,
)
from tapwright.drawing.marks import thumbnail
from tapwright.episode import Episode, Step
from tapwright.errors import BadImageError
from tapwright.geometry import Box
from tapwright.observation import Observation, UiTree
from tapwright.screenshot import Screenshot
from tapwright.store.catalog import Catalog, CatalogEntry, CatalogQuery, count_facets
from tapwright.store.errors import EpisodeMissingError
from tapwright.store.lines import wrap_read_errors
from tapwright.store.store import EpisodeStore
from tapwright.store.versions import VersionHistory
from tapwright.web.errors import ForbiddenError, RequestError

__all__ = ["PAGE", "Episodes", "Sort", "Which", "box_json", "draw_thumb", "tree_json"]

Json: TypeAlias = dict[str, JsonValue]
Which: TypeAlias = Literal["before", "after", "final"]
Sort: TypeAlias = Literal["newest", "oldest", "longest", "shortest", "task"]

PAGE = 60
_KEPT_EPISODES, _KEPT_THUMBS = 16, 4096
_QUALITY = 78


class Episodes:
    """The episodes of one store; may be asked from several threads."""

    def __init__(self, store: EpisodeStore) -> None:
        self.store = store
        self.catalog = Catalog(store)
        self._read = lru_cache(maxsize=_KEPT_EPISODES)(self._read_now)
        self._thumb = lru_cache(maxsize=_KEPT_THUMBS)(self._thumb_now)

    def page(
        self, wanted: CatalogQuery, *, sort: Sort = "newest", page: int = 0, own: str | None = None
    ) -> Json:
        """One page of the entries that are wanted, and what there is to choose from.

        Pages count from 0 and have `PAGE` entries. With `own` only those of that agent are there
        at all.
        """
        entries, unreadable = self.catalog.read()
        mine = [entry for entry in entries if own is None or entry.agent == own]
        found = _sorted([entry for entry in mine if wanted.fits(entry)], sort)
        shown = found[page * PAGE : (page + 1) * PAGE]
        return {
            "total": len(mine),
            "found": len(found),
            "page": page,
            "pages": max(1, -(-len(found) // PAGE)),
            "store": str(self.store.root),
            "count_facets": {name: dict(counts) for name, counts in count_facets(mine).items()},
            "unreadable": [str(error) for error in unreadable.values()] if own is None else [],
            "episodes": [entry_json(entry) for entry in shown],
        }

    def episode(self, id_: str, version: int | None = None, own: str | None = None) -> Episode:
        """An episode, read once while nothing changes.

        Raises:
            ForbiddenError: it is another agent's than `own`.
            EpisodeMissingError: the store has none of this id, or it was removed.
            VersionMissingError: it has no such version.
            CorruptEpisodeError: it cannot be read.
        """
        history = self.store.history(id_)
        if version is None and history.removed:
            raise EpisodeMissingError(
                f"{id_}: the episode was removed",
                hint=f"tapwright episodes undo {self.store.root} {id_}",
            )
        number = history.shown if version is None else version
        place = history.place(number)
        stamp = 0
        if place is not None:
            with wrap_read_errors(place / "steps.jsonl"):
                stamp = (place / "steps.jsonl").stat().st_mtime_ns
        episode = self._read(id_, number, stamp)
        if own is not None and episode.agent != own:
            raise ForbiddenError(f"{id_}: was recorded by {episode.agent}, not by {own}")
        return episode

    def words(self, id_: str, version: int | None = None, *, own: str | None = None) -> Json:
        """All of an episode but its pictures and trees; raises as `episode` does."""
        episode = self.episode(id_, version, own)
        history = self.store.history(id_)
        return {
            "id": episode.id,
            "task": episode.task_id,
            "instruction": episode.instruction,
            "agent": episode.agent,
            "device": episode.device,
            "created": episode.created,
            "outcome": episode.outcome,
            "version": episode.version,
            "shown": history.shown,
            "extra": dict(episode.extra),
            "log": list(episode.log),
            "store": str(self.store.root),
            "steps": [_step_json(number, step) for number, step in enumerate(episode.steps)],
            "final": None if episode.final is None else _seen(episode.final),
            "history": history_json(history),
        }

    def screen(
        self, id_: str, version: int | None, step: int, which: Which, own: str | None = None
    ) -> Observation:
        """What was seen before or after a step, or at the end; raises as `episode` does.

        After a step without a screen of its own comes the next step's, or the final one.

        Raises:
            RequestError: the episode has no such step or screen.
        """
        episode = self.episode(id_, version, own)
        if which != "final" and not 0 <= step < len(episode.steps):
            raise RequestError(f"{id_} has no step {step}; it has {len(episode.steps)}")
        seen = episode.final if which == "final" else _screen(episode, step, which)
        if seen is None:
            raise RequestError(f"{id_} has no screen {which} step {step}")
        return seen

    def screen_of(
        self, id_: str, version: int | None, sha256: str, own: str | None = None
    ) -> Observation:
        """What was seen with the picture of this hash; raises as `episode` does.

        Raises:
            RequestError: the episode has no such picture.
        """
        episode = self.episode(id_, version, own)
        screens = [seen for step in episode.steps for seen in step.screens]
        screens += [] if episode.final is None else [episode.final]
        for seen in screens:
            if seen.screenshot.sha256 == sha256:
                return seen
        raise RequestError(f"{id_} has no picture {sha256[:20]}")

    def thumb(self, shot: Screenshot, width_px: int) -> bytes:
        """A small JPEG of a picture, made once.

        Raises:
            BadImageError: the picture cannot be decoded.
        """
        return self._thumb(shot, width_px)

    def _read_now(self, id_: str, version: int, stamp: int) -> Episode:
        return self.store.read(id_, version)

    def _thumb_now(self, shot: Screenshot, width_px: int) -> bytes:
        return draw_thumb(shot, width_px)


def entry_json(entry: CatalogEntry) -> Json:
    """An entry of the catalog, for a list."""
    return {
        "id": entry.id,
        "task": entry.task_id,
        "instruction": entry.instruction,
        "agent": entry.agent,
        "created": entry.created,
        "version": entry.version,
        "steps": entry.steps,
        "outcome": entry.outcome,
        "apps": list(entry.apps),
        "first": entry.first or None,
        "last": entry.last or None,
    }


def history_json(history: VersionHistory) -> list[JsonValue]:
    """What was done to an episode, oldest first; the first line is the recording."""
    recorded: Json = {
        "version": history.recorded, "change": "recorded", "from": None, "edit": "", "time": "",
    }  # fmt: skip
    changes: list[Json] = [
        {
            "version": change.version,
            "change": change.change,
            "from": change.parent,
            "edit": change.edit,
            "time": change.time,
        }
        for change in history.changes
    ]
    return [recorded, *changes]


def tree_json(seen: Observation, step: Step | None = None) -> Json:
    """The boxes of a screen's view hierarchy, and which of them a step's action means.

    Boxes are left, top, right, bottom in fractions of the screen; nodes that are not seen are left
    out. `target` is the place in `nodes` of what the action reaches, None where it reaches none.

    Raises:
        BadTreeError: the hierarchy is broken.
    """
    if seen.ui_tree is None:
        return {"nodes": [], "target": None}
    # Unread, so that the trees of an episode that is kept do not pile up.
    tree = seen.ui_tree.unread()
    nodes = [node for node in tree.nodes if node.box is not None]
    meant = None if step is None else _meant(tree, step)
    return {
        "nodes": [
            {
                "box": box_json(node.box),
                "label": node.label[:200],
                "role": node.role,
                "clickable": node.is_("clickable"),
                "id": node.short_id,
            }
            for node in nodes
        ],
        "target": next((at for at, node in enumerate(nodes) if node.order == meant), None),
    }


def box_json(box: Box | None) -> JsonValue:
    """Left, top, right, bottom."""
    return None if box is None else [box.left, box.top, box.right, box.bottom]


def draw_thumb(shot: Screenshot, width_px: int) -> bytes:
    """A picture scaled to a width, as JPEG; a JPEG is not decoded larger than it has to be.

    Raises:
        BadImageError: the picture cannot be decoded.
    """
    picture = _draft(shot, width_px) if shot.media_type == "image/jpeg" else shot.image()
    buffer = BytesIO()
    thumbnail(picture, width_px).save(buffer, "JPEG", quality=_QUALITY)
    return buffer.getvalue()


def _draft(shot: Screenshot, width_px: int) -> Image.Image:
    try:
        with Image.open(BytesIO(shot.data)) as image:
            image.draft("RGB", (width_px, 1))
            return image.convert("RGB")
    except (OSError, SyntaxError, ValueError) as error:
        raise BadImageError(f"{shot.origin}: the image is broken: {error}") from error


def _sorted(entries: list[CatalogEntry], sort: Sort) -> list[CatalogEntry]:
    match sort:
        case "newest":
            return entries[::-1]
        case "oldest":
            return entries
        case "longest":
            return sorted(entries, key=lambda entry: -entry.steps)
        case "shortest":
            return sorted(entries, key=lambda entry: entry.steps)
        case "task":
            return sorted(entries, key=lambda entry: entry.task_id)


def _screen(episode: Episode, number: int, which: Which) -> Observation | None:
    step = episode.steps[number]
    if which == "before":
        return step.observation
    if step.after is not None:
        return step.after
    following: Sequence[Step] = episode.steps[number + 1 : number + 2]
    return following[0].observation if following else episode.final


def _step_json(number: int, step: Step) -> Json:
    decision = step.decision
    action: Mapping[str, JsonValue] = ActionAdapter.dump_python(decision.action, mode="json")
    return {
        "index": number,
        "action": dict(action),
        "said": describe(decision.action),
        "target": decision.target,
        "reasoning": decision.reasoning,
        "note": step.note,
        "reward": step.reward,
        "instructions": list(step.instructions),
        "log": list(step.log),
        "refused": step.refused,
        "app": step.observation.app,
        "stale": step.observation.stale,
        "time_s": step.observation.time_s,
        "raw": len(step.raw),
        "before": _seen(step.observation),
        "after": None if step.after is None else _seen(step.after),
    }


def _seen(observation: Observation) -> Json:
    return {
        "sha": observation.screenshot.sha256,
        "width": observation.size.width,
        "height": observation.size.height,
        "tree": observation.ui_tree is not None,
    }


def _meant(tree: UiTree, step: Step) -> int | None:
    """The order of the node that a step's action reaches."""
    match step.decision.action:
        case (
            Tap(at=at) | DoubleTap(at=at) | LongPress(at=at) | Hover(at=at) | Scroll(at=at)
            | Swipe(start=at) | Drag(start=at)
        ):  # fmt: skip
            node = tree.at(at)
            return None if node is None else node.order
        case _:
            return None
