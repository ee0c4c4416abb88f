"""Passes the signals of a step to the event sources of a task.

Text is recognized and icons are searched on the screen only if a source needs it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict, TypeVar

from pydantic import JsonValue

from tapwright.core.actions import Answer, Finish
from tapwright.core.geometry import Box, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.errors import UsageError
from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.errors import BadDefinitionError, EventSourceUnavailableError, NotRecordedError
from tapwright.tasks.events.icons import shows_icon
from tapwright.tasks.events.ocr import RapidReader, TextReader, find_texts
from tapwright.tasks.events.sources import EventSourceState
from tapwright.tasks.task import Signals

__all__ = ["LogFilters", "SignalFeed", "SignalReader"]

T = TypeVar("T")


class SignalFeed(TypedDict, total=False):
    """The signals of one step given by hand, as values for event sources.

    `log` are messages without time and tag, for every log source. `response` goes to every response
    source unless it is empty. `text_detect` and `text_recognize` have one item per source of that
    kind in the order of the file: the texts on the screen, or None. The icon kinds have one truth
    value per source. `vh` is a view hierarchy for all sources; XML is taken to fill its screen.
    `state` is by dotted path, `finish` the outcome that the agent claims. `reset` starts another
    episode first; with `feed_only` the feed is not a step, and counts at the next.
    """

    log: Sequence[str]
    response: str
    text_detect: Sequence[Sequence[str] | str | None]
    text_recognize: Sequence[Sequence[str] | str | None]
    icon_recognize: Sequence[bool]
    icon_detect: Sequence[bool]
    icon_match: Sequence[bool]
    icon_detect_match: Sequence[bool]
    vh: UiTree | str
    state: Mapping[str, JsonValue]
    finish: str
    reset: bool
    feed_only: bool


class SignalReader:
    """Reads the signals of an episode for the event sources of a task.

    `elapsed_s` is the device's time since the reset. `left_app` is set when another app than the
    expected one is in front.
    """

    def __init__(
        self,
        task: pb.Task,
        sources: Sequence[EventSourceState],
        *,
        reader: TextReader | None,
        folder: Path | None,
    ) -> None:
        self._task = task
        self._by_kind: dict[str, list[EventSourceState]] = {}
        for source in sources:
            self._by_kind.setdefault(source.kind, []).append(source)
        self._reader = reader or RapidReader()
        self._icons = {} if folder is None else dict(self._pictures(folder))
        self._filters = LogFilters(
            word for source in self._of("log_event") for word in source.proto.log_event.filters
        )
        self._package = task.expected_app_screen.activity.partition("/")[0]
        self.reset()

    def reset(self) -> None:
        """Start another episode."""
        self.elapsed_s = 0.0
        self.left_app = False
        self._lines = 0
        self._begun_s: float | None = None

    def offer(self, signals: "Signals | SignalFeed") -> None:
        """Offer the signals to every source.

        Raises:
            EventSourceUnavailableError: a source needs a signal that is missing.
            UsageError: a feed has unknown names.
        """
        if isinstance(signals, Signals):
            self._offer_signals(signals)
        else:
            self._offer_feed(signals)

    def _of(self, *kinds: str) -> list[EventSourceState]:
        return [source for kind in kinds for source in self._by_kind.get(kind, ())]

    def _pictures(self, folder: Path) -> Iterator[tuple[EventSourceState, Path]]:
        """Yields the picture of each source, which must lie in the folder or below."""
        folder = folder.resolve()
        for source in self._of("icon_match", "icon_detect_match"):
            event: pb.EventSource.IconMatchEvent = getattr(source.proto, source.kind)
            path = (folder / event.path).resolve()
            if not path.is_relative_to(folder) or not path.is_file():
                raise BadDefinitionError(
                    f"task {self._task.id!r}, {source.name}: {folder} holds no picture "
                    f"{event.path!r}"
                )
            yield source, path

    def _offer_signals(self, signals: Signals) -> None:
        screen = signals.observation
        first = self._begun_s is None
        self._begun_s = screen.time_s if self._begun_s is None else self._begun_s
        self.elapsed_s = screen.time_s - self._begun_s
        self.left_app = bool(
            self._package and screen.app and not first and screen.app != self._package
        )
        lines, self._lines = signals.log[self._lines :], len(signals.log)
        self._offer_log(self._filters.messages(lines))
        if isinstance(signals.action, Answer):
            self._offer_answer(signals.action.text)
        if isinstance(signals.action, Finish):
            self._offer_outcome(signals.action.outcome)
        if screen.ui_tree is not None:
            self._offer_tree(screen.ui_tree)
        self._offer_texts(screen)
        self._offer_icons(screen)
        for source in self._of("state_event"):
            try:
                held = signals.state(source.proto.state_event.path)
            except NotRecordedError:  # the judge of the recording reports it
                continue
            source.offer(held)

    def _offer_feed(self, feed: SignalFeed) -> None:
        unknown = sorted(set(feed) - set(SignalFeed.__annotations__))
        if unknown:
            raise UsageError(
                f"a feed has no {', '.join(map(repr, unknown))}",
                hint=f"it may have: {', '.join(SignalFeed.__annotations__)}",
            )
        self._offer_log(feed.get("log", ()))
        self._offer_answer(feed.get("response", ""))
        if "finish" in feed:
            self._offer_outcome(feed["finish"])
        if "vh" in feed:
            tree = feed["vh"]
            self._offer_tree(tree if isinstance(tree, UiTree) else UiTree(tree, _extent(tree)))
        for source, texts in self._pair_sources("text_detect", feed.get("text_detect", ())):
            for text in [texts] if isinstance(texts, str) else texts or ():
                source.offer(text)
        for source, texts in self._pair_sources("text_recognize", feed.get("text_recognize", ())):
            if texts is not None:
                source.offer(texts if isinstance(texts, str) else " ".join(texts))
        for source, is_shown in (
            *self._pair_sources("icon_recognize", feed.get("icon_recognize", ())),
            *self._pair_sources("icon_detect", feed.get("icon_detect", ())),
            *self._pair_sources("icon_match", feed.get("icon_match", ())),
            *self._pair_sources("icon_detect_match", feed.get("icon_detect_match", ())),
        ):
            source.offer(is_shown)
        state = feed.get("state", {})
        for source in self._of("state_event"):
            if source.proto.state_event.path in state:
                source.offer(state[source.proto.state_event.path])

    def _pair_sources(self, kind: str, given: Sequence[T]) -> Iterator[tuple[EventSourceState, T]]:
        sources = self._of(kind)
        if len(given) > len(sources):
            raise UsageError(f"{len(given)} items of {kind} for {len(sources)} such event sources")
        return zip(sources, given, strict=False)

    def _offer_log(self, messages: Iterable[str]) -> None:
        for message in messages:
            for source in self._of("log_event"):
                source.offer(message)

    def _offer_answer(self, text: str) -> None:
        for source in self._of("response_event") if text else ():
            source.offer(text)

    def _offer_outcome(self, outcome: str) -> None:
        for source in self._of("finish_event"):
            source.offer(outcome)

    def _offer_tree(self, tree: UiTree) -> None:
        try:
            for source in self._of("view_hierarchy_event"):
                source.look(tree)
        except TypeError:
            # As in Mobile-Env, a value that cannot be compared ends the search of the hierarchy.
            return

    def _offer_texts(self, screen: Observation) -> None:
        sources = self._of("text_detect", "text_recognize")
        if not sources:
            return
        texts = self._reader.read(screen.screenshot)
        for source in sources:
            event: pb.EventSource.TextEvent = getattr(source.proto, source.kind)
            found = find_texts(texts, _region(event.rect))
            if source.kind == "text_recognize":
                found = [" ".join(found)] if found else []
            for text in found:
                source.offer(text)

    def _offer_icons(self, screen: Observation) -> None:
        for source in self._of("icon_recognize", "icon_detect"):
            raise EventSourceUnavailableError(
                f"{source.name}: tapwright has no model of icon classes",
                hint="use icon_detect_match with a picture of the icon, or feed the result",
            )
        for source in self._of("icon_match", "icon_detect_match"):
            if source not in self._icons:
                raise EventSourceUnavailableError(
                    f"{source.name}: the task was not read from a folder"
                )
            event: pb.EventSource.IconMatchEvent = getattr(source.proto, source.kind)
            if shows_icon(screen.screenshot, self._icons[source], _region(event.rect)):
                source.offer(True)


class LogFilters:
    """Logcat's filters, such as "Tag:D", "Tag" or "*:E"; a line passes if one of them matches.

    https://developer.android.com/tools/logcat#filteringOutput. Without filters nothing passes.
    """

    def __init__(self, filters: Iterable[str]) -> None:
        self._levels: dict[str, int] = {}
        for word in filters:
            tag, _, level = word.partition(":")
            rank = _LEVELS.find(level.upper() or "V")
            self._levels[tag] = min(rank, self._levels.get(tag, rank))

    def messages(self, lines: Iterable[str]) -> Iterator[str]:
        """Yields the messages of the lines that pass, without time, process, level and tag."""
        for line in lines:
            match = _LINE.match(line)
            if match is None:
                continue
            least = self._levels.get(match["tag"], self._levels.get("*"))
            if least is not None and least <= _LEVELS.find(match["level"]):
                yield match["message"]


_LEVELS = "VDIWEFS"
_LINE = re.compile(
    r"\s*(?:\d\d-\d\d \d\d:\d\d:\d\d|\d+)\.\d+\s+\d+\s+\d+\s+"
    r"(?P<level>[VDIWEF])\s+(?P<tag>.*?)\s*: (?P<message>.*)"
)


def _region(rect: pb.EventSource.Rect) -> Box:
    """Returns the region that a source reads; the whole screen by default."""
    left, right = sorted((min(max(rect.x0, 0.0), 1.0), min(max(rect.x1, 0.0), 1.0)))
    top, bottom = sorted((min(max(rect.y0, 0.0), 1.0), min(max(rect.y1, 0.0), 1.0)))
    return Box(left, top, right, bottom) if left < right and top < bottom else Box(0, 0, 1, 1)


def _extent(xml: str) -> Size:
    """Returns the smallest screen that holds all bounds of a hierarchy."""
    edges = [(int(right), int(bottom)) for right, bottom in _LOWER_RIGHT.findall(xml)]
    width = max((right for right, _ in edges), default=1)
    return Size(max(width, 1), max(max((bottom for _, bottom in edges), default=1), 1))


_LOWER_RIGHT = re.compile(r'bounds="\[-?\d+,-?\d+\]\[(-?\d{1,9}),(-?\d{1,9})\]"', re.ASCII)
