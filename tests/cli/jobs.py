"""The commands that do much, each with what it works on and what it leaves: `JOBS`."""

import asyncio
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import JsonValue

from tapwright.annotate.rules import RuleAnnotator
from tapwright.annotate.run import write_annotations
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.files.place import Place
from tapwright.formats.atif import ATIF
from tapwright.formats.shared.copy import SharedCopy
from tapwright.formats.shared.log import make_shared
from tapwright.formats.shared.push import WorkingCopy
from tapwright.store.store import EpisodeStore
from tapwright.store.trash import list_trash
from tapwright.testing import FakeChatServer
from tapwright.web.team.team import Team
from tests.annotate.answering import explain
from tests.cli.running import tapwright
from tests.conftest import painted
from tests.datasets.published import screenspot_v2
from tests.datasets.servers import Public, serve

CONCURRENCY = 2
GOLDEN = Path(__file__).parents[1] / "golden/mobile_env_pickles"
BOOKMARK = GOLDEN.with_name("mobile_env_bookmark")
TASK = """
id: "%s" command: "Pay." max_num_steps: 4
event_sources { id: 1 finish_event {} }
event_slots { episode_end_listener { type: AND events { id: 1 } transformation: "y = True" }
  score_listener { type: AND events { id: 1 } transformation: "y = 1" } }
"""
# An interpreter that makes an environment as slowly as it likes, and packages of one line each.
PYTHON = """#!/bin/sh
case "$1 $2" in
"-c "*) echo 3.11 ;;
"-m venv") rm -rf "$4" && mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
"-m pip") shift 5; for one; do echo "$one" >>"${0%/bin/python}/packages"; done ;;
esac
"""
VOLATILE = {
    "attempts",
    "created",
    "run",
    "time",
    "seconds",
    "latency_s",
    "started",
    "ended",
    "episode",
    "place",
    "token",
    "since",
}


@dataclass(frozen=True)
class Job:
    """A command, what it works on, and what it leaves.

    A repeated command may find all done; it then says `done` and fails. `HERE` in the words is
    the URL of the directory that it runs in. One that `mirrors` keeps what it writes at a URL every
    few seconds: what came later lies in the directory for temporary files, and is asked for again.
    What a killed one left there goes when it is repeated, or `is_swept_later`, by `clean`.
    """

    words: str
    prepare: Callable[[Path], object]
    result: Callable[[Path], object]
    code: int = 0
    done: str = ""
    mirrors: bool = False
    is_swept_later: bool = False


def nothing(folder: Path) -> None:
    pass


def store(folder: Path) -> None:
    made = EpisodeStore(folder / "store")
    for number, one in enumerate(painted()):
        made.write(replace(one, created=f"2026-01-01T00:00:0{number}.000+00:00"))


def annotated(folder: Path) -> None:
    store(folder)
    for one in EpisodeStore(folder / "store"):
        by = RuleAnnotator()
        said = asyncio.run(by.annotate(one))
        write_annotations(folder / "store" / one.id, one, said, by.name, by.version, "")


def doubled(folder: Path) -> None:
    store(folder)
    for one in EpisodeStore(folder / "store"):
        EpisodeStore(folder / "store").write(replace(one, id=f"{one.id}-again"))


def packed(folder: Path) -> None:
    store(folder)
    assert tapwright("episodes", "pack", "store", "-o", "packed", cwd=folder).returncode == 0


def bench(folder: Path) -> None:
    make_benchmarks(painted(), folder / "bench")


def pickle(folder: Path) -> None:
    shutil.copy(GOLDEN / "resaved/note-open.pkl", folder)


def suite(folder: Path) -> None:
    (folder / "tasks").mkdir()
    for name in ("pay", "buy", "sell"):
        (folder / f"tasks/{name}.textproto").write_text(TASK % name)


def team(folder: Path) -> None:
    opened = Team(f"sqlite:///{folder / 'team.db'}")
    opened.accounts.add("anna", "admin")
    opened.close()


def shared(folder: Path) -> None:
    """A store, and one that many write, with three of its episodes put one by one."""
    store(folder)
    url = (folder / "cloud").as_uri()
    make_shared(Place(url))
    here = WorkingCopy(url, folder / "machine")
    for one in ("a", "b", "c"):
        EpisodeStore(here.directory).write(EpisodeStore(folder / "store").read(one))
        here.push()
    shutil.rmtree(here.directory)


def shared_suite(folder: Path) -> None:
    suite(folder)
    make_shared(Place((folder / "cloud").as_uri()))


def fetched(folder: Path, read: Callable[[Path], object]) -> object:
    """What is read of the shared store that a folder has, by a machine that comes new."""
    machine = Path(tempfile.mkdtemp(dir=folder))
    copy = SharedCopy((folder / "cloud").as_uri(), machine)
    copy.fetch()
    return read(machine)


def interpreter(folder: Path) -> None:
    (folder / "python").write_text(PYTHON)
    (folder / "python").chmod(0o755)


