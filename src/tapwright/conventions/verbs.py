"""Grammars as tables: upstream's word for an action, and where its arguments stand.

A row is `verb("swipe|scroll", "swipe", start="coordinate", end="coordinate2")`: the word that is
written and others that are read, our action, and for each of its fields the arguments' names. What
a field is spelled as follows from the field (a place, a text, a number), or is a form of its own
(`Choice`, `Turn`). In a name, "@1" is a position in which it is read as well, and "?" that it may
be missing. Durations and reasons that a row does not name are lost, any other field that it does
not name must have its default.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast, get_args

from pydantic import BaseModel, JsonValue
from pydantic_core import PydanticUndefined

from tapwright.conventions import arguments, rendering
from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.parsing import JsonObject, bad_answer, build_action, read_text, shorten
from tapwright.core.actions import Action, Finish, Hotkey, KeyDown, PressKey
from tapwright.core.geometry import Point

__all__ = ["Grammar", "HeldKey", "Verb", "keys_verb", "verb"]

_LOSABLE = ("type", "duration_s", "reason")


class Verb:
    """One row of a grammar."""

    def __init__(self, words: str, kind: str, when: str, args: Iterable[arguments.Arg]) -> None:
        self.words = tuple(words.split("|"))
        self.kinds: tuple[type[BaseModel], ...] = (arguments.KINDS[kind],)
        self._when = arguments.Named.of("", when) if when else None
        self._args = tuple(args)
        named = {field for arg in self._args for field in arg.fields}
        self._rest = tuple(
            (name, field.default)
            for name, field in self.kinds[0].model_fields.items()
            if name not in named and name not in _LOSABLE
        )
        if any(default is PydanticUndefined for _, default in self._rest):
            raise TypeError(f"the row of {words!r} has no argument for {self._rest}")

    def takes(self, call: ParsedCall) -> bool:
        """Whether it reads a call of its word; another row may read others."""
        return self._when is None or self._when.value(call) not in arguments.MISSING

    def read(self, call: ParsedCall, on: arguments.On) -> Action:
        """The action of a call.

        Raises:
            BadAnswerError: its arguments are not those of the row.
        """
        fields: dict[str, object] = {}
        for arg in self._args:
            fields.update(arg.read(call, on))
        return cast(Action, build_action(self.kinds[0], **fields))

    def write(self, action: Action, on: arguments.On) -> JsonObject | None:
        """The arguments for an action; None: this row does not say it."""
        for name, default in self._rest:
            if getattr(action, name) != default:
                return None
        said: JsonObject = {}
        for arg in self._args:
            part = arg.write(action, on)
            if part is None:
                return None
            said.update(part)
        return said


def verb(
    words: str, kind: str, when: str = "", /, **args: str | arguments.Arg | arguments.Single
) -> Verb:
    """A row: upstream's words, our action's `type`, and the arguments by our fields.

    With `when` it is read only where that argument is given.
    """
    return Verb(words, kind, when, [_bound(kind, field, arg) for field, arg in args.items()])


def _bound(kind: str, field: str, arg: str | arguments.Arg | arguments.Single) -> arguments.Arg:
    if isinstance(arg, arguments.Is | arguments.Lost | arguments.XY):
        return replace(arg, fields=(field,))
    if not isinstance(arg, str | arguments.Single):
        return arg
    if isinstance(arg, str):
        annotation = arguments.KINDS[kind].model_fields[field].annotation
        form = arguments.Place if Point in (annotation, *get_args(annotation)) else arguments.Words
        arg = (arguments.Number if field == "duration_s" else form)(arg)
    arg.bind(field)
    return arg


class _KeysVerb(Verb):
    """Keys that are pressed together, one of them or several."""

    def __init__(
        self,
        words: str,
        names: str,
        spelled: Mapping[str, str],
        joiner: str,
        most: int | None,
        kinds: tuple[type[BaseModel], ...],
    ) -> None:
        self.words = tuple(words.split("|"))
        self.kinds = kinds
        self._named = arguments.Named.of("keys", names)
        self._spelled = spelled
        self._joiner = joiner
        self._most = most
        self._when = None

    def read(self, call: ParsedCall, on: arguments.On) -> Action:
        value = self._named.value(call)
        parts: JsonValue = value
        if isinstance(value, str):
            parts = [*value.split()] if self._joiner == " " else [value]
        joiner = self._joiner.strip() or "+"
        keys = [
            key.strip()
            for part in (parts if isinstance(parts, list) else [])
            for key in rendering.split_keys(read_text(part, "a key").strip(), joiner)
        ]
        if not isinstance(parts, list) or (self._most and len(keys) > self._most):
            raise bad_answer(f"the {self._named.name} are {shorten(value)}; expected keys")
        return rendering.press_keys(keys)

    def write(self, action: Action, on: arguments.On) -> JsonObject | None:
        assert isinstance(action, PressKey | Hotkey)
        keys = rendering.spell_keys(on.convention, action, self._spelled, self._joiner)
        if self._most and len(keys) > self._most:
            raise rendering.unsupported(
                on.convention, action, f"it holds at most {self._most} keys"
            )
        return {self._named.name: self._joiner.join(keys) if self._joiner else [*keys]}


def keys_verb(
    words: str,
    names: str,
    spelled: Mapping[str, str],
    joiner: str = "",
    most: int | None = None,
    *,
    chords_only: bool = False,
) -> Verb:
    """A row for keys by their upstream names, in one text with a `joiner`, in a list without.

    With `chords_only` a key that is pressed alone is not written so.
    """
    kinds = (Hotkey,) if chords_only else (PressKey, Hotkey)
    return _KeysVerb(words, names, spelled, joiner, most, kinds)


class HeldKey(arguments.Words):
    """A key that goes down or up alone, by its upstream name."""

    def __init__(self, names: str, keys: Mapping[str, str]) -> None:
        super().__init__(names)
        self._keys = keys

    def decode(self, value: JsonValue, on: arguments.On) -> object:
        """The value of the field."""
        return rendering.read_held([read_text(value, self._named.name)])[0]

    def encode(self, value: object, on: arguments.On) -> JsonValue:
        """The value of the argument."""
        return rendering.spell_held(
            on.convention, KeyDown(key=str(value)), [str(value)], self._keys
        )[0]


class Grammar:
    """The rows of a family: those that are written and read, and `also` those that are only read.

    `word` names what the argument is called that tells the verb, for messages.
    """

    def __init__(self, rows: Iterable[Verb], also: Iterable[Verb] = (), word: str = "action"):
        self._said = tuple(rows)
        self._also = tuple(also)
        self._word = word
        self._rows = (*self._said, *self._also)
        self._of_kind: dict[type[BaseModel], list[Verb]] = {}
        for row in self._said:
            for kind in row.kinds:
                self._of_kind.setdefault(kind, []).append(row)
        self._of_word: dict[str, list[Verb]] = {}
        for row in self._rows:
            for one in row.words:
                self._of_word.setdefault(one, []).append(row)
        self.words = frozenset(self._of_word)
        self.kinds = frozenset(self._of_kind)

    def only(self, *words: str) -> "Grammar":
        """The same grammar with fewer words to write; all are read."""
        said = [row for row in self._rows if row.words[0] in words]
        return Grammar(said, [row for row in self._rows if row not in said], self._word)

    def without(self, *words: str) -> "Grammar":
        """The same grammar without some words."""
        said, also = (
            [row for row in rows if row.words[0] not in words] for rows in (self._said, self._also)
        )
        return Grammar(said, also, self._word)

    def replacing(self, *rows: Verb, also: Iterable[Verb] = ()) -> "Grammar":
        """The same grammar with other rows for their words, or more; `also` are only read."""
        rest = self.without(*(row.words[0] for row in rows))
        return Grammar([*rest._said, *rows], [*rest._also, *also], self._word)

    def write(self, action: Action, on: arguments.On) -> tuple[str, JsonObject]:
        """The word for an action, and its arguments in their order.

        Raises:
            UnsupportedByConventionError: the grammar has no such action.
        """
        rows = self._of_kind.get(type(action), ())
        for row in rows:
            said = row.write(action, on)
            if said is not None:
                return row.words[0], said
        why = "its prompt has no such action"
        if isinstance(action, Finish) and rows:
            why = f"it has no words for {action.outcome}"
        elif rows and (given := _given(action)):
            why = f"its prompt has it without {' and '.join(given)}"
        raise rendering.unsupported(on.convention, action, why)

    def read(self, call: ParsedCall, on: arguments.On) -> Action:
        """The action of a call.

        Raises:
            BadAnswerError: it is none of the grammar's, or its arguments are not.
        """
        for row in self._of_word.get(call.name, ()):
            if row.takes(call):
                return row.read(call, on)
        raise self.unknown(call.name)

    def read_object(self, found: JsonObject, on: arguments.On, word: JsonValue) -> Action:
        """The action of an object whose verb is `word` and whose fields are the arguments.

        Raises:
            BadAnswerError: it is none of the grammar's, or its arguments are not.
        """
        if not isinstance(word, str) or word not in self._of_word:
            raise self.unknown(word)
        return self.read(ParsedCall(word, (), found), on)

    def unknown(self, word: JsonValue) -> Exception:
        """An error for a word that the grammar does not have."""
        expected = ", ".join(dict.fromkeys(row.words[0] for row in self._rows))
        return bad_answer(f"the {self._word} is {shorten(word)}; expected one of {expected}")


def _given(action: Action) -> list[str]:
    """The fields of an action that may be left out, and are not."""
    optional = {name: one for name, one in type(action).model_fields.items() if name != "type"}
    return [
        name
        for name, one in optional.items()
        if not one.is_required() and getattr(action, name) != one.default
    ]
