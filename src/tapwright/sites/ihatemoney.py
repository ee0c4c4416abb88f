"""I Hate Money, a budget that the people of a shared flat keep together."""

from tapwright.sites.content import ihatemoney as content
from tapwright.sites.site import Site

__all__ = ["SITE"]

SITE = Site(
    name="ihatemoney",
    title="I Hate Money",
    kind="shared budget",
    version="7.2.1",
    licence="BSD-3-Clause",
    home="https://ihatemoney.org",
    database="budget.db",
    user=content.PROJECT,
    account=f"whoever has the address; project {content.PROJECT}, code {content.CODE}",
    content=content.make,
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
)
