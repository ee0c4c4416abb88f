"""OSWorld's side of the protocol, run by the Python that has the package desktop-env (1.0.2).

Set-up and evaluation are its own: `SetupController.setup`, the getters and metrics, and `evaluate`
of `DesktopEnv`, which is made without a provider, around the machine whose server is at the
device's address. Putting a VM back to its snapshot is what its provider does; the option `revert`
is a command that lets it, before each set-up.

Libraries that only some tasks use (OCR, sound, Chrome) may be missing: importing them gives a
stand-in whose use is told as missing, so what needs one cannot be judged, and all else can.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import http.client
import importlib.abc
import importlib.machinery
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tapwright_suite import Json, SuiteError, commit_of, serve, version_of

_RARE = (
    "acoustid", "borb", "cv2", "dashscope", "easyocr", "fastdtw", "fitz", "formulas", "gdown",
    "imagehash", "librosa", "mutagen", "odf", "pdfplumber", "playwright", "pydrive", "rapidfuzz",
    "scipy", "skimage",
)  # fmt: skip
# Words for an app in a task, and the program that a machine must have for it.
_PROGRAMS = {
    "chrome": "google-chrome", "browser": "google-chrome", "calc": "soffice", "writer": "soffice",
    "impress": "soffice", "libreoffice": "soffice", "gimp": "gimp", "thunderbird": "thunderbird",
    "vlc": "vlc", "vscode": "code", "vs_code": "code", "picard": "picard",
}  # fmt: skip
# Programs that steps of a set-up start themselves, in whatever task.
_COMMANDS = {
    "code": r'\["code"', "socat": r'\["socat"', "gio": r"\bgio trash\b", "unzip": r"\bunzip\b",
}  # fmt: skip
_CHROMES = ("google-chrome", "google-chrome-stable", "chromium", "chromium-browser")
_INTERNET = "the internet"
_ADDRESS = r"https?://(?!localhost|127\.)"
_ACCOUNT = "a Google account"
_GNOME = "GNOME's desktop"
_SUDO = "a user with sudo"
_SOURCES = ("evaluation_examples/examples", "examples", ".")
_MAX_STEPS = 15
_REVERT_S = 300
_ASKS_FOR_TOKEN = (401, 403)  # a server that starts may answer 502 or 503
_ANY_FAULT = (Exception,)  # its controllers and metrics raise whatever their libraries do


class _Missing(types.ModuleType):
    """A library that is not installed: any part of it may be named, none may be used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Missing(f"{self.__name__}.{name}")
        made.__spec__ = importlib.machinery.ModuleSpec(made.__name__, None)
        return made

    def __call__(self, *args: Any, **named: Any) -> Any:
        library = self.__name__.partition(".")[0]
        raise SuiteError("missing", f"{library} is not installed, which this task uses")


class _MissingFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the libraries that some tasks use where they are not installed; asked last."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname.partition(".")[0] in _RARE:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> types.ModuleType:
        return _Missing(spec.name)  # its path, which makes it a package, comes from the spec

    def exec_module(self, module: types.ModuleType) -> None:
        pass


