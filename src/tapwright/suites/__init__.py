"""Suites that come with harnesses of their own, each driven in an environment of its own.

To add one: its facts here, its program in `programs/`, a benchmark, and a line in each table.
"""

from tapwright.registry import Registry
from tapwright.suites.suite import Suite

__all__ = ["suites"]

suites: Registry[Suite] = Registry(
    "suites", "suite", {"androidworld": "tapwright.suites.androidworld:SUITE"}
)
