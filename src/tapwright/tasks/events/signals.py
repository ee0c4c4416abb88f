"""From what a step leaves behind to what each event source is offered.

Text is read off the screen, and icons are looked for, only where a source asks for it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict, TypeVar

from pydantic import JsonValue

from tapwright.actions import Answer, Finish
from tapwright.errors import UsageError
from tapwright.geometry import Box, Size
from tapwright.observation import Observation, UiTree
from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.errors import BadDefinitionError, EventSourceUnavailableError, NotRecordedError
from tapwright.tasks.events.icons import shows_icon
from tapwright.tasks.events.ocr import RapidReader, TextReader, texts_in
from tapwright.tasks.events.sources import Source
from tapwright.tasks.task import Signals

__all__ = [
    "Feed",
    "LogFilters",
    "Senses",
]

T = TypeVar("T")


class Feed(TypedDict, total=False):
    """What happened in one step, given by hand instead of as signals.

    `log` are messages, without time and tag; every log source gets them. `response` goes to every
    response source unless it is empty. `text_detect` and `text_recognize` have one item per source
    of that kind in the order of the file: the texts that are seen, or None. The icon kinds have
    one truth each. `vh` is a view hierarchy, for all sources; one given as XML fills its screen.
    `state` is by dotted path, `finish` the outcome that the agent claims. `reset` begins another
    episode first; with `feed_only` it is no step, and counts at the next.
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


class Senses:
    """The eyes and ears of a task's sources over an episode.

    `elapsed_s` is the device's time since the reset. `left_app` is set when another app than the
    expected one is in front.
    """

    def __init__(
        self,
        task: pb.Task,
        sources: Sequence[Source],
        *,
        reader: TextReader | None,
        folder: Path | None,
    ) -> None:
        self._task = task
        self._by_kind: dict[str, list[Source]] = {}
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
        """Forget the episode."""
        self.elapsed_s = 0.0
        self.left_app = False
        self._lines = 0
        self._begun_s: float | None = None

    def take(self, given: "Signals | Feed") -> None:
        """Offer every source what it can see of this.

        Raises:
            EventSourceUnavailableError: a source needs what is not there.
            UsageError: a feed has names that none has.
        """
        if isinstance(given, Signals):
            self._take_signals(given)
        else:
            self._take_feed(given)

    def _of(self, *kinds: str) -> list[Source]:
        return [source for kind in kinds for source in self._by_kind.get(kind, ())]

    def _pictures(self, folder: Path) -> Iterator[tuple[Source, Path]]:
        """The picture that each source names: a file of the folder or below, nothing else."""
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

    def _take_signals(self, signals: Signals) -> None:
        seen = signals.observation
        first = self._begun_s is None
        self._begun_s = seen.time_s if self._begun_s is None else self._begun_s
        self.elapsed_s = seen.time_s - self._begun_s
        self.left_app = bool(self._package and seen.app and not first and seen.app != self._package)
        lines, self._lines = signals.log[self._lines :], len(signals.log)
        self._hear(self._filters.messages(lines))
        if isinstance(signals.action, Answer):
            self._answer(signals.action.text)
        if isinstance(signals.action, Finish):
            self._finish(signals.action.outcome)
        if seen.ui_tree is not None:
            self._look(seen.ui_tree)
        self._read(seen)
        self._match_icons(seen)
        for source in self._of("state_event"):
            try:
                held = signals.state(source.proto.state_event.path)
            except NotRecordedError:  # who judges the recording tells it
                continue
            source.offer(held)

    def _take_feed(self, feed: Feed) -> None:
        unknown = sorted(set(feed) - set(Feed.__annotations__))
        if unknown:
            raise UsageError(
                f"a feed has no {', '.join(map(repr, unknown))}",
                hint=f"it may have: {', '.join(Feed.__annotations__)}",
            )
        self._hear(feed.get("log", ()))
        self._answer(feed.get("response", ""))
        if "finish" in feed:
            self._finish(feed["finish"])
        if "vh" in feed:
            tree = feed["vh"]
            self._look(tree if isinstance(tree, UiTree) else UiTree(tree, _extent(tree)))
        for source, texts in self._paired("text_detect", feed.get("text_detect", ())):
            for text in [texts] if isinstance(texts, str) else texts or ():
                source.offer(text)
        for source, texts in self._paired("text_recognize", feed.get("text_recognize", ())):
            if texts is not None:
                source.offer(texts if isinstance(texts, str) else " ".join(texts))
        for source, shown in (
            *self._paired("icon_recognize", feed.get("icon_recognize", ())),
            *self._paired("icon_detect", feed.get("icon_detect", ())),
            *self._paired("icon_match", feed.get("icon_match", ())),
            *self._paired("icon_detect_match", feed.get("icon_detect_match", ())),
        ):
            source.offer(shown)
        state = feed.get("state", {})
        for source in self._of("state_event"):
            if source.proto.state_event.path in state:
                source.offer(state[source.proto.state_event.path])

    def _paired(self, kind: str, given: Sequence[T]) -> Iterator[tuple[Source, T]]:
        sources = self._of(kind)
        if len(given) > len(sources):
            raise UsageError(f"{len(given)} items of {kind} for {len(sources)} such event sources")
        return zip(sources, given, strict=False)

    def _hear(self, messages: Iterable[str]) -> None:
        for message in messages:
            for source in self._of("log_event"):
                source.offer(message)

    def _answer(self, text: str) -> None:
        for source in self._of("response_event") if text else ():
            source.offer(text)

    def _finish(self, outcome: str) -> None:
        for source in self._of("finish_event"):
            source.offer(outcome)

    def _look(self, tree: UiTree) -> None:
        try:
            for source in self._of("view_hierarchy_event"):
                source.look(tree)
        except TypeError:
            # As Mobile-Env: what cannot be compared ends the look at the whole hierarchy.
            return

    def _read(self, seen: Observation) -> None:
        sources = self._of("text_detect", "text_recognize")
        if not sources:
            return
        texts = self._reader.read(seen.screenshot)
        for source in sources:
            event: pb.EventSource.TextEvent = getattr(source.proto, source.kind)
            found = texts_in(texts, _region(event.rect))
            if source.kind == "text_recognize":
                found = [" ".join(found)] if found else []
            for text in found:
                source.offer(text)

    def _match_icons(self, seen: Observation) -> None:
        for source in self._of("icon_recognize", "icon_detect"):
            raise EventSourceUnavailableError(
                f"{source.name}: tapwright has no model of icon classes",
                hint="use icon_detect_match with a picture of the icon, or feed what is seen",
            )
        for source in self._of("icon_match", "icon_detect_match"):
            if source not in self._icons:
                raise EventSourceUnavailableError(
                    f"{source.name}: the task was not read from a folder"
                )
            event: pb.EventSource.IconMatchEvent = getattr(source.proto, source.kind)
            if shows_icon(seen.screenshot, self._icons[source], _region(event.rect)):
                source.offer(True)


