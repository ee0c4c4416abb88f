"""Suites that come with harnesses of their own, each driven in an environment of its own.

To add one: its facts in `suites.py`, its program, a benchmark, and a line in each table.
"""

from typing import TYPE_CHECKING

from tapwright.core.registry import Registry

if TYPE_CHECKING:
    from tapwright.harnesses.harness import Harness

__all__ = ["harnesses"]

harnesses: "Registry[Harness]" = Registry(
    "harnesses",
    "suite",
    {
        "androidworld": "tapwright.harnesses.suites:ANDROIDWORLD",
        "browsergym": "tapwright.harnesses.suites:BROWSERGYM",
        "osworld": "tapwright.harnesses.suites:OSWORLD",
    },
)
