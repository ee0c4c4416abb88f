import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.tasks.errors import BadExpressionError, EventValueError
from tapwright.tasks.events.expressions import compile_transformation

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


def run(*statements: str, x: object = ("5", "a")) -> Any:
    return compile_transformation(statements)(x)


@given(value=VALUES)
def test_a_literal_is_itself(value: object) -> None:
    assert run(f"y = {value!r}") == value


@given(value=VALUES)
def test_y_is_x_says_nothing_else(value: object) -> None:
    assert run("y = x", x=value) == value


@pytest.mark.parametrize(
    ("statements", "y"),
    [
        (["y = int(x[0])"], 5),
        (["y = x[0] + x[1]"], "5a"),
        (["import ast", "y = {x[1]: ast.literal_eval(x[0])}"], {"a": 5}),
        (["import json", "y = json.loads('[1]')"], [1]),
        (["import math", "y = math.floor(2.5)"], 2),
        (["n = int(x[0])", "y = n * 2"], 10),
        (["a, b = x; y = b"], "a"),
        (["y = 1", "y += 2"], 3),
        (["y = [one.upper() for one in x]"], ["5", "A"]),
        (["y = {k: v for k, v in zip('pq', x)}"], {"p": "5", "q": "a"}),
        (["y = 1 if x[0] == '5' else 0"], 1),
        (["y = f'{x[0]:>3}' + '%s' % x[1]"], "  5a"),
        (["y = x[0].replace('5', '6')"], "6"),
        (["y = ', '.join(x)"], "5, a"),
        (["y = x[::-1]"], ("a", "5")),
        (["y = max(x, key=len) in x and not None"], True),
        (["y = min(map(len, x))"], 1),
        (["y = map(int, [x[0], 2.5])"], [5, 2]),
        (["y = 1 if not isinstance(x, int) else x"], 1),
        (["y = [isinstance(one, (str, list)) for one in (x[0], 1)]"], [True, False]),
        (["y = filter(None, [0, 1, x])"], [1, ("5", "a")]),
        (["y = '%(a)5d%% of 2024' % {'a': 7}"], "    7% of 2024"),
        (["y = '%s: %r' % x"], "5: 'a'"),
        (["y = round(15, -1) + round(2.5)"], 22),
        (["import json", "y = json.dumps({'a': [1]}, indent=1)"], '{\n "a": [\n  1\n ]\n}'),
        (["y = sorted(set([1, 1, 2])) + sorted(dict([(3, 4)]))"], [1, 2, 3]),
    ],
)
def test_what_files_write_is_computed(statements: list[str], y: object) -> None:
    assert run(*statements) == y


@pytest.mark.parametrize(
    "statement",
    [
        "import os", "import ast as os", "y = __import__('os')", "y = globals()", "y = x.__class__",
        "y = ().__class__.__base__", "y = open('f')", "y = lambda: 1", "for y in x: pass",
        "y = (z := 1)", "y = '{0.__class__}'.format(x)", "def y(): pass", "y = print", "z = 1",
        "x.y = 1", "x[0] = 1", "y = nothing", "y = ", "y = " + "(" * 300 + ")" * 300,
        "y = 2 << 99", "y = " + "-" * 9000 + "1", "while True: y = 1", "y = await x", "y = 1 +",
        "y = x.mro", "z += 1", "y = b'a' * 3000000000", "y = 1j", "y = ...",
        "del x", "y: int = 1", "y = [*x]" + "," * 30_000,
    ],
)  # fmt: skip
def test_what_is_no_value_is_refused_before_anything_runs(statement: str) -> None:
    with pytest.raises(BadExpressionError):
        compile_transformation((statement,))


@pytest.mark.parametrize(
    "statements",
    [
        ["y = 9 ** 9 ** 9"], ["y = 'a' * 10 ** 9"], ["y = [0] * 10 ** 9"],
        ["y = list(range(10 ** 9))"], ["y = '%999999999d' % 1"], ["y = f'{1:>999999999}'"],
        ["y = [[i for i in range(9999)] for j in range(9999)]"],
        ["a = [1] * 10000", "b = [a] * 10000", "c = [b] * 10000", "y = str(c)"],
        ["y = 'a'.replace('a', 'b' * 49999).replace('b', 'c' * 49999)"],
        ["y = ('a' * 40000).join(['b'] * 40000)"],
        ["a = 10 ** 1000", *["a = a * a"] * 20, "y = a"],
        ["import json", "y = json.loads('[' * 40000)"],
        ["import ast", "y = ast.literal_eval('(' * 40000)"],
        ["y = x[7]"], ["y = int(x[1])"], ["y = 1 / 0"], ["y = x['a']"], ["y = x[0].upper"  "(1)"],
        ["y = {[]: 1}"], ["y = y"], ["y = isinstance(x, 5)"], ["y = map(x, x)"],
        ["a = list(range(9000))", "y = map(max, [a] * 9000)"],
        ["y = map(range, [9000] * 9000)"],
        ["y = map(map, [len] * 9, [['a'] * 9000] * 9000)"],
        ["a, b, c = x; y = a"], ["y = 5 .upper()"],
        ["import ast", "y = ast.literal_eval(\"b'a'\") * 3000000000"],
        ["import ast", "y = ast.literal_eval(\"b'%3000000000d'\") % 1"],
        ["y = '%(a)3000000000d' % {'a': 1}"], ["y = '%(a(b)c)9000000d' % {'a(b)c': 1}"],
        ["y = '%.3000000000f' % 1"], ["y = '%*d' % (3000000000, 1)"],
        ["a = 'b' * 40000", "y = '%(a)s' * 2000 % {'a': a}"],
        ["y = f'{1:{x[0]}000000000}'"], ["y = round(5, -300000000)"],
        ["import json", "y = json.dumps([1], indent=3000000000)"],
        ["import json", "y = json.dumps([1, 2], separators=('a' * 40000, ''), indent='b' * 40000)"],
        ["import json", "y = json.dumps([1], cls=len)"],
        ["y = set([n * 2305843009213693951 for n in range(6000)])"],
        ["y = dict([(n, n) for n in range(6000)])"],
        ["a = 'b' * 50000", "y = [max(a) for n in range(9000)]"],
    ],
)  # fmt: skip
def test_what_does_not_fit_or_never_ends_is_told_soon(statements: list[str]) -> None:
    begun = time.process_time()
    with pytest.raises(EventValueError):
        run(*statements)
    assert time.process_time() - begun < 10


def test_an_error_says_what_x_was() -> None:
    with pytest.raises(EventValueError, match=r"float\(x\).*x = \('5',\).*TypeError") as caught:
        run("y = float(x)", x=("5",))
    assert "x[0]" in caught.value.hint
