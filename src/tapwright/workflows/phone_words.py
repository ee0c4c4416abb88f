"""What a definition may ask of the built-in phone: what its apps log, keep and show, as words."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from tapwright.devices.phone.description import describe_apps, describe_state
from tapwright.tasks.definitions.device_words import DeviceWords

__all__ = ["phone_words"]


def phone_words(state: JsonValue) -> DeviceWords:
    """What a definition may ask of the built-in phone, whose `state` after a reset is given."""
    details = [*describe_apps(), *describe_state(state)]
    messages: dict[str, list[str]] = {}
    for one in details:
        if one.kind == "log":
            messages.setdefault(one.name, []).append(one.example)
    paths, ids = (
        frozenset(one.name for one in details if one.kind == kind) for kind in ("state", "element")
    )
    return DeviceWords(frozenset(messages), paths, ids, messages, " ".join(_texts(state)))


def _texts(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for one in value.values():
                yield from _texts(one)
        case [*several]:
            for one in several:
                yield from _texts(one)
        case _:
            pass