class LogFilters:
    """Logcat's filters, such as "Tag:D", "Tag" or "*:E"; a line passes if one of them lets it.

    https://developer.android.com/tools/logcat#filteringOutput. Without any nothing passes.
    """

    def __init__(self, filters: Iterable[str]) -> None:
        self._levels: dict[str, int] = {}
        for word in filters:
            tag, _, level = word.partition(":")
            rank = _LEVELS.find(level.upper() or "V")
            self._levels[tag] = min(rank, self._levels.get(tag, rank))

    def messages(self, lines: Iterable[str]) -> Iterator[str]:
        """The messages of the lines that pass, without time, process, level and tag."""
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
    """Where a source looks; everywhere when it does not say."""
    left, right = sorted((min(max(rect.x0, 0.0), 1.0), min(max(rect.x1, 0.0), 1.0)))
    top, bottom = sorted((min(max(rect.y0, 0.0), 1.0), min(max(rect.y1, 0.0), 1.0)))
    return Box(left, top, right, bottom) if left < right and top < bottom else Box(0, 0, 1, 1)


def _extent(xml: str) -> Size:
    """The smallest screen that holds all bounds of a hierarchy."""
    edges = [(int(right), int(bottom)) for right, bottom in _LOWER_RIGHT.findall(xml)]
    width = max((right for right, _ in edges), default=1)
    return Size(max(width, 1), max(max((bottom for _, bottom in edges), default=1), 1))


_LOWER_RIGHT = re.compile(r'bounds="\[-?\d+,-?\d+\]\[(-?\d{1,9}),(-?\d{1,9})\]"', re.ASCII)
