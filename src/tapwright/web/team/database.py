"""One database for a team: a file of SQLite's, or a server of PostgreSQL's, used alike.

Whoever writes has the database for themselves meanwhile: `BEGIN IMMEDIATE` in SQLite, a lock on
the claims in PostgreSQL. People ask a few times a minute, and so there is no race to think about.
The clock is the database's, so that several servers with one database agree about what has lapsed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, extract, func, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.orm import Session

from tapwright.errors import MissingExtraError, UsageError
from tapwright.web.errors import DatabaseError
from tapwright.web.team.tables import SCHEMA, Base, Claim, Release

__all__ = ["Clock", "Database", "database_clock"]

Clock = Callable[[Session], float]
"""What time it is, in seconds since 1970."""

_BUSY_S = 30
_WRITES = "tapwright_writes"


def database_clock(session: Session) -> float:
    """The database's own clock."""
    if session.get_bind().dialect.name == "sqlite":
        now = select((func.julianday("now") - 2440587.5) * 86400.0)
    else:
        now = select(extract("epoch", func.clock_timestamp()))
    return float(session.execute(now).scalar_one())


class Database:
    """The team's database, with its tables made when there are none.

    Raises:
        UsageError: the URL is none of SQLite's or PostgreSQL's.
        MissingExtraError: it is PostgreSQL's, whose driver is not installed.
        DatabaseError: it cannot be reached, or another version of tapwright made its tables.
    """

    def __init__(self, url: str, clock: Clock = database_clock) -> None:
        self._url = _url(url)
        self._clock = clock
        self._engine = _engine(self._url)
        with self.writing() as session:
            Base.metadata.create_all(session.connection())
            found = session.execute(select(Release.schema)).scalars().all()
            if not found:
                session.add(Release(schema=SCHEMA))
            elif found != [SCHEMA]:
                raise DatabaseError(
                    f"{self}: has tables of version {found[0]}; this tapwright knows {SCHEMA}",
                    hint="use the tapwright that made it, or another database",
                )

    def __str__(self) -> str:
        """Its URL, without the password."""
        return self._url.render_as_string(hide_password=True)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that changes nothing."""
        with self._told(), self._engine.connect() as connection, connection.begin():
            yield Session(connection)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that nobody else's write comes between; undone when the block fails."""
        with self._told(), self._engine.connect() as connection:
            connection = connection.execution_options(**{_WRITES: True})
            with connection.begin(), Session(connection, expire_on_commit=False) as session:
                if connection.dialect.name == "postgresql":
                    _lock(connection)
                yield session
                session.flush()

    def now(self, session: Session) -> float:
        """What time it is, on the clock that every server of the team goes by."""
        return self._clock(session)

    def close(self) -> None:
        """Let go of every connection."""
        self._engine.dispose()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise DatabaseError(
                f"{self}: {str(error.orig).strip()}",
                hint="see that the database is there, takes our user, and is not full; "
                "what was recorded is on disk whatever it says",
            ) from error


def _url(text_: str) -> URL:
    try:
        url = make_url(text_)
    except ArgumentError as error:
        raise UsageError(
            "the team's database is no URL",
            hint="such as sqlite:///team.db or postgresql://user@host/name",
        ) from error
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        raise UsageError(
            f"a team's database cannot be {url.render_as_string()}",
            hint="such as sqlite:///team.db or postgresql://user@host/name",
        )
    return url.set(drivername="sqlite")


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "postgresql":
        try:
            return create_engine(url, pool_pre_ping=True)
        except ModuleNotFoundError as error:
            raise MissingExtraError("a team's database in PostgreSQL", "postgres") from error
    engine = create_engine(url, connect_args={"timeout": _BUSY_S, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def connected(connection: Any, record: object) -> None:
        connection.isolation_level = None  # transactions begin where `begin` says
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _lock(connection: Connection) -> None:
    """Wait until no other transaction of the team's writes; what only reads goes on."""
    key = int.from_bytes(Claim.__tablename__.encode()[:7], "big")
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})
