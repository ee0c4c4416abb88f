"""Who belongs to the team: accounts by token, and the browsers that they signed in with."""

import secrets
from dataclasses import dataclass

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session as Transaction

from tapwright.web.auth import SESSION_S, Role, User, roles_of, token_hash
from tapwright.web.errors import AccountError, UnauthenticatedError
from tapwright.web.team.database import Database
from tapwright.web.team.tables import Account, Claim, Session

__all__ = ["Accounts", "Member"]

_MAX_NAME = 100


@dataclass(frozen=True, slots=True)
class Member:
    """Someone of the team; `since` is in seconds since 1970."""

    name: str
    role: Role
    since: float


class Accounts:
    """The accounts of one database, and the door that they open."""

    closed = True

    def __init__(self, database: Database) -> None:
        self._database = database

    def members(self) -> list[Member]:
        """Everybody, by name; who has left is not among them."""
        with self._database.reading() as session:
            found = session.scalars(
                select(Account).where(Account.token.is_not(None)).order_by(Account.name)
            )
            return [Member(one.name, _role(one.role), one.since) for one in found]

    def add(self, name: str, role: Role) -> str:
        """A new member's token, which is told this once; who left may come back.

        Raises:
            AccountError: the name is taken, empty, too long, or has a control character.
        """
        if not name.strip() or len(name) > _MAX_NAME or not name.isprintable():
            raise AccountError(f"{name[:40]!r} is no name: 1 to {_MAX_NAME} printable characters")
        token = _new_token()
        with self._database.writing() as session:
            found = session.get(Account, name)
            if found is not None and found.token is not None:
                raise AccountError(
                    f"{name} is in the team already", hint=f"tapwright team rotate {name}"
                )
            if found is None:
                now = self._database.now(session)
                session.add(Account(name=name, role=role, token=token_hash(token), since=now))
            else:
                found.role, found.token = role, token_hash(token)
        return token

    def rotate(self, name: str) -> str:
        """A member's new token; the old one and every browser of theirs are shut out.

        Raises:
            AccountError: nobody has this name.
        """
        token = _new_token()
        with self._database.writing() as session:
            self._member(session, name).token = token_hash(token)
            session.execute(delete(Session).where(Session.name == name))
        return token

    def change(self, name: str, role: Role) -> None:
        """Give a member another role.

        Raises:
            AccountError: nobody has this name.
        """
        with self._database.writing() as session:
            self._member(session, name).role = role

    def remove(self, name: str) -> None:
        """Shut a member out. What they did stays theirs; what they held goes back to the queue.

        Raises:
            AccountError: nobody has this name.
        """
        with self._database.writing() as session:
            self._member(session, name).token = None
            session.execute(delete(Session).where(Session.name == name))
            held = update(Claim).where(Claim.name == name, Claim.done.is_(None))
            session.execute(held.values(until=0.0))

    def user_of(self, cookie: str) -> User | None:
        """Who has this cookie; None when it has run out, or is not one of ours."""
        if not cookie:
            return None
        with self._database.reading() as session:
            row = session.execute(
                select(Account.name, Account.role, Session.until)
                .join(Session, Session.name == Account.name)
                .where(Session.cookie == token_hash(cookie), Account.token.is_not(None))
            ).one_or_none()
            if row is None or row.until <= self._database.now(session):
                return None
        return User(row.name, roles_of(_role(row.role)))

    def sign_in(self, token: str) -> str:
        """A cookie for who has this token.

        Raises:
            UnauthenticatedError: nobody has it.
        """
        # What is looked up is a hash of what was given, so how long it takes tells nothing of it.
        cookie = secrets.token_urlsafe(32)
        with self._database.writing() as session:
            name = session.scalar(select(Account.name).where(Account.token == token_hash(token)))
            if name is None:
                raise UnauthenticatedError(
                    "nobody has this token", hint="an admin can make a new one: team rotate NAME"
                )
            now = self._database.now(session)
            session.execute(delete(Session).where(Session.until <= now))
            session.add(Session(cookie=token_hash(cookie), name=name, until=now + SESSION_S))
        return cookie

    def sign_out(self, cookie: str) -> None:
        """Forget a cookie."""
        with self._database.writing() as session:
            session.execute(delete(Session).where(Session.cookie == token_hash(cookie)))

    def _member(self, session: Transaction, name: str) -> Account:
        found = session.get(Account, name)
        if found is None or found.token is None:
            raise AccountError(f"nobody in the team is called {name!r}", hint="tapwright team ls")
        return found


def _new_token() -> str:
    """256 bits of chance, with a word in front by which people and scanners know what it is."""
    return f"tapwright_{secrets.token_urlsafe(32)}"


def _role(text: str) -> Role:
    """A role as the database holds it; its own check lets no other in."""
    match text:
        case "annotator" | "reviewer" | "admin":
            return text
    raise AccountError(f"{text!r} is no role: annotator, reviewer or admin")
