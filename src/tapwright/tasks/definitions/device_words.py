"""What a definition asks of a device that the device never has: its tags, paths and element ids."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from tapwright.tasks import task_pb2 as pb

__all__ = ["DeviceWords", "find_strangers"]

_ID = re.compile(r'#(?P<part>[$^*]?)"(?P<id>[^"]+)"')


@dataclass(frozen=True, slots=True)
class DeviceWords:
    """What a device has: the tags of its log, the paths of its state, the ids of its elements.

    A path is that of a value or a list; an id has "…" for what varies.
    """

    tags: frozenset[str]
    paths: frozenset[str]
    ids: frozenset[str]


def find_strangers(definition: pb.Task, words: DeviceWords) -> Iterator[str]:
    """Yields what the events of a definition wait for in vain, each with the nearest word."""
    for number, source in enumerate(definition.event_sources):
        match source.WhichOneof("event"):
            case "log_event":
                for filter_ in source.log_event.filters:
                    tag = filter_.partition(":")[0]
                    if tag not in ("*", *words.tags):
                        yield _tell(
                            number, f"no line of the log has the tag {tag!r}", tag, words.tags
                        )
            case "state_event":
                path = source.state_event.path
                if not _has_path(path, words.paths):
                    yield _tell(number, f"the state has no path {path!r}", path, words.paths)
            case "view_hierarchy_event":
                for found in _ID.finditer(" ".join(source.view_hierarchy_event.selector)):
                    id_ = found["id"].rpartition("/")[2]
                    if not any(_is_id(id_, found["part"], one) for one in words.ids):
                        yield _tell(number, f"no element has the id {id_!r}", id_, words.ids)


def _tell(number: int, what: str, word: str, known: frozenset[str]) -> str:
    near = get_close_matches(word, sorted(known), 1)
    return f"event_sources[{number}]: {what}" + (f"; did you mean {near[0]!r}?" if near else "")


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
