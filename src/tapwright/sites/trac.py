"""Trac, an issue tracker with a wiki, of a company of rental bikes."""

from random import Random
from typing import Any

from tapwright.core.language import Language
from tapwright.sites.site import Site, moment, read_words

__all__ = ["SITE", "make"]

_PRIORITIES = ("trivial", "minor", "major", "major", "critical", "blocker")


def make(seed: int, language: Language) -> dict[str, Any]:
    """The content of a seed, in a language; ids and dates are the same in both."""
    words = read_words("trac", language)
    random = Random(f"trac {seed}")
    people = [one["id"] for one in words["people"]]
    return {
        "project": words["project"],
        "about": words["about"],
        "people": [
            {**one, "email": f"{one['id']}@harbor-bikes.example"} for one in words["people"]
        ],
        "components": [
            {**one, "owner": people[1 + number]} for number, one in enumerate(words["components"])
        ],
        "milestones": [
            {
                **one,
                "due": moment(one["due"]),
                "completed": "" if one["completed"] is None else moment(one["completed"]),
            }
            for one in words["milestones"]
        ],
        "versions": [{**one, "time": moment(one["time"])} for one in words["versions"]],
        "reports": [(one["text"], one["query"]) for one in words["reports"]],
        "pages": [
            {
                **page,
                "author": random.choice(people),
                "comment": "",
                "time": moment(-random.uniform(20, 200)),
            }
            for page in words["pages"]
        ],
        "tickets": _tickets(words, people, random),
    }


def _tickets(words: dict[str, Any], people: list[str], random: Random) -> list[dict[str, Any]]:
    drafts = random.sample(words["tickets"], len(words["tickets"]))
    age = 150.0
    tickets = []
    for draft in drafts:
        age *= random.uniform(0.78, 0.92)
        tickets.append(_ticket(draft, words, people, random, age))
    return tickets


def _ticket(
    draft: dict[str, Any], words: dict[str, Any], people: list[str], random: Random, age: float
) -> dict[str, Any]:
    owner = people[1 + draft["component"]] if random.random() < 0.6 else random.choice(people)
    done = age > 30 and random.random() < 0.35
    milestones = [one["name"] for one in words["milestones"]]
    changes = []
    said = random.sample(words["comments"], 3)
    times = sorted(random.uniform(0.02, 0.95) * age for _ in range(4))[::-1]
    for text, at in zip(said[: random.randrange(4)], times, strict=False):
        changes.append(
            {"author": random.choice(people), "comment": text, "fields": {}, "time": moment(-at)}
        )
    closing = random.choice(words["closing"])
    if done:
        fields = {"status": "closed", "resolution": closing["resolution"]}
        changes.append(
            {
                "author": owner,
                "comment": closing["text"],
                "fields": fields,
                "time": moment(-times[3]),
            }
        )
    elif random.random() < 0.3:
        changes.append(
            {
                "author": owner,
                "comment": "",
                "fields": {"status": "accepted"},
                "time": moment(-times[3]),
            }
        )
    return {
        "time": moment(-age),
        "fields": {
            "summary": draft["summary"],
            "description": draft["text"],
            "type": draft["type"],
            "component": words["components"][draft["component"]]["name"],
            "reporter": random.choice(people),
            "owner": owner,
            "priority": random.choice(_PRIORITIES),
            "milestone": milestones[0] if done else random.choice(["", *milestones[1:]]),
            "version": random.choice(words["versions"])["name"],
        },
        "changes": changes,
    }


SITE = Site(
    name="trac", title="Trac", kind="issue tracker and wiki", version="1.6", licence="BSD-3-Clause",
    home="https://trac.edgewall.org", database="db/trac.db", user="maya",
    account="maya, who may do everything; signed in already", content=make,
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
)  # fmt: skip
