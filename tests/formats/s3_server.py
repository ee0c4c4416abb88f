"""An S3 server on this machine, moto's, on a network that can be slow, and can lie.

`python -m tests.formats.s3_server` prints its port. PUT /_faults sets what fails, as JSON.
"""

import io
import json
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Faults:
    """Passes requests on to an application, and fails as it was told.

    `drop` is the share of PUTs whose answer is never sent, `err` of those that are done and told
    to have failed, by 500 or 503, `repeat` of those that come twice, and `cut` that of GETs whose
    answer ends midway; `slow_s` is the longest wait before one, `lag_s` how long what was put is in
    no listing, `refuse` an error for each request `after` so many. One that `overwrites` knows no
    conditional puts.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._set: dict[str, Any] = {}
        self._alone = threading.Lock()
        self._put_at: dict[str, float] = {}
        self._chance = random.Random(7)
        self._count = 0

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if path == "/_faults":
            self._set = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
            self._count = 0
            start("200 OK", [("Content-Length", "0")])
            return []
        self._count += 1
        if (code := self._set.get("refuse")) and self._count > self._set.get("after", 0):
            body = f"<Error><Code>{code}</Code><Message>{code}: no</Message></Error>".encode()
            start("403 Forbidden", [("Content-Type", "application/xml")])
            return [] if method == "HEAD" else [body]
        if self._set.get("overwrites"):
            environ.pop("HTTP_IF_NONE_MATCH", None)
        time.sleep(self._chance.random() * self._set.get("slow_s", 0.0))
        if method != "PUT":
            answer = self._hide_new(self._app(environ, start), environ)
            if method == "GET" and self._happens("cut"):
                return _halve(b"".join(answer), environ["werkzeug.socket"])
            return answer
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        # What moto does in two steps, S3 does in one.
        with self._alone:
            told: list[Any] = []
            for _ in range(1 + self._happens("repeat")):
                environ["wsgi.input"] = io.BytesIO(body)
                answer = list(self._app(environ, lambda *words: told.append(words)))
            self._put_at.setdefault(path.partition("/")[2].partition("/")[2], time.monotonic())
        if self._happens("err"):
            code = self._chance.choice(["500 Internal Server Error", "503 Slow Down"])
            start(code, [("Content-Type", "application/xml")])
            return [b"<Error><Code>InternalError</Code><Message>again</Message></Error>"]
        start(*told[-1])
        if self._happens("drop"):
            environ["werkzeug.socket"].close()
        return answer

    def _happens(self, what: str) -> bool:
        return bool(self._chance.random() < self._set.get(what, 0.0))

    def _hide_new(self, answer: Iterable[bytes], environ: dict[str, Any]) -> Iterable[bytes]:
        since = time.monotonic() - self._set.get("lag_s", 0.0)
        if "list-type" not in environ.get("QUERY_STRING", "") or not self._set.get("lag_s"):
            return answer
        text = b"".join(answer).decode()
        for entry in re.findall(r"<Contents>.*?</Contents>", text, re.DOTALL):
            key = re.search(r"<Key>(.*?)</Key>", entry)
            if key and self._put_at.get(key[1], 0.0) > since:
                text = text.replace(entry, "")
        return [text.encode()]


def _halve(whole: bytes, socket: Any) -> Iterator[bytes]:
    yield whole[: len(whole) // 2]
    socket.shutdown(2)


class S3Server:
    """A running server, and what fails of it."""

    def __init__(self, port: int) -> None:
        self.port, self.endpoint = port, f"http://127.0.0.1:{port}"

    def fail(self, **faults: object) -> None:
        """Let this fail from now on, and nothing else."""
        connection = HTTPConnection("127.0.0.1", self.port)
        connection.request("PUT", "/_faults", json.dumps(faults))
        connection.getresponse().read()
        connection.close()

    def make_bucket(self, name: str) -> str:
        """A new bucket; its URL."""
        connection = HTTPConnection("127.0.0.1", self.port)
        connection.request("PUT", f"/{name}")
        connection.getresponse().read()
        connection.close()
        return f"s3://{name}"

    @property
    def variables(self) -> dict[str, str]:
        """What a client's environment has to say."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
        }


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """A server in a process of its own, while the block runs; its Python has no pytest."""
    from tests.harnesses.environments import suite_python

    command = [str(suite_python("moto")), "-m", "tests.formats.s3_server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            yield S3Server(int(process.stdout.readline()))
        finally:
            process.kill()


def main() -> None:
    """Serve until killed."""
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    app = Faults(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, app, threaded=True)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
