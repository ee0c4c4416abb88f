"""The `tapwright` command: the tree of commands, and what an error looks like."""

import errno
import io
import os
import sys
import warnings
from pathlib import Path
from typing import NoReturn, TextIO

import click

from tapwright import __version__
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.output import hint, print_labelled, print_message
from tapwright.cli.project.place import gone_error, is_here_gone
from tapwright.core.registry import missing_extra
from tapwright.errors import TapwrightError, UsageError
from tapwright.files.regular import OPENS_DIRECTORIES

_COMMANDS = {
    "demo": "Run the whole loop on the built-in phone, and report",
    "init": "Begin a project: one file with the commands' defaults",
    "new": "Begin an agent, benchmark, convention, device, importer or suite",
    "trust": "Take a found tapwright.toml as your own",
    "doctor": "Check this machine, and show how to fix it",
    "serve": "Serve the web app: record, review, view runs",
    "watch": "Watch agents while they play, and take over",
    "devices": "List devices, inspect one, serve some to others",
    "sites": "Install and start web applications for tasks",
    "suites": "List, install and check published suites",
    "tasks": "List, show, expand, check and judge tasks",
    "record": "Record episodes: yourself in the browser, or an agent",
    "rollouts": "Play tasks in groups, for trainers",
    "mcp": "Give a device to any agent, over MCP",
    "env": "Serve tasks on devices to trainers, by OpenEnv",
    "team": "Manage accounts, and the queue of what people record",
    "episodes": "Import, list, show, edit and export recorded episodes",
    "annotate": "Reconstruct the reasoning behind each step",
    "sft": "Write training data",
    "conventions": "List and show how model families are prompted and answer",
    "convert": "Convert answers between models' conventions",
    "data": "List and download data sets by name",
    "eval": "Make benchmarks, run them, compare runs",
    "report": "Write one HTML page about evaluation runs",
    "clean": "Remove what killed commands left half-written",
    "explain": "Explain an error code",
    "completion": "Print a shell completion script",
}

# What the system refuses anywhere; where it is foreseen, the error names more.
_REFUSALS = {
    *(errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
    *(errno.EROFS, errno.EACCES, errno.EPERM),
}
_NO_NAMES = {errno.ENAMETOOLONG, errno.ELOOP}
_MOST_SHOWN = 200
# Code of the user's own raises whatever its libraries define.
_ANY_FAULT: tuple[type[Exception], ...] = (Exception,)

_STORE = (
    "`record` and `episodes import` write to episodes; after `tapwright init` it may be left out"
)
_MISSING = {
    "store": _STORE,
    "stores": _STORE,
    "runs": "`eval run` writes to runs/; after `tapwright init` they may be left out",
    "convention": "tapwright conventions ls",
    "device": "tapwright devices ls",
    "task": "tapwright tasks ls",
}
"""Where what is missing comes from, by the name of an argument or option."""

_GONE = "the current directory was removed: a relative path leads nowhere, and no project is read"

_EPILOG = """\b
Start here:
  tapwright demo --open        the whole loop in about a minute, no phone needed
  tapwright doctor             what is installed, what is missing

Data goes to stdout, messages to stderr. Exit codes: 0 ok, 1 something failed or was found, 2 wrong
usage, 3 device, 4 model, 5 nothing matched, 130 interrupted.
"""


@click.group(
    cls=LazyGroup,
    table=_COMMANDS,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="tapwright")
@click.option("--debug", is_flag=True, expose_value=False, help="Show an error's traceback.")
def cli() -> None:
    """The workbench for GUI-agent data and evaluation.

    tasks -> demonstrations -> reasoning -> training data -> benchmarks -> a report
    """


def main() -> None:
    """Run the command line and leave with its exit code."""
    warnings.showwarning = show_warning
    # Whatever the system allows: no other user changes what is written here. A group may.
    os.umask(os.umask(0o077) | 0o002)
    # Half an emoji, which models do write, has no UTF-8 and would end the command. Windows gives a
    # pipe or a file an alphabet of 256 characters.
    if isinstance(sys.stdout, io.TextIOWrapper):
        encoding = sys.stdout.encoding if OPENS_DIRECTORIES else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
    try:
        code = _run()
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        # A project's file might have given what is missing.
        if isinstance(error, click.MissingParameter) and is_here_gone():
            _leave_gone()
        error.show()
        if isinstance(error, click.BadParameter) and is_here_gone():
            hint(_GONE)
        missing = error.param if isinstance(error, click.MissingParameter) else None
        if missing is not None and missing.name in _MISSING:
            hint(_MISSING[missing.name])
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        print_message("\ninterrupted; finished work is kept, and the same command continues")
        sys.exit(130)
    except TapwrightError as error:
        if "--debug" in sys.argv:
            raise
        if _needed_here(error.__cause__):
            _leave_gone()
        show_error(error)
        sys.exit(error.exit_code)
    except ModuleNotFoundError as error:
        lacking = missing_extra("this command", error)
        if lacking is None or "--debug" in sys.argv:
            raise
        show_error(lacking)
        sys.exit(lacking.exit_code)
    except BrokenPipeError:
        # The reader of our output went away (`| head`); stdout must not be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        if _needed_here(error) and "--debug" not in sys.argv:
            _leave_gone()
        if error.errno not in _REFUSALS | _NO_NAMES or "--debug" in sys.argv:
            raise
        from tapwright.files.atomic import disk_error

        path = str(error.filename or Path.cwd())
        refused: TapwrightError = disk_error(path, error)
        if error.errno in _NO_NAMES:
            refused = UsageError(
                f"{path[:_MOST_SHOWN]}: {error.strerror}", hint="name another path"
            )
        show_error(refused)
        sys.exit(refused.exit_code)


def _run() -> object:
    """Run the command; what fails in code of the user's own is told in a line."""
    try:
        return cli.main(standalone_mode=False)
    except (TapwrightError, click.ClickException, click.Abort, MemoryError):
        raise
    except _ANY_FAULT as error:
        from tapwright.workflows.own_names import tell_own_fault

        own = None if "--debug" in sys.argv else tell_own_fault(error)
        if own is None:
            raise
        raise own from error


def _needed_here(error: BaseException | None) -> bool:
    """Whether something was not found because the current directory was removed."""
    if not isinstance(error, FileNotFoundError) or not is_here_gone():
        return False
    name = error.filename  # None is the current directory itself
    return not (isinstance(name, str | bytes | os.PathLike) and os.path.isabs(name))


def _leave_gone() -> NoReturn:
    gone = gone_error()
    show_error(gone)
    sys.exit(gone.exit_code)


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning as people see it: one line, without the place in the code."""
    print_labelled("warning", " ".join(str(message).splitlines()), fg="yellow", bold=True)


def show_error(error: TapwrightError) -> None:
    """Print an error as people see it: what and where, the code, the way out."""
    print_labelled("error", f"{error} [{error.code}]", fg="red", bold=True)
    if error.hint:
        hint(error.hint)
