"""The attempts that agents play now, in the store and in the runs, as the pages show them."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Literal, TypeAlias

from tapwright.core.actions import Key
from tapwright.core.episode import Episode, EpisodeOutcome
from tapwright.core.screenshot import Screenshot
from tapwright.environment import live
from tapwright.environment.errors import AttemptGoneError
from tapwright.errors import StoreError
from tapwright.evaluate.run_log import EPISODES
from tapwright.store.store import EpisodeStore
from tapwright.web.episode_views import EpisodeStepView, step_view, view_of
from tapwright.web.errors import ResourceNotFoundError
from tapwright.web.library.library import Library
from tapwright.web.recording.feed import FrameFeed

__all__ = ["LiveAttempts", "LiveView"]

_LOOK_S = 0.015
"""How often a page's stream looks for a new picture: a call of the system."""

LiveState: TypeAlias = Literal["playing", "waits", "paused", "taken", "lost", "ended"]
"""It "waits" while the agent still decides on the step after which it is held; "lost" is one whose
player has died."""


@dataclass(frozen=True, slots=True)
class LiveScreen:
    """What a held attempt shows: the number of the live picture, and the screen's size in pixels.

    `done` is the key of the action that a person had done last, `refused` why the device did not.
    """

    number: int
    width: int
    height: int
    done: str
    refused: str
    apps: tuple[str, ...]
    keys: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class LiveView:
    """An attempt at this moment: `run` is "" in the store; `last` is the step that was done last.

    `who` holds it, and with `acts` has taken it over; then `screen` is what it shows. `asked` is
    the action that its agent may not do unless a person allows it. `outcome` is "interrupted" until
    it has ended; `begun` is an ISO 8601 time, and `reward` in points.
    """

    run: str
    episode: str
    task: str
    instruction: str
    agent: str
    device: str
    begun: str
    steps: int
    max_steps: int
    reward: float
    last: EpisodeStepView | None
    state: LiveState
    who: str
    acts: bool
    outcome: EpisodeOutcome
    screen: LiveScreen | None
    asked: live.Asked | None


