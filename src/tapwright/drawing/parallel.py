"""Draws many things on all cores."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

__all__ = ["draw_in_parallel"]

T = TypeVar("T")
R = TypeVar("R")

_BATCH = 16


def draw_in_parallel(draw: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """What `draw` makes of the items, in their order; of these a batch is taken at a time.

    Pillow releases the interpreter's lock while it works.
    """
    left = iter(items)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # In batches: a pool draws all that it is given, and keeps results until they are consumed.
        while batch := list(islice(left, _BATCH)):
            yield from pool.map(draw, batch)
