import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tapwright.files.errors import RemoteFileError
from tapwright.files.place import Place
from tapwright.formats.shared.log import make_shared
from tapwright.formats.shared.push import WorkingCopy
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import read_tags
from tests.formats.s3_server import S3Server, s3_server
from tests.store.episodes import episode

pytestmark = pytest.mark.slow

WRITERS, EPISODES, KILLS = 8, 3, 8


@pytest.fixture(scope="session")  # clients remember its port, and other tests may come between
def server() -> Iterator[S3Server]:
    with s3_server() as running:
        yield running


@pytest.fixture
def s3(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    for name, value in server.variables.items():
        monkeypatch.setenv(name, value)
    yield server
    server.fail()


def make_store(s3: S3Server, name: str) -> str:
    url = s3.make_bucket(name) + "/store"
    make_shared(Place(url))
    return url


def start(url: str, directory: Path, name: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.formats.shared_writer", url, str(directory), name]
    return subprocess.Popen([*command, str(EPISODES)], env=dict(os.environ))


@pytest.mark.long
def test_of_eight_killed_writers_on_a_bad_network_nothing_is_lost_or_doubled(
    s3: S3Server, tmp_path: Path
) -> None:
    url = make_store(s3, "eight")
    first = WorkingCopy(url, tmp_path / "first")
    EpisodeStore(tmp_path / "first").write(episode(2, "common"))
    first.push()
    s3.fail(drop=0.1, err=0.1, repeat=0.1, cut=0.05, slow_s=0.05, lag_s=3)
    chance, kills = random.Random(1), KILLS
    running = {f"w{one}": start(url, tmp_path / f"w{one}", f"w{one}") for one in range(WRITERS)}
    while running:
        time.sleep(0.2)
        name = chance.choice(list(running))
        if kills:
            running[name].kill()
            running[name].wait()
            kills -= 1
        if (ended := running[name].poll()) is not None:
            del running[name]
            if ended:
                running[name] = start(url, tmp_path / name, name)
    s3.fail()
    reader = WorkingCopy(url, tmp_path / "reader")
    reader.fetch()
    expected = [f"w{one}-{number}" for one in range(WRITERS) for number in range(EPISODES)]
    ids = EpisodeStore(tmp_path / "reader").ids()
    assert sorted(ids) == sorted(["common", *expected])
    assert sorted(one.id for one in reader.entries()) == sorted(ids)
    for id_ in expected:
        here, there = (EpisodeStore(tmp_path / place) for place in ("reader", id_.split("-")[0]))
        assert here.read(id_) == there.read(id_)
    assert set(read_tags(tmp_path / "reader/common")) == {f"by-w{one}" for one in range(WRITERS)}


def test_a_bucket_without_rights_is_named_and_what_is_here_is_put_later(
    s3: S3Server, tmp_path: Path
) -> None:
    url = make_store(s3, "rights")
    copy = WorkingCopy(url, tmp_path)
    EpisodeStore(tmp_path).write(episode(1, "one"))
    for code, way_out in (
        ("AccessDenied", "renew the keys"),
        ("ExpiredToken", "renew the keys"),
        ("RequestTimeTooSkewed", "set the clock"),
    ):
        s3.fail(refuse=code)
        with pytest.raises(RemoteFileError, match=f"rights/store/.*{code}") as refused:
            copy.push()
        assert way_out in refused.value.hint
    s3.fail()
    copy.push()
    assert [one.id for one in copy.entries()] == ["one"]


def test_keys_that_expire_midway_lose_nothing_and_double_nothing(
    s3: S3Server, tmp_path: Path
) -> None:
    url, put, stopped = make_store(s3, "midway"), list[str](), 0
    copy = WorkingCopy(url, tmp_path / "a")
    copy.push()
    for after in range(12):
        put.append(f"e{after:02d}")
        EpisodeStore(copy.directory).write(episode(2, put[-1]))
        s3.fail(refuse="ExpiredToken", after=after)
        try:
            copy.push()
        except RemoteFileError:
            stopped += 1
        s3.fail()
        copy.push()
    assert 3 < stopped < 12
    reader = WorkingCopy(url, tmp_path / "reader")
    reader.fetch()
    assert sorted(EpisodeStore(reader.directory).ids()) == sorted(put)
    assert (len(reader.entries()), reader.number) == (len(put), len(put))


def test_a_commit_that_is_done_twice_and_answered_with_an_error_is_one(
    s3: S3Server, tmp_path: Path
) -> None:
    url = make_store(s3, "twice")
    copy = WorkingCopy(url, tmp_path / "a")
    EpisodeStore(copy.directory).write(episode(1, "one"))
    s3.fail(repeat=1.0, err=0.7)
    with suppress(RemoteFileError):
        copy.push()
    s3.fail(repeat=1.0)
    copy.push()
    reader = WorkingCopy(url, tmp_path / "reader")
    reader.fetch()
    assert (EpisodeStore(reader.directory).ids(), reader.number) == (["one"], 1)


def test_a_store_that_overwrites_is_no_place_for_many_writers(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(s3.make_bucket("overwrites") + "/store")
    s3.fail(overwrites=True)
    with pytest.raises(RemoteFileError, match="overwrite each other"):
        make_shared(place)
