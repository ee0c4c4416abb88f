"""The forum's content: what neighbours of one street lend, plan and repair.

The seed chooses who writes what, when, and who likes it. What is written is the same for every
seed.
"""

from random import Random
from typing import Any

from tapwright.core.language import Language
from tapwright.sites.content.moment import moment
from tapwright.sites.content.words import read_words

__all__ = ["make"]


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
