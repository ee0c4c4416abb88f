"""Suites that come with harnesses of their own, each driven in an environment of its own.

To add one: its facts here, its program in `programs/`, a benchmark, and a line in each table.
"""

from tapwright.harnesses.harness import Harness
from tapwright.plugins.registry import Registry

__all__ = ["harnesses"]

harnesses: Registry[Harness] = Registry(
    "harnesses",
    "suite",
    {
        "androidworld": "tapwright.harnesses.androidworld:SUITE",
        "browsergym": "tapwright.harnesses.browsergym:SUITE",
        "osworld": "tapwright.harnesses.osworld:SUITE",
    },
)