class OsWorldSuite:
    """One machine at a time, found by its address."""

    def __init__(self) -> None:
        self._options: dict[str, str] = {}
        self._files: dict[str, Path] = {}
        self._env: Any = None
        self._secret = ""

    def hello(self, options: Json) -> Json:
        """Import it, which takes seconds, and find the tasks."""
        self._options = options
        sys.meta_path.append(_MissingFinder())
        import desktop_env.desktop_env  # all that is needed is there

        self._files = _find_tasks(options.get("data", ""), options.get("meta", ""))
        return {
            "suite": "OSWorld",
            "version": f"{version_of('desktop-env')}, tasks {_digest(self._files.values())}",
            "commit": commit_of("desktop-env", desktop_env.__file__ or "")
            or commit_of("desktop-env", str(next(iter(self._files.values())))),
        }

    def tasks(self, seed: int) -> list[Json]:
        """Those of the checkout, by domain in its order; OSWorld plays 15 steps by default."""
        return [_describe(name, file) for name, file in self._files.items()]

    def set_up(self, task: str, seed: int, epoch: int, device: Json) -> Json:
        """Files, programs and pages as the task's `config` has them."""
        if task not in self._files:
            raise SuiteError("setup", f"no task {task!r}")
        config = _read(self._files[task])
        if command := self._options.get("revert"):
            revert(command, task, device)
        self._env = _environment(device, self._options)
        self._secret = str(device.get("token") or "")
        with self._telling("setup"):
            self._env._set_task_info(config)
            self._env.setup_controller.reset_cache_dir(self._env.cache_dir)
            # False when the server is not there after its own retries.
            if not self._env.setup_controller.setup(self._env.config, False):
                raise SuiteError("device", f"no server of OSWorld's at {device.get('host')}")
        return {"instruction": config["instruction"], "max_steps": _MAX_STEPS}

    def evaluate(self, attempt: Json) -> Json:
        """Its evaluator's score; who says that the task cannot be done has ended with FAIL."""
        given_up = attempt["claim"] in ("infeasible", "failure")
        self._env.action_history = ["FAIL" if given_up else "DONE"] if attempt["ended"] else []
        with self._telling("evaluator"):
            score = float(self._env.evaluate())
        said = f"{self._env.evaluator['func']}: {score:g}"
        return {"score": min(max(score, 0.0), 1.0), "reason": said}

    @contextlib.contextmanager
    def _telling(self, kind: str) -> Iterator[None]:
        """Tell a fault without the token, which stands in every address."""
        try:
            yield
        except SuiteError:
            raise
        except _ANY_FAULT as error:
            said = f"{type(error).__name__}: {error}"
            raise SuiteError(kind, said.replace(self._secret or "\0", "…")) from None

    def tear_down(self) -> None:
        """Nothing: the machine is put back before the next attempt."""
        self._env = None


def _find_tasks(data: str, meta: str) -> dict[str, Path]:
    """The files of tasks by "domain/id", in the order of `meta`, else as the folders have them."""
    if not data:
        raise SuiteError(
            "missing", "where are the tasks? --suite-option data=DIR, a checkout of OSWorld"
        )
    root = Path(data).expanduser().resolve()
    folder = next((root / one for one in _SOURCES if any((root / one).glob("*/*.json"))), None)
    if folder is None:
        raise SuiteError("missing", f"{data}: no evaluation_examples/examples/DOMAIN/ID.json in it")
    listed = Path(meta).expanduser() if meta else folder.parent / "test_all.json"
    if listed.is_file():
        order = json.loads(listed.read_text(encoding="utf-8"))
        found = {
            f"{domain}/{one}": folder / domain / f"{one}.json"
            for domain in order
            for one in order[domain]
        }
    elif meta:
        raise SuiteError("missing", f"{meta}: no such file")
    else:
        found = {
            f"{file.parent.name}/{file.stem}": file for file in sorted(folder.glob("*/*.json"))
        }
    for name, file in found.items():
        if not file.is_file():
            raise SuiteError("missing", f"{listed} names {name}, and {file} is not there")
    return found


def _digest(files: Iterable[Path]) -> str:
    """Of the tasks themselves: those of a download have no commit, and those of one may change."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(json.dumps(_read(file), sort_keys=True).encode())
    return digest.hexdigest()[:12]


def _describe(name: str, file: Path) -> Json:
    config = _read(file)
    needs = _needs(config)
    return {
        "id": name,
        "instruction": config["instruction"],
        "apps": list(config.get("related_apps", [])),
        "max_steps": _MAX_STEPS,
        "needs": needs,
        "missing": [need for need in needs if not _is_here(need)],
        "labels": {"domain": name.partition("/")[0]},
    }


def _needs(config: Json) -> list[str]:
    """Programs and surroundings, as far as a task's set-up and evaluator name them."""
    apps = " ".join(config.get("related_apps", [])).lower()
    needs = dict.fromkeys(program for word, program in _PROGRAMS.items() if word in apps)
    told = json.dumps([config.get("config", []), config.get("evaluator", {})])
    kinds = {step.get("type") for step in config.get("config", [])}
    if "google-chrome" in told:
        needs["google-chrome"] = None
    if re.search(r"libreoffice|soffice", told, re.IGNORECASE):
        needs["soffice"] = None
    needs |= dict.fromkeys(name for name, words in _COMMANDS.items() if re.search(words, told))
    if re.search(r"\bgsettings\b|gnome|nautilus|wallpaper|Terminal\b|vm_terminal", told):
        needs[_GNOME] = None
    if re.search(r"\bsudo\b|\buseradd\b|\bapt\b|\bapt-get\b|timedatectl|pactl|\bwhich \w", told):
        needs[_SUDO] = None
    if kinds & {"googledrive", "login"}:
        needs[_ACCOUNT] = None
    if config.get("proxy") or kinds & {"googledrive", "login"} or re.search(_ADDRESS, told):
        needs[_INTERNET] = None
    return list(needs)


