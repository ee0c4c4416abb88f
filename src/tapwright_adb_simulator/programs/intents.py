"""Intents: the options of `am` and `cmd package`, parsed as AOSP does."""

from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["ACTIVITY", "Intent", "read_intent"]

ACTIVITY = ".MainActivity"
"""Every app has one activity, and is called by any."""


@dataclass(slots=True)
class Intent:
    """One intent, and in `flags` the options of the program that are none of it."""

    action: str = ""
    data: str = ""
    kind: str = ""
    component: str = ""
    package: str = ""
    categories: list[str] = field(default_factory=list)
    extras: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        """As `am` prints it."""
        fields = [
            ("act", self.action),
            ("cat", f"[{','.join(self.categories)}]" if self.categories else ""),
            ("dat", self.data),
            ("typ", self.kind),
            ("pkg", self.package),
            ("cmp", self.component),
        ]
        words = [f"{name}={value}" for name, value in fields if value]
        return "Intent { " + " ".join([*words, *(["(has extras)"] if self.extras else [])]) + " }"


def read_intent(words: Sequence[str]) -> Intent:
    """The intent that the words after `am start` or `am broadcast` describe."""
    intent = Intent()
    given = iter(words)
    for word in given:
        match word:
            case "-a":
                intent.action = next(given, "")
            case "-d":
                intent.data = next(given, "")
            case "-t":
                intent.kind = next(given, "")
            case "-c":
                intent.categories.append(next(given, ""))
            case "-n":
                intent.component = next(given, "")
            case "-p":
                intent.package = next(given, "")
            case "--es" | "-e" | "--ei" | "--ez" | "--el" | "--esa" | "--eia":
                name = next(given, "")
                intent.extras[name] = next(given, "")
            case "-f" | "--user" | "--display" | "--windowingMode":
                next(given, "")
            case _ if word.startswith("-"):
                intent.flags.add(word)
            case _ if "/" in word and ":" not in word:
                intent.component = word
            case _ if ":" in word:
                intent.data = word
            case _:
                intent.package = word
    return intent
