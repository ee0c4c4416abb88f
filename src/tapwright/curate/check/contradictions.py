"""Steps at which successful episodes of one instruction part: another action at the same point.

The point is the same where the instruction is, and every screen and every action before it. Who
learns from both is taught either. One may be as good as the other, so each is only told. Where no
instruction was recorded, nobody knows that two have one. Screens are compared byte for byte; what
is no target (`core.fit`) contradicts nothing, and after a look that is of another moment, or that
nobody has, no point is known to be the same. What cannot be read is left to the check of the
episode itself.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tapwright.core.episode import Step
from tapwright.core.fit import why_unseen, why_untaught
from tapwright.curate.check.check import is_same_action
from tapwright.errors import CorruptEpisodeError, StoreError
from tapwright.store.catalog import Catalog
from tapwright.store.filters import has_id
from tapwright.store.selection import EVERYTHING
from tapwright.store.store import EpisodeStore

__all__ = ["Contradiction", "find_contradictions"]

_HASH = 32


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A step, from 0, at which an episode does another thing than the older `other`."""

    episode: str
    step: int
    other: str


@dataclass(frozen=True, slots=True)
class _Play:
    """Episodes with the same actions on the same pictures, the oldest first."""

    ids: tuple[str, ...]
    frames: bytes
    steps: Sequence[Step]

    def screen(self, number: int) -> bytes:
        return self.frames[number * _HASH : (number + 1) * _HASH]


def find_contradictions(catalog: Catalog, ids: Sequence[str]) -> Iterator[Contradiction]:
    """Yields them among these episodes of a catalog; only those that begin alike are read."""
    told = {
        entry.id: entry.instruction
        for entry in catalog.select(EVERYTHING, has_id(ids))
        if entry.outcome == "success" and entry.instruction
    }
    starts: dict[tuple[str, bytes], dict[tuple[str, bytes], list[str]]] = defaultdict(dict)
    for actions, _, id_, frames in sorted(catalog.action_rows(), key=lambda row: row[1:3]):
        if id_ in told:
            alike = starts[told[id_], frames[:_HASH]]
            alike.setdefault((actions, frames), []).append(id_)
    for alike in starts.values():
        if len({actions for actions, _ in alike}) > 1:
            yield from _compare(
                [
                    _Play(tuple(same), frames, steps)
                    for (_, frames), same in alike.items()
                    if (steps := _read_steps(catalog.store, same[0]))
                ]
            )


def _read_steps(store: EpisodeStore, id_: str) -> Sequence[Step]:
    try:
        return store.read(id_).steps
    except StoreError:
        return ()


def _compare(plays: Sequence[_Play]) -> Iterator[Contradiction]:
    """Those of episodes that begin on the same screen, which go on together until they part."""
    together = [(plays, 0)]
    while together:
        group, number = together.pop()
        branches = _part(group, number)
        taught = [one for one in branches if not why_untaught(one[0].steps[number])]
        for branch in taught[1:]:
            for id_ in (id_ for play in branch for id_ in play.ids):
                yield Contradiction(id_, number, taught[0][0].ids[0])
        for branch in branches:
            following: dict[bytes, list[_Play]] = defaultdict(list)
            for play in branch:
                following[play.screen(number + 1)].append(play)
            together += [(those, number + 1) for those in following.values() if len(those) > 1]


def _part(group: Iterable[_Play], number: int) -> list[list[_Play]]:
    """The episodes of a group by what they do at a step; without those that saw nothing there."""
    branches: list[list[_Play]] = []
    for play in group:
        if number >= len(play.steps):
            continue
        step = play.steps[number]
        if step.observation.stale or _is_unseen(step):
            continue
        for branch in branches:
            if _are_same(branch[0].steps[number], step):
                branch.append(play)
                break
        else:
            branches.append([play])
    return branches


def _is_unseen(step: Step) -> bool:
    try:
        return bool(why_unseen(step.observation.screenshot, step.observation.size))
    except CorruptEpisodeError:
        return True


def _are_same(one: Step, other: Step) -> bool:
    """Whether the same was done, or refused."""
    mine, theirs = one.decision.actions, other.decision.actions
    same = len(mine) == len(theirs) and all(map(is_same_action, mine, theirs))
    return same and bool(one.refused) == bool(other.refused)
