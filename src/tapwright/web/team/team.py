"""A team: its accounts and its queue, in one database."""

from tapwright.web.team.accounts import Accounts
from tapwright.web.team.database import Clock, Database, database_clock
from tapwright.web.team.queue import Queue

__all__ = ["Team"]


class Team:
    """What one database says of a team.

    Raises:
        UsageError: the URL is none of SQLite's or PostgreSQL's.
        MissingExtraError: it is PostgreSQL's, whose driver is not installed.
        DatabaseError: it cannot be reached, or another version of tapwright made its tables.
    """

    def __init__(self, url: str, clock: Clock = database_clock) -> None:
        self.database = Database(url, clock)
        self.accounts = Accounts(self.database)
        self.queue = Queue(self.database)

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()
