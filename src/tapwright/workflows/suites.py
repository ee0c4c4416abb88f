"""Where the suites of this machine lie, and which Python has one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.errors import TapwrightError, UnknownNameError, UsageError
from tapwright.workflows.devices import open_device
from tapwright.workflows.host import HostConfig

if TYPE_CHECKING:
    from tapwright.devices.device import Device
    from tapwright.harnesses.harness import Harness
    from tapwright.harnesses.protocol import Hello, SuiteTask
    from tapwright.harnesses.worker import SuiteWorker

__all__ = ["CheckedSuite", "CheckedTask", "admit_source", "check_suite", "find_suite"]


def find_suite(
    suite: "Harness", source: str, host: HostConfig, directory: Path | None = None
) -> str:
    """The source of a suite with the Python that has it, admitted: the given one, or the installed.

    `source` is what the user named, never what a file does; `directory` has the installed ones.

    Raises:
        SuiteMissingError: none is given, and it is not installed.
        UsageError: the source has an option that the suite does not take.
    """
    from tapwright.harnesses.harness import SuiteSource
    from tapwright.harnesses.install import SuiteHome

    read = SuiteSource.read(source)
    unknown = sorted(read.options.keys() - suite.options.keys())
    if unknown:
        raise UsageError(
            f"{suite.title} has no option {unknown[0]!r}",
            hint=f"it has {', '.join(suite.options) or 'none'}",
        )
    found = SuiteSource(
        str(SuiteHome(host.kept("suites", directory)).python(suite, read)), read.options
    )
    found.admit()
    return str(found)


def admit_source(source: str) -> None:
    """Let the Python of a source be started, which the user named to the driver of this worker."""
    from tapwright.harnesses.harness import SuiteSource

    SuiteSource.read(source).admit()


@dataclass(frozen=True, slots=True)
class CheckedTask:
    """One task of a suite that was checked: its score after nothing was done, or what is wrong.

    The `score` is 0 to 1.
    """

    task: "SuiteTask"
    instruction: str
    score: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CheckedSuite:
    """A suite that was started; iterating checks its tasks, on the device if there is one."""

    hello: "Hello"
    tasks: "Sequence[SuiteTask]"
    device: str
    _worker: "SuiteWorker"
    _host: HostConfig
    _spec: str | None
    _seed: int

    def __iter__(self) -> Iterator[CheckedTask]:
        """Each task in turn.

        Raises:
            SuiteLostError: the suite's process ended.
            DeviceError: the device cannot be opened.
        """
        with self._worker:
            if self._spec is None:
                yield from (CheckedTask(task, task.instruction) for task in self.tasks)
                return
            with open_device(self._spec, self._host) as device:
                for task in self.tasks:
                    yield self._check(task, device)

    def _check(self, task: "SuiteTask", device: "Device") -> CheckedTask:
        from tapwright.devices.device import AddressedDevice
        from tapwright.harnesses.protocol import Attempt

        address = device.address() if isinstance(device, AddressedDevice) else {}
        instruction = task.instruction
        try:
            device.reset()
            instruction = self._worker.set_up(task.id, address, seed=self._seed).instruction
            found = self._worker.evaluate(Attempt(claim="done"))
            self._worker.tear_down()
        except TapwrightError as error:
            if not self._worker.alive:
                raise
            return CheckedTask(task, instruction, problem=str(error))
        return CheckedTask(task, instruction, found.score)


def check_suite(
    name: str,
    source: str,
    host: HostConfig,
    *,
    device: str | None = None,
    only: Sequence[str] = (),
    seed: int = 0,
    directory: Path | None = None,
) -> CheckedSuite:
    """Start a suite that the user named, and list its tasks, or those of the ids in `only`.

    Raises:
        UnknownNameError: there is no such suite, or no such task.
        SuiteMissingError: it is not installed, or not whole.
        SuiteLostError: its process ended.
    """
    from tapwright.harnesses import harnesses
    from tapwright.harnesses.harness import SuiteSource
    from tapwright.harnesses.worker import SuiteWorker

    suite = harnesses.get(name)
    found = SuiteSource.read(find_suite(suite, source, host, directory))
    worker = SuiteWorker(suite, Path(found.python), found.options)
    tasks = {task.id: task for task in worker.tasks(seed)}
    for one in only:
        if one not in tasks:
            raise UnknownNameError("task", one, tasks)
    chosen = [tasks[one] for one in only] if only else list(tasks.values())
    return CheckedSuite(worker.hello, chosen, suite.device, worker, host, device, seed)
