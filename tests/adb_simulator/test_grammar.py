import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright_adb_simulator.grammar import ShellSyntax, ShellWord, parse_line, programs_of
from tapwright_adb_simulator.taps import merge_taps

TEXTS = st.text(st.characters(exclude_characters="\0"), max_size=40)


def plain(words: tuple[ShellWord, ...]) -> list[str]:
    assert not any(piece.variable for word in words for piece in word)
    return ["".join(piece.text for piece in word) for word in words]


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_words_that_were_quoted_come_out_as_they_were(texts: list[str]) -> None:
    (pipeline,) = parse_line(shlex.join(["echo", *texts]))
    (command,) = pipeline.commands
    assert plain(command.words) == ["echo", *texts]


@given(st.text(alphabet="ab $`'\"\\|&;<>(){}#!\n0129*?", max_size=30))
def test_any_line_is_understood_or_refused(line: str) -> None:
    try:
        pipelines = parse_line(line)
    except ShellSyntax:
        return
    assert all(pipeline.commands for pipeline in pipelines)


@pytest.mark.parametrize(
    "line",
    [
        "input text $(reboot)", 'input text "$(reboot)"', "input text `reboot`", "echo 'open",
        'echo "open', "a &", "(a)", "a | | b", "a &&", "| a", "a > ", "a << b", "a; | b", "echo ${",
    ],
)  # fmt: skip
def test_what_would_run_more_or_says_nothing_is_refused(line: str) -> None:
    with pytest.raises(ShellSyntax):
        parse_line(line)


def test_programs_are_found_wherever_they_stand() -> None:
    line = "export TAGS=\"''\"; exec logcat '-d' | grep -F x && true"
    assert programs_of(line) == ["export TAGS=''", "logcat -d", "grep -F x", "true"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("input tap 5 6 && input tap 5 6", [["input", "double-tap", "5", "6"]]),
        ("input tap 5 6; sleep 0.1; input tap 5 6", [["input", "double-tap", "5", "6"]]),
        ("input tap 5 6; input tap 5 7", [["input", "tap", "5", "6"], ["input", "tap", "5", "7"]]),
        ("input tap 5 6", [["input", "tap", "5", "6"]]),
        (
            "input tap 5 6; sleep 1; input tap 5 6",
            [["input", "tap", "5", "6"], ["sleep", "1"], ["input", "tap", "5", "6"]],
        ),
    ],
)
def test_two_quick_taps_at_one_place_become_one(line: str, words: list[list[str]]) -> None:
    merged = merge_taps(parse_line(line))
    assert [plain(pipeline.commands[0].words) for pipeline in merged] == words
