"""What a definition asks of a device that the device never has: its tags, paths and element ids."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.definitions.log_messages import can_match
from tapwright.tasks.definitions.reaching import find_barriers

__all__ = ["DeviceWords", "find_strangers"]

_ID = re.compile(r'#(?P<part>[$^*]?)"(?P<id>[^"]+)"')


@dataclass(frozen=True, slots=True)
class DeviceWords:
    """What a device has: the tags of its log, the paths of its state, the ids of its elements.

    A path is that of a value or a list; an id has "…" for what varies. `messages` are those of each
    tag, as far as they are known, and `said` is the text that its apps hold.
    """

    tags: frozenset[str]
    paths: frozenset[str]
    ids: frozenset[str]
    messages: Mapping[str, Sequence[str]] = field(default_factory=dict)
    said: str = ""


def find_strangers(definition: pb.Task, words: DeviceWords) -> Iterator[str]:
    """Yields what the events of a definition wait for in vain, each with the nearest word.

    What that makes of its goal is told last.
    """
    own = (*definition.command, *definition.vocabulary, str(definition.tapwright))
    said = " ".join((*own, words.said)).lower()
    never = []
    for number, source in enumerate(definition.event_sources):
        told, never_happens = _strangers(source, words, said)
        if never_happens:
            never.append(number)
        yield from (f"event_sources[{number}]: {what}" for what in told)
    yield from find_barriers(definition, never)


def _strangers(source: pb.EventSource, words: DeviceWords, said: str) -> tuple[list[str], bool]:
    """What one source waits for in vain, and whether it therefore never happens."""
    match source.WhichOneof("event"):
        case "log_event":
            tags = [filter_.partition(":")[0] for filter_ in source.log_event.filters]
            known = [tag for tag in tags if tag in ("*", *words.tags)]
            told = [
                _tell(f"no line of the log has the tag {tag!r}", tag, words.tags)
                for tag in tags
                if tag not in known
            ]
            silent = _never_logged(source.log_event.pattern, known, words, said)
            return told + silent, bool(silent) or bool(tags and not known)
        case "state_event":
            path = source.state_event.path
            if not _has_path(path, words.paths):
                return [_tell(f"the state has no path {path!r}", path, words.paths)], True
        case "view_hierarchy_event":
            told = [
                _tell(f"no element has the id {id_!r}", id_, words.ids)
                for found in _ID.finditer(" ".join(source.view_hierarchy_event.selector))
                if not any(
                    _is_id(id_ := found["id"].rpartition("/")[2], found["part"], one)
                    for one in words.ids
                )
            ]
            # Of several selectors one is enough.
            return told, bool(told) and len(source.view_hierarchy_event.selector) == 1
    return [], False


def _never_logged(pattern: str, tags: Sequence[str], words: DeviceWords, said: str) -> list[str]:
    """That no message of these tags matches a pattern, with those that there are."""
    asked = list(words.messages) if "*" in tags else tags
    messages = [one for tag in asked for one in words.messages.get(tag, ())]
    if not messages or can_match(pattern, messages, said):
        return []
    near = get_close_matches(pattern, messages, 3, 0.0)
    shown = "any app" if "*" in tags else ", ".join(tags)
    return [f"no message of {shown} is like {pattern!r}; there are {', '.join(near)}, …"]


def _tell(what: str, word: str, known: frozenset[str]) -> str:
    near = get_close_matches(word, sorted(known), 1)
    return what + (f"; did you mean {near[0]!r}?" if near else "")


def _has_path(path: str, known: frozenset[str]) -> bool:
    inside = (one for one in known if one == path or path.startswith(f"{one}."))
    return not path or any(True for _ in inside) or any(one.startswith(f"{path}.") for one in known)


def _is_id(wanted: str, part: str, known: str) -> bool:
    fixed, varies, _ = known.partition("…")
    if varies:
        return wanted.startswith(fixed) or fixed.startswith(wanted)
    match part:
        case "$":
            return known.endswith(wanted) or wanted.endswith(known)
        case "^" | "*":
            return wanted in known or known in wanted
        case _:
            return known == wanted