def backed_up(folder: Path) -> None:
    team(folder)
    back_up = ("team", "backup", "team.jsonl", "--team", "sqlite:///team.db")
    assert tapwright(*back_up, cwd=folder).returncode == 0


def members(folder: Path) -> object:
    opened = Team(f"sqlite:///{folder / 'new.db'}")
    try:
        return [(one.name, one.role) for one in opened.accounts.members()]
    finally:
        opened.close()


def trajectories(folder: Path) -> None:
    ATIF.write(painted(), folder / "theirs")


def templates(folder: Path) -> None:
    shutil.copytree(BOOKMARK, folder, dirs_exist_ok=True)
    for name in ("second", "third"):
        shutil.copy(folder / "tasks/one_bookmark.task", folder / f"tasks/{name}.task")


def files(folder: Path) -> dict[str, object]:
    """What each file says; hidden ones are the commands' own."""
    below = {path.relative_to(folder): path for path in sorted(folder.rglob("*"))}
    return {
        str(name): says(path)
        for name, path in below.items()
        if path.is_file() and not any(part.startswith(".") for part in name.parts)
    }


def says(path: Path) -> object:
    data = path.read_bytes()
    match path.suffix:
        case ".jsonl":
            lines = [lasting(json.loads(line)) for line in data.splitlines()]
            # A ledger's lines come as its items end.
            return sorted(lines, key=lambda line: isinstance(line, dict) and str(line.get("key")))
        case ".json":
            return lasting(json.loads(data))
    return hashlib.sha256(data).hexdigest()


def lasting(value: JsonValue) -> JsonValue:
    """A value without what differs from run to run, such as times."""
    if isinstance(value, dict):
        return {name: lasting(one) for name, one in value.items() if name not in VOLATILE}
    return [lasting(one) for one in value] if isinstance(value, list) else value


def changes(folder: Path) -> object:
    """Episodes, and how each has been changed."""
    found = EpisodeStore(folder)
    return [
        (replace(one, version=1, created=""), [one.change for one in found.history(one.id).changes])
        for one in found
    ]


def places(folder: Path) -> object:
    """The episodes that are there, and those in the trash."""
    found = EpisodeStore(folder)
    return found.ids(), [one.id for one in found], sorted(one.id for one in list_trash(folder))


def attempts(folder: Path) -> object:
    """The attempts that ended, in any order; one that was cut off by the kill is marked so."""
    ended = [one for one in EpisodeStore(folder) if one.outcome != "interrupted"]
    return sorted((one.task_id, one.outcome, len(one.steps)) for one in ended)


def sets(folder: Path) -> object:
    """The rows of growing sets, by their shards, without what differs from run to run."""
    import pyarrow.parquet as pq

    return {
        str(path.relative_to(folder)): [
            {name: str(value) for name, value in row.items() if name not in VOLATILE}
            for row in pq.read_table(path).to_pylist()
        ]
        for path in sorted(folder.glob("trl-*/data/*.parquet"))
    }


def rows(folder: Path) -> object:
    """The rows that a run has got, by their keys; each is there once."""
    _, *lines = (json.loads(line) for line in (folder / "run.jsonl").read_text().splitlines())
    done = [one for one in lines if one["status"] == "done"]
    found = {one["key"]: lasting(one["value"]) for one in done}
    assert len(found) == len(done)
    return found


