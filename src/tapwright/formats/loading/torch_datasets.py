"""Torch data sets of recorded steps, in the order that `SampleOrder` computes.

`StepDataset` has steps by number, for samplers; `StepStream` yields them, for readers that fetch in
order. Both call `convert` in the worker's process: without it, an item is the `RecordedStep`.
https://docs.pytorch.org/docs/stable/data.html
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch.distributed
import torch.utils.data

from tapwright.errors import UsageError
from tapwright.formats.loading.episodes import open_steps
from tapwright.formats.loading.order import MixedOrder, OrderState, SampleOrder
from tapwright.formats.loading.steps import RecordedStep, StepSource

__all__ = ["StepDataset", "StepSampler", "StepStream", "stream"]

T = TypeVar("T")


def _unchanged(step: RecordedStep) -> Any:
    return step


class _OrderedState:
    """The state of an order in one rank: what is saved with a checkpoint."""

    def __init__(self, order: SampleOrder, rank: int, ranks: int) -> None:
        if not 0 <= rank < ranks:
            raise UsageError(f"rank {rank} of {ranks}; expected 0 to {ranks - 1}")
        self.order = order
        self._rank, self._ranks = rank, ranks
        self._state = OrderState()

    def set_epoch(self, epoch: int) -> None:
        """Begin an epoch, unless it is the one in which `load_state_dict` resumes."""
        if epoch != self._state.epoch:
            self._state = OrderState(epoch)

    def state_dict(self, samples: int | None = None) -> dict[str, Any]:
        """Where this rank is, after `samples` of the epoch.

        Workers are processes of their own, which this one does not see: with them, give the number
        of samples that were trained on. Without it, it is what was iterated over in this process.
        """
        place = self._state.place if samples is None else samples
        return self.order.to_dict(OrderState(self._state.epoch, place))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume there: the next iteration yields the rest of that epoch.

        Raises:
            UsageError: the state is that of other data, or of another order.
        """
        self._state = self.order.from_dict(state)

    def _iterate(self, **worker: int) -> Iterator[int]:
        state = self._state
        dealt = self.order.of_worker(state, rank=self._rank, ranks=self._ranks, **worker)
        for place, index in dealt:
            self._state = OrderState(state.epoch, place + 1)
            yield index
        self._state = OrderState(state.epoch + 1)

    def __len__(self) -> int:
        """How many samples are left of the epoch, for this rank."""
        total = -(-self.order.count // self._ranks)
        return max(total - self._state.place, 0)


class StepSampler(_OrderedState, torch.utils.data.Sampler[int]):  # type: ignore[misc]
    """The order of a `StepDataset` in one rank: `DataLoader(dataset, sampler=StepSampler(...))`.

    After an epoch the next one begins. `set_epoch` is torch's own name for choosing one.
    """

    def __init__(self, order: SampleOrder, *, rank: int = 0, ranks: int = 1) -> None:
        """Begin at the first epoch.

        Raises:
            UsageError: there is no such rank.
        """
        super().__init__(order, rank, ranks)

    def __iter__(self) -> Iterator[int]:
        return self._iterate()


class StepDataset(torch.utils.data.Dataset[T], Generic[T]):  # type: ignore[misc]
    """The steps of a source by their number."""

    def __init__(
        self, source: StepSource, convert: Callable[[RecordedStep], T] = _unchanged
    ) -> None:
        self.source = source
        self._convert = convert

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, index: int) -> T:
        return self._convert(self.source.read(index))


