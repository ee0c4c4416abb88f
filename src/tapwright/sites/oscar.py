"""Oscar, a shop with goods for bikes, kitchens and gardens."""

from random import Random
from typing import Any

from tapwright.core.language import Language
from tapwright.sites.site import Site, read_words

__all__ = ["SITE", "make"]


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


SITE = Site(
    name="oscar", title="Oscar", kind="shop", version="4.2.1", licence="BSD-3-Clause",
    home="https://oscarcommerce.com", database="site.db", user="maya",
    account="maya, a customer who also manages the shop; signed in already", content=make,
    locales={"en": "en", "zh": "zh-hans"},
    tables={
        "products": """
            SELECT product.upc, product.title, category.name AS category, price,
                   num_in_stock AS stock, product.is_public AS public
            FROM catalogue_product AS product
            JOIN partner_stockrecord ON product.id = partner_stockrecord.product_id
            JOIN catalogue_productcategory AS link ON product.id = link.product_id
            JOIN catalogue_category AS category ON category.id = category_id
            ORDER BY product.id""",
        "basket": """
            SELECT title, quantity FROM basket_line
            JOIN basket_basket ON basket_basket.id = basket_id
            JOIN catalogue_product ON catalogue_product.id = product_id
            WHERE status = 'Open' AND owner_id IS NOT NULL ORDER BY title""",
        "orders": """
            SELECT number, status, total_incl_tax AS total, currency,
                   (SELECT json_group_array(json_object('title', title, 'quantity', quantity))
                    FROM (SELECT title, quantity FROM order_line WHERE order_id = o.id
                          ORDER BY title)) AS "lines[]",
                   first_name, last_name, line1, line4 AS city, postcode
            FROM order_order AS o
            LEFT JOIN order_shippingaddress AS a ON a.id = shipping_address_id ORDER BY o.id""",
        "wishlists": """
            SELECT name,
                   (SELECT json_group_array(title) FROM (
                       SELECT title FROM wishlists_line WHERE wishlist_id = w.id ORDER BY title))
                   AS "products[]"
            FROM wishlists_wishlist AS w ORDER BY w.id""",
        "reviews": """
            SELECT product.title AS product, username AS author, score, review.title, body AS text
            FROM reviews_productreview AS review
            JOIN catalogue_product AS product ON product.id = product_id
            LEFT JOIN auth_user ON auth_user.id = user_id ORDER BY review.id""",
        "addresses": """
            SELECT first_name, last_name, line1, line4 AS city, postcode, country_id AS country,
                   is_default_for_shipping AS "default"
            FROM address_useraddress ORDER BY id""",
    },
)  # fmt: skip
