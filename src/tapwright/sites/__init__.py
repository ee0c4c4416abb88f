"""Real web applications, offline: installed apart, filled from a seed, reset without a restart.

To add one: its facts and content here, its program in `programs/`, its lock, and a line in the
table.
"""

from typing import TYPE_CHECKING

from tapwright.core.registry import Registry

if TYPE_CHECKING:
    from tapwright.sites.site import Site

__all__ = ["sites"]

sites: "Registry[Site]" = Registry(
    "sites",
    "site",
    {
        "ihatemoney": "tapwright.sites.ihatemoney:SITE",
        "oscar": "tapwright.sites.oscar:SITE",
        "spirit": "tapwright.sites.spirit:SITE",
        "trac": "tapwright.sites.trac:SITE",
    },
)
