"""Commands on a cluster of three nodes, of which one is killed midway: all is as it is here."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tapwright.store.store import EpisodeStore
from tapwright.testing import FakeChatServer
from tests.annotate.answering import explain
from tests.cli.jobs import attempts, files, rows, suite
from tests.conftest import painted
from tests.jobs.clusters import STORAGE, kill_a_node

pytestmark = [pytest.mark.slow, pytest.mark.long]

TIMEOUT_S = 300.0


@dataclass(frozen=True)
class Command:
    """A command, what it works on, how much it has done so far, and what it leaves."""

    words: str
    prepare: Callable[[Path], object]
    count: Callable[[Path], int]
    result: Callable[[Path], object]


def store(folder: Path, times: int = 16) -> None:
    made = EpisodeStore(folder / "store")
    for number in range(times):
        for one in painted():
            created = f"2026-01-01T00:{number:02d}:00.000+00:00"
            made.write(replace(one, id=f"{one.id}-{number:02d}", created=created))


def large_store(folder: Path) -> None:
    store(folder, 59)


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
        "sft export store --to llamafactory --convention json --outcome any --actions-only "
        "--scale 0.5 -o out",
        store,
        lambda at: sum(1 for path in at.rglob("*.png") if "store" not in path.parts),
        lambda at: files(at / "out"),
    ),
    "pack": Command(
        "episodes pack store -o out", large_store, lambda at: lines(at / "out/pack.jsonl"), packed
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
        distinct = set(asked)
        asked.clear()
        words = f"{command.words} --engine ray --workers 3 --ray-address {cluster.address}"
        run = start(words, tmp_path / "far", variables)
        end_s = time.monotonic() + TIMEOUT_S
        while run.poll() is None and time.monotonic() < end_s:
            if not died and command.count(tmp_path / "far") > 3:
                died = True
                kill_a_node(cluster)
            time.sleep(0.02)
    cluster.add_node(num_cpus=1, object_store_memory=STORAGE)
    assert run.poll() == 0, (tmp_path / "far/stderr").read_text()
    assert died
    assert command.result(tmp_path / "far") == command.result(tmp_path / "here")
    assert "raylet" not in (tmp_path / "far/stdout").read_text()
    # What was under way on the node that died is asked again: two at a time of each worker there.
    assert set(asked) == distinct
    assert len(asked) <= len(distinct) + 6


def start(words: str, at: Path, variables: dict[str, str]) -> subprocess.Popen[bytes]:
    with (at / "stdout").open("wb") as out, (at / "stderr").open("wb") as error:
        return subprocess.Popen(
            [sys.executable, "-m", "tapwright", *words.split()],
            cwd=at, stdout=out, stderr=error, env={**os.environ, **variables},
        )  # fmt: skip
