"""`tapwright serve`, `record` in the browser and `team`, as processes of their own."""

import json
import os
import re
import socket
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tapwright.cli.main import cli
from tapwright.cli.serve import listen, show_address
from tapwright.errors import NothingFoundError
from tapwright.web.errors import DatabaseError
from tests.cli.running import tapwright
from tests.cli.serving import ask, serving

TOKEN = "a token of the tests' own"
_PASSED_ON = {"X-Forwarded-For": "203.0.113.7"}


@pytest.mark.slow
def test_it_prints_its_address_answers_and_ends_well(tmp_path: Path) -> None:
    with serving("serve", "--device", "fake", "--port", "0", cwd=tmp_path) as served:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", served.url)
        answer, body = ask(served.host, "/api/me", headers=served.cookie)
        assert answer.status == 200
        assert json.loads(body)["name"] == "local"
        assert answer.getheader("server") is None
        code, said = served.end()
    assert code == 130
    assert "the same command continues" in said


@pytest.mark.slow
def test_a_process_refuses_other_hosts_pages_and_sockets(tmp_path: Path) -> None:
    """Check 24 of the web app's; the other half is a browser's, in `tests/web/acceptance`."""
    with serving("serve", "--device", "fake", "--port", "0", cwd=tmp_path) as served:
        assert ask(served.host, "/api/me", headers={"Host": "evil.example"})[0].status == 403
        foreign = {"Origin": "http://evil.example"}
        assert (
            ask(served.host, "/api/login", method="POST", body={}, headers=foreign)[0].status == 403
        )
        with (
            pytest.raises(InvalidStatus, match="403"),
            connect(f"ws://{served.host}/ws/session?session=x", origin=Origin(foreign["Origin"])),
        ):
            pass
        port = int(served.host.partition(":")[2])
        with socket.socket() as other:
            assert other.connect_ex(("127.0.0.2", port)) != 0, "it listens at one address alone"


@pytest.mark.slow
def test_record_without_an_agent_opens_the_page_of_the_task(tmp_path: Path) -> None:
    words = ("record", "--device", "fake", "--task", "wifi_off", "--port", "0", "-o", "demos")
    with serving(*words, cwd=tmp_path) as served:
        shown, _, token = served.url.partition("&token=")
        assert shown.endswith("/record?device=fake&suite=phone&task=wifi_off")
        assert token
        assert ask(served.host, "/record?device=fake")[0].status == 200


@pytest.mark.slow
def test_who_has_not_the_printed_address_is_let_in_nowhere(tmp_path: Path) -> None:
    words = ("serve", "--device", "fake", "--port", "0")
    config = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    with serving(*words, cwd=tmp_path, **config) as served:
        for path in ("/api/episodes", "/api/devices", "/api/runs"):
            assert ask(served.host, path, headers=_PASSED_ON)[0].status == 401
            both = {**_PASSED_ON, **served.cookie}
            assert ask(served.host, path, headers=both)[0].status == 200
        begin = {"device": "fake", "instruction": "x"}
        refused, _ = ask(
            served.host, "/api/sessions", method="POST", body=begin, headers=_PASSED_ON
        )
        assert refused.status == 401
        origin = Origin(f"http://{served.host}")
        with (
            pytest.raises(InvalidStatus, match="403"),
            connect(
                f"ws://{served.host}/ws/session?session=x",
                origin=origin,
                additional_headers=_PASSED_ON,
            ),
        ):
            pass
        wrong, _ = ask(served.host, "//evil.example/?token=wrong&q=a")
        assert wrong.getheader("set-cookie") is None
        assert wrong.getheader("location") == f"http://{served.host}//evil.example/?q=a"
        kept = tmp_path / "config/tapwright/token"
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert served.url.endswith(kept.read_text())
        cookie = served.cookie
    with serving(*words, cwd=tmp_path, **config) as again:  # the browser is still signed in
        assert ask(again.host, "/api/episodes", headers=cookie)[0].status == 200


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Linux says whose a connection is")
def test_this_users_programs_need_no_token_and_another_users_do(tmp_path: Path) -> None:
    with serving("serve", "--device", "fake", "--port", "0", cwd=tmp_path) as served:
        answer, body = ask(served.host, "/api/me")
        assert (answer.status, json.loads(body)["requires_login"]) == (200, False)
        assert ask(served.host, "/api/episodes")[0].status == 200
        if os.geteuid() == 0:
            os.seteuid(65534)  # a socket is of the user who opens it
            try:
                answer, _ = ask(served.host, "/api/episodes")
            finally:
                os.seteuid(0)
            assert answer.status == 401


def test_a_browser_is_started_without_the_token_in_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(click, "launch", shown.append)
    with show_address("http://127.0.0.1:1/record?task=a&token=secret"):
        page = Path(shown[0])
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        assert "url=http://127.0.0.1:1/record?task=a&amp;token=secret" in page.read_text()
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("HOME", str(tmp_path / "none"))
    for url in ("http://127.0.0.1:1/?token=secret", "http://127.0.0.1:1/record?a=b"):
        with show_address(url):
            pass
    assert shown[1:] == ["http://127.0.0.1:1/?", "http://127.0.0.1:1/record?a=b"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("serve", "--host", "0.0.0.0"), "TW157"),
        (("serve", "--host", ""), "TW157"),
        (("serve", "--allow-host", "lab.example"), "TW157"),
        (("serve", "--team", "sqlite:///empty.db"), "TW157"),
        (("serve", "--team", "mysql://x/y"), "TW100"),
        (("serve", "--team", "nonsense"), "TW100"),
        (("serve", "--team", "sqlite:///team.db", "--token-file", sys.executable), "TW100"),
        (("serve", "--token-file", sys.executable), "TW100"),
        (("serve", "--team", "sqlite:////nowhere/at/all.db"), "TW157"),
        (("serve", "--base-path", "../x"), "TW100"),
        (("serve", "--device", "phon"), "TW101"),
        (("serve", "--suite", "phon", "--device", "fake"), "TW101"),
        (("record", "--envs", "2"), "TW100"),
        (("record", "--task", "nope"), "TW101"),
    ],
)
def test_what_cannot_be_served_is_refused_before_anything_listens(
    tmp_path: Path, words: tuple[str, ...], code: str
) -> None:
    run = tapwright(*words, "--port", "0", cwd=tmp_path)
    assert run.returncode in {1, 2}, run.stdout
    assert f"[{code}]" in run.stderr
    assert run.stdout == ""
    assert not list(tmp_path.glob("*.db"))


