"""Every job, killed at seeded moments and repeated: nothing is lost, doubled or left behind."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.cli.jobs import JOBS
from tests.cli.kill_trials import Trial
from tests.cli.killing import Killer

pytestmark = pytest.mark.slow

MOMENTS = 3


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killer]:
    with Killer(tmp_path_factory.mktemp("killer")) as made:
        yield made


@pytest.mark.parametrize("name", JOBS)
def test_a_job_that_was_killed_ends_as_one_that_was_not(
    name: str, killer: Killer, tmp_path: Path
) -> None:
    tally = Trial(name, JOBS[name], killer, tmp_path).run(MOMENTS, Random(name))
    assert tally.wrong == []
