"""How the arguments of a verb are spelled: places, texts, numbers, words for ours, directions.

In the name of an argument, "|" stands between names of which the first is written, "@1" is a
position in which it is read as well, and "?" is that it may be missing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, cast, get_args

from pydantic import BaseModel, JsonValue

from tapwright.conventions import parsing, rendering
from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.convention import Space
from tapwright.core.actions import Action, Scroll, Swipe
from tapwright.core.directions import Direction, swipe_toward
from tapwright.core.geometry import Box, Point, Size

__all__ = [
    "ENDS", "KINDS", "MIDDLE", "MISSING", "XY", "Arg", "Choice", "Heading", "Is", "Lost", "Named",
    "Number", "On", "Place", "Single", "Turn", "Typed", "Words",
]  # fmt: skip

MIDDLE = Point(0.5, 0.5)
KINDS: Mapping[str, type[BaseModel]] = {
    kind.model_fields["type"].default: kind for kind in get_args(get_args(Action)[0])
}
"""The classes of actions by their `type`."""

ENDS = {"success": "success", "failure": "failure", "fail": "failure"}
"""How most grammars spell the end of a task; the last word is only read."""

_NAMES = re.compile(r"(?P<names>[\w|-]+)(?:@(?P<position>\d))?(?P<optional>\?)?")
MISSING: tuple[JsonValue, ...] = (None, "", [])


class On(NamedTuple):
    """What an answer of a convention is about: the picture as the model sees it, and the unit.

    `box` is that of what is touched, `pointer` where the pointer is known to be.
    """

    convention: str
    size: Size
    space: Space
    box: Box | None = None
    pointer: Point | None = None

    def numbers(self, at: Point) -> list[JsonValue]:
        """A place as the model writes it: whole numbers, and fractions with four decimals."""
        if self.space == "fraction":
            return [rendering.round_number(at.x), rendering.round_number(at.y)]
        return rendering.whole_numbers(at, self.size, self.space)

    def place(self, value: JsonValue, name: str) -> Point:
        """The place that an argument means.

        Raises:
            BadAnswerError: it means none, or one off the screen.
        """
        return parsing.read_place(value, name, self.size, self.space)


class Arg(Protocol):
    """One argument or some, which are one field of an action or some."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that it is about."""

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        """The fields that it means; those that it leaves out get their defaults.

        Raises:
            BadAnswerError: it is missing, or no such value.
        """

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        """The arguments for an action; None: there is no way to say it.

        Raises:
            UnsupportedByConventionError: the same, with a reason.
        """


@dataclass(frozen=True, slots=True)
class Named:
    """An argument for one field; `names` as in a row."""

    field: str
    names: tuple[str, ...]
    position: int | None
    is_optional: bool

    @classmethod
    def of(cls, field: str, spelled: str) -> "Named":
        """What a row says of an argument.

        Raises:
            TypeError: it says nothing of the kind.
        """
        found = _NAMES.fullmatch(spelled)
        if found is None:
            raise TypeError(f"{field}: {spelled!r} is no name of an argument")
        position = None if found["position"] is None else int(found["position"])
        return cls(field, tuple(found["names"].split("|")), position, found["optional"] is not None)

    @property
    def name(self) -> str:
        """The name that is written."""
        return self.names[0]

    def value(self, call: ParsedCall) -> JsonValue:
        """Its value in a call; None where it is missing."""
        return call.get(*self.names, at=self.position)

    def is_missing(self, value: JsonValue) -> bool:
        """Whether it is left out, and may be."""
        return self.is_optional and value in MISSING


class Single:
    """An argument that is one field; a subclass says how the value is read and written."""

    is_written = True

    def __init__(self, names: str) -> None:
        self._spelled = names
        self._named: Named

    def bind(self, field: str) -> None:
        """Take the field that the row names it for."""
        self._named = Named.of(field, self._spelled)

    @property
    def fields(self) -> tuple[str, ...]:
        """The field that the row names it for."""
        return (self._named.field,)

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        """The field; nothing where it is missing and may be."""
        named = self._named
        value = named.value(call)
        if named.is_missing(value):
            return {}
        return {named.field: self.decode(value, on)}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        """The argument; None: there is no word for the value."""
        value = getattr(action, self._named.field)
        if value is None or not self.is_written:
            return {}
        said = self.encode(value, on)
        return None if said is None else {self._named.name: said}

    def decode(self, value: JsonValue, on: On) -> object:
        """The field's value."""
        return parsing.read_text(value, self._named.name)

    def encode(self, value: object, on: On) -> JsonValue:
        """The argument's; None: there is none for it."""
        return cast(JsonValue, value)


