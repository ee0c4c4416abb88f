"""The workers of one run: as many as attempts are played at a time, each used again."""

from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from tapwright.harnesses.errors import SUITE_CHANGED
from tapwright.harnesses.harness import Harness
from tapwright.harnesses.protocol import Hello
from tapwright.harnesses.worker import SuiteLimits, SuiteWorker

__all__ = ["SuiteWorkers"]


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
            raise SUITE_CHANGED(
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
