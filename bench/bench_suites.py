"""What playing a suite costs: a step of our own, four phones at once, a driver that is killed.

The suite is one of this file, which judges by the answer; the phones are simulated ones behind the
real `adb`, each in a process of its own: `bench/bench_suites.py`.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tapwright.agents.agent import Agent
from tapwright.benchmarks.suite import SuiteBenchmark
from tapwright.core.actions import Answer, Finish, Tap
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.devices.adb.client import AdbClient
from tapwright.devices.adb.live import open_phone
from tapwright.devices.device import Device
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate_tasks
from tapwright.evaluate.run_log import read_run
from tapwright.harnesses.harness import Harness
from tapwright.harnesses.worker import SuiteWorkers
from tapwright.tasks.task import Task

_PROGRAM = """
import sys
from tapwright_suite import serve

class Words:
    def hello(self, options): return {"suite": "Words", "version": "1", "commit": ""}
    def tasks(self, seed): return [{"id": f"word-{n}", "max_steps": 50} for n in range(400)]
    def set_up(self, task, seed, epoch, device):
        self.word = task
        return {"instruction": f"Say {task}"}
    def evaluate(self, attempt): return {"score": float(attempt["answer"] == self.word)}
    def tear_down(self): pass

serve(Words())
"""
_PHONE = """
import sys
from tapwright.devices.phone.device import Phone
from tapwright_adb_simulator import AdbPhone
with Phone.named("") as device, AdbPhone(device) as phone:
    print(phone.address, flush=True)
    sys.stdin.read()
"""


class Speaker:
    """Taps a few times, and answers what it is asked to."""

    name = "speaker"
    steps = 6

    def __init__(self, task: Task | None, seed: int) -> None:
        del task, seed

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        if len(history) < self.steps:
            return Decision(Tap(at=Point(0.5, 0.5)))
        if len(history) == self.steps:
            return Decision(Answer(text=instruction.removeprefix("Say ")))
        return Decision(Finish(outcome="success"))


def make(task: Task | None, seed: int) -> Agent:
    return Speaker(task, seed)


class Timed:
    """A device whose own time is counted."""

    spent_s = 0.0

    def __init__(self, device: Device) -> None:
        self._device = device

    def __getattr__(self, name: str) -> object:
        found = getattr(self._device, name)
        if name not in ("observe", "perform", "log", "state"):
            return found

        def call(*given: object, **named: object) -> object:
            begun = time.perf_counter()
            try:
                return found(*given, **named)
            finally:
                Timed.spent_s += time.perf_counter() - begun

        return call


@contextmanager
def phones(count: int) -> Iterator[list[str]]:
    """Simulated phones, by what `--device adb:` takes, and an adb server for them."""
    from tapwright_adb_simulator import AdbServer

    with ExitStack() as opened:
        server = opened.enter_context(AdbServer())
        found = []
        for _ in range(count):
            process = subprocess.Popen(
                [sys.executable, "-c", _PHONE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            opened.callback(process.wait)
            opened.callback(process.kill)
            assert process.stdout is not None
            serial = server.connect(process.stdout.readline().strip())
            found.append(f"{serial}@127.0.0.1:{server.port}")
        yield found


def words(folder: Path) -> SuiteBenchmark:
    program = folder / "words_suite.py"
    program.write_text(_PROGRAM)

    class Words(SuiteBenchmark):
        suite = Harness(name="words", title="Words", program=program, device="adb")

    return Words(SuiteWorkers(Words.suite, Path(sys.executable)))


def play(folder: Path, out: Path, addresses: Sequence[str], tasks: int, *, timed: bool) -> float:
    """Play tasks, one at a time on each phone; the seconds from the first to the last."""

    def opener(address: str) -> Device:
        device: Device = open_phone(address, client=AdbClient())
        return Timed(device) if timed else device  # type: ignore[return-value]

    openers = {address: (lambda address=address: opener(address)) for address in addresses}
    run = asyncio.run(evaluate_tasks(words(folder), make, openers, out, RunPlan(limit=tasks)))
    assert all(row.score == 1 for row in run.rows), [row.error for row in run.rows][:2]
    return run.wall_s


def overhead(folder: Path, tasks: int) -> dict[str, float]:
    """Milliseconds of a step besides the device's own, its writing to the disk included."""
    with phones(1) as addresses:
        play(folder, folder / "warm", addresses, 1, timed=True)
        Timed.spent_s = 0.0
        before = time.process_time()
        wall_s = play(folder, folder / "one", addresses, tasks, timed=True)
        steps = tasks * (Speaker.steps + 2)
        return {
            "a step, the device's own (ms)": Timed.spent_s * 1000 / steps,
            "a step, besides (ms)": (wall_s - Timed.spent_s) * 1000 / steps,
            "a step, processor of the driver (ms)": (time.process_time() - before) * 1000 / steps,
        }


def together(folder: Path, tasks: int) -> dict[str, float]:
    """How many of the cores are busy while four phones are played, by anybody."""
    with phones(4) as addresses:
        play(folder, folder / "warm-4", addresses, 4, timed=False)
        idle, whole = _jiffies()
        wall_s = play(folder, folder / "four", addresses, tasks, timed=False)
        idle_after, whole_after = _jiffies()
    busy = 1 - (idle_after - idle) / (whole_after - whole)
    return {
        "four phones, tasks a minute": tasks * 60 / wall_s,
        "four phones, cores busy (%)": 100 * busy,
    }


def _jiffies() -> tuple[int, int]:
    fields = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    return fields[3] + fields[4], sum(fields)


def killed(folder: Path, tasks: int) -> dict[str, float]:
    """What a driver that is killed loses: attempts that are played again by the next one."""
    out = folder / "killed"
    with phones(2) as addresses:
        command = [sys.executable, __file__, "--play", str(folder), str(out), *addresses]
        driver = subprocess.Popen([*command, "--tasks", str(tasks)])
        while _ended(out) < tasks // 2:
            time.sleep(0.02)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        had = {row.key: row.ended for row in read_run(out).rows}
        subprocess.run([*command, "--tasks", str(tasks)], check=True)
        rows = read_run(out).rows
    again = sum(had.get(row.key, row.ended) != row.ended for row in rows)
    begun = len(list((out / "episodes").iterdir()))
    return {
        "killed: attempts had ended": len(had),
        "killed: of these played again": again,
        "killed: attempts that were begun in vain": begun - len(rows),
    }


def _ended(out: Path) -> int:
    try:
        return len((out / "run.jsonl").read_bytes().splitlines()) - 1
    except OSError:
        return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=24)
    parser.add_argument("--play", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        folder, out, *addresses = options.play
        play(Path(folder), Path(out), addresses, options.tasks, timed=False)
        return
    with TemporaryDirectory() as made:
        folder = Path(made)
        rows: Mapping[str, float] = {
            "load": os.getloadavg()[0],
            **overhead(folder, options.tasks),
            **together(folder, options.tasks),
            **killed(folder, options.tasks),
        }
    print(json.dumps({name: round(value, 1) for name, value in rows.items()}, indent=2))


if __name__ == "__main__":
    main()
