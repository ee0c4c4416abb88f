"""`sqlite3` and `content`: databases in the phone's files, and what providers read of them."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing

from tapwright_adb_simulator.shell import ProgramCall
from tapwright_adb_simulator.storage import FileProblem, Storage

SMS = "/data/data/com.android.providers.telephony/databases/mmssms.db"
CONTACTS = "/data/data/com.android.providers.contacts/databases/contacts2.db"

_SCHEMAS: Mapping[str, str] = {
    SMS: """
        CREATE TABLE sms (_id INTEGER PRIMARY KEY, thread_id INTEGER, address TEXT, person INTEGER,
            date INTEGER, date_sent INTEGER DEFAULT 0, protocol INTEGER, read INTEGER DEFAULT 0,
            status INTEGER DEFAULT -1, type INTEGER, subject TEXT, body TEXT,
            service_center TEXT, locked INTEGER DEFAULT 0, sub_id INTEGER DEFAULT -1,
            error_code INTEGER DEFAULT 0, creator TEXT, seen INTEGER DEFAULT 0);
        CREATE TABLE threads (_id INTEGER PRIMARY KEY, date INTEGER, snippet TEXT);""",
    CONTACTS: "CREATE TABLE phones (_id INTEGER PRIMARY KEY, display_name TEXT, number TEXT);",
}
_INBOX, _SENT = 1, 2
_TABLES: Mapping[str, tuple[str, str, str]] = {
    "content://sms": (SMS, "sms", "1"),
    "content://sms/inbox": (SMS, "sms", f"type = {_INBOX}"),
    "content://sms/sent": (SMS, "sms", f"type = {_SENT}"),
    "content://contacts/phones": (CONTACTS, "phones", "1"),
}
"""By URI: the database, the table, and which of its rows."""


async def sqlite3_(call: ProgramCall) -> int:
    """`sqlite3 FILE SQL`: rows with "|" between columns, and a file that is made if need be."""
    words = [word for word in call.arguments if not word.startswith("-")]
    if len(words) != 2:
        return await call.fail("Error: expected a file and a statement\n")
    path, statements = words
    try:
        with closing(open_database(call.system.storage, path)) as database:
            rows = run_statements(database, statements)
            keep_database(call.system.storage, path, database)
    except (sqlite3.Error, FileProblem) as error:
        return await call.fail(f"Error: {error}\n")
    for row in rows:
        await call.write("|".join("" if value is None else str(value) for value in row) + "\n")
    return 0


async def content(call: ProgramCall) -> int:
    """`query`, `insert` and `delete` of messages and contacts; other providers have nothing."""
    options = _options(call.arguments[1:])
    verb, uri = "".join(call.arguments[:1]), "".join(options.get("--uri", [])).rstrip("/")
    if verb not in ("query", "insert", "delete") or not uri:
        return await call.fail("[ERROR] Unsupported command\n")
    if uri not in _TABLES:
        if verb == "query":
            await call.write("No result found.\n")
        return 0
    path, table, which = _TABLES[uri]
    storage = call.system.storage
    with closing(open_database(storage, path)) as database:
        database.row_factory = sqlite3.Row
        match verb:
            case "query":
                asked = "".join(options.get("--projection", []))
                names = ", ".join(f'"{name}"' for name in asked.split(":")) if asked else "*"
                order = "_id DESC" if table == "sms" else "_id"
                rows = database.execute(
                    f"SELECT {names} FROM {table} WHERE {which} ORDER BY {order}"  # noqa: S608
                ).fetchall()
                for number, row in enumerate(rows):
                    told = (f"{n}={'NULL' if row[n] is None else row[n]}" for n in row.keys())  # noqa: SIM118
                    await call.write(f"Row: {number} {', '.join(told)}\n")
                if not rows:
                    await call.write("No result found.\n")
                return 0
            case "insert":
                pairs = [bind.split(":", 2) for bind in options.get("--bind", [])]
                names = ", ".join(f'"{name}"' for name, _, _ in pairs)
                marks = ", ".join("?" for _ in pairs)
                database.execute(
                    f"INSERT INTO {table} ({names}) VALUES ({marks})",  # noqa: S608
                    [value for _, _, value in pairs],
                )
            case _:
                database.execute(f"DELETE FROM {table} WHERE {which}")  # noqa: S608
        database.commit()
        keep_database(storage, path, database)
    return 0


def open_database(storage: Storage, path: str) -> sqlite3.Connection:
    """A database of the phone, in memory; one of the providers has its tables from the start.

    Raises:
        FileProblem: a folder is in the way.
        sqlite3.Error: the file is no database.
    """
    database = sqlite3.connect(":memory:")
    try:
        data = storage.read(path)
    except FileProblem as problem:
        if problem.number != 2:
            database.close()
            raise
        database.executescript(_SCHEMAS.get(path, ""))
        return database
    if data:
        database.deserialize(data)
    return database


def keep_database(storage: Storage, path: str, database: sqlite3.Connection) -> None:
    """Write a database back, without the journals of an earlier one.

    Raises:
        FileProblem: the phone is full.
    """
    storage.write(path, database.serialize())


def run_statements(database: sqlite3.Connection, statements: str) -> list[Sequence[object]]:
    """The rows that statements give, one after the other.

    Raises:
        sqlite3.Error: one of them is wrong.
    """
    rows: list[Sequence[object]] = []
    rest = statements
    while rest.strip():
        end = 0
        while end < len(rest) and not sqlite3.complete_statement(rest[:end]):
            end = rest.find(";", end) + 1 or len(rest)
        rows += database.execute(rest[:end]).fetchall()
        rest = rest[end:]
    database.commit()
    return rows


def _options(words: Sequence[str]) -> dict[str, list[str]]:
    options: dict[str, list[str]] = {}
    given = iter(words)
    for word in given:
        options.setdefault(word, []).append(next(given, ""))
    return options
