"""Tables: nothing is broken, nothing is hidden, nothing is wider than it must be."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tapwright.cli.output import print_rows
from tapwright.cli.table import table_lines, wrap
from tests.cli.running import tapwright

WORDS = st.text("abc-_/.:0", min_size=1, max_size=30)
CELLS = st.one_of(
    st.just(""),
    WORDS,
    st.lists(WORDS, max_size=12).map(" ".join),
    st.text("打开设置，wifi ", max_size=60).map(str.strip),
)


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, str]]:
    names = draw(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=7, unique=True))
    row = st.fixed_dictionaries(dict.fromkeys(names, CELLS))
    return draw(st.lists(row, min_size=1, max_size=5))


@given(rows=tables(), width=st.integers(40, 200))
def test_every_word_stands_whole_in_one_line(rows: list[dict[str, str]], width: int) -> None:
    lines = [line for line, _ in table_lines(rows, width, "a")]
    for row in rows:
        assert any(row.get("a", "") in line for line in lines)
        for cell in row.values():
            for word in cell.split():
                if word.isascii():
                    assert any(word in line for line in lines)


@given(rows=tables(), width=st.integers(40, 200))
def test_a_line_is_wider_than_the_terminal_only_by_a_word(
    rows: list[dict[str, str]], width: int
) -> None:
    ids = {row.get("a", "") for row in rows}
    for line, _ in table_lines(rows, width, "a"):
        below = line.strip().partition(": ")[2]
        assert cell_len(line) <= width or {line, below} & ids or " " not in below


@given(text=CELLS, width=st.integers(1, 40))
def test_wrapping_loses_nothing_but_blanks(text: str, width: int) -> None:
    assert "".join("".join(wrap(text, width)).split()) == "".join(text.split())


def test_an_id_is_whole_in_any_script(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    run = "runs/一个很长的名字/不会被断开 第二次评测"
    print_rows([{"run": run, "score": "33.3 % (10 to 70)", "of": "12"}], "human", key="run")
    assert capsys.readouterr().out.splitlines()[2:] == [
        run,
        "  score: 33.3 % (10 to 70)",
        "  of: 12",
    ]


def test_an_empty_column_is_left_out_and_a_long_text_stands_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    reason = "the check asks for a mail that was never sent, and the outbox is empty"
    print_rows(
        [
            {"episode": "01a20d9a3f988a147c10", "state": "", "task": "mail_new", "reason": reason},
            {"episode": "01a20d9a3f988a147c11", "state": "", "task": "dark_theme", "reason": ""},
        ],
        "human",
        key="episode",
    )
    assert capsys.readouterr().out.splitlines() == [
        "episode               task",
        "────────────────────────────────",
        "01a20d9a3f988a147c10  mail_new",
        "  reason: the check asks for a mail that was never",
        "          sent, and the outbox is empty",
        "01a20d9a3f988a147c11  dark_theme",
    ]


@pytest.mark.parametrize(
    "words",
    [
        "episodes ls empty", "episodes check empty", "episodes stats empty", "eval ls empty",
        "annotate status empty", "clean empty", "episodes dedupe empty",
        "episodes ls gone", "conventions ls nonesuch", "tasks ls empty", "tasks check empty",
        "episodes restore empty", "episodes diff empty empty",
    ],
)  # fmt: skip
def test_json_is_valid_where_there_is_nothing(words: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    run = tapwright(*words.split(), "--format", "json", cwd=tmp_path)
    assert run.stdout, run.stderr
    assert not json.loads(run.stdout) or run.returncode == 0
