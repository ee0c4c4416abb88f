"""Steps per second over OpenEnv, of the same pool of devices without it, and of OpenEnv's own.

    python bench/bench_openenv.py --python .make/faces/openenv/bin/python
        [--browsergym .make/suites/browsergym/bin/python --openenv CHECKOUT]

Sessions click at random places of MiniWoB++'s click-test; resets are part of the time, the start of
browsers is not. Processor time is that of browsers, server and clients. PYTHON needs `miniwob`,
too, perhaps by PYTHONPATH. CHECKOUT is huggingface/OpenEnv, whose `browsergym_env` plays the same
page, see `peer_browsergym_env.py`. Rows come in turns, so that a load is everybody's.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from bench_env import Row
from steps import processor_s
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point
from tapwright.faces.leased import LeasedPlay
from tapwright.faces.task_set import TaskSet
from tapwright.tasks.task import Task
from tapwright.workflows.devices import device_pool
from tapwright.workflows.host import HostConfig

HERE = Path(__file__).parent
PAGE, STEPS = "click-test.0", 20


def alone(count: int, seconds: float) -> Row:
    """The pool's devices, each leased for an episode as a session does it, in one process."""
    return asyncio.run(_alone(count, seconds))


async def _alone(count: int, seconds: float) -> Row:
    task = TaskSet.read("miniwob").find(PAGE)
    with (
        device_pool(("miniwob",), count, HostConfig()) as pool,
        ThreadPoolExecutor(count + 1) as threads,
    ):
        plays = [LeasedPlay(pool, threads, agent="bench") for _ in range(count)]
        await asyncio.gather(*(one.reset(task, seed=0) for one in plays))
        used, begun = processor_s(), time.monotonic()
        until = begun + seconds
        playing = (_play(one, task, chance, until) for chance, one in enumerate(plays))
        done = await asyncio.gather(*playing)
        spent, used = time.monotonic() - begun, processor_s() - used
        await asyncio.gather(*(one.close() for one in plays))
    return Row(f"{count} devices of a pool", sum(done) / spent, sum(done) / used, 0.0)


async def _play(playing: LeasedPlay, task: Task, number: int, until: float) -> int:
    chance, steps = random.Random(number), 0
    while time.monotonic() < until:
        turn = await playing.reset(task, seed=chance.randrange(1000))
        for _ in range(STEPS):
            if turn.ended or time.monotonic() >= until:
                break
            at = Point(chance.uniform(0, 1), chance.uniform(0.24, 1))
            turn = await playing.act(Decision(Tap(at=at)))
            steps += 1
    return steps


def sessions(name: str, command: Sequence[str], environ: dict[str, str]) -> Row:
    """What a peer's program does; processor time is what it says, else of all that this started."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ
    ) as client:
        assert client.stdout is not None
        client.stdout.readline()
        used = processor_s()
        said, _ = client.communicate("go\n")
        used = processor_s() - used
    told = json.loads(said)
    return Row(name, told["steps"] / told["seconds"], told["steps"] / told.get("used_s", used), 0.0)


@contextmanager
def ours(envs: int, python: Path) -> Iterator[str]:
    """The address of our server."""
    command = [str(python), "-m", "tapwright", "env", "serve", "miniwob", "--envs", str(envs)]
    found = os.pathsep.join([str(HERE.parent / "src"), os.environ.get("PYTHONPATH", "")])
    environ = {**os.environ, "PYTHONPATH": found}
    with subprocess.Popen(
        [*command, "--port", "0"], stdout=subprocess.PIPE, text=True, env=environ
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


def over_openenv(count: int, seconds: float, python: Path) -> Row:
    with ours(count, python) as url:
        peer = [str(python), str(HERE / "peer_openenv.py"), url, str(count), str(seconds)]
        return sessions(f"{count} sessions of OpenEnv", peer, {**os.environ})


def browsergym_env(seconds: float, python: Path, openenv: Path, checkout: Path) -> Row:
    package = find_spec("miniwob")
    assert package is not None
    assert package.submodule_search_locations is not None
    html = Path(package.submodule_search_locations[0]) / "html" / "miniwob"
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environ["MINIWOB_URL"] = f"{html.as_uri()}/"
    peer = HERE / "peer_browsergym_env.py"
    command = [str(python), str(peer), str(openenv), str(checkout), str(seconds)]
    return sessions("browsergym_env, in its process", command, environ)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", type=Path, required=True, help="the Python with openenv")
    parser.add_argument("--browsergym", type=Path, help="the Python with browsergym-miniwob")
    parser.add_argument("--openenv", type=Path, help="a checkout of huggingface/OpenEnv")
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each row")
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    rows: list[Callable[[], Row]] = [
        lambda: alone(given.count, given.seconds),
        lambda: over_openenv(given.count, given.seconds, given.python),
    ]
    if given.browsergym and given.openenv:
        rows.append(
            lambda: browsergym_env(given.seconds, given.browsergym, given.python, given.openenv)
        )
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}")
    for _ in range(given.rounds):
        for row in rows:
            show(row())
    print(f"load {os.getloadavg()[0]:.1f}")


def show(row: Row) -> None:
    print(f"{row.name:36} {row.per_s:8.1f} steps/s {row.per_core:8.1f} per core", flush=True)


if __name__ == "__main__":
    main()
