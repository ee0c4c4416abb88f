"""The team's tables: accounts, logins, tasks to be recorded, who claimed which, and saved views.

Times are seconds since 1970 on the database's clock. Names of people and tasks are text, so that
old work stays readable when its author has left or its suite is gone.
"""

from sqlalchemy import CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

__all__ = [
    "SCHEMA", "Account", "Base", "Claim", "LoginSession", "QueueItem", "SavedView", "SchemaVersion",
]  # fmt: skip

SCHEMA = 1
"""The version of these tables, which each database stores; a table that is only added keeps it."""


class Base(DeclarativeBase):
    """The declarative base of all tables."""


class SchemaVersion(Base):
    """One row: the version of a database's tables."""

    __tablename__ = "team_release"

    schema: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class Account(Base):
    """A member. `token` is the SHA-256 of their token; None when they have left."""

    __tablename__ = "team_account"
    __table_args__ = (CheckConstraint("role IN ('annotator', 'reviewer', 'admin')"),)

    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    role: Mapped[str] = mapped_column(String(20))
    token: Mapped[str | None] = mapped_column(String(64), unique=True)
    since: Mapped[float]


class LoginSession(Base):
    """A browser that is signed in; `cookie` is the SHA-256 of its cookie."""

    __tablename__ = "team_session"

    cookie: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(ForeignKey("team_account.name"))
    until: Mapped[float]


class QueueItem(Base):
    """A task that is to be recorded `copies` times, each time by another person.

    `only` is the one person it is assigned to, if any; a withdrawn item has 0 copies.
    """

    __tablename__ = "team_item"
    __table_args__ = (CheckConstraint("copies >= 0"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    suite: Mapped[str] = mapped_column(String(1000))
    task: Mapped[str] = mapped_column(String(1000))
    copies: Mapped[int]
    only: Mapped[str | None] = mapped_column(ForeignKey("team_account.name"))


class Claim(Base):
    """One person's claim of an item: there is at most one of each.

    It lapses at `until`. `done` is when it was completed. `episode` is the recording, so far or
    complete. A released claim has `until` 0.
    """

    __tablename__ = "team_claim"
    __table_args__ = (Index("team_claim_of", "name"),)

    item: Mapped[int] = mapped_column(ForeignKey("team_item.id"), primary_key=True)
    name: Mapped[str] = mapped_column(ForeignKey("team_account.name"), primary_key=True)
    until: Mapped[float]
    done: Mapped[float | None]
    episode: Mapped[str | None] = mapped_column(String(1000))


class SavedView(Base):
    """A view of the list of episodes that a member has named; `shared` ones are seen by all."""

    __tablename__ = "team_view"

    owner: Mapped[str] = mapped_column(ForeignKey("team_account.name"), primary_key=True)
    name: Mapped[str] = mapped_column(String(80), primary_key=True)
    query: Mapped[str] = mapped_column(String(4000))
    shared: Mapped[bool]
