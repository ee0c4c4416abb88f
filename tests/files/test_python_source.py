"""Threads that read Python source at the same time."""

import ast
import gc
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.annotate.json_extraction import extract_json
from tapwright.files.python_source import parse_expression, parse_statements, read_literal
from tapwright.tasks.events.bounded_functions import MODULES

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


@pytest.mark.usefixtures("switching")
def test_what_reads_literals_of_models_and_tasks_does_so_in_threads() -> None:
    readers = (
        lambda text: extract_json(text, longest=1000).documents[0].value,
        MODULES["ast"]["literal_eval"],
        read_literal,
    )
    text = "{'a': [1, 2, {'b': (True, None)}], 'c': 'd'}"

    def read_often(reader: Callable[[str], object]) -> None:
        for _ in range(300):
            assert reader(text)

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(read_often, readers * 2))


@pytest.mark.parametrize("text", ["", "f(1)", "1 +", "'" + "\0", "x = 1", "("])
def test_what_is_no_literal_raises_as_python_does(text: str) -> None:
    with pytest.raises((ValueError, SyntaxError)) as expected:
        ast.literal_eval(text)
    with pytest.raises(expected.type):
        read_literal(text)


@given(st.text(" \t\n'\"[]{},:1aTruefNn()-+j", max_size=12))
def test_a_literal_has_the_value_that_python_gives_it(text: str) -> None:
    try:
        expected = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError):
        with pytest.raises((ValueError, SyntaxError, TypeError)):
            read_literal(text)
    else:
        assert read_literal(text) == expected
