"""BrowserGym's side of `bench_env.py`; runs in a virtual environment of its own, offline.

    MINIWOB_URL=file://.../html/miniwob/ python bench/peer_browsergym.py SECONDS DELAY_S PAGE...

Prints a JSON list: how each page's steps were timed.
"""

import importlib
import json
import os
import random
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from steps import Timed, timed_steps

CHROMIUM = Path("/usr/lib/chromium/chromium-headless-shell")
BUILD = "chromium-1117"  # what Playwright 1.44 looks for


def main(seconds: float, delay_s: float, pages: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / BUILD / "chrome-linux" / "chrome"
        place.parent.mkdir(parents=True)
        place.symlink_to(CHROMIUM)
        os.environ["PLAYWRIGHT_BROWSERS_PATH"] = folder
        found = [measure(page, seconds / len(pages), delay_s) for page in pages]
        print(json.dumps([asdict(one) for one in found]))


def measure(page: str, seconds: float, delay_s: float) -> Timed:
    import gymnasium

    importlib.import_module("browsergym.miniwob")
    chance = random.Random(page)
    env = gymnasium.make(
        f"browsergym/miniwob.{page}",
        disable_env_checker=True,
        slow_mo=0,
        pre_observation_delay=delay_s,
    )

    def reset() -> None:
        env.reset(seed=chance.randrange(1000))

    def step() -> bool:
        x, y = chance.uniform(0, 160), chance.uniform(50, 210)
        _, _, terminated, truncated, _ = env.step(f"mouse_click({x:.0f}, {y:.0f})")
        return terminated or truncated

    try:
        return timed_steps(reset, step, seconds)
    finally:
        env.close()


if __name__ == "__main__":
    main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
