"""What checks found, by the stamps of the files: what has not changed is not checked again.

`<store>/.catalog/checks.sqlite` may be deleted at any time; where it cannot be written, or a
network makes its locks unsure, every check is done.
"""

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TypeAlias

from tapwright.curate.check.finding import EpisodeFinding
from tapwright.store.catalog_file import is_on_network

__all__ = ["CheckMemory", "Checked", "read_findings", "stamp_episode", "write_findings"]

_RULES = 2
"""To be raised when a check finds something else in the same files."""

_SETTLED_NS = 2_000_000_000

_RECALL = "SELECT stamp, found FROM checks WHERE id = ? AND fast <= ? ORDER BY fast DESC"

Checked: TypeAlias = tuple[str, str, str]
"""An episode's id, the stamp of its files, and what was found, as JSON."""


def stamp_episode(directory: Path) -> str:
    """A stamp of all files of an episode: names, sizes, inodes and times of change.

    It is "" when one changed a moment ago, and may change again within the same tick of the clock.
    """
    parts: list[tuple[str, int, int, int]] = []
    newest, folders = 0, [str(directory)]
    try:
        while folders:
            with os.scandir(folders.pop()) as entries:
                for one in entries:
                    found = one.stat()
                    newest = max(newest, found.st_mtime_ns)
                    parts.append((one.path, found.st_size, found.st_mtime_ns, found.st_ino))
                    if one.is_dir():
                        folders.append(one.path)
    except OSError:
        return ""  # the check says what is wrong
    if newest > time.time_ns() - _SETTLED_NS:
        return ""
    return hashlib.sha256(repr((_RULES, sorted(parts))).encode("utf-8", "replace")).hexdigest()


class CheckMemory:
    """Remembers the checks of the store at `root`; those of every byte apart from the fast ones."""

    def __init__(self, root: Path) -> None:
        self._connection: sqlite3.Connection | None = None
        if is_on_network(root):
            return
        path = root / ".catalog" / "checks.sqlite"
        if path.is_symlink() or path.parent.is_symlink():
            return
        for attempt in range(2):
            with suppress(OSError, sqlite3.Error):
                path.parent.mkdir(exist_ok=True)
                self._connection = _open(path)
                return
            if not attempt:
                with suppress(OSError):
                    path.unlink()

    def recall(self, ids: Sequence[str], *, fast: bool) -> Mapping[str, Checked]:
        """The checks of episodes; one of every byte counts as a fast one, too."""
        found: dict[str, Checked] = {}
        if self._connection is not None:
            with suppress(sqlite3.Error):
                for id_ in ids:
                    rows = self._connection.execute(_RECALL, (_key(id_), fast))
                    for stamp, text in rows:
                        found[id_] = id_, stamp, text
        return found

    def remember(self, checked: Iterable[Checked], *, fast: bool) -> None:
        """Write down what was found."""
        if self._connection is None:
            return
        rows = [(_key(id_), fast, stamp, text) for id_, stamp, text in checked if stamp]
        with suppress(sqlite3.Error), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO checks VALUES (?, ?, ?, ?)", rows)

    def close(self) -> None:
        """Close the file; more than once is allowed."""
        if self._connection is not None:
            self._connection.close()


def write_findings(findings: Iterable[EpisodeFinding]) -> str:
    """Findings as JSON; "" for none."""
    listed = [asdict(one) for one in findings]
    return json.dumps(listed) if listed else ""


def read_findings(text: str) -> list[EpisodeFinding]:
    """The findings that `write_findings` wrote."""
    return [EpisodeFinding(**one) for one in json.loads(text)] if text else []


def _key(id_: str) -> bytes:
    return id_.encode("utf-8", "surrogatepass")


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=30)
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS checks (id, fast, stamp, found, PRIMARY KEY (id, fast)) "
            "WITHOUT ROWID"
        )
        connection.execute("SELECT id, fast, stamp, found FROM checks LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection
