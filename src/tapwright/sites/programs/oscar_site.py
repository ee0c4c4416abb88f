"""Oscar (https://oscarcommerce.com, 4.2): a shop; one customer, who manages it, for all."""

from decimal import Decimal
from pathlib import Path
from typing import Any

from django_sites import NO_PASSWORD, DjangoSite
from serving import Content, run

_CONTEXT = (
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
    "django.template.context_processors.i18n",
    "django.template.context_processors.media",
    "django.template.context_processors.static",
    "django.contrib.messages.context_processors.messages",
    "oscar.apps.search.context_processors.search_form",
    "oscar.apps.checkout.context_processors.checkout",
    "oscar.apps.communication.notifications.context_processors.notifications",
    "oscar.core.context_processors.metadata",
)
_THUMBNAILS = ("x155", "440x400", "200x200", "100x100")
"""The sizes in which pages show pictures: made once, as a reset would throw them away."""
_CDN = "https://ajax.googleapis.com/ajax/libs/jquery/3.7.1/jquery.min.js"


class OscarSite(DjangoSite):
    """The shop, with pictures of its products in a folder beside the database."""

    def settings(self, folder: Path) -> dict[str, Any]:
        """Oscar's own, with no script from elsewhere."""
        import oscar
        from oscar import defaults

        package = Path(oscar.__file__).parent
        base = (package / "templates/oscar/base.html").read_text("utf-8")
        return {
            **{name: value for name, value in vars(defaults).items() if name.isupper()},
            "INSTALLED_APPS": [*oscar.INSTALLED_APPS, "sorl.thumbnail"],
            "SITE_ID": 1,
            "MIDDLEWARE": [
                "django.contrib.sessions.middleware.SessionMiddleware",
                "django.middleware.locale.LocaleMiddleware",
                "django.middleware.common.CommonMiddleware",
                "django.middleware.csrf.CsrfViewMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware",
                "django.contrib.auth.middleware.RemoteUserMiddleware",
                "django.contrib.messages.middleware.MessageMiddleware",
                "oscar.apps.basket.middleware.BasketMiddleware",
            ],
            "TEMPLATES": [
                {
                    "BACKEND": "django.template.backends.django.DjangoTemplates",
                    "OPTIONS": {
                        "context_processors": list(_CONTEXT),
                        "loaders": [
                            (
                                "django.template.loaders.locmem.Loader",
                                {"oscar/base.html": base.replace(_CDN, "")},
                            ),
                            "django.template.loaders.app_directories.Loader",
                        ],
                    },
                }
            ],
            "HAYSTACK_SIGNAL_PROCESSOR": "haystack.signals.RealtimeSignalProcessor",
            "ROOT_URLCONF": "oscar_urls",
            "OSCAR_INITIAL_ORDER_STATUS": "Pending",
            "OSCAR_INITIAL_LINE_STATUS": "Pending",
            "OSCAR_ORDER_STATUS_PIPELINE": {
                "Pending": ("Being processed", "Cancelled"),
                "Being processed": ("Processed", "Cancelled"),
                "Cancelled": (),
            },
        }

    def fill(self, folder: Path, content: Content) -> None:
        """Write customers, categories, products, their stock and pictures, and reviews."""
        from django.contrib.auth import get_user_model
        from django.contrib.sites.models import Site
        from oscar.core.loading import get_model

        def model(app: str, name: str) -> Any:
            return get_model(app, name).objects

        Site.objects.update_or_create(
            id=1, defaults={"domain": "127.0.0.1", "name": content["title"]}
        )
        people = {}
        for one in content["people"]:
            people[one["id"]] = get_user_model().objects.create(
                username=one["id"],
                email=f"{one['id']}@mill-lane.example",
                password=NO_PASSWORD,
                first_name=one["first"],
                last_name=one["last"],
                is_staff=one["id"] == content["user"],
                is_superuser=one["id"] == content["user"],
            )
        for code, name in content["countries"]:
            model("address", "Country").create(
                iso_3166_1_a2=code, name=name, printable_name=name, is_shipping_country=True
            )
        self._write_products(folder, content, people)

    def take_over(self, content: Content) -> None:
        """Empty the caches, and take the shop's name."""
        from django.conf import settings
        from django.contrib.sites.models import Site

        super().take_over(content)
        Site.objects.clear_cache()
        settings.OSCAR_SHOP_NAME = content["title"]
        settings.OSCAR_SHOP_TAGLINE = content["about"]
        settings.OSCAR_DEFAULT_CURRENCY = content["currency"]

    def _write_products(self, folder: Path, content: Content, people: dict[str, Any]) -> None:
        from oscar.core.loading import get_model
        from sorl.thumbnail import get_thumbnail

        category_model = get_model("catalogue", "Category")
        product_model = get_model("catalogue", "Product")
        kind = get_model("catalogue", "ProductClass").objects.create(name=content["kind"])
        partner = get_model("partner", "Partner").objects.create(name=content["title"])
        categories = [
            category_model.add_root(name=one["name"], slug=one["slug"], description=one["about"])
            for one in content["categories"]
        ]
        for one in content["products"]:
            product = product_model.objects.create(
                structure="standalone",
                product_class=kind,
                upc=one["upc"],
                title=one["title"],
                slug=one["slug"],
                description=one["about"],
            )
            product.categories.add(categories[one["category"]])
            get_model("partner", "StockRecord").objects.create(
                product=product,
                partner=partner,
                partner_sku=one["upc"],
                price_currency=content["currency"],
                price=Decimal(one["price"]),
                num_in_stock=one["stock"],
            )
            name = f"products/{one['slug']}.png"
            _draw(folder / "media" / name, one["color"], one["shape"])
            picture = get_model("catalogue", "ProductImage").objects.create(
                product=product, original=name
            )
            for geometry in _THUMBNAILS:
                get_thumbnail(picture.original, geometry, upscale=False)
            for review in one["reviews"]:
                get_model("reviews", "ProductReview").objects.create(
                    product=product,
                    user=people[review["author"]],
                    score=review["score"],
                    title=review["title"],
                    body=review["text"],
                    status=1,
                )


def _draw(path: Path, color: str, shape: int) -> None:
    """A picture of a product: a shape of its own on the colour of its category."""
    from PIL import Image, ImageDraw

    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", (240, 240), color)
    draw = ImageDraw.Draw(image)
    draw.regular_polygon((120, 120, 84), 3 + shape % 6, rotation=13 * shape, fill="white")
    draw.ellipse((96, 96, 144, 144), fill=color)
    image.save(path)


if __name__ == "__main__":
    run(OscarSite)
