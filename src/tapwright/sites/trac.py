"""Trac, an issue tracker with a wiki, of a company of rental bikes."""

from tapwright.sites.content import trac as content
from tapwright.sites.site import Site

__all__ = ["SITE"]

SITE = Site(
    name="trac",
    title="Trac",
    kind="issue tracker and wiki",
    version="1.6",
    licence="BSD-3-Clause",
    home="https://trac.edgewall.org",
    database="db/trac.db",
    user="maya",
    account="maya, who may do everything; signed in already",
    content=content.make,
    locales={"en": "en-US", "zh": "zh-CN"},
    tables={
        "tickets": """
            SELECT id, summary, description, type, status, resolution, owner, reporter, priority,
                   component, milestone, version, keywords, cc FROM ticket ORDER BY id""",
        "comments": """
            SELECT ticket, author, newvalue AS text FROM ticket_change
            WHERE field = 'comment' AND newvalue <> '' ORDER BY ticket, time""",
        "milestones": """
            SELECT name, description,
                   CASE WHEN due THEN date(due / 1000000, 'unixepoch') ELSE '' END AS due,
                   completed > 0 AS completed FROM milestone ORDER BY name""",
        "components": "SELECT name, owner, description FROM component ORDER BY name",
        "versions": "SELECT name, description FROM version ORDER BY name",
        "pages": """
            SELECT name, text, author, version FROM wiki AS page
            WHERE version = (SELECT max(version) FROM wiki WHERE name = page.name) ORDER BY name""",
    },
)
