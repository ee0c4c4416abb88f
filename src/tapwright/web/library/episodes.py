"""Episodes for the pages: pages of the catalog, cached episodes, screens and thumbnails.

An episode of a run is read under the name of that run, and cannot be changed: it is evidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from shlex import quote
from typing import Literal, TypeAlias

from PIL import Image

from tapwright.core.episode import Episode, Step
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.drawing.marks import thumbnail
from tapwright.errors import BadImageError, quote_path
from tapwright.store.catalog import Catalog
from tapwright.store.errors import EpisodeMissingError
from tapwright.store.filters import EVERY, Condition, equals
from tapwright.store.lines import wrap_read_errors
from tapwright.store.recording_reviews import read_recording_reviews
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tapwright.web.episode_views import EntryView, EpisodeView, entry_view, episode_view
from tapwright.web.errors import ForbiddenError, RequestError

__all__ = ["PAGE_SIZE", "EpisodePage", "Episodes", "Moment", "draw_thumbnail", "visible_to"]

Moment: TypeAlias = Literal["before", "after", "final"]
"""Which screen: before or after a step, or at the end of the episode."""

PAGE_SIZE = 60
_CACHED_EPISODES, _CACHED_THUMBNAILS = 16, 4096
_QUALITY = 78


@dataclass(frozen=True, slots=True)
class EpisodePage:
    """A page of a store's episodes. Pages count from 0.

    `total` episodes there are, `found` of them match. `unread` are in neither: a large store is
    read for the first time, the newest first. `unreadable` are the errors of episodes that could
    not be read.
    """

    total: int
    found: int
    unread: int
    page: int
    pages: int
    store: str
    unreadable: tuple[str, ...]
    episodes: tuple[EntryView, ...]


class Episodes:
    """The episodes of one store, with caches; safe to use from several threads."""

    def __init__(self, store: EpisodeStore) -> None:
        self.store = store
        self.catalog = Catalog(store, freshness="served")
        self._read = lru_cache(maxsize=_CACHED_EPISODES)(self._load)
        self.thumbnail = lru_cache(maxsize=_CACHED_THUMBNAILS)(draw_thumbnail)

    def page(
        self,
        wanted: Condition = EVERY,
        *,
        sort: str = "-created",
        page: int = 0,
        agent: str | None = None,
    ) -> EpisodePage:
        """A page of the matching episodes, `PAGE_SIZE` at most, in the order of a `Selection`.

        With `agent` all others' episodes are left out, of the counts too.

        Raises:
            UsageError: there is no such column to sort by.
            UsageError: the column is a list, and has no order.
        """
        found = self.catalog.overview(
            Selection(sort=sort), wanted, visible_to(agent), page * PAGE_SIZE, PAGE_SIZE
        )
        unreadable = found.unreadable if agent is None else {}
        return EpisodePage(
            total=found.total,
            found=found.found,
            unread=found.unread,
            page=page,
            pages=max(1, -(-found.found // PAGE_SIZE)),
            store=str(self.store.root),
            unreadable=tuple(str(error) for error in unreadable.values()),
            episodes=tuple(map(entry_view, found.entries)),
        )

    def episode(self, id_: str, version: int | None = None, agent: str | None = None) -> Episode:
        """An episode, cached until it changes.

        Raises:
            ForbiddenError: its agent is not `agent`.
            EpisodeMissingError: the store has none of this id, or it was removed.
            StoreError: it has no such version.
            CorruptEpisodeError: it cannot be read.
        """
        history = self.store.history(id_)
        if version is None and history.removed:
            raise EpisodeMissingError(
                f"{id_}: the episode was removed",
                hint=f"tapwright episodes undo {quote_path(self.store.root)} {quote(id_)}",
                values={"id": id_},
            )
        number = history.current if version is None else version
        place = history.version_directory(number)
        stamp = 0
        if place is not None:
            with wrap_read_errors(place / "steps.jsonl"):
                stamp = (place / "steps.jsonl").stat().st_mtime_ns
        episode = self._read(id_, number, stamp)
        if agent is not None and episode.agent != agent:
            raise ForbiddenError(f"{id_}: was recorded by {episode.agent}, not by {agent}")
        return episode

    def view(
        self,
        id_: str,
        version: int | None = None,
        *,
        agent: str | None = None,
        may_edit: bool = False,
    ) -> EpisodeView:
        """An episode without its pictures and trees; raises as `episode` does."""
        episode = self.episode(id_, version, agent)
        history = self.store.history(id_)
        reviews = read_recording_reviews(history.directory)
        store = str(self.store.root)
        return episode_view(episode, history, reviews, store=store, may_edit=may_edit)

    def screen(
        self, id_: str, version: int | None, step: int, moment: Moment, agent: str | None = None
    ) -> Observation:
        """The screen before or after a step, or at the end; raises as `episode` does.

        The screen after a step that has none of its own is the next step's, or the final one.

        Raises:
            RequestError: the episode has no such step or screen.
        """
        episode = self.episode(id_, version, agent)
        if moment != "final" and not 0 <= step < len(episode.steps):
            raise RequestError(f"{id_} has no step {step}; it has {len(episode.steps)}")
        found = episode.final if moment == "final" else _find_screen(episode, step, moment)
        if found is None:
            raise RequestError(f"{id_} has no screen {moment} step {step}")
        return found

    def screen_by_hash(
        self, id_: str, version: int | None, sha256: str, agent: str | None = None
    ) -> Observation:
        """The screen whose picture has this hash; raises as `episode` does.

        Raises:
            RequestError: the episode has no such picture.
        """
        episode = self.episode(id_, version, agent)
        screens = [found for step in episode.steps for found in step.screens]
        screens += [] if episode.final is None else [episode.final]
        for found in screens:
            if found.screenshot.sha256 == sha256:
                return found
        raise RequestError(f"{id_} has no picture {sha256[:20]}")

    def _load(self, id_: str, version: int, stamp: int) -> Episode:
        return self.store.read(id_, version)


def visible_to(agent: str | None) -> Condition:
    """What an agent's own episodes meet; for None all do."""
    return EVERY if agent is None else equals("agent", agent)


def draw_thumbnail(shot: Screenshot, width_px: int) -> bytes:
    """A picture scaled to a width, as JPEG; a JPEG is decoded at a reduced size.

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


def _find_screen(episode: Episode, number: int, moment: Moment) -> Observation | None:
    step = episode.steps[number]
    if moment == "before":
        return step.observation
    if step.after is not None:
        return step.after
    following: Sequence[Step] = episode.steps[number + 1 : number + 2]
    return following[0].observation if following else episode.final