class Place(Single):
    """A place: `[x, y]`, or the box of what is touched where the grammar has `boxes`.

    Where it is missing it is `unset`, or where the pointer is known to be if it is at `pointer`;
    `terse` is that it is left out where it is `unset`.
    """

    def __init__(
        self,
        names: str,
        *,
        unset: Point | None = None,
        pointer: bool = False,
        boxes: bool = False,
        terse: bool = False,
        read_only: bool = False,
    ) -> None:
        super().__init__(names)
        self._unset = unset
        self._terse = terse
        self._pointer = pointer
        self._boxes = boxes
        self.is_written = not read_only

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        """The field; nothing where it is missing and may be."""
        named = self._named
        value = named.value(call)
        if value in MISSING and (self._pointer or self._unset):
            at = (on.pointer if self._pointer else None) or self._unset
            if at is None:
                raise parsing.bad_answer(f"{call.name} acts at the pointer, whose place is unknown")
            return {named.field: at}
        return {} if named.is_missing(value) else {named.field: on.place(value, named.name)}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        """The argument; nothing where it is left out."""
        if self._terse and getattr(action, self._named.field) == self._unset:
            return {}
        return super().write(action, on)

    def encode(self, value: object, on: On) -> JsonValue:
        """The value of the argument."""
        assert isinstance(value, Point)
        if self._boxes:
            return [rendering.box_numbers(value, on.box, on.size, on.space)]
        return on.numbers(value)


class Words(Single):
    """A text, `unset` where it is missing; `terse` is that it is left out where it is empty."""

    def __init__(self, names: str, *, terse: bool = False, unset: str = "") -> None:
        super().__init__(names)
        self._terse = terse
        self._unset = unset

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        """The field; what stands for it where it is missing and may be."""
        named = self._named
        value = named.value(call)
        unset = value is None and named.is_optional
        return {named.field: self._unset if unset else self.decode(value, on)}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        """The argument; nothing where it is left out."""
        if self._terse and not getattr(action, self._named.field):
            return {}
        return super().write(action, on)


class Number(Single):
    """A number, of which `unit` are one of ours; `unset` of ours where it is missing."""

    def __init__(
        self, names: str, *, unit: int = 1, unset: float | None = None, read_only: bool = False
    ) -> None:
        super().__init__(names)
        self._unit = unit
        self._unset = unset
        self.is_written = not read_only

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        """The field; nothing where it is missing and may be."""
        found = super().read(call, on)
        return found if found or self._unset is None else {self._named.field: self._unset}

    def decode(self, value: JsonValue, on: On) -> object:
        """The value of the field."""
        return parsing.read_number(value, self._named.name) / self._unit

    def encode(self, value: object, on: On) -> JsonValue:
        """The value of the argument."""
        assert isinstance(value, int | float)
        return rendering.round_number(value) if self._unit == 1 else round(value * self._unit)


class Typed(Single):
    """A text whose typing presses Enter afterwards, so the line break for it is not written."""

    def decode(self, value: JsonValue, on: On) -> object:
        """The value of the field."""
        return parsing.read_text(value, self._named.name) + "\n"

    def encode(self, value: object, on: On) -> JsonValue:
        """The value of the argument."""
        return str(value).removesuffix("\n")


class Choice(Single):
    """One of upstream's words for one of ours; of several words the first is written."""

    def __init__(self, names: str, words: Mapping[str, str], *, any_case: bool = False) -> None:
        super().__init__(names)
        self._words = {word.lower() if any_case else word: ours for word, ours in words.items()}
        self._word_of = {ours: word for word, ours in reversed([*words.items()])}
        self._shown = ", ".join(words)
        self._any_case = any_case

    def decode(self, value: JsonValue, on: On) -> object:
        """The value of the field."""
        word = value.lower() if isinstance(value, str) and self._any_case else value
        if not isinstance(word, str) or word not in self._words:
            raise parsing.bad_answer(
                f"the {self._named.name} is {parsing.shorten(value)}; expected one of {self._shown}"
            )
        return self._words[word]

    def encode(self, value: object, on: On) -> JsonValue:
        """The value of the argument."""
        return self._word_of.get(str(value))


