"""How it is deployed: behind nginx, and what the Dockerfile says."""

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from http.client import HTTPException
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.cli.running import tapwright
from tests.cli.serving import ask, serving

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
TOKEN = "a token of the tests' own"
SITE = "lab.example.org"


@contextmanager
def nginx(directory: Path, upstream: str) -> Iterator[str]:
    """The nginx of docs/server.md before `upstream`, as one that speaks TLS; its socket's path."""
    if NGINX is None:
        if "CI" in os.environ:
            pytest.fail("there is no nginx: make .make/programs")
        pytest.skip("there is no nginx: make .make/programs")
    page = (ROOT / "docs/server.md").read_text(encoding="utf-8")
    found = re.search(r"^    location /tapwright/ \{.*?^    \}", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    location = found[0].replace("127.0.0.1:8765", upstream).replace("$scheme", "https")
    port = free_port()
    config = directory / "nginx.conf"
    config.write_text(
        f"daemon off; pid {directory}/pid; error_log {directory}/log;\n"
        "events {}\n"
        f"http {{ access_log off; client_body_temp_path {directory}/b; proxy_temp_path"
        f" {directory}/p; fastcgi_temp_path {directory}/f; uwsgi_temp_path {directory}/u;"
        f" scgi_temp_path {directory}/s;\n"
        f"server {{ listen 127.0.0.1:{port};\n{location}\n}} }}\n",
        encoding="utf-8",
    )
    process = subprocess.Popen(
        [NGINX, "-p", str(directory), "-c", str(config)], stderr=subprocess.DEVNULL
    )
    try:
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        port: int = one.getsockname()[1]
        return port


def test_it_works_behind_the_nginx_of_the_documentation(tmp_path: Path) -> None:
    words = ("serve", "--device", "fake", "--port", "0", "--base-path", "/tapwright")
    with (
        serving(*words, "--allow-host", SITE, cwd=tmp_path, TAPWRIGHT_TOKEN=TOKEN) as served,
        nginx(tmp_path, served.host) as proxy,
    ):
        site = {"Host": SITE, "Origin": f"https://{SITE}"}
        deadline = time.monotonic() + 60
        while True:
            try:
                answer, page = ask(proxy, "/tapwright/episodes/a%2Fb", headers=site)
                break
            except (OSError, HTTPException):
                assert time.monotonic() < deadline
        assert answer.status == 200
        assert b'<base href="/tapwright/">' in page
        login = {"method": "POST", "body": {"token": TOKEN}}
        answer, _ = ask(proxy, "/tapwright/api/login", headers=site, **login)  # type: ignore[arg-type]
        cookie = str(answer.getheader("set-cookie"))
        assert "Secure" in cookie
        assert "Path=/tapwright" in cookie
        signed = {**site, "Cookie": cookie.partition(";")[0]}
        _, told = ask(proxy, "/tapwright/api/me", headers=signed)
        assert json.loads(told)["name"] == "local"
        begin = {"method": "POST", "body": {"device": "fake", "instruction": "look around"}}
        _, told = ask(proxy, "/tapwright/api/sessions", headers=signed, **begin)  # type: ignore[arg-type]
        session = json.loads(told)["session"]
        with opened(proxy, session, f"https://{SITE}", signed["Cookie"]) as control:
            control.send(json.dumps({"t": "hello"}))
            state = json.loads(control.recv(timeout=30))
            assert (state["t"], state["device"]) == ("state", "fake")
        with (
            pytest.raises(InvalidStatus, match="403"),
            opened(proxy, session, "https://evil.example", signed["Cookie"]),
        ):
            pass


def opened(proxy: str, session: str, origin: str, cookie: str) -> ClientConnection:
    """A session's socket through the proxy."""
    host, port = proxy.split(":")
    return connect(
        f"ws://{SITE}/tapwright/ws/session?session={session}",
        sock=socket.create_connection((host, int(port))),
        origin=Origin(origin),
        additional_headers={"Cookie": cookie},
    )


IMAGES = ("Dockerfile", "deploy/env.Dockerfile")


def instructions(image: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile, with what is continued on one line."""
    text = (ROOT / image).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_is_built_from_what_is_there_and_is_not_left_out(image: str) -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = [line[1:].rstrip("/") for line in ignored if line.startswith("!")]
    copied = [rest.split()[:-1] for word, rest in instructions(image) if word == "COPY"]
    sources = [one for words in copied if not words[0].startswith("--from") for one in words]
    assert sources
    for source in sources:
        assert (ROOT / source).exists(), source
        assert any(source.startswith(one) or fnmatch(source, one) for one in kept), source


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_runs_as_nobody_special_and_says_whether_it_is_well(image: str) -> None:
    words = instructions(image)
    assert words[-2][0] == "ENTRYPOINT"
    command = json.loads(words[-2][1]) + json.loads(words[-1][1])
    assert tapwright(*command[1:], "--help").returncode == 0
    users = [rest for word, rest in words if word == "USER"]
    assert users[-1] == "tapwright"
    health = next(rest for word, rest in words if word == "HEALTHCHECK")
    command = json.loads(health.partition("CMD")[2])
    assert command[0] == "python"
    compile(command[2], "HEALTHCHECK", "exec")