@functools.cache
def _is_here(need: str) -> bool:
    """Whether this machine has a program, for its desktop may be the device; no network is tried.

    A desktop of Debian's applications is no GNOME, and its user has no password.
    """
    if need in (_GNOME, _SUDO, _ACCOUNT):
        return False
    programs = _CHROMES if need == "google-chrome" else (need,)
    return need == _INTERNET or any(shutil.which(program) for program in programs)


def _read(file: Path) -> Json:
    read: Json = json.loads(file.read_text(encoding="utf-8"))
    return read


def revert(command: str, task: str, device: Json) -> None:
    """Run the user's command for this machine, and wait until its server answers again."""
    host, port = str(device.get("host")), int(device.get("port") or 0)
    told = {"TAPWRIGHT_HOST": host, "TAPWRIGHT_PORT": str(port), "TAPWRIGHT_TASK": task}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            env={**os.environ, **told},
            stdout=output,  # no pipe: a VM that it starts may keep it open
            stderr=output,
            start_new_session=True,  # what it starts stays when this worker ends
        )
        try:
            status = process.wait(_REVERT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise SuiteError("setup", f"revert has not ended after {_REVERT_S} s") from None
        output.seek(0)
        if status:
            said = output.read().strip().splitlines() or ["it printed nothing"]
            raise SuiteError("setup", f"revert ended with {status}: {said[-1][:300]}")
    _await_server(host, port)


def _await_server(host: str, port: int) -> None:
    """Wait until OSWorld's server answers there, without a proxy, as the device is reached."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + _REVERT_S
    while True:
        try:
            with opener.open(f"http://{host}:{port}/platform", timeout=10):
                return
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, urllib.error.HTTPError):
                error.close()  # it holds the connection
                if error.code in _ASKS_FOR_TOKEN:
                    return
            if time.monotonic() > until:
                late = f"no server at {host}:{port} {_REVERT_S} s after revert: {error}"
                raise SuiteError("device", late) from None
            time.sleep(0.5)


def _environment(device: Json, options: Json) -> Any:
    """A `DesktopEnv` around a machine that is there already."""
    from desktop_env.controllers.python import PythonController
    from desktop_env.controllers.setup import SetupController
    from desktop_env.desktop_env import DesktopEnv

    if device.get("kind") != "osworld":
        raise SuiteError("device", "OSWorld's tasks are played on --device osworld:URL")
    cache = options.get("cache") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tapwright", "osworld"
    )
    login = ":".join(
        quote(part, safe="") for part in (device.get("user"), device.get("token")) if part
    )
    env = DesktopEnv.__new__(DesktopEnv)
    env.vm_ip = f"{login}@{device['host']}" if login else device["host"]
    env.server_port = int(device["port"])
    env.chromium_port = int(options.get("chromium_port") or 9222)
    env.vlc_port = int(options.get("vlc_port") or 8080)
    env.cache_dir_base = cache
    env.client_password = options.get("client_password") or "password"
    env.enable_proxy = env.current_use_proxy = False
    env.os_type = "Ubuntu"
    env.is_environment_used = True
    env.screen_width, env.screen_height = device.get("width", 1920), device.get("height", 1080)
    env.action_history = []
    env.controller = PythonController(env.vm_ip, env.server_port)
    env.controller.retry_interval = float(device.get("retry_s", 5))
    env.setup_controller = SetupController(
        env.vm_ip, env.server_port, env.chromium_port, env.vlc_port, cache, env.client_password,
        env.screen_width, env.screen_height,
    )  # fmt: skip
    return env


if __name__ == "__main__":
    serve(OsWorldSuite())
