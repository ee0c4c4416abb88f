"""OpenEnv's `browsergym_env` for `bench_openenv.py`; runs where `browsergym-miniwob` is installed.

    MINIWOB_URL=file://… python bench/peer_browsergym_env.py PYTHON_OF_OPENENV CHECKOUT SECONDS

The environment of huggingface/OpenEnv@385de5e, envs/browsergym_env, in this process: over its own
server an observation is refused ("Unable to serialize … ndarray", arrays of BrowserGym 0.14.3 in
its metadata), and its sessions share one thread. So this is without the server's part. Pictures are
left out, too, unless PICTURES is set: one is checked as 2.8 million whole numbers, for seconds.
Says "ready" when an episode has begun, waits for a line, and prints what was done in which time.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

from peer_browsergym import BUILD, CHROMIUM
from steps import processor_s

PAGE, STEPS = "click-test", 20


def main(openenv: Path, checkout: Path, seconds: float) -> None:
    asked = [str(openenv), "-c", "import openenv; print(openenv.__path__[0])"]
    found = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    sys.path.append(str(Path(found).parent))  # for what BrowserGym's environment has not
    core = Path(found) / "core"
    for name, place in {
        "openenv": Path(found), "openenv.core": core,
        "openenv.core.env_server": core / "env_server",
        "browsergym_env": checkout / "envs/browsergym_env",
        "browsergym_env.server": checkout / "envs/browsergym_env/server",
    }.items():  # fmt: skip
        package = ModuleType(name)  # whose own start would import servers and clients
        package.__path__ = [str(place)]
        sys.modules[name] = package
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / BUILD / "chrome-linux" / "chrome"
        place.parent.mkdir(parents=True)
        place.symlink_to(CHROMIUM)
        os.environ["PLAYWRIGHT_BROWSERS_PATH"] = folder
        print(json.dumps(play(seconds)))


def play(seconds: float) -> dict[str, float]:
    from browsergym_env.models import BrowserGymAction
    from browsergym_env.server.browsergym_environment import BrowserGymEnvironment

    env = BrowserGymEnvironment("miniwob", PAGE, slow_mo=0, pre_observation_delay=0.0)
    if not os.environ.get("PICTURES"):
        observe = env._create_observation
        env._create_observation = lambda obs, *rest, **more: observe(
            {name: value for name, value in obs.items() if name != "screenshot"}, *rest, **more
        )
    chance, steps, resets = random.Random(0), 0, 0
    env.reset(seed=0)
    print("ready", flush=True)
    sys.stdin.readline()
    used, begun = processor_s(), time.monotonic()
    while time.monotonic() < begun + seconds:
        env.reset(seed=chance.randrange(1000))
        resets += 1
        for _ in range(STEPS):
            x, y = chance.uniform(0, 160), chance.uniform(50, 210)
            action = BrowserGymAction(action_str=f"mouse_click({x:.0f}, {y:.0f})")
            steps += 1
            if env.step(action).done or time.monotonic() >= begun + seconds:
                break
    spent, used = time.monotonic() - begun, processor_s() - used
    env.close()
    return {"steps": steps, "resets": resets, "seconds": spent, "used_s": used}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
