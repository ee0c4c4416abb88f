"""The team's tables: who belongs to it, what is to be recorded, and who took what.

Times are seconds since 1970 on the database's clock. Names of people and tasks are text, so that
what somebody did stays readable when they have left, and when the suite is gone.
"""

from sqlalchemy import CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

__all__ = ["SCHEMA", "Account", "Base", "Claim", "Item", "Release", "Session"]

SCHEMA = 1
"""The version of these tables, which a database says of itself."""


class Base(DeclarativeBase):
    """What every table is declared under."""


class Release(Base):
    """One row: which version of the tables a database has."""

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


class Session(Base):
    """A browser that somebody signed in with; `cookie` is the SHA-256 of its cookie."""

    __tablename__ = "team_session"

    cookie: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(ForeignKey("team_account.name"))
    until: Mapped[float]


class Item(Base):
    """A task that is to be recorded `copies` times, each time by another person.

    `only` names the one person whom it waits for; 0 copies is an item that was withdrawn.
    """

    __tablename__ = "team_item"
    __table_args__ = (CheckConstraint("copies >= 0"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    suite: Mapped[str] = mapped_column(String(1000))
    task: Mapped[str] = mapped_column(String(1000))
    copies: Mapped[int]
    only: Mapped[str | None] = mapped_column(ForeignKey("team_account.name"))


class Claim(Base):
    """One person's go at an item: there is at most one of each.

    It is held until `until`, and lapses then. `done` is when it was completed. `episode` is what
    was recorded of it so far, or in the end. One that was given back has `until` 0.
    """

    __tablename__ = "team_claim"
    __table_args__ = (Index("team_claim_of", "name"),)

    item: Mapped[int] = mapped_column(ForeignKey("team_item.id"), primary_key=True)
    name: Mapped[str] = mapped_column(ForeignKey("team_account.name"), primary_key=True)
    until: Mapped[float]
    done: Mapped[float | None]
    episode: Mapped[str | None] = mapped_column(String(1000))
