"""Steps per second in OpenApps, by our device for web pages, by OpenApps itself, and by OpenEnv.

    python bench/bench_openapps.py --url http://localhost:5001 --python PYTHON --openapps CHECKOUT
        [--openenv CHECKOUT --openenv-python .make/faces/openenv/bin/python]

OpenApps serves the application at URL, whose own processor time is nobody's here. PYTHON has what
it needs (`browsergym-core`, `python-fasthtml`, `hydra-core`, …). Each row resets and clicks five
times, over and over; rows come in turns, so that a load is everybody's.
"""

import argparse
import os
import random
import time
from pathlib import Path

from bench_env import Row
from bench_openenv import sessions, show
from steps import processor_s
from tapwright.core.actions import Tap
from tapwright.core.geometry import Point
from tapwright.devices.web.device import WebDevice
from tapwright.environment.environment import Environment
from tapwright.faces.session import make_free_task

HERE = Path(__file__).parent
CLICKS = 5


def ours(url: str, seconds: float) -> Row:
    chance, steps = random.Random(0), 0
    with Environment(WebDevice.named(f"{url},1024x640"), make_free_task()) as environment:
        environment.reset()
        used, begun = processor_s(), time.monotonic()
        while time.monotonic() < begun + seconds:
            environment.reset()
            for _ in range(CLICKS):
                environment.step(Tap(at=Point(chance.random(), chance.random())))
                steps += 1
                if time.monotonic() >= begun + seconds:
                    break
        spent, used = time.monotonic() - begun, processor_s() - used
    return Row("the device web", steps / spent, steps / used, 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--python", type=Path, required=True, help="the Python with browsergym")
    parser.add_argument("--openapps", type=Path, required=True, help="facebookresearch/OpenApps")
    parser.add_argument("--openenv", type=Path, help="a checkout of huggingface/OpenEnv")
    parser.add_argument("--openenv-python", type=Path, help="the Python with openenv")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each row")
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    peer = [str(given.python), str(HERE / "peer_openapps.py")]
    asked = [given.url, str(given.seconds)]
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}")
    for _ in range(given.rounds):
        show(ours(given.url, given.seconds))
        show(
            sessions("OpenApps, its own task", [*peer, "own", *asked, str(given.openapps)], environ)
        )
        if given.openenv:
            more = [str(given.openenv), str(given.openenv_python)]
            show(
                sessions("openapp_env, in its process", [*peer, "openenv", *asked, *more], environ)
            )
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
