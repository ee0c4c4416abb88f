"""How MobiAgent writes actions: the items of `actions.json` and of `react.json`.

    click       position{x, y} and position_x, position_y, or the last two alone; bounds or null
    long_press  the same
    swipe       press_position and release_position in the same two ways, or all null; direction
    input       text            open_app    app_name            wait    nothing
    done        status: success, suspended or failed; may be missing
    suspend     action: start or end; a person took over, without a picture

as https://github.com/IPADS-SAI/MobiAgent/tree/fd5aa72 writes them. Places are whole pixels from the
top left, `direction` is where the finger goes, `bounds` are those of the element touched. Direction
and status are words of the model, which the runner writes as they come: where the places of a swipe
contradict the word, the places count; a status that MobiAgent does not know is no success. Such
words are kept.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from tapwright.core import actions
from tapwright.core.actions import Action, Outcome, mouse_details
from tapwright.core.directions import Direction, finger_direction, swipe_toward
from tapwright.core.geometry import Size, to_pixel
from tapwright.errors import OffScreenError, UnsupportedByConventionError, first_problem
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.foreign_record import ForeignRecord, pixel_center

JsonObject: TypeAlias = dict[str, JsonValue]
Takeover: TypeAlias = Literal["start", "end"]
Bounds: TypeAlias = tuple[int, int, int, int]

NOTE = "mobiagent: "
NO_PLACES = f"{NOTE}the places of the swipe were not recorded"
TAKEOVER = f"{NOTE}takeover "
BOUNDS = f"{NOTE}bounds "
DIRECTION = f"{NOTE}the word for the swipe is "
STATUS = f"{NOTE}the status is "
"""Lines of a step's log that keep what an episode has no field for."""

APP_NAME, TASK_TYPE = "app_name", "task_type"
OLD_INSTRUCTION, OTHER_INSTRUCTIONS = "old_task_description", "other_task_descriptions"
"""Keys of an episode's `extra` for the rest of a recording; the other wordings as a JSON list."""

_DIRECTIONS: tuple[Direction, ...] = ("up", "down", "left", "right")
_SUSPENDED = "suspended"
_OUTCOMES: Mapping[str, actions.Finish] = {
    "success": actions.Finish(),
    _SUSPENDED: actions.Finish(outcome="failure", reason=_SUSPENDED),
    "failed": actions.Finish(outcome="failure"),
}
_STATUS: Mapping[Outcome, str] = {"success": "success", "failure": "failed", "infeasible": "failed"}


class _Place(ForeignRecord):
    x: float
    y: float


class _Item(ForeignRecord):
    action_index: int | None = None


class _TouchItem(_Item):
    type: Literal["click", "long_press"]
    position: _Place | None = None
    position_x: float | None = None
    position_y: float | None = None
    bounds: list[int] | None = None


class _SwipeItem(_Item):
    type: Literal["swipe"]
    press_position: _Place | None = None
    press_position_x: float | None = None
    press_position_y: float | None = None
    release_position: _Place | None = None
    release_position_x: float | None = None
    release_position_y: float | None = None
    direction: str | None = None


class _InputItem(_Item):
    type: Literal["input"]
    text: str


class _OpenAppItem(_Item):
    type: Literal["open_app"]
    app_name: str


class _WaitItem(_Item):
    type: Literal["wait"]


class _DoneItem(_Item):
    type: Literal["done"]
    status: str | None = None


class _SuspendItem(_Item):
    type: Literal["suspend"]
    action: Takeover


_ItemKind: TypeAlias = Annotated[
    _TouchItem | _SwipeItem | _InputItem | _OpenAppItem | _WaitItem | _DoneItem | _SuspendItem,
    Field(discriminator="type"),
]
_ITEM: TypeAdapter[_ItemKind] = TypeAdapter(_ItemKind)


@dataclass(frozen=True, slots=True)
class RecordedAction:
    """An action as `actions.json` records it.

    `action` is None for a takeover. `has_places` is False for a swipe recorded without places.
    `notes` are lines for the log: words that the action cannot hold.
    """

    action: Action | None
    takeover: Takeover | None = None
    bounds: Bounds | None = None
    has_places: bool = True
    notes: tuple[str, ...] = ()


