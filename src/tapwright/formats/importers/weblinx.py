"""WebLINX: people's demonstrations on websites, by words between an instructor and a navigator.

https://huggingface.co/datasets/McGill-NLP/WebLINX; files and fields as its own library reads them,
McGill-NLP/weblinx at 277dae73, weblinx/__init__.py and utils/format.py.

    demonstrations/<name>/
        replay.json          {"data": a list of turns, "version"}
        screenshots/         the screen before a turn, named by its state
        metadata.json, form.json, pages/, bboxes/, video.mp4    not read

What the instructor says first is the instruction; what is said later is told after the step before
it. What the navigator says is an answer, on the screen that was seen last. A place, and the box of
an element, is in pixels of the viewport, whatever the size of its picture; a scroll names where the
page is scrolled to. What a browser does of its own accord, such as the submission of a form, and
what no hand can name, such as the id of a tab, are refused steps.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter
from pydantic.alias_generators import to_camel

from tapwright.core import actions
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.account import note_left_out, note_passed_over

__all__ = ["WEBLINX"]

_REPLAY = "replay.json"
_BESIDE = "is known, and not used by its reader"


class _Box(foreign_record.ForeignRecord):
    UNUSED = frozenset({"height", "width", "x", "y"})

    left: float
    top: float
    right: float
    bottom: float


class _Camel(foreign_record.ForeignRecord):
    """A record whose names are those of JavaScript."""

    model_config = ConfigDict(alias_generator=to_camel)


class _Element(_Camel):
    UNUSED = frozenset({"attributes", "innerHTML", "outerHTML", "xpath"})

    bbox: _Box | None = None
    tag_name: str = ""
    text_content: str = ""


class _Metadata(_Camel):
    UNUSED = frozenset({"timestamp", "windowId", "screenWidth", "screenHeight", "zoomLevel"})

    mouse_x: float | None = None
    mouse_y: float | None = None
    viewport_width: float | None = None
    viewport_height: float | None = None
    tab_id: int | None = None
    url: str | None = None


class _Arguments(_Camel):
    UNUSED = frozenset({"selected", "pasted", "value"})

    metadata: _Metadata = _Metadata()
    element: _Element | None = None
    properties: dict[str, JsonValue] = Field(default_factory=dict)
    text: str | None = None
    url: str | None = None
    scroll_x: float | None = None
    scroll_y: float | None = None


class _Act(foreign_record.ForeignRecord):
    intent: str = ""
    arguments: _Arguments = _Arguments()


class _State(foreign_record.ForeignRecord):
    UNUSED = frozenset({"page", "html"})

    screenshot: str | None = None
    screenshot_status: str | None = None


class _Turn(foreign_record.ForeignRecord):
    type: str = ""
    timestamp: float = 0.0
    speaker: str = ""
    utterance: str = ""
    action: _Act | None = None
    state: _State | None = None

    @property
    def is_told(self) -> bool:
        """Whether the instructor says something."""
        return self.type == "chat" and self.speaker.lower() != "navigator"


class _Replay(foreign_record.ForeignRecord):
    UNUSED = frozenset({"version"})

    data: list[JsonValue]


_REPLAYS, _TURN = TypeAdapter(_Replay), TypeAdapter(_Turn)


class _WebLinx:
    """Reads WebLINX's demonstrations."""

    name = "weblinx"

    def recognizes(self, path: Path) -> bool:
        """Whether it is a replay, or the directory of one."""
        file = path / _REPLAY if path.is_dir() else path
        marks = (b'"data"', b'"speaker"', b'"utterance"', b'"timestamp"')
        return file.name == _REPLAY and foreign_record.head_contains(file, ".json", *marks)

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the demonstrations below a directory, in the order of their names."""
        found = False
        for file in foreign_record.find_files(path, _REPLAY):
            found = True
            yield foreign_record.read_or_report(str(file), partial(_build_episode, file))
            for beside in foreign_record.find_files(file.parent, "*.json"):
                if beside != file:
                    note_passed_over(beside, _BESIDE)
        if not found:
            raise ForeignDataError(f"{path}: no {_REPLAY} in it")


WEBLINX = _WebLinx()


def _build_episode(file: Path) -> Episode:
    name = file.absolute().parent.name
    read = foreign_record.parse_json(_REPLAYS, foreign_record.read_bytes(file), str(file))
    turns, broken = keeping.parse_whole(
        lambda one: keeping.parse_value(_TURN, one[1], f"{file}, turn {one[0]}"),
        enumerate(read.data),
    )
    done = [at for at, turn in enumerate(turns) if not turn.is_told]
    if not done:
        raise ForeignDataError(f"{file}: has no actions")
    told = [turn.utterance for turn in turns[: done[0]]]
    scrolled: dict[int | None, float] = {}
    steps: list[Step] = []
    for seen, at, end in zip(
        _screens(file, turns, done), done, [*done[1:], len(turns)], strict=True
    ):
        made = _build_steps(seen, turns[at], scrolled, f"{file}, turn {at}")
        later = tuple(turn.utterance for turn in turns[at + 1 : end])
        steps += [*made[:-1], replace(made[-1], instructions=later)]
    if broken:
        note_left_out("steps", str(file), broken, len(read.data) - len(turns))
    return Episode(
        id=f"weblinx-{name}",
        task_id=name,
        instruction="\n".join(told) or keeping.note_no_instruction(str(file)),
        steps=tuple(steps),
        outcome="interrupted" if broken else "unknown",
        agent="human",
        device="web",
    )


def _screens(file: Path, turns: Sequence[_Turn], done: Sequence[int]) -> list[keeping.Seen]:
    """The screen of each turn; where none is named, that of the turn before, which is stale."""
    named = [at for at in done if (state := turns[at].state) is not None and state.screenshot]
    looks = ((f"{file}, turn {at}", partial(_look, file, turns[at].state)) for at in named)
    found = dict(zip(named, keeping.see_screens(looks, keeping.DESKTOP), strict=True))
    (last,) = (
        keeping.see_screens([(str(file), partial(_look, file, None))], keeping.DESKTOP)
        if not found
        else [next(iter(found.values()))]
    )
    screens: list[keeping.Seen] = []
    for at in done:
        old = replace(last, observation=replace(last.observation, stale=True))
        screens.append(found.get(at, old))
        last = screens[-1]
    return screens


def _look(file: Path, state: _State | None) -> Observation:
    if state is None or not state.screenshot:
        raise ForeignDataError(f"{file}: no turn names a screenshot")
    if state.screenshot_status == "broken":
        raise ForeignDataError(f"{file}: {state.screenshot} is broken, as its state says")
    return foreign_record.find_screen([file.parent / "screenshots", file.parent], state.screenshot)


def _build_steps(
    seen: keeping.Seen, turn: _Turn, scrolled: dict[int | None, float], where: str
) -> list[Step]:
    act = turn.action or _Act()

    def make(observation: Observation) -> list[Step]:
        action = _read_action(turn, act, scrolled, where)
        return [Step(replace(observation, time_s=turn.timestamp), Decision(action))]

    element = act.arguments.element
    if element is not None and element.bbox is not None:
        seen = seen.with_tree(partial(_build_tree, element, act.arguments.metadata, where), where)
    recorded: Mapping[str, Any] = {
        "intent": act.intent,
        **act.arguments.model_dump(mode="json", by_alias=True, exclude_unset=True),
    }
    return keeping.keep_steps(seen, make, recorded=dict(recorded))


def _read_action(
    turn: _Turn, act: _Act, scrolled: dict[int | None, float], where: str
) -> actions.Action:
    said, told = act.arguments, act.arguments.metadata
    match act.intent.lower():
        case "" if turn.type == "chat":
            return actions.Answer(text=turn.utterance)
        case "say":
            return actions.Answer(text=said.text or turn.utterance)
        case "click":
            return actions.Tap(at=_place(told.mouse_x, told.mouse_y, told, where))
        case "hover":
            return actions.Hover(at=_place(told.mouse_x, told.mouse_y, told, where))
        case "textinput" if said.text is not None:
            return actions.TypeText(text=said.text, at=_center(said, where))
        case "load" if url := said.properties.get("url") or said.url:
            scrolled.pop(told.tab_id, None)
            return actions.Goto(url=str(url))
        case "tabcreate":
            return actions.NewTab()
        case "tabremove":
            return actions.CloseTab()
        case "scroll" if said.scroll_y is not None and told.viewport_height:
            before, scrolled[told.tab_id] = scrolled.get(told.tab_id, 0.0), said.scroll_y
            if said.scroll_y != before:
                return actions.Scroll(
                    at=Point(0.5, 0.5), dy=(said.scroll_y - before) / told.viewport_height
                )
    raise ForeignDataError(f"{where}: no action of ours stands for {act.intent[:60]!r}")


def _place(x: float | None, y: float | None, told: _Metadata, where: str) -> Point:
    width, height = told.viewport_width, told.viewport_height
    if x is None or y is None or not width or not height:
        raise ForeignDataError(f"{where}: does not say where in the viewport")
    if not (0 <= x <= width and 0 <= y <= height):
        raise ForeignDataError(f"{where}: ({x:g}, {y:g}) is off a viewport of {width:g}x{height:g}")
    return Point(x / width, y / height)


def _center(said: _Arguments, where: str) -> Point | None:
    box = None if said.element is None else said.element.bbox
    if box is None:
        return None
    return _place((box.left + box.right) / 2, (box.top + box.bottom) / 2, said.metadata, where)


def _build_tree(element: _Element, told: _Metadata, where: str, size: Size) -> UiTree | None:
    box, width, height = element.bbox, told.viewport_width, told.viewport_height
    if box is None or not width or not height:
        return None
    x, y = size.width / width, size.height / height
    node = {
        "class": element.tag_name.lower(),
        "text": element.text_content.strip(),
        "bounds": foreign_record.bounds(box.left * x, box.top * y, box.right * x, box.bottom * y),
    }
    return foreign_record.build_flat_tree([node], size, where)
