"""BrowserGym's side of the protocol, run by the Python that has browsergym-core (0.14.3).

Each task is one of BrowserGym's own: `task.setup(page)` before, `task.validate(page, messages)`
once after, on a page of tapwright's browser, which Playwright joins. BrowserGym's environment is
not run: its step waits for two seconds, and its chat opens a second browser. What the agent answers
is the assistant's message in the chat, a task given up its message "infeasible". WebLINX has no
such tasks: each is one step of a recording, compared with the recorded one by an environment of its
own.
"""

from __future__ import annotations

import functools
import http.client
import http.server
import importlib
import importlib.util
import json
import os
import sys
import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tapwright_suite import Json, SuiteError, commit_of, serve, version_of

_PACKAGES = {
    "miniwob": "browsergym.miniwob",
    "webarena": "browsergym.webarena",
    "visualwebarena": "browsergym.visualwebarena",
    "workarena": "browsergym.workarena",
    "assistantbench": "browsergym.assistantbench",
}
_WITHOUT_PAGES = {
    "weblinx": "its tasks are single steps of recordings, without a page that one could act on"
}
_NEEDS = {
    "miniwob": "the pages of MiniWoB++, the package miniwob",
    "webarena": "WebArena's sites, at WA_*",
    "visualwebarena": "VisualWebArena's sites, at VWA_*",
    "workarena": "a ServiceNow instance, SNOW_*",
    "assistantbench": "the internet",
}
# Where a package has its tasks, which say what judges them and on which sites they are.
_TASKS = {
    "webarena": ("webarena", "test.raw.json"),
    "visualwebarena": ("visualwebarena", "test_raw.json"),
}
_KEY = "OPENAI_API_KEY"
_JUDGE = "a model of OpenAI's that judges, " + _KEY
_CAPTIONS = "a model that describes pictures, 16 GB from the internet"
_UNKNOWN = "answers that AssistantBench's authors keep"
# All of them must be set, whichever site a task is about.
_VARIABLES = {
    "webarena": [
        f"WA_{site}"
        for site in (
            "SHOPPING", "SHOPPING_ADMIN", "REDDIT", "GITLAB", "WIKIPEDIA", "MAP", "HOMEPAGE",
        )
    ],
    "visualwebarena": [
        f"VWA_{name}"
        for name in (
            "CLASSIFIEDS", "CLASSIFIEDS_RESET_TOKEN", "SHOPPING", "REDDIT", "WIKIPEDIA", "HOMEPAGE",
        )
    ],
    "workarena": ["SNOW_INSTANCE_URL", "SNOW_INSTANCE_UNAME", "SNOW_INSTANCE_PWD"],
}  # fmt: skip
# As make_env_args_list_from_fixed_seeds and the like give them in browsergym.experiments.benchmark.
_STEPS = {
    "miniwob": 10, "webarena": 30, "visualwebarena": 30, "workarena": 50, "assistantbench": 30,
}  # fmt: skip
_OPENENDED = "openended"
_PAGE = "click-test.html"  # one of MiniWoB++'s
_LOOK_S = 5
_ANY_FAULT = (Exception,)  # a package of another version raises whatever it finds first