def read_item(item: JsonValue, screen: Size, where: str) -> RecordedAction:
    """Parses an item of `actions.json`, whose places are pixels of `screen`.

    Raises:
        ForeignDataError: it is not an action that MobiAgent writes, or a place is off the screen.
    """
    try:
        read = _ITEM.validate_python(item)
    except ValidationError as error:
        raise ForeignDataError(f"{where}: {first_problem(error)}") from error
    try:
        return _to_recorded_action(read, screen, where)
    except OffScreenError as error:
        raise ForeignDataError(f"{where}: {error}") from error


def _to_recorded_action(read: _ItemKind, screen: Size, where: str) -> RecordedAction:
    match read:
        case _TouchItem():
            x, y = _merge_position(read.position, read.position_x, read.position_y, where)
            if x is None or y is None:
                raise ForeignDataError(f"{where}: a {read.type} without a position")
            at = pixel_center(x, y, screen)
            action: Action = (
                actions.Tap(at=at) if read.type == "click" else actions.LongPress(at=at)
            )
            return RecordedAction(action, bounds=_parse_bounds(read.bounds, where))
        case _SwipeItem():
            return _parse_swipe(read, screen, where)
        case _InputItem(text=text):
            return RecordedAction(actions.TypeText(text=text))
        case _OpenAppItem(app_name=app):
            return RecordedAction(actions.OpenApp(app=app))
        case _WaitItem():
            return RecordedAction(actions.Wait())
        case _DoneItem(status=status):
            known = _OUTCOMES.get(status or "success")
            if known is not None:
                return RecordedAction(known)
            made_up = str(status)
            finish = actions.Finish(outcome="failure", reason=made_up)
            return RecordedAction(finish, notes=(f"{STATUS}{json.dumps(made_up)}",))
        case _SuspendItem(action=takeover):
            return RecordedAction(None, takeover=takeover)


def _merge_position(
    nested: _Place | None, x: float | None, y: float | None, where: str
) -> tuple[float | None, float | None]:
    """Merges a position given nested, flat or both; both parts are None when it is missing."""
    if (x is None) != (y is None):
        raise ForeignDataError(f"{where}: a position has x {x} and y {y}; expected both or none")
    if nested is None:
        return x, y
    if x is not None and (nested.x, nested.y) != (x, y):
        raise ForeignDataError(
            f"{where}: the position is ({nested.x}, {nested.y}) and ({x}, {y}) at once"
        )
    return nested.x, nested.y


def _parse_swipe(read: _SwipeItem, screen: Size, where: str) -> RecordedAction:
    """Parses a swipe, by its places where they were recorded, else by its direction."""
    start = _merge_position(
        read.press_position, read.press_position_x, read.press_position_y, where
    )
    end = _merge_position(
        read.release_position, read.release_position_x, read.release_position_y, where
    )
    direction = (read.direction or "").lower()
    known = [part for part in (*start, *end) if part is not None]
    if not known:
        if not direction:
            raise ForeignDataError(f"{where}: a swipe without places and direction")
        if direction not in _DIRECTIONS:
            raise ForeignDataError(
                f"{where}: a swipe {read.direction!r}; expected up, down, left or right"
            )
        return RecordedAction(swipe_toward(direction), has_places=False)
    if len(known) < 4:
        raise ForeignDataError(f"{where}: a swipe with only one of press and release position")
    swipe = actions.Swipe(
        start=pixel_center(known[0], known[1], screen), end=pixel_center(known[2], known[3], screen)
    )
    is_other = direction not in _DIRECTIONS or _contradicts(direction, known)
    notes = (f"{DIRECTION}{json.dumps(read.direction)}",) if direction and is_other else ()
    return RecordedAction(swipe, notes=notes)


def _contradicts(direction: Direction, places: Sequence[float]) -> bool:
    """Whether the finger goes against the direction; a diagonal fits two directions."""
    right, down = places[2] - places[0], places[3] - places[1]
    along = {"left": -right, "right": right, "up": -down, "down": down}[direction]
    return along < 0 or (along == 0 and (right, down) != (0, 0))


