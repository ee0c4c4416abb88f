"""How alike two texts are, from 0 to 1, by the edits that lead from one to the other.

The values are those of RapidFuzz 3 (https://github.com/rapidfuzz/RapidFuzz), to the last bit:
benchmarks and task definitions that we follow compare with it. Its wheel is 12 MB.

Distances are found column by column, with a bit for each item of the longer text: H. Hyyrö,
Explaining and Extending the Bit-parallel Approximate String Matching Algorithm of Myers, 2001, and
Bit-Parallel LCS-length Computation Revisited, 2004. All windows of a text are compared at once by
combing strands: A. Tiskin, Semi-local String Comparison, 2008, https://arxiv.org/abs/0707.3619.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

__all__ = [
    "indel_similarity",
    "levenshtein_similarity",
    "partial_similarity",
    "sorted_words_similarity",
]

_Items = Sequence[Hashable]


def levenshtein_similarity(one: _Items, other: _Items) -> float:
    """The share of the longer one that is kept where least is changed; 1 of two empty ones."""
    shorter, longer = sorted((one, other), key=len)
    if not longer:
        return 1.0
    size = len(longer)
    every, top = (1 << size) - 1, 1 << (size - 1)
    rises, falls, distance = every, 0, size
    masks = _masks(longer, shorter)
    for item in shorter:
        mask = masks[item]
        kept = (((mask & rises) + rises) ^ rises) | mask | falls
        right_rises = falls | (every & ~(kept | rises))
        right_falls = kept & rises
        distance += bool(right_rises & top) - bool(right_falls & top)
        right_rises = (right_rises << 1 | 1) & every
        rises = (right_falls << 1 & every) | (every & ~(kept | right_rises))
        falls = right_rises & kept
    return 1.0 - distance / size


def indel_similarity(one: _Items, other: _Items) -> float:
    """Twice the longest common subsequence, as a share of both lengths; 1 of two empty ones."""
    shorter, longer = sorted((one, other), key=len)
    every = (1 << len(longer)) - 1
    masks = _masks(longer, shorter)
    left = every
    for item in shorter:
        met = left & masks[item]
        left = (left + met | left - met) & every
    return _share_of(len(longer) - left.bit_count(), len(one) + len(other))


def sorted_words_similarity(one: str, other: str) -> float:
    """`indel_similarity` of the words in alphabetical order, one blank between them, 0 to 1."""
    return indel_similarity(" ".join(sorted(one.split())), " ".join(sorted(other.split())))


def partial_similarity(one: str, other: str, *, at_least: float = 0.0) -> float:
    """The best `indel_similarity` of the shorter text with a part of the other that is not longer.

    Parts are all windows of its length, and what begins or ends the other and is shorter. The
    share is 0 if only one is empty, and where it is below `at_least`, which is found faster.
    """
    shorter, longer = sorted((one, other), key=len)
    if not shorter:
        return float(not longer)
    if shorter in longer:
        return 1.0
    common = (Counter(shorter) & Counter(longer)).total()
    if _share_of(common, len(shorter) + common) < at_least:
        return 0.0
    best = max(_windows(shorter, longer))
    if len(shorter) == len(longer):
        best = max(best, *_windows(longer, shorter))
    return best if best >= at_least else 0.0


def _share_of(common: int, both: int) -> float:
    return 1.0 - (both - 2 * common) / both if both else 1.0


def _masks(items: _Items, wanted: _Items) -> dict[Hashable, int]:
    """The places of each wanted item, as bits: the lowest is the first place."""
    rows = {item: bytearray(len(items) // 8 + 1) for item in wanted}
    for at, item in enumerate(items):
        if (row := rows.get(item)) is not None:
            row[at >> 3] |= 1 << (at & 7)
    return {item: int.from_bytes(row, "little") for item, row in rows.items()}


def _windows(needle: str, text: str) -> Iterator[float]:
    """`indel_similarity` of the needle with each window of the text, which is not shorter.

    Of the strands that enter above the columns of a window, those that leave below it cost it one
    common item each.
    """
    size, end = len(needle), len(text)
    entry = list(range(size, size + end))  # of the strand that is in this column
    for row, letter in enumerate(needle, 1):
        strand = size - row
        for column, other in enumerate(text):
            crossing = entry[column]
            if letter == other or strand > crossing:
                entry[column], strand = strand, crossing
    leaves = {entered - size: column for column, entered in enumerate(entry)}
    lost = begin = 0
    for stop in range(1, end + 1):
        lost += entry[stop - 1] - size >= begin
        if stop - begin > size:
            lost -= leaves.get(begin, end) < stop
            begin += 1
        yield _share_of(stop - begin - lost, size + stop - begin)
    while begin < end - 1:
        lost -= leaves.get(begin, end) < end
        begin += 1
        yield _share_of(end - begin - lost, size + end - begin)