class BrowserGymSuite:
    """One page at a time, found by the port of its browser."""

    def __init__(self) -> None:
        self._options: dict[str, str] = {}
        self._tasks: dict[str, Callable[..., Any]] = {}
        self._playwright: Any = None
        self._task: Any = None
        self._page: Any = None
        self._messages: list[Json] = []
        self._has_key = bool(os.environ.get(_KEY))

    def hello(self, options: Json) -> Json:
        """Import the packages that are there."""
        self._options = options
        only = [name for name in options.get("only", "").split(",") if name]
        unknown = [name for name in only if name not in (*_PACKAGES, _OPENENDED)]
        if unknown and (reason := _WITHOUT_PAGES.get(unknown[0])):
            raise SuiteError("missing", f"{unknown[0]} cannot be played: {reason}")
        if unknown:
            known = ", ".join([*_PACKAGES, _OPENENDED])
            raise SuiteError("missing", f"no package {unknown[0]!r}; there are {known}")
        _let_downloads_fail()
        core = importlib.import_module("browsergym.core")
        found, notes = {"core": version_of("browsergym-core")}, []
        for name, module in _PACKAGES.items():
            if only and name not in only:
                continue
            try:
                importlib.import_module(module)
            except _ANY_FAULT as error:
                if name in only:
                    raise
                if not isinstance(error, ModuleNotFoundError):
                    notes.append(f"without {name}: {type(error).__name__}: {error}")
                continue
            found[name] = version_of(f"browsergym-{name}")
        self._tasks = _registered(only)
        told = ", ".join(f"{name} {version}".rstrip() for name, version in found.items())
        commit = commit_of("browsergym-core", core.__file__ or "")
        return {"suite": "BrowserGym", "version": told, "commit": commit, "notes": notes}

    def tasks(self, seed: int) -> list[Json]:
        """Those that BrowserGym has registered, by name."""
        listed = []
        packages = {name.partition(".")[0] for name in self._tasks}
        ready = {package for package in packages if self._is_ready(package)}
        for name in self._tasks:
            package, config = name.partition(".")[0], _config(name)
            needs = [_NEEDS[package]] if package in _NEEDS else []
            missing = [] if package in ready else [*needs]
            judges = _judges(name, config)
            missing += [one for one in judges if one != _JUDGE or not self._has_key]
            listed.append(
                {
                    "id": name,
                    "apps": config.get("sites", [package]),
                    "max_steps": _STEPS.get(package, 30),
                    "needs": needs + judges,
                    "missing": missing,
                    "labels": {"package": package},
                }
            )
        return listed

    def _is_ready(self, package: str) -> bool:
        """Whether what the tasks of a package are played on is named, and for MiniWoB++ is here."""
        if package == "miniwob":
            given = self._options.get("miniwob", "")
            try:
                return _answers(_miniwob_url(given)) if "://" in given else bool(_find_pages(given))
            except SuiteError:
                return False
        return all(os.environ.get(one) for one in _VARIABLES.get(package, ()))

    def set_up(self, task: str, seed: int, epoch: int, device: Json) -> Json:
        """Let the task prepare the page."""
        if task not in self._tasks:
            raise SuiteError("setup", f"no task {task!r}")
        if _JUDGE in _judges(task, _config(task)) and not self._has_key:
            raise SuiteError("setup", f"{task} needs {_JUDGE}, which is not set")
        self._page = self._join(device)
        self._task = self._tasks[task](seed=seed + epoch - 1, **self._arguments(task))
        if task.startswith("visualwebarena."):
            _import_visualwebarena()
        if task.startswith("assistantbench.") and (start := self._options.get("start_url")):
            self._task.start_url = start
        self._page.context.set_default_timeout(self._task.timeout)
        goal, _ = self._task.setup(page=self._page)
        words = _words(goal)
        if not words:
            raise SuiteError("setup", f"{task} asks nothing; --suite-option goal=TEXT")
        self._messages = [{"role": "user", "timestamp": 0.0, "message": words}]
        return {"instruction": words, "max_steps": _STEPS.get(task.partition(".")[0], 30)}

    def evaluate(self, attempt: Json) -> Json:
        """The task's reward, once."""
        if attempt["answer"]:
            self._messages.append(_message("assistant", attempt["answer"]))
        elif attempt["claim"] in ("infeasible", "failure"):
            self._messages.append(_message("infeasible", "the agent gave up"))
        page = _front(self._page)
        reward, _, said, info = self._task.validate(page, self._messages)
        if getattr(self._task, "gold", None) == "":
            raise SuiteError("evaluator", f"its score takes {_UNKNOWN}; see their leaderboard")
        told = said or str((info or {}).get("error") or "")
        return {"score": min(max(float(reward), 0.0), 1.0), "reason": f"{reward:g} {told}".strip()}

    def tear_down(self) -> None:
        """Let the task put away what it made, and leave the browser."""
        task, self._task = self._task, None
        try:
            if task is not None:
                task.teardown()
        finally:
            self._leave()

    def _join(self, device: Json) -> Any:
        """The page of the device's tab, as Playwright has it."""
        if device.get("kind") != "web":
            raise SuiteError("device", "BrowserGym's tasks are played on --device web")
        self._leave()
        import browsergym.core
        from playwright.sync_api import sync_playwright

        self._playwright = sync_playwright().start()
        browsergym.core._set_global_playwright(self._playwright)
        self._playwright.selectors.set_test_id_attribute("bid")
        browser = self._playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{device['port']}")
        for page in (page for context in browser.contexts for page in context.pages):
            session = page.context.new_cdp_session(page)
            told = session.send("Target.getTargetInfo")["targetInfo"]
            session.detach()
            if told["targetId"] == device["tab"]:
                return page
        raise SuiteError("device", "the browser has no such tab")

    def _leave(self) -> None:
        playwright, self._playwright = self._playwright, None
        if playwright is not None:
            playwright.stop()  # the browser is tapwright's, and stays

    def _arguments(self, task: str) -> Json:
        if task == _OPENENDED:
            return {
                "start_url": self._options.get("start_url") or "about:blank",
                "goal": self._options.get("goal") or None,
            }
        if task.startswith("miniwob."):
            return {"base_url": _miniwob_url(self._options.get("miniwob", ""))}
        return {}


def _let_downloads_fail() -> None:
    """Let packages be imported offline, which download a tokenizer that few evaluators use.

    An evaluator that needs it and does not find it fails by itself, and is told.
    """
    try:
        import nltk
    except ModuleNotFoundError:
        return
    download = nltk.download

    def attempt(*args: Any, **named: Any) -> bool:
        try:
            return bool(download(*args, **named))
        except (OSError, ValueError) as error:
            sys.stderr.write(f"nltk.download: {error}\n")
            return False

    nltk.download = attempt


