"""Splits episodes for training and testing, so that nothing of one part was seen in another.

Episodes with the same key (their app, task or agent) go together, and so do near-duplicates, which
join their keys. The parts get the shares that were asked for, as closely as what stays together
lets them. A stable split decides by a hash of the key and the seed alone: episodes that are added
later move none that was there, unless they are duplicates that join two keys, and a large key takes
its part far from its share.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from tapwright.errors import UsageError
from tapwright.files.names import portable_name
from tapwright.store.catalog_entry import CatalogEntry

__all__ = ["SplitBy", "find_key", "read_ratio", "split_entries"]

SplitBy: TypeAlias = Literal["app", "task", "agent", "episode"]

_NAMES = {2: ("train", "test"), 3: ("train", "val", "test")}
_LAUNCHERS = ("launcher", "home", "systemui", "trebuchet")


def read_ratio(text: str, names: str = "") -> dict[str, float]:
    """The parts' shares by name, of texts such as "0.8,0.1,0.1" and "train,val,test".

    Without names two are train and test, three are train, val and test. The shares add up to 1 in
    what is returned: "8,1,1" is the same.

    Raises:
        UsageError: a share is no positive number, or there are not as many names.
    """
    try:
        shares = [float(word) for word in text.split(",")]
    except ValueError as error:
        raise UsageError(f"--ratio {text}: not numbers", hint="like 0.8,0.1,0.1") from error
    if len(shares) < 2 or not all(0 < share < 1e9 for share in shares):
        raise UsageError(
            f"--ratio {text}: expected two or more numbers above 0", hint="like 0.8,0.1,0.1"
        )
    default = _NAMES.get(len(shares), tuple(f"part-{n}" for n in range(1, len(shares) + 1)))
    named = tuple(word.strip() for word in names.split(",")) if names else default
    if len({name.casefold() for name in named}) != len(shares) or not all(named):
        raise UsageError(f"--names {names}: expected {len(shares)} different names")
    for name in named:
        if portable_name(name) != name:
            raise UsageError(
                f"--names {name}: not every system takes this for the name of a file",
                hint=f"such as {portable_name(name)}",
            )
    return {name: share / sum(shares) for name, share in zip(named, shares, strict=True)}


def split_entries(
    entries: Sequence[CatalogEntry],
    duplicates: Iterable[Sequence[str]],
    ratio: Mapping[str, float],
    *,
    by: SplitBy,
    seed: int = 0,
    stable: bool = False,
) -> dict[str, str]:
    """The part of each episode: id -> name. `duplicates` are the ids of each group of them.

    `ratio` is the shares that the parts are to have, 1 in all. The same episodes in any order give
    the same parts. In a `stable` split what is joined goes where the key of its oldest episode
    goes.
    """
    order = {entry.id: number for number, entry in enumerate(_by_age(entries))}
    keys = {entry.id: find_key(entry, by) for entry in entries}
    joined: dict[str, str] = {}

    def find(key: str) -> str:
        while joined.get(key, key) != key:
            key = joined[key]
        return key

    for group in duplicates:
        first, *others = {find(keys[id_]): None for id_ in group}
        for other in others:
            joined[other] = first
    leading: dict[str, str] = {}
    for id_ in sorted(order, key=order.__getitem__):
        leading.setdefault(find(keys[id_]), keys[id_])
    if stable:
        places = {key: _draw(leading[key], ratio, seed) for key in leading}
    else:
        sizes = Counter(leading[find(key)] for key in keys.values())
        found = _fill(sizes, ratio, seed)
        places = {key: found[leading[key]] for key in leading}
    return {id_: places[find(key)] for id_, key in keys.items()}


def find_key(entry: CatalogEntry, by: SplitBy) -> str:
    """What an episode is kept together by; its id where it has no app, task or agent.

    Of several apps the first in front counts that is no launcher.
    """
    match by:
        case "app":
            apps = [app for app in entry.apps if not _is_launcher(app)]
            key = next(iter((*apps, *entry.apps)), "")
        case "task":
            key = entry.task_id
        case "agent":
            key = entry.agent
        case "episode":
            key = ""
    return f"{by} {key}" if key else f"episode {entry.id}"


def _is_launcher(app: str) -> bool:
    return any(word in app.rpartition(".")[2].lower() for word in _LAUNCHERS)


def _by_age(entries: Iterable[CatalogEntry]) -> list[CatalogEntry]:
    return sorted(entries, key=lambda one: (one.created, one.id))


def _fill(sizes: Mapping[str, int], ratio: Mapping[str, float], seed: int) -> dict[str, str]:
    """The part of each key of these many episodes, the largest first, the smallest filling gaps.

    A key goes, by chance, to a part that has room for it, else to the one that lacks most.
    """
    total = sum(sizes.values())
    room = {name: share * total for name, share in ratio.items()}
    places, taken = dict[str, str](), set[str]()
    keys = sorted(sizes, key=lambda key: (-sizes[key], _hash(key, seed)))
    for number, key in enumerate(keys):
        empty = ratio.keys() - taken
        wide = [name for name in room if room[name] >= sizes[key]]
        if len(keys) - number <= len(empty):  # each part gets one at least
            place = max(sorted(empty), key=room.__getitem__)
        elif wide:
            chance = random.Random(_hash(key, seed))
            (place,) = chance.choices(wide, [room[name] for name in wide])
        else:
            place = max(room, key=room.__getitem__)
        places[key] = place
        taken.add(place)
        room[place] -= sizes[key]
    return places


def _hash(key: str, seed: int) -> int:
    digest = hashlib.sha256(f"{seed}\0{key}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big")


def _draw(key: str, ratio: Mapping[str, float], seed: int) -> str:
    drawn, reached, name = _hash(key, seed) / 2**64, 0.0, ""
    for name, share in ratio.items():
        reached += share
        if drawn < reached:
            return name
    return name  # shares add up to a little less than 1
