"""Suites that come with harnesses of their own, each driven in an environment of its own.

To add one: its facts here, its program in `programs/`, a benchmark, and a line in each table.
"""

from typing import TYPE_CHECKING

from tapwright.plugins.registry import Registry

if TYPE_CHECKING:
    from tapwright.harnesses.harness import Harness

__all__ = ["harnesses"]

harnesses: "Registry[Harness]" = Registry(
    "harnesses",
    "suite",
    {
        "androidworld": "tapwright.harnesses.androidworld:SUITE",
        "browsergym": "tapwright.harnesses.browsergym:SUITE",
        "osworld": "tapwright.harnesses.osworld:SUITE",
    },
)
