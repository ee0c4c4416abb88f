"""Torch data sets of recorded steps, in the order that `SampleOrder` computes.

`StepDataset` has steps by number, for samplers; `StepStream` yields them, for readers that fetch in
order. Both call `convert` in the worker's process: without it, an item is the `RecordedStep`.
https://docs.pytorch.org/docs/stable/data.html
"""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import torch.utils.data

from tapwright.errors import UsageError
from tapwright.formats.loading.order import OrderState, SampleOrder
from tapwright.formats.loading.steps import RecordedStep, StepSource

__all__ = ["StepDataset", "StepSampler", "StepStream"]

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
    """The steps of a source in their order, dealt out to ranks and workers.

    `batch_size` is that of the `DataLoader`, so that batches do not depend on the number of its
    workers. An epoch is one iteration; in workers' processes, `set_epoch` has to begin the next.
    """

    def __init__(
        self,
        source: StepSource,
        convert: Callable[[RecordedStep], T] = _unchanged,
        *,
        batch_size: int,
        seed: int = 0,
        shuffle: bool = True,
        rank: int = 0,
        ranks: int = 1,
    ) -> None:
        """Begin at the first epoch.

        Raises:
            UsageError: there is no such rank.
        """
        order = SampleOrder(
            len(source), seed=seed, shuffle=shuffle, blocks=tuple(source.blocks), window=_WINDOW
        )
        super().__init__(order, rank, ranks)
        self.source = source
        self._convert = convert
        self._batch_size = batch_size

    def __iter__(self) -> Iterator[T]:
        info = torch.utils.data.get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        for index in self._iterate(worker=worker, workers=workers, batch_size=self._batch_size):
            yield self._convert(self.source.read(index))


_WINDOW = 256
"""Samples that are shuffled together when they come in blocks: as many as a reader keeps."""
