"""The time that every site has when it is reset: dates of its content are told from there."""

from datetime import UTC, datetime, timedelta

__all__ = ["NOW", "moment"]

NOW = datetime(2026, 3, 16, 9, 0, tzinfo=UTC)
"""A Monday morning."""


def moment(days: float) -> str:
    """So many days after `NOW`, or before when negative, to the minute, in ISO 8601."""
    return (NOW + timedelta(minutes=round(days * 24 * 60))).isoformat()