def test_answers_do_not_wait_for_one_another_on_the_wire() -> None:
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP  # for another asyncio leaves TCP's delay on


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = tapwright("serve", "--device", "fake", "--port", str(port), cwd=tmp_path)
    assert run.returncode == 2
    assert "[TW158]" in run.stderr


@pytest.mark.slow
def test_with_a_token_it_may_be_reached_from_elsewhere_and_never_tells_it(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{TOKEN}\n", encoding="utf-8")
    words = (
        "serve",
        "--device",
        "fake",
        "--host",
        "0.0.0.0",
        "--port",
        "0",
        "--token-file",
        "token",
    )
    with serving(*words, cwd=tmp_path) as served:
        host = served.host.replace("0.0.0.0", "127.0.0.1")
        assert ask(host, "/api/episodes")[0].status == 401
        assert ask(host, f"/api/login?token={TOKEN.replace(' ', '+')}")[0].status == 404
        answer, _ = ask(host, "/api/login", method="POST", body={"token": TOKEN})
        cookie = str(answer.getheader("set-cookie"))
        assert "HttpOnly" in cookie
        value = cookie.partition(";")[0]
        assert ask(host, "/api/episodes", headers={"Cookie": value})[0].status == 200
        code, said = served.end()
    assert code == 130
    assert TOKEN not in said
    assert value.partition("=")[2] not in said
    assert "/api/" not in said


def test_a_token_that_could_be_guessed_is_refused(tmp_path: Path) -> None:
    run = tapwright("serve", "--device", "fake", cwd=tmp_path, TAPWRIGHT_TOKEN="123")
    assert run.returncode == 2
    assert "22 or more" in run.stderr


@pytest.mark.parametrize(
    "words",
    ["ls", "progress", "backup out.jsonl", "remove anna", "sessions", "migrate sqlite:///b.db"],
)
def test_a_team_that_is_not_there_is_told_and_not_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("other.db")) as other:
        other.execute("CREATE TABLE theirs (x)")
    before = Path("other.db").read_bytes()
    for name in ("tem.db", "other.db"):
        ended = CliRunner().invoke(cli, ["team", *words.split(), "--team", f"sqlite:///{name}"])
        assert ended.exit_code == 5 or isinstance(ended.exception, NothingFoundError)
    assert [one.name for one in tmp_path.iterdir()] == ["other.db"]
    assert Path("other.db").read_bytes() == before


def test_a_database_that_cannot_be_opened_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.db").mkdir()
    ended = CliRunner().invoke(cli, ["team", "ls", "--team", "sqlite:///folder.db"])
    assert isinstance(ended.exception, DatabaseError)


@pytest.mark.slow
def test_a_team_is_kept_by_commands(tmp_path: Path) -> None:
    token = tapwright("team", "add", "李雷", "--role", "admin", cwd=tmp_path).stdout.strip()
    assert token.startswith("tapwright_")
    assert tapwright("team", "add", "李雷", cwd=tmp_path).returncode == 1
    assigned = tapwright("team", "assign", "--limit", "2", "--copies", "2", cwd=tmp_path)
    assert assigned.stdout.split() == ["1", "2"]
    again = tapwright("team", "assign", "--limit", "2", "--copies", "2", cwd=tmp_path)
    assert again.stdout == ""
    assert "2 tasks in the queue already" in again.stderr
    with serving(
        "serve", "--device", "fake", "--port", "0", "--team", "sqlite:///team.db", cwd=tmp_path
    ) as served:
        answer, _ = ask(served.host, "/api/login", method="POST", body={"token": token})
        cookie = {"Cookie": str(answer.getheader("set-cookie")).partition(";")[0]}
        _, told = ask(served.host, "/api/queue/lease", method="POST", body={}, headers=cookie)
        item = json.loads(told)["item"]
        assert item["task"] == "wifi_off"
        assert item["instruction"]
        renewed = tapwright("team", "rotate", "李雷", cwd=tmp_path).stdout.strip()
        assert renewed not in {"", token}
        assert ask(served.host, "/api/queue/next", headers=cookie)[0].status == 401
    rows = json.loads(tapwright("team", "progress", "--format", "json", cwd=tmp_path).stdout)
    assert [(row["task"], row["held"], row["waiting"]) for row in rows] == [
        ("wifi_off", "李雷", 1),
        ("dark_theme", "", 2),
    ]
    assert tapwright("team", "withdraw", "2", cwd=tmp_path).returncode == 0
    assert tapwright("team", "role", "李雷", "reviewer", cwd=tmp_path).returncode == 0
    assert tapwright("team", "remove", "李雷", cwd=tmp_path).returncode == 0
    listed = tapwright("team", "ls", "--format", "json", cwd=tmp_path)
    assert json.loads(listed.stdout) == []
    assert tapwright("team", "agree", cwd=tmp_path).returncode == 5
