"""The budget's content: the bills of five people in one flat.

The seed chooses amounts, dates, who paid and for whom. Amounts in yuan are seven times those in
euros; all else is the same in both languages.
"""

from datetime import timedelta
from random import Random
from typing import Any

from tapwright.core.language import Language
from tapwright.sites.content.moment import NOW
from tapwright.sites.content.words import read_words

__all__ = ["CODE", "PROJECT", "make"]

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
