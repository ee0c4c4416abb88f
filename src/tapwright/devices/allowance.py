"""What an agent may do on a device beyond pointing and typing: `--allow`.

What stands on a screen may be written by anybody, and an agent may follow it. A device keeps the
agent from what is not allowed whatever it was told. Pointing leads far, too: an icon opens an app
and a link another page, which only the device's network and accounts bound.
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from tapwright.core.actions import Action, Goto, Hotkey, KeyDown, NewTab, OpenApp
from tapwright.core.keys import find_key
from tapwright.devices.device import Device
from tapwright.devices.errors import ACTION_FORBIDDEN
from tapwright.errors import UsageError

__all__ = ["Allowance", "allow_once", "forbidden_word", "restrict"]

D = TypeVar("D", bound=Device)

_WORDS = ("addresses", "apps", "clipboard", "downloads")
_MODIFIERS = frozenset({"control", "meta", "shift"})
_CLIPBOARD = frozenset({"c", "x", "v", "insert", "delete"})


@dataclass(frozen=True, slots=True)
class Allowance:
    """The words of what may be done; each of the four without which it is refused."""

    words: frozenset[str] = frozenset(_WORDS)

    @classmethod
    def parse(cls, text: str) -> Self:
        """`all`, `none`, or words with commas between them.

        Raises:
            UsageError: a word is none of these.
        """
        words = {word.strip().lower() for word in text.split(",") if word.strip()}
        if words == {"all"}:
            return cls()
        words -= {"none"}
        if unknown := sorted(words - {*_WORDS}):
            raise UsageError(
                f"--allow {text}: {unknown[0]!r} is nothing that can be allowed",
                hint=f"all, none, or a list of {', '.join(_WORDS)}",
            )
        return cls(frozenset(words))

    def __str__(self) -> str:
        """As `parse` takes it, and the same for the same words."""
        return "all" if self == Allowance() else ",".join(sorted(self.words)) or "none"

    def forbids(self, action: Action) -> str:
        """The word that an action would need and does not have, "" for none."""
        match action:
            case OpenApp():
                word = "apps"
            case Goto():
                word = "addresses"
            case NewTab(url=url) if url:
                word = "addresses"
            case Hotkey(keys=keys) if _is_of_clipboard({*map(_key, keys)}):
                word = "clipboard"
            case KeyDown(key=key) if _key(key) in _MODIFIERS - {"shift"}:
                word = "clipboard"  # the letter may follow by itself
            case _:
                return ""
        return "" if word in self.words else word


def _key(name: str) -> str:
    """A key as devices take it: by any of its names, and a letter in either case."""
    return (find_key(name) or name).lower()


def _is_of_clipboard(keys: Set[str]) -> bool:
    return bool(keys & _MODIFIERS and keys & _CLIPBOARD)


def restrict(device: D, allowance: Allowance) -> D:
    """The same device, which refuses the actions that are not allowed.

    It stays of its kind, so that whatever else it can do is still found.
    """
    kind = type(device)

    def perform(self: Device, action: Action) -> None:
        allowed, made.allowed_once = made.allowed_once, None
        if allowed != action and (word := allowance.forbids(action)):
            raise ACTION_FORBIDDEN(
                f"{self.name}: {action.type} is not allowed here",
                hint=f"--allow {Allowance(allowance.words | {word})} lets an agent do it",
            )
        kind.perform(self, action)

    known = {"allowance": allowance, "allowed_once": None, "__module__": kind.__module__}
    made: Any = type(kind.__name__, (kind,), {"perform": perform, **known})
    device.__class__ = made
    return device


def forbidden_word(device: Device, action: Action) -> str:
    """The word of `--allow` that an action on a device needs and does not have; "" for none."""
    allowance = getattr(type(device), "allowance", None)
    return allowance.forbids(action) if isinstance(allowance, Allowance) else ""


def allow_once(device: Device, action: Action) -> None:
    """Let a restricted device do the action if it is the next one."""
    kind: Any = type(device)
    kind.allowed_once = action
