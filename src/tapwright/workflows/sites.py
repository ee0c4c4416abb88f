"""Where the sites of this machine lie."""

from pathlib import Path

from tapwright.sites.home import SiteHome
from tapwright.workflows.host import HostConfig

__all__ = ["site_home"]


def site_home(host: HostConfig, directory: Path | None = None) -> SiteHome:
    """The directory of sites: the given one, or TAPWRIGHT_SITES, or one in the user's cache."""
    if directory is not None:
        return SiteHome(directory)
    if given := host.variables.get("TAPWRIGHT_SITES"):
        return SiteHome(Path(given))
    cache = host.variables.get("XDG_CACHE_HOME")
    return SiteHome((Path(cache) if cache else Path.home() / ".cache") / "tapwright" / "sites")
