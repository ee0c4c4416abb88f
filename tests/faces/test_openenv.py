"""Trainers' clients of OpenEnv play on our server; they need `openenv` and nothing of ours."""

import base64
import hashlib
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tapwright.core.screenshot import Screenshot
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.faces.environments import face_python, with_sources

DEFINITION = """
id: "pay" command: "Pay." max_num_steps: 9
event_sources { id: 1 finish_event {} }
event_slots {
  score_listener { events { id: 1 } transformation: "y = 1" }
  episode_end_listener { events { id: 1 } transformation: "y = True" }
}
"""


@contextmanager
def server(*words: str) -> Iterator[str]:
    """The address of `tapwright env serve … --port 0` while the block lasts."""
    process = subprocess.Popen(
        [face_python("openenv"), "-m", "tapwright", "env", "serve", *words, "--port", "0"],
        env=with_sources(),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate(timeout=30)


def client(url: str, what: str, given: str = "") -> Any:
    """What a client got, which finds nothing of tapwright's."""
    run = subprocess.run(
        [face_python("openenv"), Path(__file__).with_name("openenv_client.py"), url, what],
        input=given,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout) if run.stdout else None


@pytest.fixture
def suite(tmp_path: Path) -> str:
    path = tmp_path / "pay.textproto"
    path.write_text(DEFINITION)
    return str(path)


@pytest.mark.slow
def test_an_episode_is_seen_judged_and_recorded(suite: str, tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "rollouts")
    with server(suite, "--device", "fake", "--tree", "--record", str(store.root)) as url:
        got = client(url, "play")
    first, *steps = got["turns"]
    assert (first["instruction"], first["task"], first["reward"]) == ("Pay.", "pay", None)
    assert [(one["reward"], one["done"], one["outcome"]) for one in steps] == [
        (0, False, ""), (0, False, ""), (1, True, "success"),
    ]  # fmt: skip
    head, _, data = first["picture"].partition(",")
    picture = Screenshot(base64.b64decode(data))
    assert head == "data:image/png;base64"
    assert (first["width"], first["height"]) == (picture.size.width, picture.size.height)
    assert hashlib.sha256(picture.data).hexdigest() == first["sha256"]
    assert first["tree"].startswith("<hierarchy")
    (episode,) = store
    assert episode.steps[0].observation.screenshot == picture
    assert (episode.outcome, episode.steps[0].decision.reasoning) == ("success", "there")
    assert got["state"]["recorded"] == episode.id
    ways = ("call reset first", "no task is called 'nonsense'", "has no task 999", "'fly'",
            "Invalid message", "off the screen", "no episode is in progress")  # fmt: skip
    assert len(got["said"]) == len(ways)
    for said, way in zip(got["said"], ways, strict=True):
        assert way in said
        assert "\n" not in said


@pytest.mark.slow
def test_more_sessions_than_devices_wait_and_a_client_that_vanishes_leaves_its_device(
    suite: str, tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path / "rollouts")
    words = (suite, "--device", "fake:latency=20", "--envs", "2", "--record", str(store.root))
    with server(*words) as url:
        client(url, "vanish")
        assert client(url, "crowd")["outcomes"] == ["success"] * 6
        until = time.monotonic() + 20
        while len([one for one in store if one.outcome != "interrupted"]) < 7:
            assert time.monotonic() < until
            time.sleep(0.1)
    assert sorted(one.outcome for one in store) == ["success"] * 6 + ["truncated"]


@pytest.mark.slow
def test_openenvs_own_validation_passes_and_tasks_are_listed(suite: str) -> None:
    with server(suite, "--device", "fake") as url:
        run = subprocess.run(
            [face_python("openenv"), "-m", "openenv.cli", "validate", url],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (run.returncode, "Verdict: PASS" in run.stdout) == (0, True), run.stdout
        name = httpx.get(f"{url}/list_environments").json()[0]
        assert httpx.get(f"{url}/{name}/splits").json()[0] == {"name": "train", "type": "train"}
        told = httpx.get(f"{url}/schema").json()["action"]
        kinds = set(told["properties"]["action"]["discriminator"]["mapping"])
        assert {"tap", "type_text", "finish"} < kinds
        assert httpx.get(f"{url}/health", headers={"Origin": "http://evil.test"}).status_code == 403
        assert httpx.get(f"{url}/health", headers={"Host": "evil.test"}).status_code == 421


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense"], "no task suite is called 'nonsense'"),
        (["phone-l3", "--device", "telephone"], "no device is called 'telephone'"),
        (["{suite}"], "does not say which device"),
        (["phone-l3", "--envs", "100"], "64"),
    ],
)
def test_an_environment_that_cannot_be_is_refused_in_one_line(
    words: list[str], said: str, suite: str
) -> None:
    run = tapwright("env", "serve", *(word.format(suite=suite) for word in words))
    assert run.returncode == 2
    assert said in run.stderr
