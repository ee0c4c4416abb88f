"""I Hate Money (https://ihatemoney.org, 7.2): a budget that friends share; the address signs in."""

import hashlib
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from serving import Content, Environ, WsgiApp, run

_SECRET = "not a secret: it signs the cookies of a site of examples"
_MIGRATED = "budget.db"


class IHateMoneySite:
    """One project, whose people have no accounts of their own."""

    database = _MIGRATED
    folders = ()

    def __init__(self) -> None:
        self._app: Any = None

    def build(self, folder: Path, content: Content) -> None:
        """Make the project through the site's own models."""
        from ihatemoney.models import Bill, LoggingMode, Person, Project, db

        app = self._create(folder)
        with app.app_context():
            db.session.add(
                Project(
                    id=content["project"],
                    name=content["title"],
                    password=_hash(content["password"]),
                    contact_email=content["email"],
                    default_currency=content["currency"],
                    logging_preference=LoggingMode.DISABLED,
                )
            )
            people = {}
            for one in content["people"]:
                person = Person(
                    name=one["name"], weight=one["weight"], project_id=content["project"]
                )
                people[one["name"]] = person
                db.session.add(person)
                db.session.flush()
            for one in content["bills"]:
                bill = Bill(
                    amount=one["amount"],
                    date=date.fromisoformat(one["date"]),
                    original_currency=content["currency"],
                    owers=[people[name] for name in one["for"]],
                    payer_id=people[one["payer"]].id,
                    project_default_currency=content["currency"],
                    what=one["what"],
                    bill_type=one["type"],
                )
                bill.creation_date = bill.date
                db.session.add(bill)
                db.session.flush()
            db.session.commit()
            db.session.remove()
            db.engine.dispose()

    def open(self, folder: Path) -> WsgiApp:
        """Open the site."""
        self._app = self._create(folder)
        application: WsgiApp = self._app
        return application

    def take_over(self, content: Content) -> None:
        """Close the connections: what they hold was replaced."""
        from ihatemoney.models import db

        with self._app.app_context():
            db.session.remove()
            db.engine.dispose()

    def prepare(self, environ: Environ, content: Content) -> None:
        """Everybody reads one language, and "/" is where the invitation leads."""
        environ["HTTP_ACCEPT_LANGUAGE"] = content["locale"]
        if environ["PATH_INFO"] == "/":
            environ["PATH_INFO"] = self._invitation(content["user"])

    def _invitation(self, project: str) -> str:
        from ihatemoney.models import Project

        with self._app.app_context():
            return f"/{project}/join/{Project.query.get(project).generate_token()}"

    def _create(self, folder: Path) -> Any:
        import requests
        from ihatemoney.run import create_app

        def refuse(*_: object, **__: object) -> None:
            raise requests.ConnectionError("the rates of currencies are not asked for")

        requests.get = refuse
        settings = type(
            "Settings",
            (),
            {
                "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder / _MIGRATED}",
                "SECRET_KEY": _SECRET,
                "SESSION_COOKIE_SECURE": False,
                "ACTIVATE_DEMO_PROJECT": False,
                "ALLOW_PUBLIC_PROJECT_CREATION": False,
                "BABEL_DEFAULT_TIMEZONE": "UTC",
                "RATELIMIT_ENABLED": False,
                # The browser's clock is not the site's, and may be years ahead.
                "PERMANENT_SESSION_LIFETIME": timedelta(days=36_500),
            },
        )
        return create_app(settings, instance_path=str(folder))


def _hash(password: str) -> str:
    """As werkzeug writes it, with a salt that is always the same."""
    digest = hashlib.pbkdf2_hmac("sha256", password.encode(), b"tapwright", 1000)
    return f"pbkdf2:sha256:1000$tapwright${digest.hex()}"


if __name__ == "__main__":
    run(IHateMoneySite)