def _parse_bounds(edges: list[int] | None, where: str) -> Bounds | None:
    if edges is None:
        return None
    if len(edges) != 4 or edges[0] > edges[2] or edges[1] > edges[3] or max(map(abs, edges)) > 1e6:
        raise ForeignDataError(f"{where}: bounds {edges}; expected left, top, right, bottom")
    return (edges[0], edges[1], edges[2], edges[3])


def write_item(
    action: Action, screen: Size, *, bounds: Bounds | None, has_places: bool
) -> JsonObject:
    """Renders an action as an item of `actions.json`.

    Raises:
        UnsupportedByConventionError: MobiAgent has no such action.
    """
    if details := mouse_details(action):
        raise UnsupportedByConventionError(f"MobiAgent has no {action.type} with {details}")
    match action:
        case actions.Tap(at=at, button="left") | actions.LongPress(at=at):
            kind = "click" if isinstance(action, actions.Tap) else "long_press"
            edges: JsonValue = None if bounds is None else list(bounds)
            return {
                "type": kind,
                **_position_fields("position", to_pixel(at, screen)),
                "bounds": edges,
            }
        case actions.Swipe(start=start, end=end):
            press, release = to_pixel(start, screen), to_pixel(end, screen)
            return {
                "type": "swipe",
                **_position_fields("press_position", press if has_places else None),
                **_position_fields("release_position", release if has_places else None),
                # A swipe that stays where it is has to have a direction, too.
                "direction": finger_direction(action, screen) or "down",
            }
        case actions.TypeText(text=text, at=None, clear=False):
            return {"type": "input", "text": text}
        case actions.OpenApp(app=app):
            return {"type": "open_app", "app_name": app}
        case actions.Wait():
            return {"type": "wait"}
        case actions.Finish(outcome=outcome, reason=reason):
            status = _SUSPENDED if reason == _SUSPENDED else _STATUS[outcome]
            return {"type": "done", "status": status}
        case _:
            raise UnsupportedByConventionError(f"MobiAgent has no action {action.type}")


def _position_fields(name: str, place: tuple[int, int] | None) -> JsonObject:
    if place is None:
        return {f"{name}_x": None, f"{name}_y": None}
    x, y = place
    return {name: {"x": x, "y": y}, f"{name}_x": x, f"{name}_y": y}


def write_function(action: Action, target: str, screen: Size) -> JsonObject:
    """Renders an action as the function call of an item of `react.json`."""
    item = write_item(action, screen, bounds=None, has_places=True)
    parameters: JsonObject = {}
    match item["type"]:
        case "click" | "long_press":
            parameters = {"target_element": target}
        case "swipe":
            parameters = {"direction": str(item["direction"]).upper()}
        case "input" | "open_app" as name:
            key = "text" if name == "input" else "app_name"
            parameters = {key: item[key]}
    return {"name": item["type"], "parameters": parameters}


_PHRASES: Mapping[str, Direction] = {
    f"{start}{motion}": way
    for motion in ("滑动", "滚动")
    for starts in (
        ("向上", "向下", "向左", "向右"),
        ("从下往上", "从上往下", "从右往左", "从左往右"),
    )
    for start, way in zip(starts, _DIRECTIONS, strict=True)
}
"""The words for a swipe's direction in a reasoning, in the order in which they are looked for.

MobiAgent's `compare_actions` takes a `react.json` when each swipe's reasoning has one of these
phrases, and the first that occurs says where the finger goes
(https://github.com/IPADS-SAI/MobiAgent/blob/fd5aa72/collect/annotate.py). Reasoning in another
language, or of what comes into view, gets such a phrase at its end, which is taken off when read.
"""

_ADDED = re.compile(r"（向[上下左右]滑动）\Z")


def add_direction_words(reasoning: str, direction: str) -> str:
    """The reasoning with a phrase for the finger's direction, unless one already says it."""
    said = next((way for phrase, way in _PHRASES.items() if phrase in reasoning), None)
    if not reasoning or said == direction:
        return reasoning
    phrase = next(phrase for phrase, way in _PHRASES.items() if way == direction)
    return f"{reasoning}（{phrase}）"


def strip_direction_words(reasoning: str) -> str:
    """The reasoning without a phrase that was added to it."""
    return _ADDED.sub("", reasoning)
