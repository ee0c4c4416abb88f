"""The order of samples in training: shuffled by seed and epoch, dealt out, and resumed exactly.

It is computed, not stored, so that every process has the same one without a word between them. The
batches of a rank do not depend on the number of its workers: batch b is made by worker b modulo
their number, as torch's DataLoader asks for them
(https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tapwright.errors import UsageError

__all__ = ["MixedOrder", "OrderState", "SampleOrder"]

Indices: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class OrderState:
    """Where a rank is: the `epoch`, and the `place` in its order of the sample that comes next.

    After b batches of n samples the place is b * n, however many workers made them.
    """

    epoch: int = 0
    place: int = 0


@dataclass(frozen=True, slots=True)
class SampleOrder:
    """The order of `count` samples.

    With `shuffle` each epoch has an order of its own, which `seed` and the epoch determine. Where
    samples are fetched in blocks, `blocks` has their lengths, in order: blocks are shuffled, and
    then the samples in every `window` consecutive ones, so that each block is fetched about once.
    """

    count: int
    seed: int = 0
    shuffle: bool = True
    blocks: Sequence[int] = ()
    window: int = 1024

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            UsageError: the blocks have another number of samples, or a number is out of range.
        """
        if self.blocks and sum(self.blocks) != self.count:
            raise UsageError(f"blocks of {sum(self.blocks)} samples; expected {self.count}")
        if self.count < 0 or self.seed < 0 or self.window < 1:
            raise UsageError(
                f"count {self.count}, seed {self.seed} and window {self.window}; "
                "expected at least 0, 0 and 1"
            )

    def of_epoch(self, epoch: int) -> Indices:
        """The indices of all samples in the order of an epoch, from 0; each once."""
        if not self.shuffle:
            return np.arange(self.count, dtype=np.int64)
        chance = np.random.Generator(np.random.PCG64([self.seed, epoch]))
        if not self.blocks:
            return chance.permutation(self.count)
        lengths = np.asarray(self.blocks, dtype=np.int64)
        starts = np.cumsum(lengths) - lengths
        chosen = chance.permutation(len(lengths))
        order = np.concatenate(
            [np.arange(starts[one], starts[one] + lengths[one]) for one in chosen]
        )
        for start in range(0, self.count, self.window):
            chance.shuffle(order[start : start + self.window])
        return order

    def of_rank(self, epoch: int, rank: int = 0, ranks: int = 1) -> Indices:
        """The indices of one of `ranks` processes, in its order.

        All have the same number, as they have to step together: the first samples of the epoch
        make up the last round, as in torch's DistributedSampler.

        Raises:
            UsageError: there is no such rank.
        """
        if not 0 <= rank < ranks:
            raise UsageError(f"rank {rank} of {ranks}; expected 0 to {ranks - 1}")
        order = self.of_epoch(epoch)
        missing = -len(order) % ranks
        if missing and len(order):
            order = np.concatenate([order, np.resize(order, missing)])
        return order[rank::ranks]

    def of_worker(
        self,
        state: OrderState,
        *,
        rank: int = 0,
        ranks: int = 1,
        worker: int = 0,
        workers: int = 1,
        batch_size: int = 1,
    ) -> Iterator[tuple[int, int]]:
        """Yields a worker's samples from a state to the end of its epoch: (place, index).

        The samples that are left for the rank are cut into batches of `batch_size`, of which a
        worker makes every `workers`-th.

        Raises:
            UsageError: there is no such rank or worker, or a batch has no sample.
        """
        if not 0 <= worker < workers or batch_size < 1:
            raise UsageError(f"worker {worker} of {workers}, batches of {batch_size}")
        order = self.of_rank(state.epoch, rank, ranks)
        for start in range(state.place + worker * batch_size, len(order), workers * batch_size):
            for place in range(start, min(start + batch_size, len(order))):
                yield place, int(order[place])

    def to_dict(self, state: OrderState) -> dict[str, Any]:
        """A state as plain values, with those of the order that it belongs to."""
        return {
            "count": self.count,
            "seed": self.seed,
            "shuffle": self.shuffle,
            "epoch": state.epoch,
            "place": state.place,
        }

    def from_dict(self, values: dict[str, Any]) -> OrderState:
        """The state of such values.

        Raises:
            UsageError: they belong to another order, or are none.
        """
        for name in ("count", "seed", "shuffle"):
            if values.get(name) != getattr(self, name):
                raise UsageError(
                    f"a state of {name} {values.get(name)!r}; this data set has "
                    f"{getattr(self, name)!r}",
                    hint="resume with the same data, seed and shuffle",
                )
        epoch, place = values.get("epoch"), values.get("place")
        if not isinstance(epoch, int) or not isinstance(place, int) or epoch < 0 or place < 0:
            raise UsageError(f"a state with epoch {epoch!r} and place {place!r}; expected numbers")
        return OrderState(epoch, place)


@dataclass(frozen=True, slots=True)
class MixedOrder(SampleOrder):
    """The order of several sets one after the other, of which each comes as often as it is to.

    `weights` say how often an epoch has each sample of a set: 1 for once, 0.5 for half of them, 3
    for three times. Over the epochs all samples of a set come equally often: an epoch goes on in
    the set's own order where the one before it stopped. Which set is next is decided by chance.
    """

    parts: Sequence[SampleOrder] = ()
    weights: Sequence[float] = ()

    @classmethod
    def of(cls, parts: Sequence[SampleOrder], weights: Sequence[float], seed: int) -> "MixedOrder":
        """The order of these sets.

        Raises:
            UsageError: a weight is not above 0.
        """
        if any(not 0 < weight < float("inf") for weight in weights):
            raise UsageError(f"weights {list(weights)}; expected numbers above 0")
        drawn = sum(_drawn(one, weight) for one, weight in zip(parts, weights, strict=True))
        return cls(drawn, seed, parts=tuple(parts), weights=tuple(weights))

    def of_epoch(self, epoch: int) -> Indices:
        """The indices of an epoch's samples in their order; those of later sets are higher."""
        counts = [_drawn(*one) for one in zip(self.parts, self.weights, strict=True)]
        chance = np.random.Generator(np.random.PCG64([self.seed, epoch]))
        which = chance.permutation(np.repeat(np.arange(len(counts)), counts))
        order, first = np.empty(self.count, dtype=np.int64), 0
        for number, (part, count) in enumerate(zip(self.parts, counts, strict=True)):
            begin = epoch * count
            passes = range(begin // part.count, -(-(begin + count) // part.count))
            whole = np.concatenate([part.of_epoch(one) for one in passes])
            skipped = begin - passes.start * part.count
            order[which == number] = whole[skipped : skipped + count] + first
            first += part.count
        return order


def _drawn(part: SampleOrder, weight: float) -> int:
    return max(1, round(part.count * weight))