@dataclass(frozen=True, slots=True)
class Is:
    """A value that the word itself implies: `button=Is("right")`."""

    value: object
    fields: tuple[str, ...] = ()

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        """The value, whatever the call."""
        return dict.fromkeys(self.fields, self.value)

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        """Nothing; None for another value."""
        return {} if all(getattr(action, one) == self.value for one in self.fields) else None


@dataclass(frozen=True, slots=True)
class Lost:
    """A value that the grammar has no word for: it is not written, and read as this."""

    value: object
    fields: tuple[str, ...] = ()

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        """The value, whatever the call."""
        return dict.fromkeys(self.fields, self.value)

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        """Nothing, whatever the action."""
        return {}


@dataclass(frozen=True, slots=True)
class XY:
    """A place in two arguments."""

    x: str = "x"
    y: str = "y"
    fields: tuple[str, ...] = ("at",)

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        """The place; both numbers may stand in the first."""
        x, y = call.get(self.x, at=0), call.get(self.y, at=1)
        if not (isinstance(x, list) and y is None):
            x = [parsing.read_number(x, self.x), parsing.read_number(y, self.y)]
        return dict.fromkeys(self.fields, on.place(x, f"{self.x}, {self.y}"))

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        """The two numbers; None without a place."""
        at = getattr(action, self.fields[0])
        if not isinstance(at, Point):
            return None
        x, y = on.numbers(at)
        return {self.x: x, self.y: y}


@dataclass(frozen=True, slots=True)
class Heading:
    """A swipe over the middle of the screen by a direction's word: the finger's, or `words` of it.

    `upper` is whether the words are written in capitals.
    """

    name: str
    words: Mapping[Direction, Direction] | None = None
    upper: bool = False
    fields: tuple[str, ...] = ("start", "end")

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        """The ends of the stroke."""
        word = rendering.read_direction(call.get(self.name))
        finger = next((ours for ours, theirs in (self.words or {}).items() if theirs == word), word)
        swipe = swipe_toward(finger)
        return {"start": swipe.start, "end": swipe.end}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        """The direction alone."""
        assert isinstance(action, Swipe)
        finger = rendering.swipe_direction(on.convention, action, on.size)
        word = (self.words or {}).get(finger, finger)
        return {self.name: word.upper() if self.upper else word}


@dataclass(frozen=True, slots=True)
class Turn:
    """How far a wheel turns, by a direction that names what comes into view.

    `steps` of `amount` are a screen; without an `amount` half a screen is meant. `usual_steps`
    are meant where none are given. With `up` it is a signed number instead, whose positive values
    go up, or to the right in a row of the wheel's other `axis`.
    """

    direction: str = "direction@1"
    amount: str = ""
    steps: int = 1
    usual_steps: float | None = None
    axis: Literal["both", "dx", "dy"] = "both"
    up: str = ""
    fields: tuple[str, ...] = ("dx", "dy")

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        """The screens of content that it moves by."""
        if self.up:
            signed = parsing.read_number(call.get(self.up), self.up) / self.steps
            return {self.axis: max(-100.0, min(-signed if self.axis == "dy" else signed, 100.0))}
        name, _, position = self.direction.partition("@")
        word = rendering.read_direction(call.get(name, at=int(position) if position else None))
        screens = 0.5
        if self.amount:
            given = call.get(self.amount)
            if given is None and self.usual_steps is not None:
                given = self.usual_steps
            screens = parsing.read_number(given, self.amount) / self.steps
        signed = screens if word in ("down", "right") else -screens
        return {"dy" if word in ("up", "down") else "dx": signed}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        """The direction and the amount, at least one."""
        assert isinstance(action, Scroll)
        word, screens = rendering.split_scroll(on.convention, action)
        along = "dy" if word in ("up", "down") else "dx"
        if self.axis not in ("both", along):
            return None
        steps = max(1, round(screens * self.steps))
        if self.up:
            return {self.up: steps if word in ("up", "right") else -steps}
        said: dict[str, JsonValue] = {self.direction.partition("@")[0]: word}
        return said | ({self.amount: steps} if self.amount else {})
