"""What goes wrong with clients, through every face: told in a line, and nothing hangs.

A table of cases by faces, as the conformance test is one of plays: each cell is a test, or says why
there is none. What a line must say is in the cell, and `one_line` looks that it is one.
"""

import base64
import io
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import gymnasium
import httpx
import pytest
from PIL import Image

from tapwright.errors import UnknownNameError, UsageError
from tapwright.faces.errors import require_version
from tapwright.faces.trl import environment
from tapwright.store.store import EpisodeStore
from tests.faces.environments import face_python, with_sources
from tests.faces.test_mcp import server as mcp_server
from tests.faces.test_openenv import client as openenv_client
from tests.faces.test_openenv import server as openenv_server
from tests.faces.test_verifiers import evaluate

Cell: TypeAlias = Callable[[Path], None] | str
"""A test in an empty folder, or why there is none."""

FACES = ("gymnasium", "trl", "openenv", "verifiers", "mcp over stdio", "mcp over http")
IN_PROCESS = "the trainer has it in its own process, from one thread at a time"
GONE_S = 20.0
WIFI_OFF = ("--select.include.ids", "wifi_off")
ACCEPT = {"Accept": "application/json, text/event-stream"}
HELLO: dict[str, Any] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "tests", "version": "1"},
}


def one_line(text: str) -> str:
    """A message; it has one line, which is short enough to be read."""
    assert "\n" not in text.strip(), text
    assert len(text) < 1500, text
    return text


def outcomes(store: Path) -> list[tuple[str, int]]:
    return [(episode.outcome, len(episode.steps)) for episode in EpisodeStore(store)]


def until(what: Callable[[], object]) -> None:
    """Wait for something to become true, at most `GONE_S`."""
    begun = time.monotonic()
    while not what():
        assert time.monotonic() < begun + GONE_S
        time.sleep(0.1)


# A client that vanishes in the middle: its device is reset and free, its episode is in the store.


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, children.read_text().split()):
            found += [child, *descendants(child)]
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def kill_trainer(program: str, *words: str, **popen: Any) -> None:
    """Kill what plays in its own process, when it says "ready": all that it started ends, too."""
    with subprocess.Popen(
        [sys.executable, "-c", program, *words], stdout=subprocess.PIPE, text=True, **popen
    ) as trainer:
        assert trainer.stdout is not None
        assert trainer.stdout.readline() == "ready\n"
        started = descendants(trainer.pid)
        trainer.kill()
    assert started
    until(lambda: not any(map(is_alive, started)))


def vanish_gymnasium(folder: Path) -> None:
    kill_trainer(
        "import sys, time, gymnasium\n"
        "from tapwright import EpisodeStore, PressKey\n"
        "from tapwright.gym.recording import RecordEpisodes\n"
        "env = gymnasium.make('tapwright.gym:tapwright/Phone-v0')\n"
        "env = RecordEpisodes(env, EpisodeStore(sys.argv[1]))\n"
        "env.reset(seed=1), env.step(PressKey(key='home'))\n"
        "print('ready', flush=True), time.sleep(60)\n",
        str(folder),
    )
    assert outcomes(folder) == [("interrupted", 1)]


def vanish_trl(folder: Path) -> None:
    kill_trainer(
        "import sys, time\n"
        "from tapwright import EpisodeStore\n"
        "from tapwright.faces.trl import environment\n"
        "made = environment('phone', store=EpisodeStore(sys.argv[1]))()\n"
        "made.reset(), made.press_key(key='home')\n"
        "print('ready', flush=True), time.sleep(60)\n",
        str(folder),
    )
    assert outcomes(folder) == [("interrupted", 1)]


def vanish_openenv(folder: Path) -> None:
    with openenv_server(pay(folder), *ONE, "--record", str(folder / "store")) as url:
        openenv_client(url, "vanish")
        assert openenv_client(url, "crowd")["outcomes"] == ["success"] * 6
    assert sorted(outcomes(folder / "store")) == [("success", 2)] * 6 + [("truncated", 1)]


