"""Commands on a cluster of three nodes, of which one is killed midway: all is as it is here."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.store.store import EpisodeStore
from tapwright.testing import FakeChatServer
from tests.annotate.answering import explain
from tests.cli.jobs import attempts, files, rows, suite
from tests.jobs.clusters import STORAGE, kill_a_node

pytestmark = [pytest.mark.slow, pytest.mark.long]

TIMEOUT_S = 300.0
SIZE = Size(540, 1200)


@dataclass(frozen=True)
class Command:
    """A command, what it works on, how much it has done so far, and what it leaves."""

    words: str
    prepare: Callable[[Path], object]
    count: Callable[[Path], int]
    result: Callable[[Path], object]


def store(folder: Path, episodes: int = 60, size: Size = SIZE) -> None:
    made = EpisodeStore(folder / "store")
    for number in range(episodes):
        seen = (painted_scene(2 * number + one, size) for one in (0, 1))
        steps = tuple(
            Step(
                Observation(Screenshot(one.picture), size, UiTree(one.xml, size)),
                Decision(Tap(at=Point(0.5, 0.25)), reasoning="It is there."),
            )
            for one in seen
        )
        made.write(Episode(f"e-{number:03d}", "task", f"Do {number}", steps, outcome="success"))


def small_pictures(folder: Path) -> None:
    store(folder, 256, Size(40, 80))


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def packed(folder: Path) -> object:
    # The ledger says in which order shards ended.
    return {name: said for name, said in files(folder / "out").items() if name != "pack.jsonl"}


COMMANDS = {
    "record": Command(
        "record --suite tasks --agent random --device fake --plays 20 --envs 2 -o out",
        suite,
        lambda at: lines(at / "out/record.jsonl"),
        lambda at: attempts(at / "out"),
    ),
    "annotate": Command(
        "annotate run store -m openai/any --concurrency 2",
        store,
        lambda at: lines(next(iter(at.glob("store/annotate-*.jsonl")), at / "none")),
        lambda at: files(at / "store"),
    ),
    "eval": Command(
        "eval run l3 --data tasks -m random --device fake --epochs 12 --envs 2 -o out",
        suite,
        lambda at: lines(at / "out/run.jsonl"),
        lambda at: (rows(at / "out"), attempts(at / "out/episodes")),
    ),
    "export": Command(
        "sft export store --to llamafactory --convention json --outcome any --scale 0.5 -o out",
        store,
        lambda at: sum(1 for path in at.rglob("*.png") if "store" not in path.parts),
        lambda at: files(at / "out"),
    ),
    "pack": Command(
        "episodes pack store -o out",
        small_pictures,
        lambda at: lines(at / "out/pack.jsonl"),
        packed,
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_node_dies_and_the_command_leaves_what_it_leaves_here(
    cluster: Any, name: str, tmp_path: Path
) -> None:
    command, asked = COMMANDS[name], list[str]()

    def answer(body: Any) -> str:
        asked.append(json.dumps(body["messages"], sort_keys=True))
        return explain(body)

    (tmp_path / "here").mkdir()
    command.prepare(tmp_path / "here")
    shutil.copytree(tmp_path / "here", tmp_path / "far")
    died = False
    with FakeChatServer(answer) as server:
        variables = {"TAPWRIGHT_BASE_URL": server.base_url, "OPENAI_API_KEY": "none"}
        run = start(command.words, tmp_path / "here", variables)
        run.wait(TIMEOUT_S)
        expected = Counter(asked)
        asked.clear()
        words = f"{command.words} --engine ray --workers 3 --ray-address {cluster.address}"
        run = start(words, tmp_path / "far", variables)
        end_s = time.monotonic() + TIMEOUT_S
        while run.poll() is None and time.monotonic() < end_s:
            with suppress(FileNotFoundError):  # what is whole is renamed
                if not died and command.count(tmp_path / "far") > 1:
                    died = True
                    kill_a_node(cluster)
            time.sleep(0.02)
    cluster.add_node(num_cpus=1, object_store_memory=STORAGE)
    assert run.poll() == 0, (tmp_path / "far/stderr").read_text()
    assert died
    assert command.result(tmp_path / "far") == command.result(tmp_path / "here")
    assert "raylet" not in (tmp_path / "far/stdout").read_text()
    # What was under way on the node that died is asked again: two at a time of each worker there.
    assert not expected - Counter(asked)
    assert len(asked) <= expected.total() + 6


def start(words: str, at: Path, variables: dict[str, str]) -> subprocess.Popen[bytes]:
    with (at / "stdout").open("wb") as out, (at / "stderr").open("wb") as error:
        return subprocess.Popen(
            [sys.executable, "-m", "tapwright", *words.split()],
            cwd=at, stdout=out, stderr=error, env={**os.environ, **variables},
        )  # fmt: skip
