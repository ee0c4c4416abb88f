"""What the sites made with Django share: their settings, one user for all visitors, their files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from serving import Content, Environ, WsgiApp

__all__ = ["NO_PASSWORD", "DjangoSite"]

NO_PASSWORD = "!"
"""What no password has as its hash."""

_SECRET = "not a secret: it signs the cookies of a site of examples"


class _NoMigrations(Mapping[str, None]):
    """Says of every app that it has no migrations, so that its tables are made as they are now."""

    def __contains__(self, app: object) -> bool:
        return True

    def __getitem__(self, app: str) -> None:
        return None

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0


class DjangoSite:
    """A site with a database, a folder of pictures, and one with an index of words."""

    database = "site.db"
    folders = ("media", "search")

    def settings(self, folder: Path) -> dict[str, Any]:
        """The settings of this site, over those of all."""
        raise NotImplementedError

    def fill(self, folder: Path, content: Content) -> None:
        """Write content through the site's own models."""
        raise NotImplementedError

    def build(self, folder: Path, content: Content) -> None:
        """Make the tables, and fill them."""
        self._set_up(folder)
        from django.core.management import call_command
        from django.db import connections, transaction

        (folder / "media").mkdir()
        (folder / "search").mkdir()
        call_command("migrate", run_syncdb=True, verbosity=0, interactive=False)
        with transaction.atomic():
            self.fill(folder, content)
        call_command("rebuild_index", interactive=False, verbosity=0)
        connections.close_all()

    def open(self, folder: Path) -> WsgiApp:
        """Open the site, which serves its own files, too."""
        self._set_up(folder)
        from django.contrib.staticfiles.handlers import StaticFilesHandler
        from django.core.wsgi import get_wsgi_application

        application: WsgiApp = StaticFilesHandler(get_wsgi_application())
        return application

    def take_over(self, content: Content) -> None:
        """Empty the caches, which all threads share; connections last for one request each."""
        from django.core.cache import caches

        for cache in caches.all():
            cache.clear()

    def prepare(self, environ: Environ, content: Content) -> None:
        """Everybody is the one user, and reads one language."""
        environ["REMOTE_USER"] = content["user"]
        environ["HTTP_ACCEPT_LANGUAGE"] = content["locale"]

    def _set_up(self, folder: Path) -> None:
        import django
        from django.conf import settings

        shared = {
            "DATABASES": {
                "default": {
                    "ENGINE": "django.db.backends.sqlite3",
                    "NAME": folder / self.database,
                    "OPTIONS": {"timeout": 20},
                }
            },
            "MIGRATION_MODULES": _NoMigrations(),
            "DEFAULT_AUTO_FIELD": "django.db.models.AutoField",
            "SECRET_KEY": _SECRET,
            "ALLOWED_HOSTS": ["*"],  # only 127.0.0.1 is listened to
            "AUTHENTICATION_BACKENDS": ["django.contrib.auth.backends.RemoteUserBackend"],
            "LANGUAGE_CODE": "en",
            "TIME_ZONE": "UTC",
            "USE_TZ": True,
            "STATIC_URL": "/static/",
            "MEDIA_URL": "/media/",
            "MEDIA_ROOT": folder / "media",
            "HAYSTACK_CONNECTIONS": {
                "default": {
                    "ENGINE": "haystack.backends.whoosh_backend.WhooshEngine",
                    "PATH": str(folder / "search"),
                }
            },
            "EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend",
            "LOGGING_CONFIG": None,
            # The browser's clock is not the site's, and may be years ahead.
            "SESSION_COOKIE_AGE": 100 * 365 * 24 * 3600,
            "SESSION_EXPIRE_AT_BROWSER_CLOSE": True,
            "CSRF_COOKIE_AGE": None,
        }
        settings.configure(**{**shared, **self.settings(folder)})
        django.setup()
