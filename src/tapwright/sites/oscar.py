"""Oscar, a shop with goods for bikes, kitchens and gardens."""

from tapwright.sites.content import oscar as content
from tapwright.sites.site import Site

__all__ = ["SITE"]

SITE = Site(
    name="oscar",
    title="Oscar",
    kind="shop",
    version="4.2.1",
    licence="BSD-3-Clause",
    home="https://oscarcommerce.com",
    database="site.db",
    user="maya",
    account="maya, a customer who also manages the shop; signed in already",
    content=content.make,
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
)
