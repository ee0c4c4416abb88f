"""Databases of both kinds, fresh for each test."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

from tests.web.team.postgres import server

MakeUrl = Callable[[], str]


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with server() as host:
        yield host


@pytest.fixture(params=["sqlite", "postgresql"])
def make_url(request: pytest.FixtureRequest, tmp_path: Path) -> MakeUrl:
    """Gives the URL of a new, empty database each time that it is called."""
    numbers = count()
    if request.param == "sqlite":
        return lambda: f"sqlite:///{tmp_path}/team-{next(numbers)}.db"
    host = request.getfixturevalue("postgres")

    def fresh() -> str:
        name = f"t{abs(hash(tmp_path))}_{next(numbers)}"
        with psycopg.connect(
            f"host={host} user=tapwright dbname=postgres", autocommit=True
        ) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"postgresql://tapwright@/{name}?host={host}"

    return fresh


@pytest.fixture
def url(make_url: MakeUrl) -> str:
    return make_url()
