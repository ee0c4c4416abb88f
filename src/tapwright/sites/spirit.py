"""Spirit, a forum of the neighbours of one street."""

from random import Random
from typing import Any

from tapwright.core.language import Language
from tapwright.sites.site import Site, moment, read_words

__all__ = ["SITE", "make"]


def make(seed: int, language: Language) -> dict[str, Any]:
    """The content of a seed, in a language; ids and dates are the same in both."""
    words = read_words("spirit", language)
    random = Random(f"spirit {seed}")
    people = [one["id"] for one in words["people"]]
    drafts = random.sample(words["topics"], len(words["topics"]))
    age = 60.0
    topics = []
    for draft in drafts:
        age *= random.uniform(0.7, 0.9)
        topics.append(_topic(draft, people, random, age))
    return {
        "title": words["title"],
        "about": words["about"],
        "people": words["people"],
        "categories": words["categories"],
        "topics": topics,
    }


def _topic(draft: dict[str, Any], people: list[str], random: Random, age: float) -> dict[str, Any]:
    """The posts of a topic: its first author writes every other one, others answer."""
    author = random.choice(people)
    others = [one for one in people if one != author]
    times = sorted((random.uniform(0.1, 0.95) * age for _ in draft["posts"][1:]), reverse=True)
    comments = []
    for number, (text, at) in enumerate(zip(draft["posts"], [age, *times], strict=True)):
        writer = random.choice(others) if number % 2 else author
        comments.append(
            {
                "author": writer,
                "text": text,
                "time": moment(-at),
                "likes": sorted(
                    random.sample([one for one in people[1:] if one != writer], random.randrange(3))
                ),
            }
        )
    return {"title": draft["title"], "category": draft["category"], "comments": comments}


SITE = Site(
    name="spirit", title="Spirit", kind="forum", version="0.14.3", licence="MIT",
    home="https://spirit-project.com", database="site.db", user="maya",
    account="maya, an administrator; signed in already", content=make,
    locales={"en": "en", "zh": "zh-hans"},
    tables={
        "topics": """
            SELECT topic.id, topic.title, category.title AS category, username AS author,
                   topic.is_closed AS closed, is_pinned AS pinned,
                   is_globally_pinned AS pinned_everywhere, topic.is_removed AS removed,
                   comment_count AS comments
            FROM spirit_topic_topic AS topic
            JOIN spirit_category_category AS category ON category.id = category_id
            JOIN auth_user ON auth_user.id = user_id ORDER BY topic.id""",
        "comments": """
            SELECT comment.id, title AS topic, username AS author, comment AS text,
                   likes_count AS likes, comment.is_removed AS removed, is_modified AS edited
            FROM spirit_comment_comment AS comment
            JOIN spirit_topic_topic AS topic ON topic.id = topic_id
            JOIN auth_user ON auth_user.id = comment.user_id
            WHERE action = 0 ORDER BY comment.id""",
        "likes": """
            SELECT username AS user, comment_id AS comment
            FROM spirit_comment_like_commentlike JOIN auth_user ON auth_user.id = user_id
            ORDER BY spirit_comment_like_commentlike.id""",
        "categories": """
            SELECT title, description, color, is_closed AS closed, is_removed AS removed
            FROM spirit_category_category WHERE NOT is_private ORDER BY id""",
        "people": """
            SELECT username AS id, nickname AS name, location AS place,
                   is_moderator AS moderator, is_active AS active
            FROM spirit_user_userprofile JOIN auth_user ON auth_user.id = user_id
            ORDER BY auth_user.id""",
    },
)  # fmt: skip
