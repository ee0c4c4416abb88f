"""The tasks that a trainer draws from: a suite, and the device that it is played on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from tapwright.devices import devices
from tapwright.devices.device import Device
from tapwright.errors import UnknownNameError, UsageError
from tapwright.tasks.task import Task
from tapwright.tasks.task_files import read_suite

__all__ = ["TaskSet", "device_of", "device_opener"]

_DEVICES = {"desktop": "desktop", "miniwob": "miniwob", "phone": "phone:jpeg", "web": "sites"}


def device_of(suite: str) -> str:
    """The device that a suite of tapwright's own is for, as `--device` takes it.

    Raises:
        UsageError: a suite of somebody else's says nothing of its device.
    """
    family = suite.partition("-")[0]
    if family not in _DEVICES:
        raise UsageError(
            f"the suite {suite!r} does not say which device it is for", hint="name a device"
        )
    return _DEVICES[family]


def device_opener(spec: str, suite: str) -> Callable[[], Device]:
    """What opens the device of a "name:argument", by default the one that the suite is for.

    Raises:
        UnknownNameError: there is no such device.
        UsageError: the suite does not say its device.
    """
    name, _, argument = (spec or device_of(suite)).partition(":")
    return partial(devices.get(name), argument)


@dataclass(frozen=True, slots=True)
class TaskSet:
    """Tasks in their order, under the name of their suite."""

    name: str
    tasks: Sequence[Task]

    @classmethod
    def read(cls, suite: str) -> "TaskSet":
        """The tasks of a suite, by its name or the path of its definitions.

        Raises:
            UnknownNameError: there is no such suite, and no such path.
            TaskError: a definition is not right.
        """
        return cls(suite, tuple(read_suite(suite)))

    def find(self, id_: str = "", index: int | None = None) -> Task:
        """The task of this id, else the one at this index, from 0 on; the first without both.

        Raises:
            UnknownNameError: there is no such task.
            UsageError: the index is beyond the last task.
        """
        if id_:
            by_id = {task.id: task for task in self.tasks}
            if id_ not in by_id:
                raise UnknownNameError("task", id_, by_id)
            return by_id[id_]
        if not 0 <= (index or 0) < len(self.tasks):
            raise UsageError(
                f"{self.name} has no task {index}; there are {len(self.tasks)}, from 0 on"
            )
        return self.tasks[index or 0]
