"""The team's accounts: members, their tokens, and the browsers that they signed in with."""

import secrets
from dataclasses import dataclass

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from tapwright.web.auth import SESSION_S, Role, User, roles_of, token_hash
from tapwright.web.errors import ACCOUNT, UnauthenticatedError
from tapwright.web.team.database import Database
from tapwright.web.team.tables import Account, Claim, LoginSession

__all__ = ["Accounts", "Member", "SignedIn"]

_MAX_NAME = 100
_ID_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the team; `since` is in seconds since 1970."""

    name: str
    role: Role
    since: float


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A browser in which a member is signed in; times are in seconds since 1970.

    `id` is the begin of the cookie's hash: it names the session, and nobody can sign in with it.
    """

    id: str
    name: str
    since: float
    until: float


class Accounts:
    """The accounts of one database, as an `Authenticator`."""

    requires_login = True

    def __init__(self, database: Database) -> None:
        self._database = database

    def members(self) -> list[Member]:
        """All members by name, without those who have left."""
        with self._database.reading() as session:
            found = session.scalars(
                select(Account).where(Account.token.is_not(None)).order_by(Account.name)
            )
            return [Member(one.name, _role(one.role), one.since) for one in found]

    def add(self, name: str, role: Role) -> str:
        """Add a member, or one who has left again; returns their token, which is not stored.

        Raises:
            TapwrightError: the name is taken, empty, too long, or has a control character.
        """
        if not name.strip() or len(name) > _MAX_NAME or not name.isprintable():
            raise ACCOUNT(
                f"{name[:40]!r} is not a valid name; expected 1 to {_MAX_NAME} printable characters"
            )
        token = _new_token()
        with self._database.writing() as session:
            found = session.get(Account, name)
            if found is not None and found.token is not None:
                raise ACCOUNT(
                    f"{name} is already in the team", hint=f"tapwright team rotate {name}"
                )
            if found is None:
                now = self._database.now(session)
                session.add(Account(name=name, role=role, token=token_hash(token), since=now))
            else:
                found.role, found.token = role, token_hash(token)
        return token

    def rotate(self, name: str) -> str:
        """Replace a member's token, and sign out their browsers; returns the new token.

        Raises:
            TapwrightError: no member has this name.
        """
        token = _new_token()
        with self._database.writing() as session:
            self._find_member(session, name).token = token_hash(token)
            session.execute(delete(LoginSession).where(LoginSession.name == name))
        return token

    def set_role(self, name: str, role: Role) -> None:
        """Give a member another role.

        Raises:
            TapwrightError: no member has this name.
        """
        with self._database.writing() as session:
            self._find_member(session, name).role = role

    def remove(self, name: str) -> None:
        """Remove a member. Their recordings stay theirs; their leases return to the queue.

        Raises:
            TapwrightError: no member has this name.
        """
        with self._database.writing() as session:
            self._find_member(session, name).token = None
            session.execute(delete(LoginSession).where(LoginSession.name == name))
            held = update(Claim).where(Claim.name == name, Claim.done.is_(None))
            session.execute(held.values(until=0.0))

    def find_user(self, cookie: str) -> User | None:
        """The user with this cookie; None when it has expired or was not issued here."""
        if not cookie:
            return None
        with self._database.reading() as session:
            row = session.execute(
                select(Account.name, Account.role, LoginSession.until)
                .join(LoginSession, LoginSession.name == Account.name)
                .where(LoginSession.cookie == token_hash(cookie), Account.token.is_not(None))
            ).one_or_none()
            if row is None or row.until <= self._database.now(session):
                return None
        return User(row.name, roles_of(_role(row.role)))

    def sign_in(self, token: str) -> str:
        """A new cookie for the member with this token.

        Raises:
            UnauthenticatedError: no member has it.
        """
        # The lookup is by a hash of the token, so its duration reveals nothing about the token.
        cookie = secrets.token_urlsafe(32)
        with self._database.writing() as session:
            name = session.scalar(select(Account.name).where(Account.token == token_hash(token)))
            if name is None:
                raise UnauthenticatedError(
                    "no member has this token",
                    hint="an admin can issue a new one: team rotate NAME",
                )
            now = self._database.now(session)
            session.execute(delete(LoginSession).where(LoginSession.until <= now))
            session.add(LoginSession(cookie=token_hash(cookie), name=name, until=now + SESSION_S))
        return cookie

    def sign_out(self, cookie: str) -> None:
        """Invalidate a cookie."""
        with self._database.writing() as session:
            session.execute(delete(LoginSession).where(LoginSession.cookie == token_hash(cookie)))

    def sessions(self) -> list[SignedIn]:
        """The sessions that have not expired, by name, the latest first."""
        with self._database.reading() as session:
            now = self._database.now(session)
            rows = session.scalars(
                select(LoginSession)
                .where(LoginSession.until > now)
                .order_by(LoginSession.name, LoginSession.until.desc())
            )
            return [
                SignedIn(one.cookie[:_ID_LENGTH], one.name, one.until - SESSION_S, one.until)
                for one in rows
            ]

    def end_session(self, id_: str) -> None:
        """Sign out one browser; its open pages end within half a minute.

        Raises:
            TapwrightError: no session has this id.
        """
        with self._database.writing() as session:
            # Compared here: in SQL, a "%" in the id would mean anything.
            found = [
                one
                for one in session.scalars(select(LoginSession))
                if id_ and one.cookie[:_ID_LENGTH] == id_
            ]
            if not found:
                raise ACCOUNT(f"no session is {id_[:40]!r}", hint="tapwright team sessions")
            for one in found:
                session.delete(one)

    def _find_member(self, session: Session, name: str) -> Account:
        found = session.get(Account, name)
        if found is None or found.token is None:
            raise ACCOUNT(f"no member is named {name!r}", hint="tapwright team ls")
        return found


def _new_token() -> str:
    """256 random bits, with a prefix by which people and secret scanners recognise it."""
    return f"tapwright_{secrets.token_urlsafe(32)}"


def _role(text: str) -> Role:
    """A role as the database stores it, which its own check limits to these."""
    match text:
        case "annotator" | "reviewer" | "admin":
            return text
    raise ACCOUNT(f"{text!r} is not a role; expected annotator, reviewer or admin")