JOBS = {
    "check": Job("episodes check store", store, lambda at: changes(at / "store")),
    "edit": Job(
        "episodes edit store 1:split:2:tail,0:rewardize:0:2,2:rewardize:0:1,3:remove",
        store,
        lambda at: changes(at / "store"),
    ),
    "edit of a pickle": Job(
        "episodes edit note-open.pkl 0:delete:1:2",
        pickle,
        lambda at: [says(path) for path in sorted(at.glob("note-open.pkl*"))],
    ),
    "tag": Job("episodes tag store --add good --yes", store, lambda at: files(at / "store")),
    "copy": Job("episodes copy store other", store, lambda at: changes(at / "other")),
    "rm": Job(
        "episodes rm store --where steps<2 --yes",
        store,
        lambda at: places(at / "store"),
        done="fits the filter",
    ),
    "dedupe": Job("episodes dedupe store --remove --yes", doubled, lambda at: places(at / "store")),
    "rules": Job("annotate run store --with rules", store, lambda at: files(at / "store")),
    "model": Job(
        f"annotate run store -m openai/any --concurrency {CONCURRENCY}",
        store,
        lambda at: files(at / "store"),
    ),
    "import": Job(
        f"episodes import {GOLDEN}/raw --tasks {GOLDEN}/tasks -o out",
        nothing,
        lambda at: changes(at / "out"),
    ),
    "resave": Job(
        f"episodes resave {GOLDEN}/raw/alice.%d.pkl:1:5 out {GOLDEN}/tasks --to mobile-env",
        nothing,
        lambda at: files(at / "out"),
    ),
    "pack": Job("episodes pack store -o out", annotated, lambda at: files(at / "out")),
    "unpack": Job("episodes unpack packed -o out", packed, lambda at: changes(at / "out")),
    "sft": Job(
        "sft export store --to llamafactory --convention json --annotator rules -o out",
        annotated,
        lambda at: files(at / "out"),
        done="out: already exists",
    ),
    "frames": Job("episodes frames store -o out", store, lambda at: files(at / "out")),
    "make": Job(
        "eval make store -o out", store, lambda at: files(at / "out"), done="out: already exists"
    ),
    "export": Job(
        "episodes export store --to mobiagent -o out",
        store,
        lambda at: files(at / "out"),
        done="out: already exists",
    ),
    "eval": Job(
        f"eval run l1 --data bench -m openai/any --concurrency {CONCURRENCY} -o out",
        bench,
        lambda at: rows(at / "out"),
    ),
    "eval of tasks": Job(
        "eval run l3 --data tasks --device fake -m random -o out",
        suite,
        lambda at: (rows(at / "out"), attempts(at / "out/episodes")),
    ),
    "record": Job(
        "record --suite tasks --agent random --device fake -o out",
        suite,
        lambda at: attempts(at / "out"),
    ),
    "rollouts": Job(
        "rollouts run tasks -m tests.cli.gambler:Gambler.for_task --device fake --group 3 "
        "--to trl-rollouts --to trl-kto -o out",
        suite,
        lambda at: (attempts(at / "out/episodes"), sets(at / "out")),
    ),
    "backup": Job(
        "team backup out.jsonl --team sqlite:///team.db", team, lambda at: says(at / "out.jsonl")
    ),
    "restore": Job(
        "team restore team.jsonl --team sqlite:///new.db",
        backed_up,
        members,
        done="has a team",
    ),
    "tasks for Harbor": Job(
        "tasks export --suite phone-l3 --limit 3 -o out",
        nothing,
        lambda at: files(at / "out"),
        done="out: already exists",
    ),
    "expand": Job("tasks expand tasks -o out", templates, lambda at: files(at / "out")),
    "bundle": Job(
        "episodes bundle store -o out",
        store,
        lambda at: files(at / "out"),
        done="out: already exists",
    ),
    "import of trajectories": Job(
        "episodes import theirs -o out", trajectories, lambda at: changes(at / "out")
    ),
    "sft of plays": Job(
        "sft export store --to trl-grpo --convention json --outcome any -o out",
        store,
        lambda at: files(at / "out"),
        done="out: already exists",
    ),
    "copy to a shared store": Job(
        "episodes copy store cloud",
        shared,
        lambda at: fetched(at, changes),
        is_swept_later=True,
    ),
    "edit in a shared store": Job(
        "episodes edit cloud 1:split:2:tail,0:rewardize:0:2",
        shared,
        lambda at: fetched(at, changes),
        is_swept_later=True,
    ),
    "compact": Job(
        "episodes compact cloud", shared, lambda at: fetched(at, changes), is_swept_later=True
    ),
    "record into a shared store": Job(
        "record --suite tasks --agent random --device fake -o HERE/cloud",
        shared_suite,
        lambda at: fetched(at, attempts),
        is_swept_later=True,
    ),
    "eval to a URL": Job(
        f"eval run l1 --data bench -m openai/any --concurrency {CONCURRENCY} -o HERE/out",
        bench,
        lambda at: rows(at / "out"),
        mirrors=True,
    ),
    "data": Job(
        "data get screenspot-v2 --yes", nothing, lambda at: files(at / "cache/tapwright/data")
    ),
    "suites": Job(
        "suites install browsergym --python ./python --dir suites",
        interpreter,
        lambda at: files(at / "suites"),
    ),
    "split": Job(
        "episodes split store --by episode --ratio 0.6,0.4 --as stores -o out",
        store,
        lambda at: [changes(one) for one in sorted((at / "out").iterdir())],
        done="out: already exists",
    ),
}


@contextmanager
def servers(
    answer: Callable[[Mapping[str, JsonValue]], str],
) -> Iterator[Callable[[Path], dict[str, str]]]:
    """A model's server that answers so, and a hub; yields the environment of a job in a directory.

    What the job keeps beside it, such as data sets and copies of shared stores, is in there, too.
    """
    files = {"OS-Copilot/ScreenSpot-v2": screenspot_v2()}
    with FakeChatServer(answer) as server, serve(Public(files=files)) as public:
        yield lambda at: {
            "TMPDIR": str(at / "tmp"),
            "XDG_CACHE_HOME": str(at / "cache"),
            "TAPWRIGHT_BASE_URL": server.base_url,
            "HF_ENDPOINT": public.hub,
            "HF_TOKEN": "",
        }


def answer_as(name: str, body: Mapping[str, JsonValue]) -> str:
    """What the model's server says to a job."""
    return explain(body) if name == "model" else "A"


def make_older(folder: Path) -> None:
    """What was made just now may be somebody's who is still about to lock it."""
    for path in folder.rglob("*"):
        os.utime(path, (1e9, 1e9), follow_symlinks=False)


def left_behind(folder: Path) -> list[Path]:
    """What lies in the directory for temporary files, but for empty files of Python's own."""
    return [path for path in folder.iterdir() if path.is_dir() or path.stat().st_size]
