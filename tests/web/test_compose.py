"""A team's server as deploy/ describes it: what compose.yml says, and its parts without Docker."""

import json
import os
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import click
import pytest
import yaml

from tapwright.cli.serve import serve
from tests.cli.running import tapwright_process
from tests.cli.serving import serving
from tests.web.team.postgres import server
from tests.web.test_deploy import free_port

DEPLOY = Path(__file__).parents[2] / "deploy"
CADDY = shutil.which("caddy")


def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose.yml").read_text("utf-8")))


def test_the_app_is_started_with_options_that_it_has() -> None:
    app = compose()["services"]["app"]
    known = {opt for one in serve.params if isinstance(one, click.Option) for opt in one.opts}
    assert {word for word in app["command"] if word.startswith("--")} <= known
    proxy = compose()["services"]["proxy"]["networks"]["outside"]["ipv4_address"]
    assert app["command"][app["command"].index("--proxy") + 1] == proxy


def test_nothing_but_the_proxy_is_reached_from_outside_and_no_secret_is_written() -> None:
    services = compose()["services"]
    assert [name for name, one in services.items() if "ports" in one] == ["proxy"]
    assert services["db"]["networks"] == ["inside"]
    assert compose()["networks"]["inside"] == {"internal": True}
    text = (DEPLOY / "compose.yml").read_text("utf-8")
    assert text.count("${POSTGRES_PASSWORD:?") == 2
    assert all(one["restart"] == "unless-stopped" for one in services.values())


@contextmanager
def caddy(directory: Path, upstream: str) -> Iterator[tuple[str, Path]]:
    """The Caddy of deploy/ before `upstream`: its address, and the certificate that it trusts."""
    if CADDY is None:
        if "CI" in os.environ:
            pytest.fail("there is no caddy: make .make/programs")
        pytest.skip("there is no caddy: make .make/programs")
    port = free_port()
    config = directory / "Caddyfile"
    ports = f"admin off\n\thttps_port {port}\n\thttp_port {free_port()}\n\tskip_install_trust"
    config.write_text((DEPLOY / "Caddyfile").read_text("utf-8").replace("admin off", ports))
    log = (directory / "caddy.log").open("w")
    process = subprocess.Popen(
        [CADDY, "run", "--config", str(config)],
        env={
            **os.environ,
            "HOME": str(directory),
            "XDG_DATA_HOME": str(directory / "data"),
            "XDG_CONFIG_HOME": str(directory / "config"),
            "TAPWRIGHT_APP": upstream,
        },
        stderr=log,
    )
    try:
        yield (
            f"https://localhost:{port}",
            directory / "data/caddy/pki/authorities/local/root.crt",
        )
    finally:
        process.terminate()
        process.wait(timeout=30)
        log.close()


@pytest.mark.slow
def test_a_member_signs_in_over_https_and_postgresql_knows_them(tmp_path: Path) -> None:
    with server() as host:
        team = f"postgresql://tapwright@/postgres?host={host}"
        added = tapwright_process("team", "add", "ann", "--team", team, cwd=tmp_path)
        assert added.returncode == 0, added.stderr
        token = added.stdout.strip()
        words = ("serve", "--device", "fake", "--port", "0", "--allow-host", "localhost")
        with (
            serving(*words, cwd=tmp_path, TAPWRIGHT_TEAM=team) as served,
            caddy(tmp_path, served.host) as (address, root),
        ):
            deadline = time.monotonic() + 120
            while True:
                try:
                    trusted = ssl.create_default_context(cafile=str(root))
                    with urlopen(f"{address}/", context=trusted) as page:
                        assert b"tapwright" in page.read()
                    break
                except (OSError, URLError):
                    assert time.monotonic() < deadline, (tmp_path / "caddy.log").read_text()
            login = Request(
                f"{address}/api/login",
                data=json.dumps({"token": token}).encode(),
                headers={
                    "Content-Type": "application/json",
                    "X-Tapwright": "1",
                    "Origin": address,
                },
            )
            with urlopen(login, context=trusted) as answer:
                cookie = answer.headers["Set-Cookie"]
            assert "Secure" in cookie
            me = Request(f"{address}/api/me", headers={"Cookie": cookie.partition(";")[0]})
            with urlopen(me, context=trusted) as answer:
                assert json.loads(answer.read())["name"] == "ann"
