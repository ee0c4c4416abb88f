"""The process of a suite, from our side: each request has a deadline, and nothing outlives us."""

import json
import os
import signal
import subprocess
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from select import select
from tempfile import TemporaryFile
from threading import Lock
from time import monotonic
from typing import IO

from pydantic import JsonValue

from tapwright.core.secret_destinations import without_secrets
from tapwright.files.closing import Closing
from tapwright.harnesses import errors, protocol
from tapwright.harnesses.harness import Harness
from tapwright.harnesses.protocol import Hello
from tapwright.jobs.processes import check_posix

__all__ = ["SuiteLimits", "SuiteWorker", "SuiteWorkers"]


_MAX_LINE = 64 << 20
_CHUNK = 1 << 16
_LAST_WORDS = 2000
_CLOSE_S = 5.0


@dataclass(frozen=True, slots=True)
class SuiteLimits:
    """How long each request may take, in seconds; importing a suite may be slow."""

    start_s: float = 180.0
    set_up_s: float = 900.0
    evaluate_s: float = 600.0
    tear_down_s: float = 300.0


class SuiteWorker(Closing):
    """A process in the Python that has a suite, which sets tasks up and judges them.

    Use it for one attempt at a time, from any thread. A request that fails by a fault of the
    suite leaves it usable; one that is late, or whose process has ended, does not (`alive`). It
    ends with its children when closed, when garbage collected, and when this process ends in
    whatever way.

    Raises:
        UsageError: this is Windows.
        SuiteMissingError: the Python or the suite is not there.
        SuiteLostError: the process ended, or did not say within the time limit who it is.
        SuiteProtocolError: it speaks something else.
    """

    def __init__(
        self,
        suite: Harness,
        python: Path,
        options: Mapping[str, str] | None = None,
        *,
        limits: SuiteLimits | None = None,
    ) -> None:
        check_posix(suite.title)
        self.suite = suite
        self.limits = limits or SuiteLimits()
        self._calling = Lock()
        self._number = 0
        self._rest = b""
        self._stderr = TemporaryFile()  # noqa: SIM115 - as long as the worker
        helpers = Path(__file__).with_name("programs")
        paths = [str(helpers), *filter(None, [os.environ.get("PYTHONPATH")])]
        try:
            self._process = subprocess.Popen(
                [str(python), "-B", str(suite.program)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env={
                    **without_secrets(os.environ, *suite.secrets),
                    "PYTHONPATH": os.pathsep.join(paths),
                    "PYTHONUNBUFFERED": "1",
                },
                bufsize=0,
                start_new_session=True,  # Ctrl+C is for us, who end it
            )
        except OSError as error:
            self._stderr.close()
            raise errors.SuiteMissingError(
                f"{suite.title}: {python} does not run: {error.strerror}",
                hint="give the Python that has the suite: --suite-python PYTHON",
            ) from error
        self._finalizer = weakref.finalize(self, _end, self._process, self._stderr)
        try:
            given: dict[str, JsonValue] = {"options": dict(options or {})}
            told = self._request("hello", given, self.limits.start_s)
            self.hello: protocol.Hello = protocol.read_hello(told, suite.title)
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """The id of its process, which is that of its group, too."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it takes another request."""
        return self._finalizer.alive and self._process.poll() is None

    def tasks(self, seed: int = 0) -> list[protocol.SuiteTask]:
        """The tasks of the suite; what a seed decides as it is with this one.

        Raises:
            SuiteMissingError: a part of the suite cannot be imported.
            SuiteSetupError: the suite cannot list them.
            SuiteLostError: its process has ended, or did not answer in time.
        """
        return protocol.read_tasks(
            self._request("tasks", {"seed": seed}, self.limits.start_s), self.suite.title
        )

    def set_up(
        self, task: str, device: Mapping[str, JsonValue], *, seed: int = 0, epoch: int = 1
    ) -> protocol.Preparation:
        """Let the suite prepare the device at an address for one of its tasks.

        Raises:
            SuiteMissingError: a part of the suite cannot be imported.
            SuiteSetupError: the task cannot be set up.
            SuiteDeviceError: the suite does not reach the device.
            SuiteLostError: its process has ended, or did not answer in time.
        """
        if not self._stderr.closed:
            self._stderr.truncate(0)  # last words are those of one attempt
            os.lseek(self._stderr.fileno(), 0, os.SEEK_SET)  # where the process writes on
        params: dict[str, JsonValue] = {
            "task": task, "seed": seed, "epoch": epoch, "device": dict(device),
        }  # fmt: skip
        return protocol.read_preparation(
            self._request("set_up", params, self.limits.set_up_s), self.suite.title
        )

    def evaluate(self, attempt: protocol.Attempt) -> protocol.Evaluation:
        """The suite's verdict on the attempt that has ended.

        Raises:
            SuiteEvaluatorError: the evaluator failed.
            SuiteDeviceError: the suite does not reach the device.
            SuiteLostError: its process has ended, or did not answer in time.
        """
        params: dict[str, JsonValue] = {"attempt": attempt.params()}
        return protocol.read_evaluation(
            self._request("evaluate", params, self.limits.evaluate_s), self.suite.title
        )

    def tear_down(self) -> None:
        """Let the suite put away what an attempt left.

        Raises:
            SuiteSetupError: it failed.
            SuiteLostError: its process has ended, or did not answer in time.
        """
        self._request("tear_down", {}, self.limits.tear_down_s)

    def close(self) -> None:
        """End the process and what it started; more than once is allowed."""
        self._finalizer()

    def _request(self, method: str, params: dict[str, JsonValue], limit_s: float) -> JsonValue:
        with self._calling:
            requests, answers = self._process.stdin, self._process.stdout
            assert requests is not None
            assert answers is not None
            self._number += 1
            line = json.dumps({"id": self._number, "method": method, "params": params})
            try:
                requests.write(line.encode() + b"\n")
                answer = self._read_line(answers, method, limit_s)
            except (OSError, ValueError) as error:  # its pipe is closed, or ours
                raise self._lost(f"has ended {self._exit()}during {method}") from error
            try:
                return protocol.read_result(answer, self._number, self.suite.title)
            except errors.SuiteProtocolError:
                self.close()  # what comes next is no better
                raise

    def _read_line(self, answers: IO[bytes], method: str, limit_s: float) -> bytes:
        until = monotonic() + limit_s
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            if not select([answers], [], [], max(0.0, until - monotonic()))[0]:
                raise self._lost(f"did not answer {method} within {limit_s:g} s")
            data = os.read(answers.fileno(), _CHUNK)
            if not data:
                raise self._lost(f"has ended {self._exit()}during {method}")
            parts.append(data)
            if sum(map(len, parts)) > _MAX_LINE:
                self.close()
                raise errors.SuiteProtocolError(
                    f"{self.suite.title}: an answer to {method} has no end"
                )
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line

    def _exit(self) -> str:
        """How the process ended, for a sentence: "by SIGKILL ", "with exit code 1 "."""
        try:
            code = self._process.wait(_CLOSE_S)
        except subprocess.TimeoutExpired:
            return ""
        if code < 0:
            with suppress(ValueError):
                return f"by {signal.Signals(-code).name} "
        return f"with exit code {code} "

    def _lost(self, what: str) -> errors.SuiteLostError:
        said = self.last_words()
        self.close()
        return errors.SuiteLostError(
            f"{self.suite.title} {what}" + (f"; it said: {said}" if said else ""),
            hint="the next attempt starts it anew",
        )

    def last_words(self) -> str:
        """The end of what the process printed since the last set-up; "" once it is closed."""
        if self._stderr.closed:
            return ""
        descriptor = self._stderr.fileno()
        length = os.fstat(descriptor).st_size
        start = max(0, length - _LAST_WORDS)
        return os.pread(descriptor, _LAST_WORDS, start).decode("utf-8", "replace").strip()


def _end(process: "subprocess.Popen[bytes]", stderr: IO[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.kill()
    process.wait()
    stderr.close()


class SuiteWorkers:
    """Workers of one suite, started when needed; one that was lost is replaced by a new one.

    Raises:
        SuiteMissingError: the Python or the suite is not there.
        SuiteLostError: the first process does not say who it is.
    """

    def __init__(
        self,
        suite: Harness,
        python: Path,
        options: Mapping[str, str] | None = None,
        *,
        limits: SuiteLimits | None = None,
    ) -> None:
        self.suite = suite
        self._python, self._options, self._limits = python, dict(options or {}), limits
        self._lock = Lock()
        self._free = [self._start()]
        self.hello: Hello = self._free[0].hello

    def take(self) -> SuiteWorker:
        """A worker for one attempt; `give_back` when that has ended.

        Raises:
            TapwrightError: the suite that starts now is another than that of the first worker.
            SuiteLostError: a new one does not start.
        """
        with self._lock:
            worker = self._free.pop() if self._free else None
        if worker is not None and worker.alive:
            return worker
        worker = self._start()
        if worker.hello != self.hello:
            worker.close()
            raise errors.SUITE_CHANGED(
                f"the suite is {worker.hello} now; the run began with {self.hello}",
                hint="put back what it began with, or begin a new run",
            )
        return worker

    def give_back(self, worker: SuiteWorker) -> None:
        """Keep a worker for the next attempt, if it is still usable."""
        if worker.alive:
            with self._lock:
                self._free.append(worker)

    def close(self) -> None:
        """End the workers that nobody uses."""
        with self._lock:
            free, self._free = self._free, []
        for worker in free:
            worker.close()

    def _start(self) -> SuiteWorker:
        return SuiteWorker(self.suite, self._python, self._options, limits=self._limits)
