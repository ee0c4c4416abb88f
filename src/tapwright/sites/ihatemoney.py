"""I Hate Money, a budget that the people of a shared flat keep together."""

from datetime import timedelta
from random import Random
from typing import Any

from tapwright.core.language import Language
from tapwright.sites.site import NOW, Site, read_words

__all__ = ["CODE", "PROJECT", "SITE", "make"]

PROJECT = "mill-lane"
CODE = "tapwright"
"""What signs in who has lost the invitation."""

_DAYS = 75


def make(seed: int, language: Language) -> dict[str, Any]:
    """The content of a seed, in a language."""
    words = read_words("ihatemoney", language)
    random = Random(f"ihatemoney {seed}")
    names: list[str] = words["people"]
    days = sorted((random.randrange(1, _DAYS) for _ in words["bills"]), reverse=True)
    bills = [
        _bill(draft, names, random, day, words["scale"])
        for draft, day in zip(random.sample(words["bills"], len(days)), days, strict=True)
    ]
    return {
        "project": PROJECT,
        "title": words["title"],
        "password": CODE,
        "email": "flat@mill-lane.example",
        "currency": words["currency"],
        "people": [{"name": name, "weight": 1} for name in names],
        "bills": bills,
    }


def _bill(
    draft: dict[str, Any], names: list[str], random: Random, day: int, scale: int
) -> dict[str, Any]:
    cents = random.randrange(100 * draft["from"], 100 * draft["to"] + 1, 5)
    some = random.sample(range(len(names)), random.randrange(2, len(names)))
    payer = random.choice(some)
    return {
        "what": draft["what"],
        "amount": cents * scale / 100,
        "date": (NOW - timedelta(days=day)).date().isoformat(),
        "payer": names[payer],
        "for": names if draft["for"] == "all" else [names[number] for number in sorted(some)],
        "type": "Expense",
    }


SITE = Site(
    name="ihatemoney", title="I Hate Money", kind="shared budget", version="7.2.1",
    licence="BSD-3-Clause", home="https://ihatemoney.org", database="budget.db", user=PROJECT,
    account=f"whoever has the address; project {PROJECT}, code {CODE}", content=make,
    locales={"en": "en", "zh": "zh-Hans"},
    tables={
        "bills": """
            SELECT bill.id, what, amount, date, bill_type AS type, payer.name AS payer,
                   (SELECT json_group_array(name) FROM (
                       SELECT name FROM person JOIN billowers ON person.id = person_id
                       WHERE bill_id = bill.id ORDER BY name)) AS "for[]",
                   original_currency AS currency, coalesce(external_link, '') AS link
            FROM bill JOIN person AS payer ON payer.id = payer_id ORDER BY bill.id""",
        "people": "SELECT id, name, weight, activated AS active FROM person ORDER BY id",
        "projects": """
            SELECT id, name, contact_email AS email, default_currency AS currency
            FROM project ORDER BY id""",
    },
)  # fmt: skip
