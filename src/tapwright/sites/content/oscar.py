"""The shop's content: goods for bikes, kitchens and gardens.

The seed chooses prices, stock and reviews. Prices in yuan are seven times those in euros; all else
is the same in both languages.
"""

from random import Random
from typing import Any

from tapwright.core.language import Language
from tapwright.sites.content.words import read_words

__all__ = ["make"]


def make(seed: int, language: Language) -> dict[str, Any]:
    """The content of a seed, in a language; ids and addresses are the same in both."""
    words = read_words("oscar", language)
    random = Random(f"oscar {seed}")
    writers = [one["id"] for one in words["people"][1:]]
    products = []
    for number, draft in enumerate(words["products"]):
        cents = random.randrange(100 * draft["from"], 100 * draft["to"], 10)
        reviews = random.sample(words["reviews"], random.randrange(3))
        authors = random.sample(writers, len(reviews))
        products.append(
            {
                **{name: draft[name] for name in ("slug", "title", "about", "category")},
                "upc": f"Q{1000 + number}",
                "price": f"{cents * words['scale'] / 100:.2f}",
                "stock": random.randrange(3, 60),
                "color": words["categories"][draft["category"]]["color"],
                "shape": number,
                "reviews": [
                    {**review, "author": author}
                    for review, author in zip(reviews, authors, strict=True)
                ],
            }
        )
    return {
        **{
            name: words[name]
            for name in ("title", "about", "kind", "currency", "people", "countries", "categories")
        },
        "products": products,
    }
