"""What commands print: nothing that a terminal would execute."""

import ast
import time
from pathlib import Path

import pytest

from tapwright.cli.output import (
    print_data,
    print_line,
    print_message,
    print_rows,
    print_styled,
    show_progress,
)

EVIL = "a\x1b]0;owned\x07\x1b[2Jb\x9b31mc\r"
CLI = Path("src/tapwright/cli")


def test_only_one_module_prints() -> None:
    printing = {
        str(path.relative_to(CLI))
        for path in CLI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("click.echo", "click.secho", "print", "Console")
    }
    # The completion script is our own, and a shell has to read it as it is.
    assert printing == {"output.py", "completion.py"}


def test_what_is_printed_cannot_drive_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_line(EVIL)
    print_message(EVIL)
    print_rows([{"id": EVIL}], "human", key="id")
    print_rows([{"id": EVIL}], "json", key="id")
    print_rows([{"id": EVIL}], "quiet", key="id")
    print_styled([[(EVIL, "")]])
    printed = "".join(capsys.readouterr())
    assert printed.count("owned") == 6
    assert set(printed) & set("\x1b\x07\x9b\r") == set()


def test_data_for_a_program_is_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_data(EVIL)
    assert capsys.readouterr().out == EVIL


def test_without_a_terminal_progress_is_a_line_now_and_then_with_the_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 4.0, 12.0, 15.0, 90.0, 100.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with show_progress("draw", 40) as advance:
        advance(2)
        advance(2)  # 12 s after the begin
        advance(1)
        advance(15, "the sheet")
    assert capsys.readouterr().err.splitlines() == [
        "draw: 4/40, about 1 min 48 s left",
        "draw: 20/40, about 1 min 30 s left, the sheet",
        "draw: 20/40 in 100.0 s",
    ]


def test_without_a_terminal_an_item_that_takes_long_is_told_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tapwright.cli.output._QUIET_GAP_S", 0.01)
    seen = ""
    with show_progress("draw", 4) as advance:
        advance(1, "the sheet")
        limit = time.monotonic() + 30
        while seen.count("draw: 1/4, about ") < 2 and time.monotonic() < limit:
            seen += capsys.readouterr().err
    assert seen.count("draw: 1/4, about ") >= 2
