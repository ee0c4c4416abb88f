"""OpenApps, and OpenEnv's `openapp_env` around it, for `bench_openapps.py`.

    python bench/peer_openapps.py own|openenv URL SECONDS CHECKOUT [PYTHON_OF_OPENENV]

"own" is the BrowserGym task of facebookresearch/OpenApps@015715a, with its own settings; "openenv"
is huggingface/OpenEnv@385de5e, envs/openapp_env, in this process. Both click in the application
that is at URL. Says "ready" when an episode has begun, waits for a line, and prints what was done.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType

from peer_browsergym import BUILD, CHROMIUM
from steps import processor_s

CLICKS = 5
LINKS = ("calendar", "codeeditor", "maps", "messages", "todo")


def own(url: str, checkout: Path, chance: random.Random) -> tuple[Callable[[], object], ...]:
    sys.path.append(str(checkout / "src"))
    from browsergym.core.action.highlevel import HighLevelActionSet
    from browsergym.core.env import BrowserEnv
    from hydra import compose, initialize_config_dir
    from hydra.utils import instantiate
    from open_apps.tasks.add_tasks_to_browsergym import OpenAppsTask

    with initialize_config_dir(str(checkout / "config"), version_base=None):
        tasks = compose("tasks/all_tasks").tasks
    task = instantiate(next(iter(tasks.values())))
    env = BrowserEnv(
        OpenAppsTask,
        task_kwargs={"task_config": task, "base_url": url},
        action_mapping=HighLevelActionSet(subsets=["coord"]).to_python_code,
    )

    def click() -> object:
        return env.step(f"mouse_click({chance.uniform(0, 1024):.0f}, {chance.uniform(0, 640):.0f})")

    return env.reset, click, env.close


def openenv(
    url: str, checkout: Path, chance: random.Random, python: str
) -> tuple[Callable[[], object], ...]:
    asked = [python, "-c", "import openenv; print(openenv.__path__[0])"]
    found = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    sys.path.append(str(Path(found).parent))  # for what BrowserGym's environment has not
    core = Path(found) / "core"
    for name, place in {
        "openenv": Path(found), "openenv.core": core,
        "openenv.core.env_server": core / "env_server",
        "openapp_env": checkout / "envs/openapp_env",
        "openapp_env.server": checkout / "envs/openapp_env/server",
    }.items():  # fmt: skip
        package = ModuleType(name)  # whose own start would import servers and clients
        package.__path__ = [str(place)]
        sys.modules[name] = package
    os.environ["OPENAPPS_URL"] = url
    from openapp_env.models import OpenAppAction
    from openapp_env.server.openapp_environment import OpenAppEnvironment

    env = OpenAppEnvironment()

    def click() -> object:
        if env.state.step_count % 2:  # no other page has all links
            return env.step(OpenAppAction(action_type="goto", url=url))
        link = f"[href='/{chance.choice(LINKS)}']"
        return env.step(OpenAppAction(action_type="click", bid=link))

    return env.reset, click, env.close


def main(kind: str, url: str, seconds: float, checkout: Path, python: str = "") -> None:
    chance, steps, resets = random.Random(0), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / BUILD / "chrome-linux" / "chrome"
        place.parent.mkdir(parents=True)
        place.symlink_to(CHROMIUM)
        os.environ["PLAYWRIGHT_BROWSERS_PATH"] = folder
        reset, click, close = (
            own(url, checkout, chance) if kind == "own" else openenv(url, checkout, chance, python)
        )
        with redirect_stdout(sys.stderr):  # OpenApps prints its state
            reset()
        print("ready", flush=True)
        sys.stdin.readline()
        used, begun = processor_s(), time.monotonic()
        with redirect_stdout(sys.stderr):
            while time.monotonic() < begun + seconds:
                reset()
                resets += 1
                for _ in range(CLICKS):
                    click()
                    steps += 1
                    if time.monotonic() >= begun + seconds:
                        break
            spent, used = time.monotonic() - begun, processor_s() - used
            close()
    print(json.dumps({"steps": steps, "resets": resets, "seconds": spent, "used_s": used}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), Path(sys.argv[4]), *sys.argv[5:])
