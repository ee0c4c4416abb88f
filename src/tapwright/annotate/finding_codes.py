"""The codes of rejections, repairs, warnings and reviews of a model's reasoning, with meanings.

The codes of reviews name what a reviewer finds wrong.
"""

from collections.abc import Mapping

from tapwright.files.packaged import read_table

__all__ = ["REJECTIONS", "REPAIRS", "REVIEWS", "TABLES", "WARNINGS", "describe_code"]

TABLES: Mapping[str, Mapping[str, str]] = read_table("tapwright.annotate", "finding_codes")
"""All codes, by what they are."""

REJECTIONS, REPAIRS = TABLES["rejection"], TABLES["repair"]
WARNINGS, REVIEWS = TABLES["warning"], TABLES["review"]


def describe_code(code: str) -> str | None:
    """Returns the meaning of a code; None if it is unknown."""
    return next((table[code] for table in TABLES.values() if code in table), None)
