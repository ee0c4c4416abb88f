"""Trac (https://trac.edgewall.org, 1.6): tickets, milestones and a wiki; one user for all."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from serving import Content, Environ, WsgiApp, run

_OPTIONS = {
    "trac": {
        "repository_sync_per_request": "",
        "secure_cookies": "false",
        "check_auth_ip": "false",
        "auto_preview_timeout": "0",  # it would change the page seconds after the typing
    },
    "header_logo": {"src": "", "alt": ""},
    "logging": {"log_type": "none"},
    "notification": {"smtp_enabled": "false"},
    "project": {"footer": ""},
    "versioncontrol": {"default_repository_type": ""},
    "components": {"trac.versioncontrol.*": "disabled", "tracopt.*": "disabled"},
}


class TracSite:
    """The environment is the folder itself."""

    database = "db/trac.db"
    folders = ("files",)

    def __init__(self) -> None:
        self._environment: Any = None

    def build(self, folder: Path, content: Content) -> None:
        """Make the environment, and write content through Trac's own models."""
        from trac.env import Environment

        options = [
            *((part, *pair) for part, pairs in _OPTIONS.items() for pair in pairs.items()),
            ("trac", "database", "sqlite:db/trac.db"),
            *_wording(content),
        ]
        environment = Environment(str(folder / "trac"), create=True, options=options)
        try:
            _fill(environment, content)
        finally:
            environment.shutdown()
        for made in (folder / "trac").iterdir():
            made.rename(folder / made.name)
        (folder / "trac").rmdir()
        (folder / "files").mkdir(exist_ok=True)

    def open(self, folder: Path) -> WsgiApp:
        """Open the environment."""
        from trac.env import open_environment
        from trac.web.main import dispatch_request

        self._folder = str(folder)
        self._environment = open_environment(self._folder, use_cache=True)
        application: WsgiApp = dispatch_request
        return application

    def take_over(self, content: Content) -> None:
        """Empty the caches, whose generations count again from those of the template."""
        from trac.cache import CacheManager

        manager = CacheManager(self._environment)
        with manager._lock:
            manager._cache.clear()
        for option in _wording(content):
            self._environment.config.set(*option)

    def prepare(self, environ: Environ, content: Content) -> None:
        """Everybody is the one user, and reads one language."""
        environ["trac.env_path"] = self._folder
        environ["REMOTE_USER"] = content["user"]
        environ["HTTP_ACCEPT_LANGUAGE"] = content["locale"]


def _wording(content: Content) -> list[tuple[str, str, str]]:
    """The settings that differ between contents."""
    return [
        ("trac", "default_language", content["locale"].replace("-", "_")),
        ("project", "name", content["project"]),
        ("project", "descr", content["about"]),
        ("ticket", "default_component", content["components"][0]["name"]),
    ]


def _fill(environment: Any, content: Content) -> None:
    from trac.perm import PermissionSystem
    from trac.ticket.model import Component, Milestone, Ticket, Version
    from trac.wiki.model import WikiPage

    with environment.db_transaction as database:
        for table in ("component", "milestone", "version", "wiki", "report"):
            database(f"DELETE FROM {table}")  # noqa: S608 - the names above
    for name, value in content["reports"]:
        with environment.db_transaction as database:
            database(
                "INSERT INTO report (title, query, description) VALUES (%s, %s, '')", (name, value)
            )
    PermissionSystem(environment).grant_permission(content["user"], "TRAC_ADMIN")
    for one in content["people"]:
        with environment.db_transaction as database:
            database(
                "INSERT INTO session (sid, authenticated, last_visit) VALUES (%s, 1, 0)",
                (one["id"],),
            )
            for name in ("name", "email"):
                database(
                    "INSERT INTO session_attribute (sid, authenticated, name, value) "
                    "VALUES (%s, 1, %s, %s)",
                    (one["id"], name, one[name]),
                )
    for one in content["components"]:
        component = Component(environment)
        component.name, component.owner = one["name"], one["owner"]
        component.description = one["about"]
        component.insert()
    for one in content["milestones"]:
        milestone = Milestone(environment)
        milestone.name, milestone.description = one["name"], one["about"]
        milestone.due, milestone.completed = _moment(one["due"]), _moment(one["completed"])
        milestone.insert()
    for one in content["versions"]:
        version = Version(environment)
        version.name, version.time = one["name"], _moment(one["time"])
        version.insert()
    for one in content["pages"]:
        page = WikiPage(environment, one["name"])
        page.text = one["text"]
        page.save(one["author"], one["comment"], t=_moment(one["time"]))
    for one in content["tickets"]:
        ticket = Ticket(environment)
        for name, value in one["fields"].items():
            ticket[name] = value
        ticket["status"] = "new"
        ticket.insert(when=_moment(one["time"]))
        for change in one["changes"]:
            for name, value in change["fields"].items():
                ticket[name] = value
            ticket.save_changes(change["author"], change["comment"], when=_moment(change["time"]))


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC) if text else None


if __name__ == "__main__":
    run(TracSite)