@functools.cache
def _import_visualwebarena() -> None:
    """Let it be imported without a key, and load its model for pictures when an evaluator asks.

    It asks for the key of a judge that few tasks have, and each of its set-ups would load the
    model. It can be imported once a task of it was made, which names the sites.
    """
    os.environ.setdefault(_KEY, "none")
    from visualwebarena.evaluation_harness import image_utils

    load = image_utils.get_captioning_fn

    def wait(*args: Any, **named: Any) -> Callable[..., Any]:
        model = functools.cache(lambda: load(*args, **named))
        return lambda *asked, **more: model()(*asked, **more)

    image_utils.get_captioning_fn = wait


def _registered(only: list[str]) -> dict[str, Callable[..., Any]]:
    """What makes each task, by its name without "browsergym/"."""
    import gymnasium

    found: dict[str, Callable[..., Any]] = {}
    for name in sorted(gymnasium.registry):
        task = name.partition("browsergym/")[2]
        if not task or (only and task.partition(".")[0] not in only):
            continue
        maker: Any = gymnasium.registry[name].entry_point
        cells = maker.__closure__ or ()
        makers = [cell.cell_contents for cell in cells]
        made = next((one for one in makers if isinstance(one, functools.partial)), None)
        if made is not None:
            found[task] = made
    return found


def _config(task: str) -> Json:
    """What its package says about a task, if it has a list of them."""
    package, _, number = task.partition(".")
    return _read_tasks(*_TASKS[package]).get(number, {}) if package in _TASKS else {}


@functools.cache
def _read_tasks(package: str, name: str) -> dict[str, Json]:
    """What a package says about each of its tasks, by the number; nothing if it is not there."""
    spec = importlib.util.find_spec(package)
    folders = (spec.submodule_search_locations if spec else None) or ()
    file = next((Path(one) / name for one in folders if (Path(one) / name).is_file()), None)
    if file is None:
        return {}
    return {str(one["task_id"]): one for one in json.loads(file.read_text("utf-8"))}


def _judges(task: str, config: Json) -> list[str]:
    """What its evaluator asks beside the pages; an answer that nobody knows has no score."""
    if task.startswith("assistantbench.test."):
        return [_UNKNOWN]
    told = config.get("eval", {})
    words = json.dumps([told.get("reference_answers"), told.get("program_html")])
    found = [_JUDGE] if '"fuzzy_match"' in words or "ua_match" in words else []
    return found + ([_CAPTIONS] if "page_image_query" in told.get("eval_types", ()) else [])


def _words(goal: Any) -> str:
    """A goal in words; it may be a list of parts, of which pictures are left out."""
    if isinstance(goal, str) or goal is None:
        return goal or ""
    return "\n".join(part["text"] for part in goal if part.get("type") == "text")


def _message(role: str, text: str) -> Json:
    return {"role": role, "timestamp": 0.0, "message": text}


def _front(page: Any) -> Any:
    """The page that is seen: the last one that says so, else the one of the set-up."""
    for one in reversed(page.context.pages):
        if one.evaluate("document.visibilityState") == "visible":
            return one
    return page


def _miniwob_url(given: str) -> str:
    """The address of MiniWoB++'s pages, of which a folder is served on 127.0.0.1."""
    return given.rstrip("/") + "/" if "://" in given else _serve_pages(_find_pages(given))


def _answers(address: str) -> bool:
    """Whether MiniWoB++'s pages are at an address."""
    try:
        with urllib.request.urlopen(f"{address}{_PAGE}", timeout=_LOOK_S):  # noqa: S310 - as given
            return True
    except (OSError, ValueError, http.client.HTTPException):
        return False


def _find_pages(given: str) -> Path:
    """The folder of MiniWoB++'s pages."""
    folder = Path(given).expanduser() if given else _miniwob_folder()
    pages = next(
        (
            one
            for one in (folder, folder / "miniwob", folder / "html/miniwob")
            if (one / _PAGE).is_file()
        ),
        None,
    )
    if pages is None:
        raise SuiteError("setup", f"{folder}: no {_PAGE}; --suite-option miniwob=DIR or URL")
    return pages


@functools.cache
def _serve_pages(pages: Path) -> str:
    """The address on 127.0.0.1 at which a folder of pages is served from now on."""
    handler = functools.partial(_Quiet, directory=str(pages.parent))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/{pages.name}/"


def _miniwob_folder() -> Path:
    """Where the package miniwob has its pages, or MINIWOB_URL says."""
    if address := os.environ.get("MINIWOB_URL", "").partition("file://")[2]:
        return Path(unquote(address))
    spec = importlib.util.find_spec("miniwob")
    if spec is None or spec.origin is None:
        raise SuiteError("missing", "pip install miniwob, or --suite-option miniwob=DIR or URL")
    return Path(spec.origin).parent / "html"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


if __name__ == "__main__":
    serve(BrowserGymSuite())
