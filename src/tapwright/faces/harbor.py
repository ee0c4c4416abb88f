"""The tasks of a suite as tasks of Harbor: an agent in a container has the device over MCP.

    <task>/task.toml                 limits, and how the server of the device is started
           instruction.md            what is asked
           environment/Dockerfile    the device: the image of this repository, and MCP's SDK
           tests/                    reads the recording in a container of its own: 1 if it is done
           solution/solve.sh         plays the task's own solution, for tasks that have one

By harbor 0.25.0 (PyPI): harbor/models/task/config.py, and what its `harbor lint` asks for. Whatever
agent Harbor puts into the container is given the server `device` by Harbor itself.
"""

import json
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from tapwright.files.atomic import atomic_directory, check_is_new
from tapwright.files.names import portable_name
from tapwright.tasks import suites
from tapwright.tasks.task import Task

__all__ = ["write_harbor_tasks"]

_STORE = "/episodes"
_SUITE = "/suite"
_PACKAGES = {"": ("mcp==1.30.0",), "miniwob": ("gymnasium==1.4.0", "miniwob==1.1.0")}
"""What devices need beside the image; "" is what all need."""
_STEP_S = 60
_WAYS = """\
{asked}

The tools of the MCP server `device` are a screen and hands: look, then act. Places are pixels of
the latest picture. Call `finish` when it is done, or when you cannot do it.
"""
_ON_SCREEN = "What is asked stands on the screen, and in the resource `tapwright://task`."
_TEST = f"""\
#!/bin/sh
# The last attempt counts, as the task's check judged it while it was played.
mkdir -p /logs/verifier
python - <<'END' > /logs/verifier/reward.txt
from tapwright import EpisodeStore

played = sorted(EpisodeStore("{_STORE}"), key=lambda episode: episode.created)
print(int(bool(played) and played[-1].outcome == "success"))
END
"""
_TESTS_IMAGE = "FROM tapwright\nUSER root\nENTRYPOINT []\n"


def write_harbor_tasks(tasks: Sequence[Task], suite: str, device: str, root: Path) -> None:
    """Write a folder for each task into the new directory `root`; `suite` is a name or a path.

    Raises:
        UsageError: `root` exists.
        DiskError: the disk is full or not writable; then nothing is left behind.
    """
    check_is_new(root)
    own = None if suites.has(suite) else Path(suite).resolve()
    with atomic_directory(root) as written:
        for task in tasks:
            _write_task(task, suite, own, device, written / portable_name(task.id))


def _write_task(task: Task, suite: str, own: Path | None, device: str, folder: Path) -> None:
    where = suite if own is None else f"{_SUITE}/{own.name}"
    chosen = ["--suite", where, "--task", task.id]
    server = ["mcp", device, *chosen, "--record", _STORE]
    solve = ["tapwright", "record", "--agent", "script", "--device", device, *chosen, "-o", _STORE]
    files = {
        "task.toml": _config(task, suite if own is None else own.stem, server),
        "instruction.md": _WAYS.format(asked=task.instruction or _ON_SCREEN),
        "environment/Dockerfile": _image(device, own),
        "tests/test.sh": _TEST,
        "tests/Dockerfile": _TESTS_IMAGE,
    }
    if task.solution:
        files["solution/solve.sh"] = f"#!/bin/sh\nexec {shlex.join(solve)}\n"
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "backslashreplace"))
        if name.endswith(".sh"):
            file.chmod(0o755)
    if own is not None:
        target = folder / "environment" / own.name
        if own.is_dir():
            shutil.copytree(own, target, symlinks=True)  # what a link leads to is not handed on
        else:
            shutil.copy2(own, target)


def _config(task: Task, suite: str, server: Sequence[str]) -> str:
    name = re.sub(r"[^A-Za-z0-9._-]+|\.\.+", "-", f"{suite}__{task.id}").strip(".-")
    limit_s = float(task.max_steps * _STEP_S)
    rows: dict[str, dict[str, JsonValue]] = {
        "": {"schema_version": "1.4", "artifacts": [_STORE]},
        "task": {"name": f"tapwright/{name}", "description": task.instruction, "keywords": ["gui"]},
        "metadata": {"apps": list(task.apps), "language": task.language, "steps": task.max_steps},
        "agent": {"timeout_sec": limit_s},
        "verifier": {"timeout_sec": 120.0, "environment_mode": "separate"},
        "environment": {"build_timeout_sec": 1200.0, "cpus": 2, "memory_mb": 4096},
    }
    lines = []
    for table, values in rows.items():
        lines += [f"\n[{table}]"] if table else []
        lines += [f"{key} = {_toml(value)}" for key, value in values.items()]
    lines += ["\n[[environment.mcp_servers]]", 'name = "device"', 'transport = "stdio"']
    lines += ['command = "tapwright"', f"args = {_toml([*server])}", ""]
    return "\n".join(lines)


def _toml(value: JsonValue) -> str:
    """As JSON, but that TOML knows no pairs of surrogates, and takes no DEL and no half pair."""
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return text.encode("utf-8", "replace").decode()


def _image(device: str, own: Path | None) -> str:
    """The image of an environment, on top of that of the repository's own Dockerfile."""
    packages = [*_PACKAGES[""], *_PACKAGES.get(device.partition(":")[0], ())]
    install = f"pip install --no-cache-dir {' '.join(packages)}"
    lines = [
        "# docker build -t tapwright . in a checkout of tapwright makes the first image.",
        "FROM tapwright",
        "USER root",
        f"RUN {install} && install -d -m 777 {_STORE}",
    ]
    if own is not None:
        lines.append(f"COPY {json.dumps([own.name, f'{_SUITE}/{own.name}'])}")
    return "\n".join([*lines, "ENTRYPOINT []", ""])
