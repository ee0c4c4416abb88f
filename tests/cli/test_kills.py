"""Every job, killed at seeded moments and repeated: nothing is lost, doubled or left behind."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

import pytest
from pydantic import JsonValue

from tapwright.testing import FakeChatServer
from tests.annotate.answering import explain
from tests.cli.jobs import CONCURRENCY, JOBS, left_behind, make_older
from tests.cli.killing import Ended, Killer

pytestmark = pytest.mark.slow

MOMENTS = int(os.environ.get("KILL_MOMENTS", "3"))
"""Of each job; the environment gives more for a campaign."""


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killer]:
    with Killer(tmp_path_factory.mktemp("killer")) as made:
        yield made


@pytest.mark.parametrize("name", JOBS)
def test_a_job_that_was_killed_ends_as_one_that_was_not(
    name: str, killer: Killer, tmp_path: Path
) -> None:
    job, random = JOBS[name], Random(name)
    bought: Counter[str] = Counter()

    def answer(body: Mapping[str, JsonValue]) -> str:
        bought[json.dumps(body["messages"])] += 1
        return explain(body) if name == "model" else "A"

    def place(name: str) -> Path:
        made = tmp_path / name
        (made / "tmp").mkdir(parents=True)
        job.prepare(made)
        return made

    with FakeChatServer(answer) as server:

        def run(at: Path, words: str = job.words, kill_at: int | None = None) -> Ended:
            surroundings = {"TMPDIR": str(at / "tmp"), "TAPWRIGHT_BASE_URL": server.base_url}
            return killer.run(words.split(), cwd=at, kill_at=kill_at, environment=surroundings)

        undisturbed = place("undisturbed")
        ended = run(undisturbed)
        assert ended.code == job.code, ended.err
        expected, price = job.result(undisturbed), bought.copy()
        moments = random.sample(range(ended.changes), min(MOMENTS, ended.changes))
        for moment in moments:
            bought.clear()
            at = place(str(moment))
            kills = [run(at, kill_at=one).killed for one in (moment, random.choice(moments))]
            make_older(at)
            last = run(at)
            if not (job.done and job.done in last.err):
                assert last.code == job.code, f"killed at {moment}: {last.err}"
            assert job.result(at) == expected, f"killed at {moment}"
            # What was on its way is lost with the process, and what was being written down.
            assert set(bought) == set(price)
            assert (bought - price).total() <= 2 * CONCURRENCY * sum(kills), f"killed at {moment}"
            assert left_behind(at / "tmp") == [], f"killed at {moment}"
            make_older(at)
            assert run(at, "clean").code == 0
            assert not list(at.rglob("*.part")), f"killed at {moment}"
            assert job.result(at) == expected, f"cleaned after {moment}"
