"""Takes of one task side by side: which of their steps stand for the same, and whether they agree.

The longest take is the one that the others are aligned with, by the fewest steps that are changed,
left out or added (Levenshtein). What several added at one place stands in the same rows.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from rapidfuzz.distance import Levenshtein

from tapwright.core.actions import Action, Finish, TypeText, Wait, describe
from tapwright.core.episode import Episode, Step

__all__ = ["TakeRow", "align_takes"]


@dataclass(frozen=True, slots=True)
class TakeRow:
    """Steps that stand for the same: of each take its number, None where it has no such step.

    `did` is what each did, "" for nothing; `agreement` is the share of pairs of takes that did the
    same, 0 to 1, and 1 for a take alone.
    """

    steps: tuple[int | None, ...]
    did: tuple[str, ...]

    @property
    def agreement(self) -> float:
        """See above."""
        pairs = [one == other for one, other in combinations(self.did, 2)]
        return sum(pairs) / len(pairs) if pairs else 1.0


def align_takes(takes: Sequence[Episode]) -> list[TakeRow]:
    """The steps of all takes in rows, in their order; columns are in the order of `takes`."""
    if not takes:
        return []
    did = [[_describe(step) for step in take.steps] for take in takes]
    # Ends stand beside each other, however each ended.
    like = [["finish" if one.startswith("finish ") else one for one in words] for words in did]
    longest = max(like, key=len)
    # Where a row stands: before the step of the longest take of that number, or (last) at it.
    cells: dict[tuple[int, int, int], dict[int, int]] = defaultdict(dict)
    for column, words in enumerate(like):
        for part in Levenshtein.opcodes(longest, words):
            for more in range(part.dest_end - part.dest_start):  # none where steps were left out
                at = part.src_start
                place = (at, 0, more) if part.tag == "insert" else (at + more, 1, 0)
                cells[place][column] = part.dest_start + more
    columns = range(len(takes))
    return [
        TakeRow(
            tuple(found.get(column) for column in columns),
            tuple(did[column][found[column]] if column in found else "" for column in columns),
        )
        for _, found in sorted(cells.items())
    ]


def _describe(step: Step) -> str:
    """What counts as the same: kinds of actions, on the same element or with the same words.

    Where no element is known, any place of a screen is as good as another.
    """
    kinds = map(_kind, step.decision.actions)
    return " ".join([*kinds, *filter(None, [step.decision.target.strip().casefold()])])


def _kind(action: Action) -> str:
    match action:
        case TypeText(text=text):
            return f"type {text.strip()!r}"
        case Finish(outcome=outcome):
            return f"finish {outcome}"
        case Wait():
            return action.type
        case _:
            has_place = hasattr(action, "at") or hasattr(action, "start")
            return action.type if has_place else describe(action)
