"""Clients of others play on our server: the SDK's and fastmcp's, with both versions of the SDK."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.faces.environments import ROOT, face_python, with_sources

SDKS = ("mcp", "openenv")
"""What has version 2 of the SDK, and what has version 1."""
TOKEN = "a-token-for-tests-and-nothing-else"
WIFI_OFF: list[tuple[str, dict[str, object]]] = [
    ("tap", {"on": "app_settings", "reasoning": "Wi-Fi is in the settings."}),
    ("tap", {"on": "page_network"}),
    ("tap", {"on": "wifi"}),
    ("tap", {"on": "wifi_switch"}),
    ("answer", {"text": "It is off."}),
    ("finish", {}),
]


def play(
    python: str, kind: str, target: str, calls: Sequence[tuple[str, dict[str, object]]], **more: str
) -> Any:
    run = subprocess.run(
        [python, "-m", "tests.faces.mcp_client", kind, target],
        input=json.dumps(calls),
        env={**with_sources(), **more},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@contextmanager
def server(python: str, *words: str, **more: str) -> Iterator[str]:
    """The address of `tapwright mcp … --port 0` while the block lasts."""
    process = subprocess.Popen(
        [python, "-m", "tapwright", "mcp", *words, "--port", "0"],
        env={**with_sources(), **more},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.mark.slow
@pytest.mark.parametrize("sdk", SDKS)
def test_an_agent_does_a_task_of_the_phone_over_stdio(sdk: str, tmp_path: Path) -> None:
    python, store = face_python(sdk), EpisodeStore(tmp_path / "episodes")
    words = [python, "-m", "tapwright", "mcp", "phone:jpeg", "--task", "wifi_off"]
    target = shlex.join([*words, "--record", str(store.root), "--agent", "theirs"])
    told = play(python, "sdk", target, [("screenshot", {}), *WIFI_OFF])
    assert told["resources"] == ["tapwright://task", "tapwright://episodes"]
    assert {"tap", "type_text", "swipe"} < set(told["tools"])
    assert [one["error"] for one in told["calls"]] == [False] * 7
    assert all(one["pictures"] == ["image/jpeg"] for one in told["calls"])
    assert told["task"]["outcome"] == "success"
    (episode,) = store
    assert (episode.outcome, episode.agent, episode.task_id) == ("success", "theirs", "wifi_off")
    assert [step.decision.action.type for step in episode.steps] == [
        "tap", "tap", "tap", "tap", "answer", "finish",
    ]  # fmt: skip
    assert episode.steps[0].decision.reasoning == "Wi-Fi is in the settings."


@pytest.mark.slow
@pytest.mark.parametrize("sdk", SDKS)
def test_what_is_wrong_with_a_call_is_told_and_the_next_one_works(sdk: str) -> None:
    python = face_python(sdk)
    target = shlex.join([python, "-m", "tapwright", "mcp", "fake", "--instruction", "Look"])
    calls: list[tuple[str, dict[str, object]]] = [
        ("fly", {}),
        ("tap", {"at": {"x": 9999, "y": 1}}),
        ("open_app", {"app": "nothing"}),
        ("tap", {"at": {"x": 9, "y": 1}}),
    ]
    told = play(python, "fastmcp", target, calls)
    assert [one["error"] for one in told["calls"]] == [True, True, False, False]
    assert "refused: fake 270x600 has no app 'nothing'" in told["calls"][2]["text"]
    assert told["task"]["instruction"] == "Look"


@pytest.mark.slow
@pytest.mark.parametrize("sdk", SDKS)
def test_over_http_a_token_lets_in_and_nothing_else_does(sdk: str, tmp_path: Path) -> None:
    python = face_python(sdk)
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    taps: list[tuple[str, dict[str, object]]] = [("tap", {"at": {"x": 9, "y": 1}})]
    with server(python, "fake", "--record", str(tmp_path), TAPWRIGHT_TOKEN=TOKEN) as address:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp", address)
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
            refused = httpx.post(f"{address}/", json=message, headers=headers)
            assert (refused.status_code, "token" in refused.text) == (401, True)
        ours = {"Authorization": f"Bearer {TOKEN}"}
        elsewhere = httpx.post(f"{address}/", json=message, headers={**ours, "Host": "evil.test"})
        page = httpx.post(
            f"{address}/", json=message, headers={**ours, "Origin": "http://evil.test"}
        )
        assert {elsewhere.status_code, page.status_code} <= {403, 421}
        told = play(python, "fastmcp", address, taps, TOKEN=TOKEN)
        assert told["calls"][0]["pictures"] == ["image/png"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fake", "--host", "0.0.0.0", "--port", "0"], "others could use the device"),
        (["phone", "--task", "nonsense"], "no task is called 'nonsense'"),
        (["telephone"], "no device is called 'telephone'"),
        (["fake", "--task", "wifi_off", "--instruction", "Look"], "has its own"),
    ],
)
def test_a_server_that_cannot_be_is_refused_in_one_line(words: list[str], said: str) -> None:
    os.environ.pop("TAPWRIGHT_TOKEN", None)
    run = tapwright("mcp", *words)
    assert run.returncode == 2
    assert said in run.stderr
    assert ROOT.name not in run.stderr