def vanish_verifiers(folder: Path) -> None:
    """The runner is gone while the model thinks: its worker and the browser go with it."""
    from tapwright.testing import FakeChatServer, Slow

    program = Path(face_python("verifiers")).with_name("vf-eval")
    with FakeChatServer([Slow()]) as model:
        runner = subprocess.Popen(
            [program, "tapwright-verifiers", *WIFI_OFF, "--model", "tiny", "--client.api-key-var",
             "NO_KEY", "--no-push", "--no-rich", "--client.base-url", model.base_url,
             "-o", folder / "runs", "--env.record", folder / "store"],
            env={**with_sources(), "HOME": str(folder)},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            begun = time.monotonic()
            while not model.received:
                assert time.monotonic() < begun + 120
                time.sleep(0.1)
            started = descendants(runner.pid)
            assert started
        finally:
            runner.kill()
            runner.wait()
        until(lambda: not any(map(is_alive, started)))
    assert outcomes(folder / "store") == []  # it had no step yet


def vanish_mcp_stdio(folder: Path) -> None:
    """What a client that is gone leaves is the end of standard input."""
    with stdio("phone:jpeg", "--record", str(folder)) as (process, ask):
        assert "done" in ask("tools/call", name="press_key", arguments={"key": "home"})
        started = descendants(process.pid)
        assert started
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(GONE_S) == 0
    until(lambda: not any(map(is_alive, started)))
    assert outcomes(folder) == [("truncated", 1)]


def vanish_mcp_http(folder: Path) -> None:
    with mcp_server(face_python("mcp"), "fake:latency=500", "--record", str(folder)) as address:
        gone, here = http(address), http(address)
        assert "done" in gone("tools/call", name="tap", arguments={"at": {"x": 9, "y": 9}})
        with pytest.raises(httpx.TimeoutException):
            gone("tools/call", wait_s=0.1, name="tap", arguments={"at": {"x": 9, "y": 9}})
        assert "screen: " in here("tools/call", name="start_over", arguments={})
        assert "done" in here("tools/call", name="tap", arguments={"at": {"x": 9, "y": 9}})
    # The server was ended by SIGTERM, and ended the attempt in progress.
    assert [outcome for outcome, _ in outcomes(folder)] == ["truncated", "truncated"]


# A model that sends no action: it is told so, and the episode goes on or ends by itself.


def no_action_gymnasium(folder: Path) -> None:
    with gymnasium.make("tapwright.gym:tapwright/Phone-v0") as env:
        env.reset()
        wrong: list[Any] = [{}, None, "tap", {"kind": 99}, {"kind": "tap"}, 7]
        for nothing in wrong:
            with pytest.raises(UsageError) as told:
                env.unwrapped.step(nothing)
            assert "is not an action of this environment" in one_line(str(told.value))
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        assert not truncated or terminated


def no_action_trl(folder: Path) -> None:
    store = EpisodeStore(folder / "store")
    with environment(pay(folder), device="fake", envs=1, store=store) as factory:
        made: Any = factory()
        made.reset()
        assert made.get_reward() == 0
        made.reset()
        for call in (made.tap, made.type_text, made.press_key):
            with pytest.raises(UsageError) as told:
                call()
            one_line(str(told.value))
        assert made.wait(duration_s=0.0)[0]["text"] == "done"
        assert made.get_reward() == 0
    assert outcomes(folder / "store") == [("truncated", 1)]  # nothing is left of one without a step


def no_action_openenv(folder: Path) -> None:
    with openenv_server(pay(folder), *ONE) as url:
        got = openenv_client(url, "play")
    assert any("this is no action" in one_line(said) for said in got["said"])
    assert got["turns"][-1]["outcome"] == "success"


def no_action_verifiers(folder: Path) -> None:
    (episode,), server, _ = evaluate(["", "I do not know.", " "], folder / "runs", *WIFI_OFF)
    (trace,) = episode["traces"]
    assert (trace["rewards"]["success"]["score"], trace["errors"]) == (0.0, [])
    assert trace["info"]["tapwright"]["outcome"] == "failure"
    assert len(server.received) == 3


def no_action_mcp_stdio(folder: Path) -> None:
    with stdio("fake") as (_, ask):
        ask_without_action(ask)


def no_action_mcp_http(folder: Path) -> None:
    with mcp_server(face_python("mcp"), "fake") as address:
        ask_without_action(http(address))


def ask_without_action(ask: Callable[..., str]) -> None:
    """The SDK refuses what is no call, and the hands what is none of theirs."""
    assert "Invalid" in ask("tools/call")
    assert "Invalid" in ask("tools/call", name="tap", arguments=[1])
    assert "no tool is called ''" in ask("tools/call", name="", arguments={})
    for arguments in ({}, {"at": None}, {"at": {"x": "a", "y": 1}}):
        assert 'isError":true' in ask("tools/call", name="tap", arguments=arguments).replace(
            " ", ""
        )
    assert "done: tap" in ask("tools/call", name="tap", arguments={"at": {"x": 9, "y": 9}})


# A picture, or a message, over the limit.


def large_openenv(folder: Path) -> None:
    with openenv_server(pay(folder), *ONE, "--max-side", "100") as url:
        first = openenv_client(url, "play")["turns"][0]
        picture = Image.open(io.BytesIO(base64.b64decode(first["picture"].partition(",")[2])))
        assert picture.size == (first["width"], first["height"]) == (45, 100)
        told = openenv_client(url, "large")
        assert "too big" in one_line(told["said"])
        assert told["after"] == "Pay."  # the next session has the device


def large_verifiers(folder: Path) -> None:
    small = ("--env.agent.harness.max_pixels", "20000")
    (_,), server, _ = evaluate(['{"action": {"type": "finish"}}'], folder, *WIFI_OFF, *small)
    data = re.search(r"base64,([^\"]+)", json.dumps(server.received[0].body))
    assert data is not None
    width, height = Image.open(io.BytesIO(base64.b64decode(data[1]))).size
    assert 15_000 < width * height <= 20_000


def large_mcp_stdio(folder: Path) -> None:
    with stdio("fake", "--max-side", "100") as (_, ask):
        assert "screen: 45x100 pixels" in ask("tools/call", name="screenshot", arguments={})
        long = {"at": {"x": 9, "y": 9}, "reasoning": "x" * 2_000_000}
        assert "done: tap" in ask("tools/call", name="tap", arguments=long)


def large_mcp_http(folder: Path) -> None:
    with mcp_server(face_python("mcp"), "fake", "--max-side", "100") as address:
        ask = http(address)
        assert "screen: 45x100 pixels" in ask("tools/call", name="screenshot", arguments={})
        long = {"at": {"x": 9, "y": 9}, "reasoning": "x" * 2_000_000}
        assert "longer than" in one_line(ask("tools/call", name="tap", arguments=long))
        assert "screen: " in ask("tools/call", name="screenshot", arguments={})


# Two clients on one session.


def two_openenv(folder: Path) -> None:
    """A socket is a session; one without a socket has none, and leaves no device behind."""
    with openenv_server(pay(folder), *ONE, "--wait", "0.5") as url:
        first = httpx.post(f"{url}/reset", json={}, timeout=30)
        assert first.json()["observation"]["instruction"] == "Pay."
        action = {"action": {"type": "finish"}}
        said = httpx.post(f"{url}/step", json={"action": action}, timeout=30)
        assert (said.status_code, "call reset first" in one_line(said.text)) == (409, True)
        told = openenv_client(url, "two")
        assert "device-1 is leased by openenv" in one_line(told["said"])
        assert told["first"] == 1
        assert told["after"] == "Pay."


def two_mcp_stdio(folder: Path) -> None:
    """Each client starts its own server; they share a store."""
    with (
        stdio("fake", "--record", str(folder)) as (_, one),
        stdio("fake", "--record", str(folder)) as (_, other),
    ):
        for ask in (one, other, one):
            assert "done" in ask("tools/call", name="tap", arguments={"at": {"x": 9, "y": 9}})
    until(lambda: sorted(outcomes(folder)) == [("truncated", 1), ("truncated", 2)])


def two_mcp_http(folder: Path) -> None:
    """All are answered, one after the other."""
    with mcp_server(face_python("mcp"), "fake:latency=50", "--record", str(folder)) as address:
        said: list[str] = []
        shared = http(address)

        def tap(ask: Callable[..., str]) -> None:
            said.append(ask("tools/call", name="tap", arguments={"at": {"x": 9, "y": 9}}))

        threads = [
            threading.Thread(target=tap, args=(ask,)) for ask in (shared, shared, http(address))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len([text for text in said if "done: tap" in text]) == 3
    assert outcomes(folder) == [("truncated", 3)]


# More environments than devices: they wait, or are told.


def many_gymnasium(folder: Path) -> None:
    """Each has a device of its own; one more is one more, and all can be closed."""
    envs = [gymnasium.make("tapwright.gym:tapwright/MiniWoB-v0") for _ in range(3)]
    for env in envs:
        env.reset(seed=1)
        env.close()
        env.close()


def many_trl(folder: Path) -> None:
    with environment("phone", device="fake", envs=2) as factory:
        factory(), factory()
        with pytest.raises(UsageError, match="more than 2 environments") as told:
            factory()
        assert "envs=" in one_line(str(told.value.hint))


def many_openenv(folder: Path) -> None:
    few = (pay(folder), "--device", "fake", "--envs", "2", "--sessions", "4")
    with openenv_server(*few) as url:
        told = openenv_client(url, "many")
    assert told["outcomes"] == ["success"] * 4
    assert "4/4 sessions" in one_line(told["said"])


def many_verifiers(folder: Path) -> None:
    said = ['{"action": {"type": "finish"}}'] * 4
    episodes, *_ = evaluate(said, folder / "runs", *WIFI_OFF, "-r", "4", "--env.envs", "1")
    assert [episode["ok"] for episode in episodes] == [True] * 4


# A suite that there is not, and a library of another version.


def unknown_gymnasium(folder: Path) -> None:
    with pytest.raises(UnknownNameError) as told:
        gymnasium.make("tapwright.gym:tapwright/Phone-v0", suite="nonsense", task="wifi_off")
    assert "no task suite is called 'nonsense'" in one_line(str(told.value))


def unknown_trl(folder: Path) -> None:
    with pytest.raises(UnknownNameError) as told:
        environment("nonsense")
    assert "no task suite is called 'nonsense'" in one_line(str(told.value))


def unknown_verifiers(folder: Path) -> None:
    _, _, said = evaluate(["{}"], folder, "--env.taskset.suite", "nonsense")
    assert "Traceback" not in said
    words = " ".join(said.replace("│", " ").split())
    assert "no task suite is called 'nonsense'" in words


def refused(*words: str, python: str, **more: str) -> str:
    """What a command that is refused says, in one line and its hint."""
    run = subprocess.run(
        [face_python(python), "-m", "tapwright", *words],
        env={**with_sources(), **more}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert run.returncode == 2, run.stderr
    return one_line(run.stderr.replace("\n\nhint: ", "; hint: "))


def unknown_openenv(folder: Path) -> None:
    said = refused("env", "serve", "nonsense", python="openenv")
    assert "no task suite is called 'nonsense'" in said


def unknown_mcp(folder: Path) -> None:
    for more in ((), ("--port", "0")):
        words = ("mcp", "fake", "--suite", "nonsense", "--task", "one", *more)
        assert "no task suite is called 'nonsense'" in refused(*words, python="mcp")


def of_version(folder: Path, package: str, version: str) -> dict[str, str]:
    """Variables with which a package seems to be of another version."""
    told = folder / f"{package}-{version}.dist-info" / "METADATA"
    told.parent.mkdir()
    told.write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    return {"PYTHONPATH": f"{folder}{os.pathsep}{with_sources()['PYTHONPATH']}"}


def version_openenv(folder: Path) -> None:
    other = of_version(folder, "openenv", "0.12.0")
    said = refused("env", "serve", "phone", python="openenv", **other)
    assert "the package openenv is 0.12.0; expected 0.10 or newer, below 0.11" in said


def version_mcp(folder: Path) -> None:
    other = of_version(folder, "mcp", "1.2.0")
    for more in ((), ("--port", "0")):
        said = refused("mcp", "fake", *more, python="mcp", **other)
        assert "the package mcp is 1.2.0; expected 1.30 or newer, below 3" in said


def version_verifiers(folder: Path) -> None:
    run = subprocess.run(
        [face_python("verifiers"), "-c", "import tapwright_verifiers"],
        env={**with_sources(), **of_version(folder, "verifiers", "0.1.14")},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    last = run.stderr.strip().splitlines()[-1]
    assert "the package verifiers is 0.1.14; expected 0.4 or newer, below 0.5" in last


def test_a_library_of_another_version_is_refused_with_the_way_out() -> None:
    require_version("click", "8", "99")
    require_version("no-such-package", "1", "2")  # importing it says which extra brings it
    with pytest.raises(UsageError, match=r"the package click is .*; expected 98 or newer") as told:
        require_version("click", "98", "99")
    assert told.value.hint == "pip install 'click>=98,<99'"


CASES: Mapping[str, Mapping[str, Cell]] = {
    "a client vanishes": dict(zip(FACES, (
        vanish_gymnasium, vanish_trl, vanish_openenv, vanish_verifiers, vanish_mcp_stdio,
        vanish_mcp_http,
    ), strict=True)),
    "a model sends no action": dict(zip(FACES, (
        no_action_gymnasium, no_action_trl, no_action_openenv, no_action_verifiers,
        no_action_mcp_stdio, no_action_mcp_http,
    ), strict=True)),
    "a picture over the limit": dict(zip(FACES, (
        "its space has the device's own size", "the model's processor shrinks pictures",
        large_openenv, large_verifiers, large_mcp_stdio, large_mcp_http,
    ), strict=True)),
    "two clients on one session": dict(zip(FACES, (
        IN_PROCESS, IN_PROCESS, two_openenv, IN_PROCESS, two_mcp_stdio, two_mcp_http,
    ), strict=True)),
    "more environments than devices": dict(zip(FACES, (
        many_gymnasium, many_trl, many_openenv, many_verifiers,
        "one server is one device", "one server is one device",
    ), strict=True)),
    "an unknown suite": dict(zip(FACES, (
        unknown_gymnasium, unknown_trl, unknown_openenv, unknown_verifiers, unknown_mcp,
        "as over stdio",
    ), strict=True)),
    "a library of another version": dict(zip(FACES, (
        "its calls are those of every 1.x, which the extra asks for",
        "nothing of TRL is imported", version_openenv, version_verifiers, version_mcp,
        "as over stdio",
    ), strict=True)),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(cell, id=f"{case}: {face}")
        for case, cells in CASES.items()
        for face, cell in cells.items()
        if not isinstance(cell, str)
    ],
)
def test_it_is_told_in_a_line_and_nothing_hangs(
    cell: Callable[[Path], None], tmp_path: Path
) -> None:
    cell(tmp_path)


# What these cells play with.

ONE = ("--device", "fake", "--envs", "1")


def pay(folder: Path) -> str:
    """A definition whose task is done when it is finished."""
    from tests.faces.test_openenv import DEFINITION

    path = folder / "pay.textproto"
    path.write_text(DEFINITION)
    return str(path)


@contextmanager
def stdio(*words: str) -> Iterator[tuple[subprocess.Popen[str], Callable[..., str]]]:
    """A server of MCP at standard input and output, and what asks it, without an SDK."""
    with subprocess.Popen(
        [face_python("mcp"), "-m", "tapwright", "mcp", *words],
        env=with_sources(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        into, out = process.stdin, process.stdout
        ids = iter(range(1, 1000))

        def ask(method: str, **params: Any) -> str:
            into.write(json.dumps(_message(method, next(ids), params)) + "\n")
            into.flush()
            return out.readline()

        ask("initialize", **HELLO)
        into.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
        try:
            yield process, ask
        finally:
            if process.poll() is None:
                into.close()
                process.wait(GONE_S)


def http(address: str) -> Callable[..., str]:
    """What asks a server of MCP in a session of its own, without an SDK."""
    hello = httpx.post(
        f"{address}/", json=_message("initialize", 0, HELLO), headers=ACCEPT, timeout=30
    )
    session = {**ACCEPT, "mcp-session-id": hello.headers["mcp-session-id"]}
    told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    httpx.post(f"{address}/", json=told, headers=session)
    ids = iter(range(1, 1000))

    def ask(method: str, *, wait_s: float = 30.0, **params: Any) -> str:
        said = _message(method, next(ids), params)
        return httpx.post(f"{address}/", json=said, headers=session, timeout=wait_s).text

    return ask


def _message(method: str, id_: int, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
