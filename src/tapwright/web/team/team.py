"""A team: its accounts, its queue and its saved views, in one database."""

from tapwright.web.team.accounts import Accounts
from tapwright.web.team.database import Clock, Database, database_clock
from tapwright.web.team.queue import Queue
from tapwright.web.team.saved_views import SavedViews

__all__ = ["Team"]


class Team:
    """A team in one database, which `make` begins where there is none.

    Raises:
        UsageError: the URL is not one of SQLite or PostgreSQL.
        NothingFoundError: there is none, and none is to be made.
        MissingExtraError: it is PostgreSQL, whose driver is not installed.
        DatabaseError: it cannot be reached, or its tables are of another schema version.
    """

    def __init__(self, url: str, clock: Clock = database_clock, *, make: bool = True) -> None:
        self.database = Database(url, clock, make=make)
        self.accounts = Accounts(self.database)
        self.queue = Queue(self.database)
        self.views = SavedViews(self.database)

    def close(self) -> None:
        """Close the connections to the database."""
        self.database.close()