class StepStream(_OrderedState, torch.utils.data.IterableDataset[T], Generic[T]):  # type: ignore[misc]
    """The steps of sources in their order, dealt out to ranks and workers.

    `batch_size` is that of the `DataLoader`, so that batches do not depend on the number of its
    workers. An epoch is one iteration; in workers' processes, `set_epoch` has to begin the next.
    Of several sources an epoch has each as often as `weights` say (`MixedOrder`), by default once.
    Rank and ranks are by default those of torch's process group, if there is one. `at` has the
    commits of the shared stores that `stream` opened, by their locations.
    """

    def __init__(
        self,
        source: StepSource | Sequence[StepSource],
        convert: Callable[[RecordedStep], T] = _unchanged,
        *,
        batch_size: int,
        weights: Sequence[float] = (),
        seed: int = 0,
        shuffle: bool = True,
        rank: int | None = None,
        ranks: int | None = None,
    ) -> None:
        """Begin at the first epoch.

        Raises:
            UsageError: there is no source or no such rank, or weights are not those of the sources.
        """
        self.sources = tuple(source) if isinstance(source, Sequence) else (source,)
        if not self.sources:
            raise UsageError("there is no source; expected one or more")
        orders = [
            SampleOrder(len(one), seed, shuffle, tuple(one.blocks), _WINDOW) for one in self.sources
        ]
        if len(weights) not in (0, len(orders)):
            raise UsageError(f"{len(weights)} weights; expected {len(orders)}, one of each source")
        mixed = len(orders) > 1 or bool(weights)
        weights = weights or [1.0] * len(orders)
        group = torch.distributed
        if rank is None and group.is_available() and group.is_initialized():
            rank, ranks = group.get_rank(), group.get_world_size()
        super().__init__(
            MixedOrder.of(orders, weights, seed) if mixed else orders[0], rank or 0, ranks or 1
        )
        self.at: Mapping[str, int] = {}
        self._starts = [0, *accumulate(map(len, self.sources))]
        self._convert = convert
        self._batch_size = batch_size

    def state_dict(self, samples: int | None = None) -> dict[str, Any]:
        """As that of a sampler; with which commit of each shared store is read (`at`)."""
        return super().state_dict(samples) | ({"at": dict(self.at)} if self.at else {})

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume there: the next iteration yields the rest of that epoch."""
        if (was := state.get("at", self.at)) != self.at:
            raise UsageError(
                f"a state of the commits {was}; this stream reads {dict(self.at)}",
                hint="what others put meanwhile is not to be seen: stream(…, at=state['at'])",
            )
        super().load_state_dict(state)

    def __iter__(self) -> Iterator[T]:
        info = torch.utils.data.get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        for index in self._iterate(worker=worker, workers=workers, batch_size=self._batch_size):
            which = bisect_right(self._starts, index) - 1
            yield self._convert(self.sources[which].read(index - self._starts[which]))


_WINDOW = 256
"""Samples that are shuffled together when they come in blocks: as many as a reader keeps."""


def stream(
    *locations: Path | str | tuple[Path | str, float],
    convert: Callable[[RecordedStep], T] = _unchanged,
    batch_size: int,
    where: str = "",
    seed: int = 0,
    shuffle: bool = True,
    cache: Path | str | None = None,
    at: int | Mapping[str, int] | None = None,
) -> StepStream[T]:
    """The steps of stores, shared stores and packs, here or at URLs, for a `DataLoader`.

    A location with a number comes that often in an epoch. `where` filters the episodes of stores
    and shared stores. The catalog of a shared store is kept below `cache`, or until the program
    ends. A shared store is read as it was after the commit `at`, by default the last one; of
    several locations `at` says it by location, as `StepStream.at` and its state do.

    Raises:
        UsageError: there is no location, a number is not above 0, or the filter cannot be
            understood or is for a pack, which has no catalog; or there is no such commit.
        NothingFoundError: there is no step.
        MissingExtraError: it is a pack and pyarrow is not installed, or a URL and fsspec is not.
        BrokenPackError: it is a pack, and cannot be read.
        RemoteFileError: a shared store cannot be read.
    """
    pairs = [one if isinstance(one, tuple) else (one, 1.0) for one in locations]
    if isinstance(at, Mapping) and (odd := at.keys() - {str(location) for location, _ in pairs}):
        raise UsageError(
            f"at has a commit of {min(odd)}, which is no location; expected one of "
            f"{', '.join(str(location) for location, _ in pairs)}"
        )
    sources = [
        open_steps(location, where, cache, at.get(str(location)) if isinstance(at, Mapping) else at)
        for location, _ in pairs
    ]
    made = StepStream(
        sources, convert,
        batch_size=batch_size, weights=[weight for _, weight in pairs], seed=seed, shuffle=shuffle,
    )  # fmt: skip
    commits = zip(pairs, (getattr(one, "at", None) for one in sources), strict=True)
    made.at = {str(one[0]): number for one, number in commits if number is not None}
    return made
