"""Steps per second of sessions over OpenEnv, and of the same devices without it.

    python bench/bench_openenv.py --python .make/faces/openenv/bin/python

Each session clicks at random places of MiniWoB++'s click-test; resets are part of the time, the
start of browsers is not. Processor time is that of browsers, server and clients. PYTHON needs
`miniwob`, too, perhaps by PYTHONPATH.
"""

import argparse
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench_env import Row, many
from steps import processor_s
from tapwright.devices.chromium import Browser
from tapwright.devices.miniwob.device import MiniWob
from tapwright.tasks.miniwob import tasks

HERE = Path(__file__).parent


def sessions(python: Path, url: str, count: int, seconds: float) -> Row:
    """So many sessions at once; processor time is that of server, client and browsers."""
    peer = HERE / "peer_openenv.py"
    command = [str(python), str(peer), url, str(count), str(seconds)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as client:
        assert client.stdout is not None
        client.stdout.readline()
        used = processor_s()
        said, _ = client.communicate("go\n")
        used = processor_s() - used
    told = json.loads(said)
    name = f"{count} sessions of OpenEnv"
    return Row(name, told["steps"] / told["seconds"], told["steps"] / used, 0.0)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", type=Path, required=True, help="the Python with openenv")
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each row")
    given = parser.parse_args()
    page = [task for task in tasks() if task.id == "click-test.0"]
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}")
    for _ in range(2):
        show(many(f"{given.count} devices alone", given.count, given.seconds, a_page, page))
        with ours(given.count, given.python) as url:
            show(sessions(given.python, url, given.count, given.seconds))
    print(f"load {os.getloadavg()[0]:.1f}")


def a_page(browser: Browser) -> MiniWob:
    return MiniWob(browser=browser)


def show(row: Row) -> None:
    print(f"{row.name:36} {row.per_s:8.1f} steps/s {row.per_core:8.1f} per core", flush=True)


if __name__ == "__main__":
    main()
