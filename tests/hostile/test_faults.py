"""What the system refuses while a job runs: it is told in a line, and the job goes on after it."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random

import pytest

from tests.cli.jobs import JOBS, answer_as, make_older, servers
from tests.cli.killing import FAULTS, Ended, Killer

pytestmark = pytest.mark.slow

NOBODY = 65534
NEGATIVE = re.compile(rb'"(latency_s|seconds|wall_s|duration_s)": ?-')


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killer]:
    with Killer(tmp_path_factory.mktemp("killer")) as made:
        yield made


def place(at: Path, name: str) -> Path:
    (at / "tmp").mkdir(parents=True)
    JOBS[name].prepare(at)
    return at


@pytest.mark.parametrize("name", JOBS)
def test_a_job_goes_on_when_what_the_system_refused_is_allowed_again(
    name: str, killer: Killer, tmp_path: Path
) -> None:
    job, random = JOBS[name], Random(name)
    with servers(partial(answer_as, name)) as surroundings:

        def run(at: Path, fault: str = "", fault_at: int = 0, **limits: int) -> Ended:
            return killer.run(
                job.words.replace("HERE", at.as_uri()).split(),
                cwd=at,
                fault=fault,
                fault_at=fault_at,
                limits=limits,
                environment=surroundings(at),
            )

        whole = place(tmp_path / "undisturbed", name)
        undisturbed = run(whole)
        assert undisturbed.code == job.code, undisturbed.err
        expected = job.result(whole)
        for fault in (*FAULTS, "too long", "too many", "not allowed", "the clock runs back"):
            at = place(tmp_path / fault, name)
            match fault:
                case "too long":
                    ended = run(at, file_bytes=random.choice((0, 300, 1000, 4000)))
                case "too many":
                    ended = run(at, files=random.choice((4, 6, 8)))
                case "not allowed" if os.geteuid() == 0:
                    ended = run(at, uid=NOBODY)
                case "not allowed":
                    with read_only(at):
                        ended = run(at)
                case "the clock runs back":
                    ended = run(at, clock=1)
                    assert ended.code == job.code, ended.err
                    logs = [one.read_bytes() for one in at.rglob("*.jsonl")]
                    assert not any(NEGATIVE.search(log) for log in logs)
                case _:
                    ended = run(at, fault, random.randrange(max(1, undisturbed.changes)))
            told = ended.err
            assert "Traceback" not in told, fault
            assert ended.code in (0, 1), f"{fault}: {told}"
            assert not ended.code or "[TW" in told, f"{fault}: {told}"
            make_older(at)
            last = run(at)
            if not (job.done and job.done in last.err):
                assert last.code == job.code, f"{fault}: {last.err}"
            assert job.result(at) == expected, fault


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """No file can be made or changed below a directory."""
    before = [(one, stat.S_IMODE(one.stat().st_mode)) for one in (folder, *folder.rglob("*"))]
    for path, mode in before:
        path.chmod(mode & ~0o222)
    try:
        yield
    finally:
        for path, mode in before:
            path.chmod(mode)
