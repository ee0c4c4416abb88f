"""Runs the command line: in this process, or as people do, in one of its own."""

import io
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from tapwright.cli.main import main

_TIMEOUT_S = 300
_ROOT = Path(__file__).parents[2]


def tapwright(
    *words: str, cwd: Path | None = None, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `tapwright` with these words in this process, which takes no start of an interpreter.

    The working directory, the environment, the warning filters and what can be imported are as
    before when it ends. An exception that would be a traceback on stderr leaves this function, and
    fails the test.
    """
    out, err = _stream(), _stream()
    with (
        own_modules(cwd or Path.cwd()),
        patch.dict(os.environ, environment),
        patch.object(sys, "argv", ["tapwright", *words]),
        patch.object(sys, "stdin", _stream(stdin)),
        chdir(cwd or Path.cwd()),
        warnings.catch_warnings(),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(words, code, _text(out), _text(err))


def tapwright_process(
    *words: str, cwd: Path | None = None, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `tapwright` in a process of its own; warnings are errors, and it ends or is killed.

    For what a process alone has: its start, its signals, its workers, its exit.
    """
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "tapwright", *words],
        cwd=cwd,
        env={**os.environ, **environment},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIMEOUT_S,
    )


@contextmanager
def own_modules(directory: Path) -> Iterator[None]:
    """Forget what was imported from a test's directory; the next test may have the same names."""
    path, modules = list(sys.path), set(sys.modules)
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None)
            if file and _is_below(directory, file) and not _is_below(_ROOT, file):
                del sys.modules[name]


def _is_below(directory: Path, file: str) -> bool:
    return Path(file).is_relative_to(directory)


class _Pipe(io.BytesIO):
    """What a standard stream writes to or reads from."""

    name = "<pipe>"


def _stream(text: str = "") -> io.TextIOWrapper:
    return io.TextIOWrapper(_Pipe(text.encode()), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    assert isinstance(stream.buffer, _Pipe)
    return stream.buffer.getvalue().decode("utf-8")
