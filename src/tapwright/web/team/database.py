"""A team's database: an SQLite file or a PostgreSQL server, used alike.

Writing transactions are serialized: `BEGIN IMMEDIATE` in SQLite, an advisory lock in PostgreSQL.
A team writes a few times a minute, so this costs nothing and rules out races. The clock is the
database's, so that several servers with one database agree about what has lapsed.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from weakref import finalize

from sqlalchemy import (
    Connection,
    Engine,
    create_engine,
    event,
    extract,
    func,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.orm import Session

from tapwright.errors import MissingExtraError, NothingFoundError, UsageError, quote_path
from tapwright.web.errors import DatabaseError
from tapwright.web.team.tables import SCHEMA, Base, Claim, SchemaVersion

__all__ = ["Clock", "Database", "database_clock"]

Clock = Callable[[Session], float]
"""Reads the time, in seconds since 1970."""

_BUSY_S = 30
_WRITES = "tapwright_writes"


def database_clock(session: Session) -> float:
    """The database's own clock, in seconds since 1970."""
    if session.get_bind().dialect.name == "sqlite":
        now = select((func.julianday("now") - 2440587.5) * 86400.0)
    else:
        now = select(extract("epoch", func.clock_timestamp()))
    return float(session.execute(now).scalar_one())


class Database:
    """The team's database; with `make` its tables are created when there are none.

    Raises:
        UsageError: the URL is not one of SQLite or PostgreSQL.
        NothingFoundError: there are none, and none are to be made.
        MissingExtraError: it is PostgreSQL, whose driver is not installed.
        DatabaseError: it cannot be reached, or its tables are of another schema version.
    """

    def __init__(self, url: str, clock: Clock = database_clock, *, make: bool = True) -> None:
        self._url = _url(url)
        self._clock = clock
        self._engine = _engine(self._url)
        self.close = finalize(self, self._engine.dispose)
        """Closes every connection; it is called when nothing refers to the database, too."""
        if not make and not self._has_tables():
            database = quote_path(str(self))
            raise NothingFoundError(
                f"{self}: there is no team",
                hint=f"check --team; to begin one: "
                f"tapwright team add NAME --role admin --team {database}",
            )
        with self.writing() as session:
            if make:
                Base.metadata.create_all(session.connection())
            found = session.execute(select(SchemaVersion.schema)).scalars().all()
            if not found:
                session.add(SchemaVersion(schema=SCHEMA))
            elif found != [SCHEMA]:
                raise DatabaseError(
                    f"{self}: the tables have version {found[0]}; expected {SCHEMA}",
                    hint="use the version of tapwright that created them, or another database",
                )

    def __str__(self) -> str:
        """Its URL, without the password."""
        return self._url.render_as_string(hide_password=True)

    def _has_tables(self) -> bool:
        """Whether it is a team's; a file that is not there, or another program's, stays so."""
        if self._engine.dialect.name != "sqlite":
            with self._translated_errors():
                return inspect(self._engine).has_table(SchemaVersion.__tablename__)
        path = Path(str(self._url.database))
        if not path.exists():
            return False
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
                found = file.execute(
                    "SELECT 1 FROM sqlite_master WHERE name = ?", (SchemaVersion.__tablename__,)
                )
                return found.fetchone() is not None
        except sqlite3.DatabaseError as error:
            raise DatabaseError(f"{self}: {error}", hint="check --team") from error

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A read-only transaction."""
        with self._translated_errors(), self._engine.connect() as connection, connection.begin():
            yield Session(connection)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A serialized writing transaction; rolled back when the block fails."""
        with self._translated_errors(), self._engine.connect() as connection:
            connection = connection.execution_options(**{_WRITES: True})
            with connection.begin(), Session(connection, expire_on_commit=False) as session:
                if connection.dialect.name == "postgresql":
                    _lock(connection)
                yield session
                session.flush()

    def now(self, session: Session) -> float:
        """The time on the clock that all servers of the team share, in seconds since 1970."""
        return self._clock(session)

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise DatabaseError(
                f"{self}: {str(error.orig).strip()}",
                hint="check that the database is running, accepts this user, and is not full; "
                "what was recorded is on disk",
            ) from error


def _url(text_: str) -> URL:
    try:
        url = make_url(text_)
    except ArgumentError as error:
        raise UsageError(
            "the team's database is not a valid URL",
            hint="for example sqlite:///team.db or postgresql://user@host/name",
        ) from error
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        raise UsageError(
            f"{url.render_as_string()} is not supported as a team's database",
            hint="for example sqlite:///team.db or postgresql://user@host/name",
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
        connection.isolation_level = None  # `begin` below starts transactions
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _lock(connection: Connection) -> None:
    """Wait until no other transaction of the team writes; readers are not blocked."""
    key = int.from_bytes(Claim.__tablename__.encode()[:7], "big")
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})
