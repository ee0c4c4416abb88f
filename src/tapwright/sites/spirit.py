"""Spirit, a forum of the neighbours of one street."""

from tapwright.sites.content import spirit as content
from tapwright.sites.site import Site

__all__ = ["SITE"]

SITE = Site(
    name="spirit",
    title="Spirit",
    kind="forum",
    version="0.14.3",
    licence="MIT",
    home="https://spirit-project.com",
    database="site.db",
    user="maya",
    account="maya, an administrator; signed in already",
    content=content.make,
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
)
