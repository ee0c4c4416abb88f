"""What the program of every site does, in the site's own Python: build a template, and serve it.

    python trac_site.py build FOLDER        the content comes as JSON on stdin
    python trac_site.py serve FOLDER PORT   FOLDER is where it works; commands come on stdin

Each command is a line of JSON, and so is its answer on stdout: `{"template": FOLDER}` takes over
the content of a template. The process ends when stdin does, so it never outlives who started it.
It needs the standard library alone, as nothing of ours is installed where it runs.
"""

import json
import os
import shutil
import socketserver
import sqlite3
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Protocol
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import clock

__all__ = ["Content", "Environ", "Program", "WsgiApp", "run"]

Content = Mapping[str, Any]
Environ = dict[str, Any]
WsgiApp = Callable[[Environ, Any], Iterable[bytes]]

_CONTENT = "content.json"
_IDLE_S = 10.0


class Program(Protocol):
    """A site: `database` and `folders` lie in its folder and are all that it changes."""

    @property
    def database(self) -> str:
        """The SQLite file."""

    @property
    def folders(self) -> tuple[str, ...]:
        """Folders whose files change, too."""

    def build(self, folder: Path, content: Content) -> None:
        """Make the site in an empty folder, and fill it."""

    def open(self, folder: Path) -> WsgiApp:
        """Open the site of a folder, once in a process."""

    def take_over(self, content: Content) -> None:
        """Drop what memory has of the content that this one has replaced."""

    def prepare(self, environ: Environ, content: Content) -> None:
        """Sign a request in, and give it the site's language."""


class _Gate:
    """Lets requests through, and closes while the content is replaced."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False

    def enter(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._inside += 1

    def leave(self) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()

    def __enter__(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._inside, _IDLE_S)

    def __exit__(self, *exception: object) -> None:
        with self._changed:
            self._closed = False
            self._changed.notify_all()


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 64

    def server_bind(self) -> None:
        # Without the look-up of this machine's name, which may take seconds.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]
        self.setup_environ()


class _Handler(WSGIRequestHandler):
    def address_string(self) -> str:
        return str(self.client_address[0])

    def log_message(self, *parts: object) -> None:
        """Nothing: each request would be a line."""


class _Serving:
    def __init__(self, program: Program, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._gate = _Gate()
        self._content: Content = {}
        self._app: WsgiApp | None = None

    def take_over(self, template: Path) -> None:
        """Replace all content by that of a template; the first time the site opens with it."""
        with self._gate:
            content = json.loads((template / _CONTENT).read_text("utf-8"))
            clock.start_at(content["now"])
            if self._app is None:
                shutil.copytree(template, self._folder, dirs_exist_ok=True)
                self._app = self._program.open(self._folder)
            else:
                _copy_database(template, self._folder, self._program.database)
                for name in self._program.folders:
                    _restore(template / name, self._folder / name)
            self._content = content
            self._program.take_over(content)

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        self._gate.enter()
        try:
            assert self._app is not None  # nobody knows the port before
            self._program.prepare(environ, self._content)
            response = self._app(environ, start_response)
            try:
                return list(response)
            finally:
                if hasattr(response, "close"):
                    response.close()
        finally:
            self._gate.leave()


def _restore(source: Path, target: Path) -> None:
    """Make a folder as it was; a file of the same size and time is, as copies keep both."""
    if target.is_symlink():
        target.unlink()
    target.mkdir(exist_ok=True)
    wanted = {entry.name: entry for entry in os.scandir(source)}
    for entry in list(os.scandir(target)):
        before = wanted.get(entry.name)
        if entry.is_symlink() or before is None or before.is_dir() != entry.is_dir():
            _remove(entry)
    for name, entry in wanted.items():
        if entry.is_dir():
            _restore(source / name, target / name)
        elif _mark(target / name) != _mark(entry):
            shutil.copy2(entry, target / name)


def _remove(entry: "os.DirEntry[str]") -> None:
    """Remove a file, a link or a whole folder; what goes by itself meanwhile is gone, too."""
    with suppress(FileNotFoundError):
        if not entry.is_dir(follow_symlinks=False):
            os.unlink(entry)
            return
        for inside in list(os.scandir(entry)):
            _remove(inside)
        os.rmdir(entry)


def _mark(file: "os.PathLike[str]") -> "tuple[int, int] | None":
    """The size and time of a file; None where there is none."""
    try:
        status = os.stat(file)
    except FileNotFoundError:
        return None
    return status.st_size, status.st_mtime_ns


def _copy_database(template: Path, folder: Path, name: str) -> None:
    with (
        closing(sqlite3.connect(f"file:{template / name}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(folder / name, timeout=10)) as live,
    ):
        source.backup(live)


def _serve(program: Program, folder: Path, port: int) -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the site prints is no answer
    serving = _Serving(program, folder)
    server: _Server | None = None
    for line in sys.stdin:
        try:
            serving.take_over(Path(json.loads(line)["template"]))
            if server is None:
                server = _Server(("127.0.0.1", port), _Handler)
                server.set_app(serving)
                threading.Thread(target=server.serve_forever, daemon=True).start()
            answer: dict[str, str | int] = {"port": server.server_port}
        except Exception as error:  # noqa: BLE001 - the site's own, whatever they are, are told
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
    os._exit(0)


def _build(program: Program, folder: Path) -> None:
    content = json.load(sys.stdin)
    clock.start_at(content["now"])
    program.build(folder, content)
    for trace in ("-wal", "-shm", "-journal"):
        (folder / f"{program.database}{trace}").unlink(missing_ok=True)
    (folder / _CONTENT).write_text(json.dumps(content), "utf-8")


def run(make: Callable[[], Program]) -> None:
    """Do what the command line says; `make` imports the site, after the clock is in place."""
    clock.install()
    command, folder, *rest = sys.argv[1:]
    if command == "build":
        _build(make(), Path(folder))
    else:
        _serve(make(), Path(folder), int(rest[0]))
