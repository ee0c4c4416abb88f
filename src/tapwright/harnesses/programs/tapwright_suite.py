"""The worker's side of a suite: JSON lines on stdin and stdout, version 1 of the protocol.

It needs the standard library alone, Python 3.9 or newer, so it runs in whatever environment a suite
is installed in. A program has a class with the methods of `Suite` and ends with `serve(Own())`:

    {"id": 3, "method": "set_up", "params": {"task": "add.small", "seed": 0, ...}}
    {"id": 3, "result": {"instruction": "How much is 3 + 4?"}}
    {"id": 4, "error": {"kind": "evaluator", "message": "..."}}

What the suite prints goes to stderr: stdout is kept for the protocol. The process, and with it what
it started, ends when stdin does, in the middle of whatever it does.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Protocol

__all__ = ["PROTOCOL", "Json", "Suite", "SuiteError", "commit_of", "serve", "version_of"]

PROTOCOL = 1
Json = dict[str, Any]

_KINDS = {
    "hello": "missing",
    "tasks": "setup",
    "set_up": "setup",
    "evaluate": "evaluator",
    "tear_down": "setup",
}
# A suite raises whatever its libraries define; every fault costs one attempt.
_ANY_FAULT: tuple[type[BaseException], ...] = (Exception, SystemExit)


class SuiteError(Exception):
    """An error of a named kind: missing, setup, evaluator, device or protocol."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Suite(Protocol):
    """What a program serves; each method is a request, called one at a time, in one thread."""

    def hello(self, options: Json) -> Json:
        """Import the suite: `{"suite": name, "version": text, "commit": text}`.

        `notes`, a list of texts, may say what is missing of it.
        """

    def tasks(self, seed: int) -> list[Json]:
        """Its tasks: `{"id", "instruction", "apps", "max_steps", "needs", "labels"}`.

        All but the id may be left out.
        """

    def set_up(self, task: str, seed: int, epoch: int, device: Json) -> Json:
        """Prepare the device: `{"instruction": text, "params": object}`."""

    def evaluate(self, attempt: Json) -> Json:
        """Judge: `{"score": 0 to 1, "reason": text}`; `attempt` has answer, claim, ended, steps."""

    def tear_down(self) -> None:
        """Put away what `set_up` and the attempt left."""


def serve(suite: Suite) -> None:
    """Answer requests until stdin ends or one of them is `close`."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # prints, also those of C libraries and of programs that it starts
    sys.stdout = sys.stderr
    requests: queue.Queue[str | None] = queue.Queue()
    source = os.fdopen(os.dup(0), encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # a suite that asks for input gets none
    threading.Thread(target=_read, args=(source, requests), daemon=True).start()
    while True:
        line = requests.get()
        if line is None:
            _end_group()
        answer = _answer(suite, line or "")
        answers.write(json.dumps(answer, default=str) + "\n")
        answers.flush()
        if answer.get("result") == "closed":
            _end_group()


def _read(source: IO[str], requests: queue.Queue[str | None]) -> None:
    for line in source:
        requests.put(line)
    _end_group()  # whoever started us has ended; what is under way is for nobody


def _end_group() -> None:
    """End this process and what it started, at once."""
    sys.stderr.flush()
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _answer(suite: Suite, line: str) -> Json:
    number: Any = None
    method = ""
    try:
        request = json.loads(line)
        number, method = request["id"], request["method"]
        params = request.get("params") or {}
        return {"id": number, "result": _call(suite, method, params)}
    except SuiteError as error:
        return _failure(number, error.kind, str(error))
    except (ModuleNotFoundError, ImportError) as error:
        traceback.print_exc()
        return _failure(number, "missing", f"{type(error).__name__}: {error}")
    except _ANY_FAULT as error:
        traceback.print_exc()
        said = f"{type(error).__name__}: {error}".rstrip(": ")
        return _failure(number, _KINDS.get(method, "protocol"), said)


def _call(suite: Suite, method: str, params: Json) -> Any:
    if method == "hello":
        return {**suite.hello(params.get("options") or {}), "protocol": PROTOCOL}
    if method == "close":
        return "closed"
    calls: dict[str, Callable[..., Any]] = {
        "tasks": suite.tasks,
        "set_up": suite.set_up,
        "evaluate": suite.evaluate,
        "tear_down": suite.tear_down,
    }
    if method not in calls:
        raise SuiteError("protocol", f"no method {method!r}; protocol {PROTOCOL} has {list(calls)}")
    return calls[method](**params)


def _failure(number: Any, kind: str, message: str) -> Json:
    return {"id": number, "error": {"kind": kind, "message": message[:2000]}}


def version_of(distribution: str) -> str:
    """The version of an installed distribution, "" when there is none."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def commit_of(distribution: str, module_file: str) -> str:
    """The commit that a distribution was installed from, or that of the checkout of a file.

    A checkout that was changed has "+" and the digest of what was; "" for a distribution from an
    index, whose version names it.
    """
    try:
        told = importlib.metadata.distribution(distribution).read_text("direct_url.json")
        if told and "vcs_info" in (facts := json.loads(told)):
            return str(facts["vcs_info"]["commit_id"])
    except importlib.metadata.PackageNotFoundError:
        pass
    folder = str(Path(module_file).resolve().parent)
    commit = _git(folder, "rev-parse", "HEAD")
    tracked = commit and _git(folder, "ls-files", "--", os.path.basename(module_file))
    if not tracked:  # it lies in an environment inside somebody's own repository
        return ""
    changed = _git(folder, "diff", "HEAD")
    return f"{commit}+{hashlib.sha256(changed.encode()).hexdigest()[:8]}" if changed else commit


def _git(folder: str, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", folder, *words],  # noqa: S607 - git is where the user has it
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
