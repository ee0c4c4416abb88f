"""Least, greatest, mean and deviation of numbers that come in batches, in the memory of one."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tapwright.formats.exporters.turns import JsonObject


class Statistics:
    """What LeRobot's `meta/stats.json` says of a feature."""

    def __init__(self) -> None:
        self._count = 0
        self._parts: list[npt.NDArray[np.float64]] = []

    def add(self, values: npt.ArrayLike) -> None:
        """Take in a batch of shape (values, dimensions), with one value at least."""
        batch = np.asarray(values, np.float64)
        now = [batch.min(0), batch.max(0), batch.sum(0), (batch * batch).sum(0)]
        if self._count:
            least, greatest, total, squares = self._parts
            now[:2] = [np.minimum(now[0], least), np.maximum(now[1], greatest)]
            now[2:] = [now[2] + total, now[3] + squares]
        self._parts = now
        self._count += len(batch)

    def as_json(self, shape: Sequence[int]) -> JsonObject:
        """Each as an array of `shape`, and how many values there were."""
        least, greatest, total, squares = self._parts
        mean = total / self._count
        deviation = np.sqrt(np.maximum(squares / self._count - mean * mean, 0))
        named = {"min": least, "max": greatest, "mean": mean, "std": deviation}
        told: JsonObject = {name: one.reshape(shape).tolist() for name, one in named.items()}
        return {**told, "count": [self._count]}
