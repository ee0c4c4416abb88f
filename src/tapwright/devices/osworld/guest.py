"""What each request of OSWorld's protocol does in a desktop; `server.py` tells where it is from."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from threading import RLock
from typing import TypeVar
from urllib.parse import parse_qs

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue, TypeAdapter, ValidationError

from tapwright.devices.desktop.accessibility_reader import Accessible
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.desktop.display import encode_png
from tapwright.devices.desktop.roles import Role, State
from tapwright.devices.desktop.windows import Window
from tapwright.devices.osworld import requests
from tapwright.devices.osworld.accessibility import write_tree
from tapwright.devices.osworld.commands import CommandResult, Commands
from tapwright.devices.osworld.hands import INPUT, perform_input
from tapwright.devices.osworld.requests import read_form
from tapwright.errors import first_problem

__all__ = ["Guest"]

T = TypeVar("T")

_COMMAND_S = 120.0
_OPENED_S = 45.0
_LOOK_S = 0.05
_MAX_ENTRIES = 100_000
_NOT_SERVED = {
    "POST /start_recording": "recordings are tapwright's: tapwright devices film",
    "POST /end_recording": "recordings are tapwright's: tapwright devices film",
    "POST /wallpaper": "a desktop without GNOME has no wallpaper",
    "POST /setup/change_wallpaper": "a desktop without GNOME has no wallpaper",
    "POST /setup/download_file": "download it where the task is set up, and upload it",
}


class Guest:
    """Answers requests of any thread; `lock` keeps them apart on the desktop."""

    def __init__(self, desktop: Desktop, lock: RLock, input_address: Callable[[], str]) -> None:
        self._desktop, self._lock = desktop, lock
        self._commands = Commands(desktop, lock, input_address)
        # Who looks asks twice, to see whether the screen rests; to write it out takes longest.
        self._shown: tuple[npt.NDArray[np.uint8], bytes] = np.zeros(0, np.uint8), b""
        self._routes: Mapping[str, Callable[[requests.Request], requests.Answer]] = {
            "GET /screenshot": self._screenshot,
            "GET /accessibility": self._accessibility,
            "GET /terminal": self._terminal,
            "GET /platform": lambda _: requests.Answer.of_text("Linux"),
            "GET /cursor_position": self._cursor_position,
            "POST /screen_size": self._screen_size,
            "POST /window_size": self._window_size,
            "POST /desktop_path": self._desktop_path,
            "POST /list_directory": self._list_directory,
            "POST /file": self._file,
            "POST /execute": self._execute,
            "POST /run_python": self._run_python,
            "POST /run_bash_script": self._run_bash_script,
            "POST /setup/execute": self._execute,
            "POST /setup/execute_with_verification": self._execute_verified,
            "POST /setup/launch": self._launch,
            "POST /setup/upload": self._upload,
            "POST /setup/open_file": self._open_file,
            "POST /setup/activate_window": self._activate_window,
            "POST /setup/close_window": self._close_window,
            "POST /tapwright/reset": self._reset,
            "POST /tapwright/input": self._input,
        }

    def answer(self, request: requests.Request) -> requests.Answer:
        """The answer to a request.

        Raises:
            GuestError: it is malformed, or there is no such thing.
            TapwrightError: the desktop cannot do it.
        """
        if reason := _NOT_SERVED.get(request.what):
            raise requests.GuestError(reason, HTTPStatus.NOT_IMPLEMENTED)
        route = self._routes.get(request.what)
        if route is None:
            raise requests.GuestError(f"no route {request.what}", HTTPStatus.NOT_FOUND)
        return route(request)

    def _screenshot(self, _: requests.Request) -> requests.Answer:
        with self._lock:
            picture = self._desktop.machine.screen.picture()
        last, png = self._shown
        if not np.array_equal(picture, last):
            png = encode_png(picture)
            self._shown = picture, png
        return requests.Answer(png, "image/png")

    def _accessibility(self, _: requests.Request) -> requests.Answer:
        tree = write_tree(self._applications())
        return requests.Answer.of_json({"AT": self._commands.outward(tree)})

    def _terminal(self, _: requests.Request) -> requests.Answer:
        """The text of the terminal that has the keyboard, if one has."""
        shown = (node for application in self._applications() for node in _walk(application))
        found = next(
            (one for one in shown if one.role == Role.TERMINAL and one.has(State.FOCUSED)), None
        )
        text = None if found is None else self._commands.outward(found.text.rstrip())
        return requests.Answer.of_json({"output": text, "status": "success"})

    def _cursor_position(self, _: requests.Request) -> requests.Answer:
        with self._lock:
            return requests.Answer.of_json([*self._desktop.machine.pointer.place()])

    def _screen_size(self, _: requests.Request) -> requests.Answer:
        size = self._desktop.size
        return requests.Answer.of_json({"width": size.width, "height": size.height})

    def _window_size(self, request: requests.Request) -> requests.Answer:
        wanted = _form(request).get("app_class_name", "").casefold()
        if not wanted:
            raise requests.GuestError("app_class_name is required")
        for window in self._windows():
            if window.window_class == wanted:
                content = window.content
                return requests.Answer.of_json(
                    {"width": content.right - content.left, "height": content.bottom - content.top}
                )
        raise requests.GuestError(f"no window of the class {wanted}", HTTPStatus.NOT_FOUND)

    def _desktop_path(self, _: requests.Request) -> requests.Answer:
        path = self._commands.home / "Desktop"
        return requests.Answer.of_json({"desktop_path": self._commands.outward(str(path))})

    def _list_directory(self, request: requests.Request) -> requests.Answer:
        path = self._commands.path(_read(_PATHS, request).path)
        if not path.is_dir():
            raise requests.GuestError("The provided path is not a directory")
        return requests.Answer.of_json({"directory_tree": _list(path, [_MAX_ENTRIES])})

    def _file(self, request: requests.Request) -> requests.Answer:
        name = _form(request).get("file_path")
        if name is None:
            raise requests.GuestError("file_path is required")
        path = self._commands.path(name)
        if not path.is_file():
            raise requests.GuestError("File not found", HTTPStatus.NOT_FOUND)
        return requests.Answer(path.read_bytes(), "application/octet-stream")

    def _execute(self, request: requests.Request) -> requests.Answer:
        asked = _read(_COMMANDS, request)
        done = self._commands.run(
            self._commands.argv(asked.command, shell=asked.shell), limit_s=_COMMAND_S
        )
        if done.status is None:
            raise requests.GuestError(
                f"the command did not end within {_COMMAND_S:g} s", HTTPStatus.INTERNAL_SERVER_ERROR
            )
        return requests.Answer.of_json(_told(done))

    def _execute_verified(self, request: requests.Request) -> requests.Answer:
        asked = _read(_VERIFIED, request)
        argv = self._commands.argv(asked.command, shell=asked.shell)
        done = self._commands.run(argv, limit_s=_COMMAND_S)
        until = time.monotonic() + asked.max_wait_time
        while not self._is_so(asked.verification):
            if time.monotonic() > until:
                raise requests.GuestError(
                    f"not verified after {asked.max_wait_time:g} s: {asked.verification}",
                    HTTPStatus.INTERNAL_SERVER_ERROR,
                )
            time.sleep(asked.check_interval)
        return requests.Answer.of_json(_told(done))

    def _is_so(self, verification: requests.Verification) -> bool:
        name, command = verification.window_exists, verification.command_success
        if name and not self._find(requests.WindowBody(window_name=name)):
            return False
        if not command:
            return True
        argv = self._commands.argv(command, shell=isinstance(command, str))
        return self._commands.run(argv, limit_s=_COMMAND_S).status == 0

    def _run_python(self, request: requests.Request) -> requests.Answer:
        argv = ["python", "-c", self._commands.inward(_read(_CODES, request).code)]
        done = self._commands.run(argv, limit_s=_COMMAND_S)
        good = done.status == 0
        return requests.Answer.of_json(
            {**_told(done), "status": "success" if good else "error", "message": done.output},
            HTTPStatus.OK if good else HTTPStatus.INTERNAL_SERVER_ERROR,
        )

    def _run_bash_script(self, request: requests.Request) -> requests.Answer:
        asked = _read(_SCRIPTS, request)
        folder = None if asked.working_dir is None else self._commands.path(asked.working_dir)
        if folder is not None and not folder.is_dir():
            raise requests.GuestError(f"no folder {asked.working_dir}")
        argv = ["/bin/bash", "-c", self._commands.inward(asked.script)]
        done = self._commands.run(argv, limit_s=asked.timeout, folder=folder)
        if done.status is None:
            message = f"Script execution timed out after {asked.timeout:g} seconds"
            return requests.Answer.of_json(
                {"status": "error", "output": done.output, "error": message, "returncode": -1}
            )
        return requests.Answer.of_json(
            {**_told(done), "status": "error" if done.status else "success"}
        )

    def _launch(self, request: requests.Request) -> requests.Answer:
        asked = _read(_COMMANDS, request)
        self._commands.launch(self._commands.argv(asked.command, shell=asked.shell))
        words = asked.command if isinstance(asked.command, str) else " ".join(asked.command)
        return requests.Answer.of_text(f"{words} launched successfully")

    def _upload(self, request: requests.Request) -> requests.Answer:
        fields = read_form(request.kind, request.body)
        name, data = fields.get("file_path"), fields.get("file_data")
        if name is None or data is None:
            raise requests.GuestError("file_path and file_data are required")
        path = self._commands.path(name.decode())
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return requests.Answer.of_text("File Uploaded")

    def _open_file(self, request: requests.Request) -> requests.Answer:
        """Open a file with its application, and wait for the window of it."""
        path = self._commands.path(_read(_PATHS, request).path)
        if not path.exists():
            raise requests.GuestError(f"File not found: {path}", HTTPStatus.NOT_FOUND)
        known = {window.id for window in self._windows()}
        self._commands.launch(["gio", "open", str(path)])
        until = time.monotonic() + _OPENED_S
        while all(window.id in known for window in self._windows()):
            if time.monotonic() > until:
                raise requests.GuestError(
                    f"no window after {_OPENED_S:g} s: no application opens {path.name}",
                    HTTPStatus.INTERNAL_SERVER_ERROR,
                )
            time.sleep(_LOOK_S)
        return requests.Answer.of_text("File opened successfully")

    def _activate_window(self, request: requests.Request) -> requests.Answer:
        for window in self._wanted(request)[-1:]:
            with self._lock:
                self._desktop.machine.windows.activate(window.id)
        return requests.Answer.of_text("Window activated successfully")

    def _close_window(self, request: requests.Request) -> requests.Answer:
        for window in self._wanted(request)[-1:]:
            with self._lock:
                self._desktop.machine.windows.close(window.id)
        return requests.Answer.of_text("Window closed successfully.")

    def _wanted(self, request: requests.Request) -> Sequence[Window]:
        asked = _read(_NAMED, request)
        found = self._find(asked)
        if not found:
            raise requests.GuestError(f"Window {asked.window_name} not found", HTTPStatus.NOT_FOUND)
        return found

    def _find(self, asked: requests.WindowBody) -> Sequence[Window]:
        """The windows of a name, as wmctrl finds them, the lowest first."""
        wanted = asked.window_name
        names = [
            (window, window.window_class if asked.by_class else window.title)
            for window in self._windows()
        ]
        if asked.strict:
            return [window for window, name in names if name == wanted]
        return [window for window, name in names if wanted.casefold() in name.casefold()]

    def _reset(self, _: requests.Request) -> requests.Answer:
        with self._lock:
            self._desktop.reset()
            self._commands.warm()
        return requests.Answer.of_json({"status": "success"})

    def _input(self, request: requests.Request) -> requests.Answer:
        asked = _read(INPUT, request)
        with self._lock:
            return requests.Answer.of_json(perform_input(self._desktop, asked))

    def _windows(self) -> list[Window]:
        with self._lock:
            return [one for one in self._desktop.machine.windows.shown() if one.managed]

    def _applications(self) -> list[Accessible]:
        with self._lock:
            windows = self._desktop.machine.windows.shown()
            return self._desktop.read_tree(windows).applications


_COMMANDS, _CODES, _SCRIPTS = (
    TypeAdapter(requests.CommandBody),
    TypeAdapter(requests.CodeBody),
    TypeAdapter(requests.ScriptBody),
)
_VERIFIED, _PATHS, _NAMED = (
    TypeAdapter(requests.VerifiedBody),
    TypeAdapter(requests.PathBody),
    TypeAdapter(requests.WindowBody),
)


def _read(kind: TypeAdapter[T], request: requests.Request) -> T:
    try:
        return kind.validate_json(request.body or b"{}")
    except ValidationError as error:
        raise requests.GuestError(f"{request.what}: {first_problem(error)}") from error


def _form(request: requests.Request) -> dict[str, str]:
    fields = parse_qs(request.body.decode("utf-8", "replace"), keep_blank_values=True)
    return {name: values[0] for name, values in fields.items()}


def _told(done: CommandResult) -> dict[str, JsonValue]:
    return {
        "status": "success", "output": done.output, "error": done.error, "returncode": done.status,
    }  # fmt: skip


def _walk(node: Accessible) -> Sequence[Accessible]:
    found, stack = [], [node]
    while stack:
        one = stack.pop()
        found.append(one)
        stack += one.children
    return found


def _list(path: Path, left: list[int]) -> JsonValue:
    """The tree of a folder; `left` is how many entries may still be told."""
    children: list[JsonValue] = []
    try:
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
    except OSError as error:
        return {"error": str(error)}
    for entry in entries:
        left[0] -= 1
        if left[0] < 0:
            raise requests.GuestError(f"more than {_MAX_ENTRIES} files")
        if entry.is_dir(follow_symlinks=False):
            children.append(_list(Path(entry.path), left))
        else:
            children.append({"type": "file", "name": entry.name})
    return {"type": "directory", "name": path.name, "children": children}
