"""A team's accounts, queue and views as one file, and back: for backups, and to move elsewhere.

The file is JSON Lines: a header with the version of the tables and the number of rows of each,
then one row a line. Tokens are in it as the hashes that the database stores. Sign-ins are not:
members sign in again after a restore.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from sqlalchemy import func, insert, select, text
from sqlalchemy.orm import Session

from tapwright.errors import first_problem
from tapwright.files.atomic import atomic_file
from tapwright.files.jsonl import read_lines
from tapwright.web.errors import BackupError
from tapwright.web.team.database import Database
from tapwright.web.team.tables import SCHEMA, Account, Base, Claim, QueueItem, SavedView

__all__ = ["TeamRows", "read_backup", "read_team", "write_backup", "write_team"]

_FORMAT: Final = "tapwright team"
_EXPECTED: Final = "expected a file of: tapwright team backup"
_Name = Annotated[str, Field(min_length=1, max_length=100)]
_Text = Annotated[str, Field(max_length=1000)]
_Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Time = Annotated[float, Field(allow_inf_nan=False)]
_Id = Annotated[int, Field(ge=1, lt=2**31)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Account(_Row):
    table: Literal["team_account"]
    name: _Name
    role: Literal["annotator", "reviewer", "admin"]
    token: _Sha256 | None
    since: _Time


class _Item(_Row):
    table: Literal["team_item"]
    id: _Id
    suite: _Text
    task: _Text
    copies: Annotated[int, Field(ge=0, lt=2**31)]
    only: _Name | None


class _Claim(_Row):
    table: Literal["team_claim"]
    item: _Id
    name: _Name
    until: _Time
    done: _Time | None
    episode: _Text | None


class _View(_Row):
    table: Literal["team_view"]
    owner: _Name
    name: Annotated[str, Field(min_length=1, max_length=80)]
    query: Annotated[str, Field(max_length=4000)]
    shared: bool


class _Header(_Row):
    format: Literal["tapwright team"]
    schema_: int = Field(alias="schema")
    rows: Annotated[int, Field(ge=0)]


_Key: TypeAlias = tuple[str | int, ...]
_AnyRow: TypeAlias = _Account | _Item | _Claim | _View
TeamRows: TypeAlias = list[_AnyRow]
"""All rows of a team, each after those that it refers to."""

_ROW: TypeAdapter[_AnyRow] = TypeAdapter(Annotated[_AnyRow, Field(discriminator="table")])
_TABLES: Mapping[str, type[Base]] = {
    table.__tablename__: table for table in (Account, QueueItem, Claim, SavedView)
}


def read_team(database: Database) -> TeamRows:
    """Every account, item, claim and view, read in one transaction."""
    rows: TeamRows = []
    with database.reading() as session:
        for name, table in _TABLES.items():
            columns = table.__table__.columns
            for found in session.execute(select(*columns).order_by(*table.__table__.primary_key)):
                rows.append(_ROW.validate_python({"table": name, **found._asdict()}))
    return rows


def write_backup(rows: TeamRows, path: Path) -> None:
    """Write rows to a file, whole or not at all.

    Raises:
        DiskError: the disk is full or not writable; then `path` is as it was.
    """
    header = {"format": _FORMAT, "schema": SCHEMA, "rows": len(rows)}
    with atomic_file(path) as file:
        for line in (header, *(row.model_dump() for row in rows)):
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def read_backup(path: Path) -> TeamRows:
    """The rows of a file of `write_backup`, all checked.

    Raises:
        BackupError: it is no such file, is cut off, is of another version, or a row is not valid
            or refers to one that is not there.
    """
    lines = read_lines(path, BackupError)
    if not lines:
        raise BackupError(f"{path}: no whole line is in it", hint=_EXPECTED)
    header = _parse(TypeAdapter(_Header), lines[0], path, 1)
    if header.schema_ != SCHEMA:
        raise BackupError(
            f"{path}: its tables have version {header.schema_}; expected {SCHEMA}",
            hint="restore it with the version of tapwright that made it",
        )
    rows = [_parse(_ROW, line, path, number) for number, line in enumerate(lines[1:], 2)]
    if len(rows) != header.rows:
        raise BackupError(
            f"{path}: it has {len(rows)} rows; its first line says {header.rows}",
            hint="it was cut off: copy it again",
        )
    _check_references(rows, path)
    return rows


def write_team(rows: TeamRows, database: Database) -> None:
    """Put all rows into a database that has no team yet, in one transaction.

    Raises:
        BackupError: the database has a team already; nothing was written.
    """
    with database.writing() as session:
        _check_empty(session, database)
        for name, table in _TABLES.items():
            values = [row.model_dump(exclude={"table"}) for row in rows if row.table == name]
            if values:
                session.execute(insert(table), values)
        _continue_numbers(session)


def _check_empty(session: Session, database: Database) -> None:
    counts = {
        name: session.scalar(select(func.count()).select_from(table)) or 0
        for name, table in _TABLES.items()
    }
    if any(counts.values()):
        raise BackupError(
            f"{database}: it has a team of {counts['team_account']} accounts and "
            f"{counts['team_item']} items",
            hint="restore into a new database: --team sqlite:///NEW.db or another PostgreSQL name",
        )


def _continue_numbers(session: Session) -> None:
    """The next item gets a number that none has; SQLite does this by itself."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(
            text(
                "SELECT setval(pg_get_serial_sequence('team_item', 'id'), "
                "(SELECT coalesce(max(id), 0) + 1 FROM team_item), false)"
            )
        )


def _check_references(rows: Iterable[_AnyRow], path: Path) -> None:
    """Nothing is there twice, and what a row refers to stands before it."""
    known: set[_Key] = set()
    tokens: set[str] = set()

    def check(number: int, key: _Key, needs: _Key | None) -> None:
        if needs is not None and needs not in known:
            raise BackupError(f"{path}, line {number}: no {needs[0]} before it is {needs[1]!r}")
        if key in known:
            raise BackupError(f"{path}, line {number}: the {key[0]} {key[1]!r} is there twice")

    for number, row in enumerate(rows, 2):
        key: _Key
        match row:
            case _Account(name=name, token=token):
                check(number, key := ("account", name), None)
                if token is not None and token in tokens:
                    raise BackupError(f"{path}, line {number}: two accounts have one token")
                tokens |= {token} if token is not None else set()
            case _Item(id=id_, only=only):
                check(number, key := ("item", id_), None if only is None else ("account", only))
            case _Claim(item=item, name=name):
                check(number, key := ("claim", item, name), ("item", item))
                check(number, key, ("account", name))
            case _View(owner=owner, name=name):
                check(number, key := ("view", owner, name), ("account", owner))
        known.add(key)


def _parse(kind: TypeAdapter[Any], line: bytes, path: Path, number: int) -> Any:
    try:
        return kind.validate_json(line)
    except ValidationError as error:
        raise BackupError(
            f"{path}, line {number}: {first_problem(error)}", hint=_EXPECTED
        ) from error