class LiveAttempts:
    """The attempts of a library's store and runs; from any thread."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = Lock()

    def list(self, run: str, known: Sequence[tuple[str, str]], *, shows: bool) -> list[LiveView]:
        """Those that are played, in the run of this name or everywhere; what became of others.

        Of those that are `known`, by run and episode, the ones that have ended are last. Where a
        page `shows` them, their agents ask before they are refused an action.

        Raises:
            ResourceNotFoundError: there is no such run.
        """
        views = {}
        for name, root in self._stores(run):
            for one in live.find_attempts(root):
                id_ = one.info.episode
                views[name, id_] = _live_view(name, one, _read(root, id_))
                if shows:
                    live.note_watched(root, id_)
        for name, id_ in known:
            with suppress(ResourceNotFoundError):  # the run was removed meanwhile
                episode = None if (name, id_) in views else _read(self._root(name), id_)
                if episode is not None:
                    views[name, id_] = _ended_view(name, episode)
        return list(views.values())

    def hold(
        self,
        run: str,
        episode: str,
        who: str,
        *,
        acts: bool,
        order: live.Order | None = None,
        again: bool = False,
    ) -> None:
        """Hold an attempt, go on to hold it, or act in it; as `take_hold`."""
        with self._lock:  # what goes on to be held keeps its order
            live.take_hold(self._root(run), episode, who, acts=acts, order=order, again=again)

    def release(self, run: str, episode: str, who: str) -> None:
        """Give an attempt back to its agent."""
        with self._lock:
            live.give_back(self._root(run), episode, who)

    def answer(self, run: str, episode: str, key: str, who: str, *, allows: bool) -> None:
        """Say whether what an agent asks for may be done once; as `answer` of `live`."""
        live.answer(self._root(run), episode, key, who, allows=allows)

    def screen(self, run: str, episode: str) -> Screenshot:
        """What a held attempt shows; raises as `read_picture` does."""
        return Screenshot(live.read_picture(self._root(run), episode).frame.data)

    def pictures(self, run: str, episode: str) -> "LivePictures":
        """The live pictures of an attempt, while it is held; none at other times."""
        return LivePictures(self._root(run), episode)

    def _root(self, run: str) -> Path:
        return self._library.episodes_of(run).store.root

    def _stores(self, run: str) -> Iterator[tuple[str, Path]]:
        if run:
            yield run, self._root(run)
            return
        yield "", self._library.store.root
        for name, directory in self._library.runs.names().items():
            if (directory / EPISODES / live.LIVE).is_dir():
                yield name, directory / EPISODES


class LivePictures:
    """The live pictures of an attempt, as its player writes them, for one page after the other."""

    def __init__(self, store: Path, episode: str) -> None:
        self._store, self._episode = store, episode
        self._following: dict[FrameFeed, asyncio.Task[None]] = {}

    def follow(self, feed: FrameFeed) -> None:
        """Send pictures to this feed from now on."""
        self._following[feed] = asyncio.create_task(self._send(feed))

    def refresh(self, feed: FrameFeed) -> None:
        """Send the newest once more."""
        self.unfollow(feed)
        self.follow(feed)

    def unfollow(self, feed: FrameFeed) -> None:
        """Send no more pictures to this feed."""
        self._following.pop(feed).cancel()

    async def _send(self, feed: FrameFeed) -> None:
        path, last = live.home_of(self._store, self._episode) / live.PICTURE, None
        while True:
            with suppress(OSError, AttemptGoneError):  # it is not held now
                written = path.stat()
                if (key := (written.st_mtime_ns, written.st_ino)) != last:
                    frame = await asyncio.to_thread(live.read_picture, self._store, self._episode)
                    feed.push(frame)
                    last = key
            await asyncio.sleep(_LOOK_S)


def _read(root: Path, id_: str) -> Episode | None:
    try:
        return EpisodeStore(root).open(id_)
    except StoreError:  # it has no step yet
        return None


def _live_view(run: str, attempt: live.LiveAttempt, episode: Episode | None) -> LiveView:
    hold, held = attempt.hold, attempt.held
    screen = None
    if held is not None:
        screen = LiveScreen(
            held.screen, held.width, held.height, held.done, held.refused, held.apps, held.keys
        )
    return _view(
        run,
        attempt.info,
        episode,
        state=_state(attempt),
        who="" if hold is None else hold.who,
        acts=hold is not None and hold.acts,
        screen=screen,
        asked=attempt.asked if attempt.is_played else None,
    )


def _state(attempt: live.LiveAttempt) -> LiveState:
    hold, held = attempt.hold, attempt.held
    if not attempt.is_played:
        return "lost"
    if hold is None:
        return "playing"
    if held is None or held.acts != hold.acts:
        return "waits"
    return "taken" if hold.acts else "paused"


def _ended_view(run: str, episode: Episode) -> LiveView:
    info = live.AttemptInfo(
        episode=episode.id,
        task_id=episode.task_id,
        instruction=episode.instruction,
        agent=episode.agent,
        device=episode.device,
        max_steps=0,
        begun=episode.created,
    )
    return _view(run, info, episode, state="ended" if episode.has_ended else "lost")


def _view(
    run: str,
    info: live.AttemptInfo,
    episode: Episode | None,
    *,
    state: LiveState,
    who: str = "",
    acts: bool = False,
    screen: LiveScreen | None = None,
    asked: live.Asked | None = None,
) -> LiveView:
    steps = () if episode is None else episode.steps
    return view_of(
        LiveView,
        info,
        run=run,
        task=info.task_id,
        steps=len(steps),
        reward=sum(step.reward for step in steps),
        last=step_view(len(steps) - 1, steps[-1]) if steps else None,
        state=state,
        who=who,
        acts=acts,
        outcome="interrupted" if episode is None else episode.outcome,
        screen=screen,
        asked=asked,
    )
