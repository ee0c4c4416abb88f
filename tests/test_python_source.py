"""Threads that read Python source at the same time."""

import gc
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tapwright.python_source import parse_expression, parse_statements

TEXT = "y = int(x[0]) + (1 if x else 2)\nz = [a for a in x]"


@pytest.fixture
def switching() -> Iterator[None]:
    """Another thread has its turn in the middle of many a tree that is made."""
    threshold = gc.get_threshold()

    def let_others(phase: str, info: dict[str, int]) -> None:
        os.sched_yield()

    gc.callbacks.append(let_others)
    gc.set_threshold(20)
    yield
    gc.set_threshold(*threshold)
    gc.callbacks.remove(let_others)


@pytest.mark.usefixtures("switching")
def test_threads_read_source_at_the_same_time() -> None:
    def read_often(_: int) -> int:
        assert all(parse_expression("steps > 3 and tag('bad')") for _ in range(50))
        return sum(len(parse_statements(TEXT)) for _ in range(500))

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(read_often, range(4))) == [1000] * 4
