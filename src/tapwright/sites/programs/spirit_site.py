"""Spirit (https://spirit-project.com, 0.14): a forum; one user for all visitors."""

from datetime import datetime
from pathlib import Path
from typing import Any

from django_sites import NO_PASSWORD, DjangoSite
from serving import Content, run

_APPS = (
    "core", "admin", "search", "user", "user.admin", "user.auth", "category", "category.admin",
    "topic", "topic.admin", "topic.favorite", "topic.moderate", "topic.notification",
    "topic.private", "topic.unread", "comment", "comment.bookmark", "comment.flag",
    "comment.flag.admin", "comment.history", "comment.like", "comment.poll",
)  # fmt: skip
_CONTEXT = (
    "django.contrib.auth.context_processors.auth",
    "django.template.context_processors.i18n",
    "django.template.context_processors.media",
    "django.template.context_processors.static",
    "django.template.context_processors.tz",
    "django.template.context_processors.request",
    "django.contrib.messages.context_processors.messages",
    "djconfig.context_processors.config",
)


class SpiritSite(DjangoSite):
    """The forum."""

    def settings(self, folder: Path) -> dict[str, Any]:
        """Spirit's, without limits of rates, mail or a name of its own."""
        return {
            "INSTALLED_APPS": [
                "django.contrib.auth",
                "django.contrib.contenttypes",
                "django.contrib.sessions",
                "django.contrib.messages",
                "django.contrib.staticfiles",
                "django.contrib.humanize",
                *(f"spirit.{app}" for app in _APPS),
                "djconfig",
                "haystack",
            ],
            "MIDDLEWARE": [
                "django.contrib.sessions.middleware.SessionMiddleware",
                "django.middleware.locale.LocaleMiddleware",
                "django.middleware.common.CommonMiddleware",
                "django.middleware.csrf.CsrfViewMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware",
                "django.contrib.auth.middleware.RemoteUserMiddleware",
                "django.contrib.messages.middleware.MessageMiddleware",
                "spirit.user.middleware.TimezoneMiddleware",
                "spirit.user.middleware.ActiveUserMiddleware",
                "djconfig.middleware.DjConfigMiddleware",
            ],
            "TEMPLATES": [
                {
                    "BACKEND": "django.template.backends.django.DjangoTemplates",
                    "APP_DIRS": True,
                    "OPTIONS": {"context_processors": list(_CONTEXT)},
                }
            ],
            "CACHES": {
                name: {
                    "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
                    "LOCATION": name,
                    "TIMEOUT": None,
                }
                for name in ("default", "st_rate_limit")
            },
            "STORAGES": {
                "default": {"BACKEND": "spirit.core.storage.OverwriteFileSystemStorage"},
                "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
            },
            "HAYSTACK_SIGNAL_PROCESSOR": "spirit.search.signals.RealtimeSignalProcessor",
            "ROOT_URLCONF": "spirit_urls",
            "LOGIN_URL": "spirit:user:auth:login",
            "LOGIN_REDIRECT_URL": "spirit:user:update",
            "ST_SITE_URL": "http://127.0.0.1/",
            "ST_TASK_MANAGER": None,
            "ST_RATELIMIT_ENABLE": False,
            "ST_DOUBLE_POST_THRESHOLD_MINUTES": 0,
            "ST_NGRAM_SEARCH": True,  # Chinese has no blanks between words
        }

    def fill(self, folder: Path, content: Content) -> None:
        """Write people, categories, topics, comments and likes."""
        from django.contrib.auth import get_user_model
        from spirit.category.models import Category
        from spirit.core.conf import settings

        people = {}
        for one in content["people"]:
            user = get_user_model()(
                username=one["id"],
                email=f"{one['id']}@mill-lane.example",
                password=NO_PASSWORD,
                is_superuser=one["id"] == content["user"],
            )
            user.save()
            user.st.nickname, user.st.location = one["name"], one["place"]
            user.st.is_verified = True
            user.st.save()
            people[one["id"]] = user
        Category.objects.create(
            pk=settings.ST_TOPIC_PRIVATE_CATEGORY_PK,
            title="Private",
            slug="private",
            is_private=True,
        )
        categories = [
            Category.objects.create(
                title=one["title"], description=one["about"], color=one["color"], sort=number
            )
            for number, one in enumerate(content["categories"])
        ]
        for one in content["topics"]:
            _write_topic(one, people, categories)
        _write_settings({"site_name": content["title"], "site_description": content["about"]})

    def take_over(self, content: Content) -> None:
        """Empty the caches, and read the forum's name again."""
        from djconfig.conf import config

        super().take_over(content)
        config._reload()


def _write_topic(draft: Content, people: dict[str, Any], categories: list[Any]) -> None:
    from spirit.comment.like.models import CommentLike
    from spirit.comment.models import Comment
    from spirit.core.utils.markdown import Markdown
    from spirit.topic.models import Topic

    times = [datetime.fromisoformat(one["time"]) for one in draft["comments"]]
    topic = Topic.objects.create(
        user=people[draft["comments"][0]["author"]],
        category=categories[draft["category"]],
        title=draft["title"],
        date=times[0],
        last_active=times[-1],
        comment_count=len(times),
    )
    for one, time in zip(draft["comments"], times, strict=True):
        comment = Comment.objects.create(
            user=people[one["author"]],
            topic=topic,
            comment=one["text"],
            comment_html=Markdown().render(one["text"]),
            date=time,
            likes_count=len(one["likes"]),
        )
        for name in one["likes"]:
            CommentLike.objects.create(user=people[name], comment=comment)


def _write_settings(values: dict[str, str]) -> None:
    """The settings that an administrator would write in the forum."""
    from djconfig.models import Config

    for name, value in values.items():
        Config.objects.update_or_create(key=name, defaults={"value": value})


if __name__ == "__main__":
    run(SpiritSite)
