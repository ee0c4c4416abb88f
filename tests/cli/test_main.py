import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tapwright.cli.lazy import LazyGroup
from tapwright.cli.main import cli, show_error
from tapwright.cli.output import escape_controls, print_failure
from tapwright.errors import DeviceError
from tests.cli.running import tapwright, tapwright_process


def test_help_names_every_command_and_imports_nothing_heavy() -> None:
    code = (
        "import sys, contextlib\n"
        "sys.argv = ['tapwright', '--help']\n"
        "from tapwright.cli.main import main\n"
        "with contextlib.suppress(SystemExit):\n"
        "    main()\n"
        "heavy = {'numpy', 'PIL', 'pydantic', 'rich', 'aiohttp', 'pyarrow', 'jinja2'}\n"
        "print('heavy:', sorted(heavy & set(sys.modules)))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "heavy: []" in run.stdout
    assert isinstance(cli, LazyGroup)
    assert all(re.search(rf"^  {name} ", run.stdout, re.MULTILINE) for name in cli.table)


def test_no_command_imports_what_is_heavy_before_it_runs() -> None:
    """The help, the completion and a wrong option of every command."""
    code = (
        "import sys, click\n"
        "from tapwright.cli.lazy import LazyGroup\n"
        "from tapwright.cli.main import cli\n"
        "def visit(group, path=()):\n"
        "    for name in group.list_commands(click.Context(group)):\n"
        "        words = (*path, name)\n"
        "        command = group.get_command(click.Context(group), name)\n"
        "        for module in heavy & set(sys.modules):\n"
        "            print('heavy:', *words, module)\n"
        "            heavy.remove(module)\n"
        "        if isinstance(command, click.Group):\n"
        "            visit(command, words)\n"
        "heavy = {'numpy', 'PIL', 'pydantic', 'rich', 'aiohttp', 'pyarrow', 'jinja2', 'asyncio'}\n"
        "visit(cli)\n"
        "print('visited')\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "visited\n"


def test_an_unknown_command_suggests_the_nearest_and_is_wrong_usage() -> None:
    run = tapwright_process("episdes")
    assert run.returncode == 2
    assert "did you mean 'episodes'?" in run.stderr


@pytest.mark.parametrize("words", [("tasks", "sho"), ("eval", "rnu")])
def test_an_unknown_subcommand_is_wrong_usage(words: tuple[str, ...]) -> None:
    assert tapwright(*words).returncode == 2


def test_what_a_terminal_would_obey_is_spelled_out(capsys: pytest.CaptureFixture[str]) -> None:
    show_error(DeviceError("a phone says \x1b]0;owned\x07", hint="\x9b2J"))
    assert capsys.readouterr().err == (
        "error: a phone says \\u001b]0;owned\\u0007 [TW300]\n\nhint: \\u009b2J\n"
    )
    assert escape_controls("a\tb\n中\x1b\ud800") == "a\tb\n中\\u001b\\ud800"


def test_an_error_says_what_where_and_the_way_out_in_one_line_each() -> None:
    run = tapwright_process("episodes", "show", "nowhere", "none")
    assert run.returncode == 5
    assert run.stdout == ""
    assert run.stderr.splitlines() == [
        "error: nowhere: no episode 'none' [TW203]",
        "",
        "hint: tapwright episodes ls nowhere",
    ]


@pytest.mark.parametrize("words", ["episodes ls", "init", "serve"])
def test_a_current_directory_that_was_removed_is_told_in_a_line(words: str, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    line = ["sh", "-c", 'rmdir "$PWD" && exec "$0" "$@"', sys.executable, "-m", "tapwright"]
    run = subprocess.run(
        [*line, *words.split()], cwd=gone, capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert run.stderr.splitlines() == [
        "error: the current directory was removed [TW165]",
        "",
        "hint: cd to a directory that is there, and repeat the command",
    ]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("explain TW165", 0, "The current directory was removed"),
        ("convert --help", 0, "Usage:"),
        ("eval run --help", 0, "Usage:"),
        ("tasks ls --limit 1", 0, ""),
        ("sft check /nowhere/set", 1, "/nowhere/set: has no manifest.json"),
        ("sft check set", 2, "the current directory was removed"),
        ("episodes ls store", 2, "the current directory was removed"),
        ("convert answers.txt", 2, "the current directory was removed"),
    ],
)
@pytest.mark.slow_but_one
def test_a_removed_current_directory_blocks_only_what_needs_it(
    words: str, code: int, said: str, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    line = ["sh", "-c", 'rmdir "$PWD" && exec "$0" "$@"', sys.executable, "-m", "tapwright"]
    run = subprocess.run(
        [*line, *words.split()], cwd=gone, capture_output=True, text=True, check=False
    )
    assert run.returncode == code, run.stderr
    assert said in run.stdout + run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("words", "way"),
    [
        ("episodes check", "`episodes import` write to episodes"),
        ("sft export", "`episodes import` write to episodes"),
        ("sft export store", "tapwright conventions ls"),
        ("report", "`eval run` writes to runs/"),
        ("tasks judge", "tapwright tasks ls"),
    ],
)
def test_where_what_is_missing_comes_from_is_said(words: str, way: str, tmp_path: Path) -> None:
    run = tapwright(*words.split(), cwd=tmp_path)
    assert run.returncode == 2
    assert f"hint: {way}" in run.stderr.replace("`record` and ", "")


@pytest.mark.parametrize("words", ["episodes ls {}", "eval ls {}", "sft check {}", "init {}"])
def test_a_name_that_no_file_can_have_is_told_in_a_line(words: str, tmp_path: Path) -> None:
    run = tapwright_process(*words.format("x" * 300).split(), cwd=tmp_path)
    assert run.returncode == 2
    assert "File name too long" in run.stderr
    assert "Traceback" not in run.stderr


def test_explain_tells_the_meaning_of_a_code() -> None:
    run = tapwright("explain", "tw204", "--format", "json")
    assert json.loads(run.stdout)["name"] == "CorruptEpisodeError"


def test_explain_lists_every_code() -> None:
    rows = json.loads(tapwright("explain").stdout)
    assert len({row["code"] for row in rows}) == len(rows) > 20


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str) -> None:
    run = tapwright("completion", shell)
    assert run.returncode == 0
    assert "_TAPWRIGHT_COMPLETE" in run.stdout


def test_each_command_is_in_the_module_of_its_name_or_of_its_noun() -> None:
    context = click.Context(cli)
    for noun in cli.list_commands(context):
        group = cli.get_command(context, noun)
        assert group is not None
        if not isinstance(group, LazyGroup):
            assert module_of(group) == f"tapwright.cli.{noun}"
            continue
        for verb in group.list_commands(context):
            command = group.get_command(context, verb)
            assert command is not None
            module = module_of(command).removesuffix("_")  # import is a keyword
            of_noun = f"tapwright.cli.{noun}"
            of_verb = f"{of_noun}.{verb.replace('-', '_')}"
            assert module in (of_noun, f"{of_noun}.group", of_verb)


def module_of(command: click.Command) -> str:
    return inspect.unwrap(command.callback).__module__ if command.callback else ""


def test_what_failed_is_printed_without_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_failure("a\x1b]0;b", "c\x07", "TW400")
    assert capsys.readouterr().err == "a\\u001b]0;b: c\\u0007 [TW400]\n"
